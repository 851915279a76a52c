"""A solver that is obviously right, to judge the engine's by: a board with a border, and a walk in eight directions.

It shares nothing with the engine: no bitboards, no table, no ordering. Full width means that every line of play is
followed to its end. Alpha-beta, for positions that are too large for that, leaves out what can't matter and nothing
else. Both are one compiled function, so that the only difference between them is the cut. So is anti-Othello, where the
score of every finished game has the other sign.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numba import boolean, int8, int64, njit

ILLEGAL, UNFINISHED = -1001, -1000
"""What `line_score` says of a line that breaks the rules, and of one that stops before the end of the game."""
FULL_WIDTH_EMPTIES = 9
"""Up to here full width takes milliseconds."""

_PASS = 64
_NONE = -99
"""Below every score: no move found."""
_WIDTH = 10
_BORDER = 2
_STEPS = (-_WIDTH - 1, -_WIDTH, -_WIDTH + 1, -1, 1, _WIDTH - 1, _WIDTH, _WIDTH + 1)
_PLACES = tuple(_WIDTH * (square // 8 + 1) + square % 8 + 1 for square in range(64))
"""Where a square (a1 0, h8 63) lies on a board of ten times ten whose edge is no square."""

_Board = int8[::1]


@njit(int64(_Board, int64, int64))
def _runs(board: Any, place: int, mover: int) -> int:
    """How many discs a move turns in each direction, three bits each; 0 if it is none."""
    runs = 0
    for direction in range(8):
        step = _STEPS[direction]
        length = 0
        at = place + step
        while board[at] == -mover:
            at += step
            length += 1
        if length and board[at] == mover:
            runs |= length << 3 * direction
    return runs


@njit((_Board, int64, int64, int64))
def _turn(board: Any, place: int, runs: int, colour: int) -> None:
    """Give the discs of these runs a colour."""
    for direction in range(8):
        at = place
        for _ in range(runs >> 3 * direction & 7):
            at += _STEPS[direction]
            board[at] = colour


@njit(int64(_Board, int64))
def _final_score(board: Any, mover: int) -> int:
    """Disc difference for the mover, empty squares to the winner."""
    own = other = 0
    for place in _PLACES:
        own += board[place] == mover
        other += board[place] == -mover
    empty = 64 - own - other
    if own > other:
        return own - other + empty
    return own - other - empty if own < other else 0


@njit(int64(_Board, int64[::1], int64, int64, int64, int64, boolean, boolean))
def _search(
    board: Any, empties: Any, mover: int, alpha: int, beta: int, sign: int, prunes: bool, has_passed: bool
) -> int:
    """Value for the mover: exact with `prunes` false or inside (alpha, beta), else a bound on its side of them.

    sign: -1 for anti-Othello, else 1.
    """
    best = _NONE
    for place in empties:
        if board[place] != 0:
            continue
        runs = _runs(board, place, mover)
        if runs == 0:
            continue
        board[place] = mover
        _turn(board, place, runs, mover)
        score = -_search(board, empties, -mover, -beta, -max(alpha, best), sign, prunes, False)
        _turn(board, place, runs, -mover)
        board[place] = 0
        best = max(best, score)
        if prunes and best >= beta:
            return best
    if best != _NONE:
        return best
    if has_passed:
        return sign * _final_score(board, mover)
    return -_search(board, empties, -mover, -beta, -alpha, sign, prunes, True)


@njit(int64(_Board, int64[::1], int64))
def _n_moves(board: Any, empties: Any, mover: int) -> int:
    n_moves = 0
    for place in empties:
        if board[place] == 0 and _runs(board, place, mover) != 0:
            n_moves += 1
    return n_moves


@njit(int64(_Board, int64[::1], int64[::1]))
def _line_score(board: Any, empties: Any, line: Any) -> int:
    mover = 1
    for place in line:
        if place == 0:  # a pass
            if _n_moves(board, empties, mover) > 0 or _n_moves(board, empties, -mover) == 0:
                return ILLEGAL
        else:
            runs = _runs(board, place, mover) if board[place] == 0 else 0
            if runs == 0:
                return ILLEGAL
            board[place] = mover
            _turn(board, place, runs, mover)
        mover = -mover
    if _n_moves(board, empties, mover) > 0 or _n_moves(board, empties, -mover) > 0:
        return UNFINISHED
    return _final_score(board, 1)


def _boards(player: int, opponent: int) -> tuple[Any, Any]:
    """The board, with the mover's discs as 1 and the other's as -1, and the places of its empty squares."""
    board = np.full(_WIDTH * _WIDTH, _BORDER, dtype=np.int8)
    empties = []
    for square, place in enumerate(_PLACES):
        board[place] = (player >> square & 1) - (opponent >> square & 1)
        if board[place] == 0:
            empties.append(place)
    return board, np.array(empties, dtype=np.int64)


def move_scores(player: int, opponent: int, prunes: bool = False, anti: bool = False) -> dict[int, int]:
    """Value of every legal move for the side to move, by square; {64: value} for a forced pass, {} for a finished game.

    prunes: by alpha-beta, each move with the full window, instead of full width. anti: fewest discs win.
    """
    board, empties = _boards(player, opponent)
    sign = -1 if anti else 1
    if not _n_moves(board, empties, 1):
        if not _n_moves(board, empties, -1):
            return {}
        return {_PASS: -int(_search(board, empties, -1, -64, 64, sign, prunes, True))}
    scores = {}
    for place in empties:
        runs = _runs(board, place, 1)
        if runs:
            board[place] = 1
            _turn(board, place, runs, 1)
            scores[_PLACES.index(place)] = -int(_search(board, empties, -1, -64, 64, sign, prunes, False))
            _turn(board, place, runs, -1)
            board[place] = 0
    return scores


def score(player: int, opponent: int, prunes: bool = False, anti: bool = False) -> int:
    """Disc difference under perfect play for the side to move, empty squares to the side with more discs.

    anti: fewest discs win, and the difference is the opponent's minus own.
    """
    board, empties = _boards(player, opponent)
    return int(_search(board, empties, 1, -64, 64, -1 if anti else 1, prunes, False))


def line_score(player: int, opponent: int, line: Sequence[int], anti: bool = False) -> int:
    """What a line of play (64 for a pass) ends in, for the side that begins; or ILLEGAL, or UNFINISHED."""
    board, empties = _boards(player, opponent)
    places = [0 if square == _PASS else _PLACES[square] if 0 <= square < 64 else -1 for square in line]
    if -1 in places:
        return ILLEGAL
    score = int(_line_score(board, empties, np.array(places, dtype=np.int64)))
    return -score if anti and score not in (ILLEGAL, UNFINISHED) else score
