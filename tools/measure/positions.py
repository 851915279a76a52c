"""Positions for measurements: random games, the same ones for the same seed."""

from __future__ import annotations

import random
from collections.abc import Iterator

from othello_engine.position import Position
from othello_engine.types import square_name


def random_game(rng: random.Random) -> Iterator[tuple[Position, str]]:
    """A game of random legal moves: each position before a move, with the move's name (`pass` included)."""
    position = Position.start()
    while not position.is_over:
        move = rng.choice(position.legal_moves)
        yield position, square_name(move)
        position = position.play(move)


def random_positions(rng: random.Random, n: int, minimum_empties: int = 1, maximum_empties: int = 60) -> list[Position]:
    """`n` unfinished positions out of random games, at most one of each game.

    The number of empties is drawn evenly from the range, so that early and late positions are equally common.
    """
    found: list[Position] = []
    while len(found) < n:
        empties = rng.randint(minimum_empties, maximum_empties)
        for position, _ in random_game(rng):
            if position.n_empties == empties and not position.must_pass:
                found.append(position)
                break
    return found
