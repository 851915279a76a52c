"""What search tests share: an obvious full-width search on plain integers, and a ready searcher."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from othello_engine.core import plain
from othello_engine.core.layout import STATE_BYTES
from othello_engine.search.driver import Searcher
from othello_engine.search.task import SCORE_LIMIT, Task
from othello_engine.types import PASS
from tests.core.support import several

__all__ = [
    "assert_true_bound",
    "exact_task",
    "full_width",
    "new_searcher",
    "perfect_score",
    "score_after",
    "several",
    "task",
]


def new_searcher(table_bytes: int = 1 << 20, weights: Any = None, evaluation: str = "classic") -> Searcher:
    """A searcher of its own, in private memory; with the trained evaluation if there are weights."""
    searcher = Searcher(bytearray(STATE_BYTES), evaluation if weights is None else "patterns", weights)
    searcher.attach_table(bytearray(table_bytes))
    searcher.new_game()
    return searcher


def assert_true_bound(score: int, expected: int, alpha: int, beta: int) -> None:
    """The score in a window is the true value, or outside of the window a true bound on its side."""
    if expected <= alpha:
        assert expected <= score <= alpha
    elif expected >= beta:
        assert beta <= score <= expected
    else:
        assert score == expected


def successors(player: int, opponent: int) -> list[tuple[int, int, int]]:
    """(move, player, opponent) after each legal move; one pass if that is forced; none if the game is over."""
    moves = plain.legal_moves(player, opponent)
    if not moves:
        return [(PASS, opponent, player)] if plain.legal_moves(opponent, player) else []
    after = []
    for square in range(64):
        if moves >> square & 1:
            turned = plain.flips(square, player, opponent)
            after.append((square, opponent ^ turned, player ^ turned ^ (1 << square)))
    return after


@cache
def perfect_score(player: int, opponent: int, sign: int = 1) -> int:
    """Disc difference under perfect play, by visiting everything. sign: -1 where fewest discs win."""
    after = successors(player, opponent)
    if not after:
        return sign * plain.final_score(player, opponent)
    return max(-perfect_score(p, o, sign) for _, p, o in after)


def full_width(
    player: int, opponent: int, depth: int, leaf: Callable[[int, int], int], end: Callable[[int], int]
) -> int:
    """Value to `depth` plies by visiting everything; passes cost no depth.

    leaf: static value of an unfinished position; end: worth of a finished game by its disc difference.
    """
    after = successors(player, opponent)
    if not after:
        return end(plain.final_score(player, opponent))
    if depth == 0:
        return leaf(player, opponent)
    return max(-full_width(p, o, depth - (move != PASS), leaf, end) for move, p, o in after)


def score_after(player: int, opponent: int, pv: tuple[int, ...]) -> tuple[int, bool]:
    """(final score for the first side, True if the game is over there) after playing a line; it must be legal."""
    sign = 1
    for move in pv:
        player, opponent = next((p, o) for legal, p, o in successors(player, opponent) if legal == move)
        sign = -sign
    return sign * plain.final_score(player, opponent), not successors(player, opponent)


def task(player: int, opponent: int, depth: int, **changes: int) -> Task:
    """A midgame task with the full window."""
    return Task(player, opponent, -SCORE_LIMIT, SCORE_LIMIT, depth, **changes)


def exact_task(player: int, opponent: int, alpha: int = -64, beta: int = 64, **changes: int) -> Task:
    """An exact task, by default with the full window."""
    return Task(player, opponent, alpha, beta, 0, exact=True, **changes)
