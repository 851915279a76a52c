"""Measure an engine of Gomoku: positions with known answers, puzzles of continuous fours, and nodes per second."""
