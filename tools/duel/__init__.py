"""Matches of paired games between two engine programs. Run as `python -m tools.duel`."""
