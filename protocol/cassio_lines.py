"""The language of Cassio's ENGINE-PROTOCOL: lines to requests, results to lines. Pure. docs/cassio.md is its page.

How a result is spelled follows what Cassio itself reads: it takes the colour of a value from the first letter it meets,
so both bounds of a line are written for the side to move, with a sign.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from othello_engine.errors import IllegalMoveError, PositionError
from othello_engine.notation import format_squares
from othello_engine.position import Position
from othello_engine.types import (
    BLACK,
    N_SQUARES,
    NO_MOVE,
    PASS,
    Bound,
    Goal,
    Limits,
    Score,
    ScoreKind,
    SearchInfo,
    SearchResult,
    square_name,
)

PROTOCOL_WORD = "ENGINE-PROTOCOL"
MIDGAME_SEARCH, ENDGAME_SEARCH, FEED_HASH = "midgame-search", "endgame-search", "feed-hash"
GAME_OVER_MOVE = "--"
"""Stands for the move, and for the line of play, where nobody can move."""

_WIDEST = 64.0
_DEEPEST = 99
_SELECTIVITIES = (73, 87, 95, 98, 99)
_SHOWN_CHARACTERS = 40

_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)", re.ASCII)
_WHOLE = re.compile(r"\+?\d{1,9}", re.ASCII)


class CassioError(Exception):
    """What is wrong with a line, in the protocol's words."""


# -- lines to requests -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Command:
    """A line taken apart. word: in lower case; empty if there is none."""

    word: str
    arguments: tuple[str, ...]
    written: str
    """The word as it was written."""


def read_command(line: str) -> Command:
    """The command of a line. Raises CassioError if it is of another protocol."""
    words = line.split()
    if not words:
        return Command("", (), "")
    if words[0] != PROTOCOL_WORD:
        raise CassioError(f'Unknown protocol "{_shown(words[0])}"')
    written = words[1] if len(words) > 1 else ""
    return Command(written.lower(), tuple(words[2:]), written)


def unknown_command(command: Command) -> CassioError:
    """The problem with a command that there is not."""
    return CassioError(f"unknown command {_shown(command.written)}")


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """A search as it was asked for. depth: plies that its result must have at least, all empty squares for a solve."""

    position: Position
    window: tuple[int, int] | None
    depth: int
    selectivity: int

    @property
    def is_solve(self) -> bool:
        """True if it reaches the end of the game."""
        return self.depth >= self.position.n_empties


def read_search(command: Command) -> SearchRequest:
    """A `midgame-search` or an `endgame-search`. Raises CassioError, which names the first argument that is wrong."""
    arguments = _Arguments(command)
    position = arguments.position()
    alpha, beta = arguments.discs("alpha"), arguments.discs("beta")
    depth = arguments.depth() if command.word == MIDGAME_SEARCH else position.n_empties
    selectivity = arguments.selectivity()
    arguments.end()
    return SearchRequest(position, _window(alpha, beta), depth, selectivity)


def limits_of(request: SearchRequest, move_time_ms: int | None) -> Limits:
    """What the engine is told. move_time_ms: ends the search earlier, if it must; None for no such limit."""
    # Where all is proved in the end, what prepares the proof may prune as it likes.
    selectivity = None if request.is_solve and request.selectivity == 100 else request.selectivity
    if request.is_solve and move_time_ms is None:
        return Limits(goal=Goal.EXACT, selectivity=selectivity, window=request.window, multipv=1)
    return Limits(
        depth=request.depth,
        selectivity=selectivity,
        window=request.window,
        multipv=1,
        move_time_ms=move_time_ms,
        thorough=move_time_ms is None,
    )


@dataclass(frozen=True, slots=True)
class FeedRequest:
    """What a `feed-hash` tells about a position. lower, upper: discs for the side to move. moves: passes included."""

    position: Position
    lower: float
    upper: float
    depth: int
    selectivity: int
    moves: tuple[int, ...]


def read_feed(command: Command) -> FeedRequest:
    """A `feed-hash`. Raises CassioError, which names the first argument that is wrong."""
    arguments = _Arguments(command)
    position = arguments.position()
    lower, upper = arguments.discs("lower"), arguments.discs("upper")
    if lower > upper:
        raise arguments.problem("upper", f"{upper:g} is less than {lower:g}")
    depth, selectivity = arguments.depth(), arguments.selectivity()
    moves = arguments.line_from(position)
    return FeedRequest(position, lower, upper, depth, selectivity, moves)


