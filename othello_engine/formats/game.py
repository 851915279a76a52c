"""A recorded game: where it started, its moves, and what its file says about it.

The formats read and write this value. It is always legal: the moves were played, forced passes are moves, and
what stands at the end is known from the board, whatever the file claims.

>>> game = Game.of("f5d6c3d3c4")
>>> game.transcript, game.is_over, game.final_position.n_empties
('f5d6c3d3c4', False, 55)
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import Enum

from othello_engine.core import plain
from othello_engine.errors import PositionError
from othello_engine.formats.replay import replay
from othello_engine.formats.transcript import format_moves
from othello_engine.position import Position
from othello_engine.types import BLACK, PASS, WHITE

GGF_EXTENSION_S = 120.0
"""What GGF takes for granted where a clock names no extension: two minutes."""

STANDARD_START = Position.start()

ANTI_TYPE = "8a"
"""The type of a match of anti-Othello, as GGS and so GGF write it."""
_ANTI = re.compile(r"s?\d+(?:[bkw]|r\d*)*a(?:[bkw]|r\d*)*", re.ASCII | re.IGNORECASE)
"""Behind the size of the board stand letters, among them `a` for anti: `8a`, `s8ar18`."""


class GameError(PositionError):
    """A game that can't be read or written; the text says why and names the place.

    number: the game's 1-based number in its file, 0 if it isn't from a file.
    """

    def __init__(self, message: str, number: int = 0) -> None:
        super().__init__(message)
        self.number = number


@dataclass(frozen=True, slots=True)
class GameMove:
    """A move as played. value: what its player expected, in discs for the mover; seconds: time it took."""

    move: int
    value: float | None = None
    seconds: float | None = None


_BARE_MOVES = tuple(GameMove(move) for move in range(PASS + 1))


def bare_moves(moves: Iterable[int]) -> tuple[GameMove, ...]:
    """Squares and passes as moves of a game, without values and times."""
    return tuple([_BARE_MOVES[move] for move in moves])


@dataclass(frozen=True, slots=True)
class GameClock:
    """The time a player has, in seconds: for the game, more for each move, and once more when that has run out."""

    main_s: float
    increment_s: float = 0.0
    extension_s: float = GGF_EXTENSION_S


class Ending(Enum):
    """How a game came to its result, where that is not by playing to the end. The values are GGF's letters."""

    PLAYED = ""
    RESIGNED = "r"
    TIME = "t"
    AGREED = "s"


@dataclass(frozen=True, slots=True)
class Result:
    """A result as a file states it.

    score: black minus white in discs, in anti-Othello white minus black; None if only the winner is known.
    winner: BLACK, WHITE, or None for a draw.
    """

    score: float | None
    ending: Ending = Ending.PLAYED
    winner: int | None = None

    @classmethod
    def of_score(cls, score: float, ending: Ending = Ending.PLAYED) -> Result:
        """The result with this score for black; the winner follows from it."""
        return cls(score, ending, BLACK if score > 0 else WHITE if score < 0 else None)

    def agrees_with(self, score: int) -> bool:
        """True if the score of the finished game for black is what this says."""
        if self.score is not None:
            return self.score == score
        return self.winner == Result.of_score(score).winner


@dataclass(frozen=True, slots=True)
class Theory:
    """The value of perfect play at one place in the game: black minus white, from `n_empties` empty squares."""

    score: int
    n_empties: int


@dataclass(frozen=True, slots=True)
class Game:
    """A game and what is known about it. Raises IllegalMoveError if the rules forbid a move.

    moves: forced passes may be left out; in the value they are always there. Texts are empty where nothing is
    known. date: a year, a day, or a day and time, year first. match_type: as GGS spells it; see `is_anti`. stated: the
    result that the file states, which for a finished game may be wrong: see `score`. header: what the file says as a
    whole, on its first game only, in the format's own way (WTHOR keeps its dates there).
    """

    start: Position = STANDARD_START
    moves: tuple[GameMove, ...] = ()
    black: str = ""
    white: str = ""
    black_rating: str = ""
    white_rating: str = ""
    event: str = ""
    place: str = ""
    date: str = ""
    black_clock: GameClock | None = None
    white_clock: GameClock | None = None
    match_type: str = ""
    stated: Result | None = None
    theory: Theory | None = None
    comment: str = ""
    header: str = ""
    _end: Position = field(init=False, repr=False, compare=False)
    _score: int | None = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        played = replay(self.start, [each.move for each in self.moves])
        if played.n_surplus:
            object.__setattr__(self, "moves", self.moves[: -played.n_surplus])
        if played.omitted:
            moves = list(self.moves)
            for index in reversed(played.omitted):
                moves.insert(index, _BARE_MOVES[PASS])
            object.__setattr__(self, "moves", tuple(moves))
        object.__setattr__(self, "_end", played.end)
        object.__setattr__(self, "_score", _score_at(played.end, self.is_anti))

    @classmethod
    def of(cls, transcript: str, start: Position = STANDARD_START) -> Game:
        """The game of a transcript such as `f5d6c3`. Raises IllegalMoveError."""
        return cls(start, bare_moves(move for move, _ in start.follow(transcript)))

    @property
    def final_position(self) -> Position:
        """The position after the last move."""
        return self._end

    @property
    def positions(self) -> Iterator[Position]:
        """The position before each move, and the last one: one more than there are moves."""
        position = self.start
        yield position
        for each in self.moves:
            position = position.play(each.move)
            yield position

    @property
    def is_anti(self) -> bool:
        """True for anti-Othello, where fewest discs win; the match type says it."""
        return bool(self.match_type) and _ANTI.fullmatch(self.match_type) is not None

    @property
    def is_over(self) -> bool:
        """True if nobody can move at the end."""
        return self._score is not None

    @property
    def score(self) -> int | None:
        """Black minus white in discs, empty squares to the side with more, counted on the board; None if it isn't over.

        In anti-Othello white minus black: above 0 black has won in either.
        """
        return self._score

    @property
    def result(self) -> Result | None:
        """What the board says if the game is over, else what the file states."""
        score = self._score
        if score is None:
            return self.stated
        ending = self.stated.ending if self.stated and self.stated.agrees_with(score) else Ending.PLAYED
        return Result.of_score(score, ending)

    @property
    def is_misstated(self) -> bool:
        """True if the game is over and the file states another result than the board shows."""
        score = self._score
        return score is not None and self.stated is not None and not self.stated.agrees_with(score)

    @property
    def transcript(self) -> str:
        """The squares as `f5d6c3`; passes are left out, as every reader puts them in."""
        return format_moves(each.move for each in self.moves)


def _score_at(end: Position, is_anti: bool) -> int | None:
    """The score for black, empty squares to the side with more discs; None if somebody can move."""
    if end.n_empties and not end.is_over:  # most games end on a full board
        return None
    score = plain.final_score(end.black, end.white)
    return -score if is_anti else score
