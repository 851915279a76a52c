"""Matches and tournaments between engine programs. Run as `othello-engine match`; `docs/match.md` is the manual."""
