"""NBoard's language: lines to commands, values to lines. Pure: no engine, no state, no clock.

A client's moves come with what it thought of them and how long it took. Only move and time mean something to an
engine, so the rest may be written in any way: a number with a comma, `NaN`, a pair. A game is never refused for it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum

from othello_engine.formats.game import Game, GameError
from othello_engine.formats.ggf import parse_ggf
from othello_engine.notation import parse_move
from othello_engine.types import PASS, Bound, ScoreKind, SearchInfo, square_name

MAX_SECONDS = 1e9
"""Some thirty years; longer times mean this one."""


class RefusedError(Exception):
    """A known command that can't be carried out. The text names what is wrong with it."""


# -- commands ----------------------------------------------------------------------------------------------


class Plain(Enum):
    """A command of one word."""

    GO = "go"
    LEARN = "learn"
    ANALYZE = "analyze"
    CLEAR = "clear"
    QUIT = "quit"


@dataclass(frozen=True, slots=True)
class Hello:
    """`nboard N`: the version that the client speaks, 1 or 2; whatever else it writes is the newer one."""

    version: int


@dataclass(frozen=True, slots=True)
class SetDepth:
    """`set depth D`"""

    depth: int


@dataclass(frozen=True, slots=True)
class SetContempt:
    """`set contempt C`: what a draw is worth to Black, in discs; 100 or -100 as much as a game."""

    discs: float


@dataclass(frozen=True, slots=True)
class SetGame:
    """`set game GGF`"""

    game: Game


@dataclass(frozen=True, slots=True)
class Move:
    """`move MOVE/EVAL/TIME`. seconds: 0 if no time was written."""

    move: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Hint:
    """`hint N`"""

    n_moves: int


@dataclass(frozen=True, slots=True)
class Ping:
    """`ping N`; the number as it was written."""

    number: str


Command = Plain | Hello | SetDepth | SetContempt | SetGame | Move | Hint | Ping


def command_word(line: str) -> str:
    """The first word of a line, in lower case; empty for a blank line."""
    return (line.split(None, 1) or [""])[0].lower()


def is_long_request(line: str) -> bool:
    """True for a line that lets the engine think."""
    return command_word(line) in ("go", "hint", "analyze")


def parse_command(line: str) -> Command | None:
    """The command of a line; None for what an engine must ignore. Raises RefusedError.

    >>> parse_command("move d3//1.5")
    Move(move=19, seconds=1.5)
    """
    word = command_word(line)
    rest = line.strip()[len(word) :].strip()
    if word == "set":
        name = command_word(rest)
        setting = _SETTINGS.get(name)
        return setting(rest[len(name) :].strip()) if setting is not None else None
    if word in _COMMANDS:
        return _COMMANDS[word](rest)
    if word in _PLAIN:
        return _PLAIN[word]
    return None


def _parse_hello(text: str) -> Hello:
    return Hello(1 if text.split()[:1] == ["1"] else 2)


def _parse_depth(text: str) -> SetDepth:
    return SetDepth(_parse_number("set depth", text, 0))


def _parse_contempt(text: str) -> SetContempt:
    if not re.fullmatch(r"[+-]?\d{1,9}(?:\.\d*)?", text, re.ASCII):
        raise RefusedError(f"set contempt takes a number of discs, not {_quoted(text)}")
    return SetContempt(float(text))


def _parse_game(text: str) -> SetGame:
    text = re.sub(r"^\d+\s*(?=\()", "", text)  # how many games follow, as GGS writes it
    try:
        return SetGame(parse_ggf(_MOVE_TAG.sub(_without_value, text)))
    except GameError as error:
        raise RefusedError(f"set game: {error}") from None


def _parse_move(text: str) -> Move:
    blanks = _BLANKS_BETWEEN.fullmatch(text)
    written, _, more = ("/".join(blanks.groups("")) if blanks else text).partition("/")
    try:
        move = parse_move(written.strip())
    except ValueError:
        raise RefusedError(f"move: {_quoted(written.strip())} is neither a square nor a pass") from None
    return Move(move, _seconds(more.partition("/")[2]))


def _parse_hint(text: str) -> Hint:
    return Hint(_parse_number("hint", text, 1) if text else 1)


def _parse_ping(text: str) -> Ping:
    _parse_number("ping", text)
    return Ping(text)


