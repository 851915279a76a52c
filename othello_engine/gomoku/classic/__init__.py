"""The documented Gomoku engine: the profile `gomoku-classic`. See docs/gomoku-classic.md."""
