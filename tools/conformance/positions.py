"""The positions that the checks set up, as transcripts and as boards. All are tested against the rules."""

from __future__ import annotations

from functools import cache

from othello_engine.position import Position
from othello_engine.types import square_name

PASS_GAME = "d3c3e6d2d1e1b3c1"
"""Black must pass, the earliest ply at which that can happen; white then has b4 and d6. As the answer needs no search,
it also shows at little cost whether an engine still holds the position that it was given."""

WIPEOUT_GAME = "e6f4d3e7f6g5e3e2f3c4f5f2"
"""Over after twelve plies: white has taken every black disc, 0-16; with the empty squares -64 for black."""

BLACK_WINS_GAME = "f5d6c7f3d3c6b6g6h7d7d8b7b8c2g2pab1"
"""Over, with a forced pass of white before the last move: 20-0, 64 for black."""

EMPTIES_LEFT_GAME = "e6f6f5f4g4d6d3h3c4c2e2b3b4a4g6h7b5c6b1f1pad1"
"""Over although both colours and 39 empty squares are left, with a forced pass of black: 1-24, -62 for black."""

SINGLE_MOVE_GAME = "f5d6c7f3d3"
"""White to move has c6 and nothing else."""

LATE_GAME = (
    "e6f4d3c2g4f5g5g6d2h4h3c4g3c6b4a4b2g2h2h1b3f6h5d6f3h6f7c5b6g7h7f2e7f8g8b1b5a7c3e2c1e3e8b7d7h8f1g1a8e1c7a5a6b8"
)
"""Fifty-four plies without a pass; black to move, six empty squares, five moves, d1 alone is best: -6."""

SIX_EMPTIES = "----OOOXOO-OOOOX-OXXXXXXOXOOOXXXOOOOOOXXOOOOOOXXOOOOXXXXOOOOXXOO X"
"""Black to move: a3 alone is best, 12; the line to the end holds a pass."""
SIX_EMPTIES_BEST, SIX_EMPTIES_SCORE = "a3", 12

OVER_BOARD = "X------O" + "-" * 48 + "X------- X"
"""Nobody can move; 2-1 and 61 empty squares."""

ASYMMETRIC_GAME = "f5d6c3d3c4"
"""No symmetry maps its board to itself, so a turned or mirrored reading shows."""


def after(moves: str) -> Position:
    """The position after a transcript."""
    return Position.from_moves(moves)


def legal(position: Position) -> set[str]:
    """Names of the legal moves, `pass` where it is forced."""
    return {square_name(move) for move in position.legal_moves}


@cache
def solve(position: Position) -> int:
    """The score with best play for the side to move, by trying everything; for a few empty squares only."""
    if position.is_over:
        return position.final_score
    return max(-solve(position.play(move)) for move in position.legal_moves)