class _Arguments:
    """The arguments of a command, taken from left to right."""

    def __init__(self, command: Command) -> None:
        self._command = command
        self._left = list(command.arguments)

    def problem(self, name: str, text: str) -> CassioError:
        return CassioError(f"{self._command.word} cannot parse {name}. {text}")

    def position(self) -> Position:
        text = self._next("position")
        if len(text) == N_SQUARES and self._left and len(self._left[0]) == 1:
            text += self._next("position")
        try:
            return Position.from_text(text)
        except PositionError as error:
            raise self.problem("position", str(error)) from None

    def discs(self, name: str) -> float:
        """A number of discs; what is beyond the board counts as its edge."""
        return max(-_WIDEST, min(self._number(name), _WIDEST))

    def depth(self) -> int:
        text = self._next("depth")
        if not _WHOLE.fullmatch(text) or int(text) > _DEEPEST:
            raise self.problem("depth", f"{_shown(text)!a} is no whole number from 0 to {_DEEPEST}")
        return int(text)

    def selectivity(self) -> int:
        precision = self._number("precision")
        if not 0 <= precision <= 100:
            raise self.problem("precision", f"{precision:g} is not between 0 and 100")
        return next((each for each in _SELECTIVITIES if precision <= each), 100)

    def line_from(self, position: Position) -> tuple[int, ...]:
        """Moves to the first `?`, which stands for a move that is not known; nothing at all is an empty line."""
        text = " ".join(self._left).partition("?")[0]
        self._left.clear()
        try:
            return tuple(move for move, _ in position.follow(text))
        except IllegalMoveError as error:
            raise self.problem("PV", str(error)) from None

    def end(self) -> None:
        if self._left:
            problem = f"more arguments than {self._command.word} has: {_shown(self._left[0])!a}"
            raise CassioError(problem)

    def _number(self, name: str) -> float:
        text = self._next(name)
        if not _NUMBER.fullmatch(text):
            raise self.problem(name, f"{_shown(text)!a} is no number")
        return float(text)

    def _next(self, name: str) -> str:
        if not self._left:
            raise self.problem(name, "It is missing")
        return self._left.pop(0)


def _window(alpha: float, beta: float) -> tuple[int, int] | None:
    """The whole discs around a window, at least one wide; None if nothing lies outside."""
    low = min(math.floor(alpha), int(_WIDEST) - 1)
    high = max(low + 1, math.ceil(beta))
    return None if (low, high) == (-_WIDEST, _WIDEST) else (low, high)


def _shown(text: str) -> str:
    """A word of the client's, short enough to be repeated to it."""
    return text if len(text) <= _SHOWN_CHARACTERS else text[: _SHOWN_CHARACTERS - 3] + "..."


# -- results to lines --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Result:
    """What a result line says. text: all of it but nodes and time."""

    text: str
    nodes: int
    time_ms: int

    def __str__(self) -> str:
        return f"{self.text}, {format_effort(self.nodes, self.time_ms)}"


def result_of(request: SearchRequest, info: SearchInfo) -> Result:
    """A line of play in the position of a request, as the protocol tells it."""
    position = request.position
    squares = format_squares(position.black, position.white)
    side, letter = ("X", "B") if position.side == BLACK else ("O", "W")
    lower, upper = _bounds(info.score)
    line = format_line(position.side, info.pv) or GAME_OVER_MOVE
    fields = (
        squares + side,
        f"move {line[:2]}",
        f"depth {_depth(request, info)}",
        f"@{info.selectivity}%",
        f"{letter}{_discs(lower)} <= v <= {letter}{_discs(upper)}",
        # Cassio leaves passes out of a line and compares its first move with `move`: after a pass, the reply.
        line[:2] if info.pv[:1] == (PASS,) else line,
    )
    return Result(", ".join(fields), info.nodes, info.time_ms)


def nothing_known(result: SearchResult) -> SearchInfo:
    """The line of play of a search that had no time to find any: its move, and bounds that hold for every move."""
    score = Score(ScoreKind.CENTIDISCS, round(-100 * _WIDEST), Bound.LOWER)
    pv = (result.best_move,) if result.best_move != NO_MOVE else ()
    return SearchInfo(0, 0, 100, 1, score, result.nodes, result.time_ms, 0, 0, pv)


def format_effort(nodes: int, time_ms: int) -> str:
    """`node 1065, time 0.012`"""
    return f"node {nodes}, time {time_ms / 1000:.3f}"


def format_line(side: int, moves: Sequence[int]) -> str:
    """Moves one after another, Black's in capitals; a pass is `pa`.

    >>> format_line(BLACK, (19, 18, PASS, 20))
    'D3c3PAe3'
    """
    written = ("pa" if move == PASS else square_name(move) for move in moves)
    return "".join(move.upper() if (side + index) % 2 == BLACK else move for index, move in enumerate(written))


def _depth(request: SearchRequest, info: SearchInfo) -> int:
    """Plies; what holds to the end of the game holds for every depth that can be asked for."""
    if info.score.kind in (ScoreKind.DISCS, ScoreKind.WLD):
        return max(request.depth, request.position.n_empties)
    return info.depth


def _bounds(score: Score) -> tuple[float, float]:
    """What a score says about the value, in discs for the side to move."""
    if score.kind is ScoreKind.WLD:
        # Disc differences are even: who wins, wins by two at least.
        lower, upper = {1: (2.0, _WIDEST), 0: (0.0, 0.0), -1: (-_WIDEST, -2.0)}[score.value]
    elif score.kind is ScoreKind.DISCS and score.value % 2:
        lower, upper = score.value + 1.0, score.value - 1.0  # an odd bound: the next value that can be
    else:
        lower = upper = score.discs
    return (
        -_WIDEST if score.bound is Bound.UPPER else lower,
        _WIDEST if score.bound is Bound.LOWER else upper,
    )


def _discs(value: float) -> str:
    """`+12.00`; nothing is `+0.00`."""
    return f"{round(value, 2) + 0.0:+.2f}"
