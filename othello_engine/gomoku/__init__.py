"""Freestyle five in a row: the second game. It shares the engine layer with Othello, and nothing of its rules."""
