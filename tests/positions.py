"""Named positions with known answers, and generators of others.

Scores are disc differences for the side to move under perfect play, empties to the winner. They come from
independent programs, not from this engine.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from dataclasses import dataclass

from othello_engine.position import Position
from othello_engine.types import PASS


@dataclass(frozen=True, slots=True)
class Known:
    """A position and what is known about it.

    score: exact value for the side to move. best: the best moves by name. moves: exact value of every legal
    move, where known. slips: values that typical mistakes give (no move taken for the end, a sign lost).
    """

    name: str
    text: str
    score: int
    best: tuple[str, ...] = ()
    moves: tuple[tuple[str, int], ...] = ()
    slips: tuple[int, ...] = ()

    @property
    def position(self) -> Position:
        return Position.from_text(self.text)


# -- games ---------------------------------------------------------------------------------------------------

START_TEXT = "---------------------------OX------XO--------------------------- X"

WIPE_OUT = "e6f4d3e7f6g5e3e2f3c4f5f2"
"""White wipes Black out: 0-16, -64 for Black, no pass."""
PASS_THEN_WIPE_OUT = "f5d6c7f3d3c6b6g6h7d7d8b7b8c2g2b1"
"""White must pass before the last move; Black wins 20-0."""
EARLY_END = "e6f6f5f4g4d6d3h3c4c2e2b3b4a4g6h7b5c6b1f1d1"
"""Black must pass before the last move; then nobody can move: 1-24 with 39 empties, -62 for Black."""
EARLIEST_PASS = "d3c3e6d2d1e1b3c1"
"""Black to move has no move after eight plies; White has b4 and d6."""
EARLIEST_PASS_TEXT = "--OOO------O-----XXX-------XX------XX-------X------------------- X"
FIVE_MOVES = "f5d6c3d3c4"
FIVE_MOVES_TEXT = "------------------XO------XXX------OXX-----O-------------------- O"
PASS_AT_16 = "e6f6c4c5c6d6g7f4g4g6e7h8h6g5g8f8"
"""Black has no move; White then has exactly c3, g3, b4."""
PASS_AT_16_PERFT = (1, 3, 13, 97, 745, 6509, 58855)
BLACK_WIPES_OUT = "e6f4e3f6g5d6e7f5c5"
"""Black wins 13-0 with 51 empties."""

CROWDED = "---------OOOOXO--XXX-XO--OX--OO---XO--X--OXXXXO--OO-OXO--------- X"
"""35 legal moves, more than any game is known to reach; found by hill climbing."""

# -- perft ---------------------------------------------------------------------------------------------------

START_PERFT = (4, 12, 56, 244, 1396, 8200, 55092, 390216, 3005288)
"""Leaves at depth 1, 2, ... where a pass is a ply and a finished game is one leaf."""
START_PERFT_9_FREE_PASSES = 3005320
"""Depth 9 where a pass costs no ply."""

# -- finished games ------------------------------------------------------------------------------------------

NOBODY_CAN_MOVE = "X------O" + "-" * 48 + "X-------"
"""Black 2, White 1, 61 empties."""
FULL_33_31 = "X" * 33 + "O" * 31
FULL_DRAW = "X" * 32 + "O" * 32
EMPTY_BOARD = "-" * 64
ONE_USELESS_EMPTY = (
    "-XXXXXXX"
    "XXOOOOOO"
    "XOXOOOOO"
    "XOOXOOOO"
    "XOOOXOOO"
    "XOOOOXOO"
    "XOOOOOXO"
    "XOOOOOOX"
)  # fmt: skip
"""Only a1 is empty, and its three lines are black throughout. 21 black, 42 white."""

FINISHED = (
    (NOBODY_CAN_MOVE, 62),
    (FULL_33_31, 2),
    (FULL_DRAW, 0),
    ("O" * 32 + "X" * 32, 0),
    (EMPTY_BOARD, 0),
    (ONE_USELESS_EMPTY, -22),
    ("X" + "-" * 63, 64),
    ("-" * 63 + "O", -64),
    ("X------O" + "-" * 48 + "X------O", 0),
    ("O" * 60 + "X" * 4, -56),
)
"""Boards on which nobody can move, with Black's score."""

# -- exact values --------------------------------------------------------------------------------------------

