"""The position as a value: a board, whose turn it is, and what the rules say about it.

Immutable, hashable, and free of Numba: importing it costs nothing. Files of games and positions are read and
written by `othello_engine.formats`.

>>> position = Position.start().play("d3").play("c3")
>>> position.to_text()
'------------------OX-------OX------XO--------------------------- X'
>>> [square_name(square) for square in position.legal_moves]
['b3', 'c4', 'f5', 'e6']
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from othello_engine.core import plain
from othello_engine.errors import BoardError, IllegalMoveError, PositionError
from othello_engine.notation import (
    SIDE_NAMES,
    SIDE_SYMBOLS,
    format_squares,
    parse_move,
    scan_board,
    scan_moves,
)
from othello_engine.types import BLACK, N_SQUARES, NO_MOVE, PASS, WHITE, square_name

_START_BLACK = 1 << 28 | 1 << 35  # e4 d5
_START_WHITE = 1 << 27 | 1 << 36  # d4 e5


@dataclass(frozen=True, slots=True, repr=False)
class Position:
    """A board and the side to move.

    player, opponent: bitboards of the side to move and of the other side; bit x is square x (a1 0, h8 63).
    side: BLACK or WHITE, the colour of `player`. Any two disjoint bitboards make a position: game over, no
    move for one side, one colour only and the empty board included. Raises PositionError otherwise.

    >>> Position.start() == Position.from_text("-" * 27 + "OX------XO" + "-" * 27 + " X")
    True
    """

    size: ClassVar[int] = 8
    """Squares on a side of the board."""
    NO_MOVE: ClassVar[int] = NO_MOVE

    player: int
    opponent: int
    side: int = BLACK

    def __post_init__(self) -> None:
        if self.side not in (BLACK, WHITE):
            raise PositionError(f"the side to move is BLACK or WHITE, not {self.side!r}")
        if not (0 <= self.player <= plain.FULL and 0 <= self.opponent <= plain.FULL):
            raise PositionError("a bitboard has 64 bits")
        if self.player & self.opponent:
            square = square_name((self.player & self.opponent).bit_length() - 1)
            raise PositionError(f"two discs on {square}")

    # -- ways in ---------------------------------------------------------------------------------------------

    @classmethod
    def start(cls) -> Position:
        """The start of the game: white d4 e5, black e4 d5, black to move."""
        return cls(_START_BLACK, _START_WHITE, BLACK)

    @classmethod
    def from_text(cls, text: str, default_side: int | None = None) -> Position:
        """The position of a board text: 64 squares from a1 to h8, then the side to move.

        Black is `X x * B b`, white `O o W w`, empty `- . _`; white space doesn't count. The side may be left
        out only if `default_side` is given. Raises BoardError, which names the column.

        >>> print(Position.from_text("--OOO------O-----XXX-------XX------XX-------X------------------- X"))
          a b c d e f g h
        1 - - O O O - - - 1
        2 - - - O - - - - 2
        3 - X X X - - - - 3
        4 - - - X X - - - 4
        5 - - - X X - - - 5
        6 - - - - X - - - 6
        7 - - - - - - - - 7
        8 - - - - - - - - 8
          a b c d e f g h
        Black (X) to move, must pass, 8-4
        """
        board = scan_board(text)
        side = default_side if board.side is None else board.side
        if side is None:
            column = len(text.rstrip()) + 1
            raise BoardError(f"no side to move behind the board; write X or O (column {column})", column)
        if side == BLACK:
            return cls(board.black, board.white, BLACK)
        return cls(board.white, board.black, WHITE)

    @classmethod
    def from_moves(cls, moves: str | Iterable[str]) -> Position:
        """The position after these moves from the start, forced passes left out or written.

        >>> Position.from_moves("f5d6c3").side == WHITE
        True
        """
        start = cls.start()
        steps = start.follow(moves)
        return steps[-1][1] if steps else start

    # -- ways out --------------------------------------------------------------------------------------------

    def to_text(self) -> str:
        """64 characters `X`, `O`, `-`, a space, the side: what `from_text` reads back."""
        return f"{format_squares(self.black, self.white)} {SIDE_SYMBOLS[self.side]}"

    def diagram(self) -> list[str]:
        """The board as lines of text, row 1 on top; a last line with side and disc counts, black first."""
        letters = "  a b c d e f g h"
        squares = format_squares(self.black, self.white)
        rows = [f"{row + 1} {' '.join(squares[8 * row : 8 * row + 8])} {row + 1}" for row in range(8)]
        state = f"{SIDE_NAMES[self.side]} ({SIDE_SYMBOLS[self.side]}) to move"
        if self.is_over:
            state = "game over"
        elif self.must_pass:
            state += ", must pass"
        return [letters, *rows, letters, f"{state}, {self.black.bit_count()}-{self.white.bit_count()}"]

    def __str__(self) -> str:
        return "\n".join(self.diagram())

    def __repr__(self) -> str:
        return f"Position.from_text({self.to_text()!r})"

    def move_name(self, move: int) -> str:
        """`d3`, `pass` or `none`."""
        return square_name(move)

    # -- discs -----------------------------------------------------------------------------------------------

    @property
    def black(self) -> int:
        """Bitboard of the black discs."""
        return self.player if self.side == BLACK else self.opponent

    @property
    def white(self) -> int:
        """Bitboard of the white discs."""
        return self.opponent if self.side == BLACK else self.player

    @property
    def empties(self) -> int:
        """Bitboard of the empty squares."""
        return ~(self.player | self.opponent) & plain.FULL

    @property
    def n_empties(self) -> int:
        """How many squares are empty."""
        return N_SQUARES - (self.player | self.opponent).bit_count()

    @property
    def disc_difference(self) -> int:
        """Discs of the side to move minus discs of the other, as they lie; empty squares count for nobody."""
        return self.player.bit_count() - self.opponent.bit_count()

    # -- rules -----------------------------------------------------------------------------------------------

    @property
    def legal_bitboard(self) -> int:
        """Squares the side to move may play; 0 if it must pass or the game is over."""
        return plain.legal_moves(self.player, self.opponent)

    @property
    def legal_moves(self) -> tuple[int, ...]:
        """All that `play` accepts: squares in ascending order, (PASS,) if a pass is forced, () at the end."""
        moves = self.legal_bitboard
        if moves:
            return tuple(square for square in range(N_SQUARES) if moves >> square & 1)
        return (PASS,) if plain.legal_moves(self.opponent, self.player) else ()

    @property
    def must_pass(self) -> bool:
        """True if the side to move has no move and the other side has one."""
        return not self.legal_bitboard and plain.legal_moves(self.opponent, self.player) != 0

    @property
    def is_over(self) -> bool:
        """True if neither side has a move."""
        return not self.legal_bitboard and not plain.legal_moves(self.opponent, self.player)

    @property
    def final_score(self) -> int:
        """Disc difference of a finished game for the side to move, the empty squares given to the side with more.

        Raises PositionError while somebody can still move.

        >>> wiped_out = Position.from_moves("e6f4d3e7f6g5e3e2f3c4f5f2")
        >>> wiped_out.black.bit_count(), wiped_out.white.bit_count(), wiped_out.final_score
        (0, 16, -64)
        """
        if not self.is_over:
            raise PositionError("the game is not over")
        return plain.final_score(self.player, self.opponent)

    def final_score_in(self, is_anti: bool, side: int | None = None) -> int:
        """Score of a finished game in Othello or in anti-Othello, for a side; for the side to move if it is None.

        In anti-Othello fewest discs win: the score is `final_score` with the other sign, so that the empty squares,
        which go to the side with more discs, count against it. Raises PositionError while somebody can still move.
        """
        is_own = side is None or side == self.side
        return self.final_score if is_own != is_anti else -self.final_score

    # -- moves -----------------------------------------------------------------------------------------------

    def play(self, move: str | int) -> Position:
        """The position after a move: a square's name or index, or a pass (`"pass"`, PASS) where it is forced.

        Raises IllegalMoveError, whose text says which rule forbids the move.

        >>> Position.start().play("a1")
        Traceback (most recent call last):
            ...
        othello_engine.errors.IllegalMoveError: no disc turned (a1)
        """
        text = move if isinstance(move, str) else _spell(move)
        try:
            square = parse_move(move) if isinstance(move, str) else move
        except ValueError:
            raise IllegalMoveError(f"neither a square nor a pass ({text!a})", text) from None
        reason = self._refusal(square)
        if reason:
            raise IllegalMoveError(f"{reason} ({text})", text)
        return self._after(square)

    def follow(self, moves: str | Iterable[str]) -> list[tuple[int, Position]]:
        """Plays a list of moves; every move with the position after it, forced passes included as moves.

        moves: a transcript (`f5d6c3`, `1. f5 d6 2. c3`, any case) or several such pieces. A forced pass may
        be left out or written; an optional pass is never guessed. Raises IllegalMoveError, which knows the
        text of the move and its 1-based index among the moves written.

        >>> [square_name(move) for move, _ in Position.start().follow("d3c3e6d2d1e1b3c1b4")]
        ['d3', 'c3', 'e6', 'd2', 'd1', 'e1', 'b3', 'c1', 'pass', 'b4']
        """
        text = moves if isinstance(moves, str) else " ".join(moves)
        position = self
        steps: list[tuple[int, Position]] = []
        for index, written in enumerate(scan_moves(text), 1):
            if written.move is None:
                reason = "neither a square nor a pass"
                raise IllegalMoveError(f"{reason} (move {index}: {written.text!a})", written.text, index)
            if written.move != PASS and position.must_pass:
                position = position._after(PASS)
                steps.append((PASS, position))
            reason = position._refusal(written.move)
            if reason:
                raise IllegalMoveError(f"{reason} (move {index}: {written.text})", written.text, index)
            position = position._after(written.move)
            steps.append((written.move, position))
        return steps

    def swapped(self) -> Position:
        """The same board with the other side to move, whether or not the rules allow that pass."""
        return Position(self.opponent, self.player, 1 - self.side)

    def recoloured(self) -> Position:
        """Every disc in the other colour, the other colour to move: nothing changes for the side to move."""
        return Position(self.player, self.opponent, 1 - self.side)

    def _after(self, move: int) -> Position:
        """The position after a legal move."""
        if move == PASS:
            return self.swapped()
        turned = plain.flips(move, self.player, self.opponent)
        return Position(self.opponent ^ turned, self.player | turned | 1 << move, 1 - self.side)

    def _refusal(self, move: int) -> str:
        """Why a move is illegal here; an empty text if it is legal."""
        if move == PASS and self.must_pass:
            return ""
        if not 0 <= move <= PASS:
            return "no such square"
        occupied = self.player | self.opponent
        if move != PASS and not occupied >> move & 1 and plain.flips(move, self.player, self.opponent):
            return ""
        if self.is_over:
            return "the game is over"
        if move == PASS:
            return "a pass is not allowed while there is a move"
        if occupied >> move & 1:
            return "square occupied"
        if self.must_pass:
            return f"{SIDE_NAMES[self.side]} has no move and must pass"
        return "no disc turned"


def _spell(move: int) -> str:
    return square_name(move) if 0 <= move <= PASS else str(move)