_PLAIN = {each.value: each for each in Plain}
_COMMANDS: dict[str, Callable[[str], Command]] = {
    "nboard": _parse_hello,
    "move": _parse_move,
    "hint": _parse_hint,
    "ping": _parse_ping,
}
_SETTINGS: dict[str, Callable[[str], Command]] = {
    "depth": _parse_depth,
    "contempt": _parse_contempt,
    "game": _parse_game,
}


def _parse_number(command: str, text: str, minimum: int | None = None) -> int:
    if re.fullmatch(r"[+-]?\d{1,18}", text, re.ASCII) and (minimum is None or int(text) >= minimum):
        return int(text)
    least = "" if minimum is None else f" from {minimum}"
    raise RefusedError(f"{command} takes a whole number{least}, not {_quoted(text)}")


_BLANKS_BETWEEN = re.compile(r"(\S+)\s+([+-]?[\d.]+)(?:\s+([\d.]+))?", re.ASCII)
"""A move as Edax writes it, which clients pass on: with blanks for the slashes."""

_MOVE_TAG = re.compile(r"(?<![A-Za-z])([BW])\s*\[([^\[\]/]*)/([^\[\]]*)\]", re.IGNORECASE)
"""A move with more than its square. No bracket within it: of a line full of them, each would be followed to the end."""


def _without_value(match: re.Match[str]) -> str:
    """A move of a game with its time, but without what its player thought of it."""
    tag, written, more = match.groups()
    return f"{tag}[{written}//{_seconds(more.partition('/')[2]):.3f}]"


def _seconds(text: str) -> float:
    """The seconds of `1.5` or `1:05`; 0 if they can't be read."""
    minutes, _, seconds = text.strip().rpartition(":")
    try:
        total = 60 * float(minutes or 0) + float(seconds)
    except ValueError:
        return 0.0
    return 0.0 if math.isnan(total) else max(0.0, min(total, MAX_SECONDS))


def _quoted(text: str) -> str:
    return ascii(text if len(text) <= 40 else text[:37] + "...")


# -- answers -----------------------------------------------------------------------------------------------


def format_myname(level: int | None) -> str:
    """`set myname OthelloEngine12`"""
    return f"set myname OthelloEngine{'' if level is None else level}"


def format_status(text: str) -> str:
    """`status TEXT`; an empty text clears what the client shows."""
    return f"status {text}".rstrip()


def format_search(info: SearchInfo) -> str:
    """`search PV EVAL 0 DEPTH`"""
    line = "".join(format_move(move) for move in info.pv)
    return f"search {line} {format_discs(info.score.discs)} 0 {format_depth(info)}"


def format_depth(info: SearchInfo) -> str:
    """Plies; `100%` for a proved disc difference, `100%W` for a proved win, draw or loss.

    Clients take any other per cent sign for a solve as well, so what was pruned forward has only its plies.
    """
    is_proved = info.complete and info.selectivity == 100 and info.score.bound is Bound.EXACT
    if is_proved and info.score.kind is ScoreKind.DISCS:
        return "100%"
    if is_proved and info.score.kind is ScoreKind.WLD:
        return "100%W"
    return str(info.depth)


def format_answer(move: int, discs: float | None, seconds: float) -> str:
    """`=== MOVE/EVAL/TIME`"""
    return f"=== {format_move(move)}/{'' if discs is None else format_discs(discs)}/{seconds:.2f}"


def format_nodestats(nodes: int, seconds: float) -> str:
    """`nodestats NODES SECONDS`, to the millisecond, since clients divide by it."""
    return f"nodestats {nodes} {seconds:.3f}"


def format_analysis(n_made: int, discs: float) -> str:
    """`analysis MADE EVAL`"""
    return f"analysis {n_made} {format_discs(discs)}"


def format_move(move: int) -> str:
    """`F5`, `PA`"""
    return "PA" if move == PASS else square_name(move).upper()


def format_discs(discs: float) -> str:
    """Two decimals, and no `-0.00`."""
    return f"{round(discs, 2) + 0.0:.2f}"


def first_discs(lines: Sequence[SearchInfo]) -> float | None:
    """What the best of the final lines of a search promises; None if there is none."""
    return lines[0].score.discs if lines else None