SOLVED = (
    Known(
        "a pass for each side, 4 empties",
        "XXXXXXXXXXOOOOOXXXXOOOOXXXOXOOOXXOXOOXOXOOOOOXXXOOOO-OOXOX--OOO- X",
        14,
        slips=(12, 6, 2),
    ),
    Known(
        "a pass for each side, 6 empties",
        "O-XXOOOOO-XOOOO-OXXXXXXXX-OOOXXXXXXOXXXXOOXXOXXXOOXX-OXX-OOOOOOX X",
        24,
        slips=(20, -20),
    ),
    Known(
        "six empties, a3 wins",
        "----OOOXOO-OOOOX-OXXXXXXOXOOOXXXOOOOOOXXOOOOOOXXOOOOXXXXOOOOXXOO X",
        12,
        ("a3",),
        (("a3", 12), ("c2", 2), ("a1", -4), ("c1", -6), ("b1", -8), ("d1", -12)),
    ),
    Known(
        "six empties, a1 wins",
        "-OXXXXX-XOOO-XXXXXOOOOXOXOXOOOOOXOXXOOO-XOOOXOXO-OOXXXO-XOOOOOOO X",
        14,
        ("a1",),
        (("a1", 14), ("h7", 0), ("a7", -2), ("h5", -6), ("e2", -8)),
    ),
    Known(
        "six empties, f1 wins",
        "XOOOX-OXXOXXXOXX-OXOOXOX-OOOXXOX-XOOOOOOXXXOXXOOXXOOOOXXX--OOOOO O",
        2,
        ("f1",),
        (("f1", 2), ("a5", -6), ("b8", -8), ("a4", -10)),
    ),
)
"""Small endgames that full-width search can check."""

FFO_40 = Known(
    "FFO 40, 20 empties",
    "O--OOOOX-OOOOOOXOOXXOOOXOOXOOOXXOOOOOOXX---OOOOX----O--X-------- X",
    38,
    ("a2",),
    (
        ("a2", 38),
        ("c7", 36),
        ("d8", 34),
        ("c1", 30),
        ("b1", 30),
        ("g7", 28),
        ("d7", 28),
        ("c6", 28),
        ("f7", 26),
        ("a6", 24),
    ),
)


# -- generators ----------------------------------------------------------------------------------------------


def random_game(rng: random.Random, squeeze: float = 0.0) -> list[Position]:
    """The positions of a random game from the start, before and after forced passes, the finished one last.

    squeeze: share of the moves that leave the opponent as few replies as possible. That makes passes,
    wipe-outs and early ends, which uniform games hardly ever show.
    """
    position = Position.start()
    positions = [position]
    while legal := position.legal_moves:
        if legal != (PASS,) and rng.random() < squeeze:
            replies = [position.play(move).legal_bitboard.bit_count() for move in legal]
            fewest = min(replies)
            legal = tuple(move for move, n in zip(legal, replies, strict=True) if n == fewest)
        position = position.play(rng.choice(legal))
        positions.append(position)
    return positions


def moves_of(game: list[Position]) -> list[int]:
    """The moves between the positions of a game, passes included."""
    moves = []
    for before, after in itertools.pairwise(game):
        placed = before.empties & ~after.empties
        moves.append(placed.bit_length() - 1 if placed else PASS)
    return moves


def random_positions(count: int, seed: int) -> Iterator[Position]:
    """`count` positions of random games, every stage of the game, every third game squeezed."""
    rng = random.Random(seed)
    made = 0
    while True:
        for position in random_game(rng, squeeze=rng.choice((0.0, 0.0, 0.6))):
            if made == count:
                return
            yield position
            made += 1


def random_bitboards(count: int, seed: int) -> Iterator[tuple[int, int]]:
    """Pairs of disjoint bitboards, from nearly empty to full, most of them out of reach of any game."""
    rng = random.Random(seed)
    for _ in range(count):
        density = rng.choice((0.05, 0.3, 0.6, 0.9, 1.0))
        share = rng.choice((0.1, 0.5, 0.5, 0.9))
        player = opponent = 0
        for square in range(64):
            if rng.random() < density:
                if rng.random() < share:
                    player |= 1 << square
                else:
                    opponent |= 1 << square
        yield player, opponent


def late_positions(n_empties: int, count: int, seed: int) -> Iterator[Position]:
    """`count` positions of random games with so many empties, half of them with a pass or an early end ahead.

    Ahead: the side to move has no move, or some move leaves the opponent without one.
    """
    rng = random.Random(seed)
    ordinary = made = 0
    while made < count:
        game = random_game(rng, squeeze=rng.choice((0.0, 0.5, 0.8)))
        position = next((p for p in game if p.n_empties == n_empties), None)
        if position is None:
            continue
        if not _has_a_pass_ahead(position):
            if ordinary >= (count + 1) // 2:
                continue
            ordinary += 1
        yield position
        made += 1


def _has_a_pass_ahead(position: Position) -> bool:
    if not position.legal_bitboard:
        return True
    return any(not position.play(move).legal_bitboard for move in position.legal_moves)


# -- bitboards by name ---------------------------------------------------------------------------------------


def bits(names: str) -> int:
    """The bitboard of squares such as `a1 h8`."""
    found = 0
    for name in names.split():
        found |= 1 << ("abcdefgh".index(name[0]) + 8 * (int(name[1]) - 1))
    return found


def image(bitboard: int, index: int) -> int:
    """One of the eight symmetries: bit 0 of index mirrors rows, bit 1 columns, and bit 2 then transposes."""
    found = 0
    for square in range(64):
        if bitboard >> square & 1:
            row, column = divmod(square, 8)
            if index & 1:
                row = 7 - row
            if index & 2:
                column = 7 - column
            if index & 4:
                row, column = column, row
            found |= 1 << (8 * row + column)
    return found
