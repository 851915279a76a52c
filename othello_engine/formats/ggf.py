"""GGF, the Generic Game Format of the GGS server: `(;GM[Othello]PB[Anna]...BO[8 ...]B[f5]W[d6/1.50/2.1];)`.

A file holds games one after another, each on one line or several. Text has no escapes: a `]` can't be written.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from othello_engine.errors import BoardError
from othello_engine.formats.game import (
    GGF_EXTENSION_S,
    STANDARD_START,
    Ending,
    Game,
    GameClock,
    GameError,
    GameMove,
    Result,
    bare_moves,
)
from othello_engine.formats.notes import format_notes, split_notes
from othello_engine.formats.recorded import OnError, build_game, excerpt, read_collection
from othello_engine.notation import parse_move
from othello_engine.position import Position
from othello_engine.types import BLACK, N_SQUARES, PASS, WHITE, square_name

_TAG = re.compile(r"\s*([A-Za-z]+)\s*\[([^\]]*)\]")
_GAME = re.compile(r"\(\s*;(?:\s*+[A-Za-z]++\s*+\[[^\]]*+\])*+[\s;]*+\)")
_BRACKETS = re.compile(r"\((?:[^\[\]()]++|\[[^\]]*+\])*+\)")
_NEXT_GAME = re.compile(r"(?:(?<=\n)|(?<=;\)))[ \t]*(?:\d+[ \t]*)?\(\s*;")
_SIDES = {"B": BLACK, "W": WHITE, "b": BLACK, "w": WHITE}
_FIELDS = {
    "PB": "black",
    "PW": "white",
    "RB": "black_rating",
    "RW": "white_rating",
    "EV": "event",
    "PC": "place",
    "DT": "date",
    "TY": "match_type",
}
_USUAL_TYPE = "8"


def read_ggf(chunks: Iterable[str], on_error: OnError | None = None) -> Iterator[Game]:
    """The games of a file, one by one, as they are read.

    chunks: its text in pieces of any size, such as lines. Raises GameError, which names game, line and move.
    on_error: takes that instead, and the reading goes on with the next game.
    """
    return read_collection(chunks, _find_end, _NEXT_GAME, parse_ggf, on_error)


def _find_end(text: str, at: int) -> int:
    match = _GAME.match(text, at) or _BRACKETS.match(text, at)
    return match.end() if match else -1


# -- reading one game ----------------------------------------------------------------------------------------


def parse_ggf(text: str) -> Game:
    """The game of one `(;...;)`. Raises GameError, which names the tag or move.

    Forced passes may be written (`PA` or any other spelling) or left out. Ratings, clocks and results that
    can't be read are left out; unknown tags are skipped.

    >>> parse_ggf("(;GM[Othello]PB[Anna]B[f5/0.00/1.5]W[d6];)").transcript
    'f5d6'
    """
    body = text.strip("\ufeff \t\r\n")
    match = _GAME.fullmatch(body)
    if not match:
        raise GameError(_what_is_wrong(body))
    found = _TAG.findall(body, 2)
    played = [(side, value) for name, value in found if (side := _SIDES.get(name)) is not None]
    others = [(name.upper(), value) for name, value in found if name not in _SIDES]
    tags = dict(others)
    sides = [side for side, _ in played]

    if tags.get("GM", "Othello").strip().lower() != "othello":
        raise GameError(f"GM[{tags['GM']}]: a game of another kind; Othello is read")
    start = _parse_board(tags.get("BO", "").strip(), tags.get("TY", ""))
    moves = [_BARE.get(value) or _parse_move(value, sides, index) for index, (_, value) in enumerate(played)]
    both = parse_clock(tags.get("TI", ""))
    notes = split_notes([value for tag, value in others if tag == "CO"])
    known = {field: tags[tag].strip() for tag, field in _FIELDS.items() if tag in tags}
    if known.get("match_type") == _USUAL_TYPE:
        del known["match_type"]
    return build_game(
        start,
        moves,
        sides,
        **known,
        black_clock=parse_clock(tags.get("TB", "")) or both,
        white_clock=parse_clock(tags.get("TW", "")) or both,
        stated=notes.stated or parse_result(tags.get("RE", "")),
        theory=notes.theory,
        comment=notes.comment,
        header=notes.header,
    )


def _what_is_wrong(body: str) -> str:
    """Why a text is no game."""
    if not re.match(r"\(\s*;", body):
        return f"{excerpt(body)} is no game; GGF begins with '(;'"
    at = 2
    while match := _TAG.match(body, at):
        at = match.end()
    rest = body[at:].lstrip("; \t\r\n")
    if not rest:
        return "the end ';)' is missing"
    if rest.startswith(")"):
        return f"{excerpt(rest[1:])} after the end of the game"
    return f"{excerpt(rest)} is no tag; TAG[value] is needed"


_BARE = {
    spelled: bare
    for bare in bare_moves(range(N_SQUARES))
    for spelled in (square_name(bare.move), square_name(bare.move).upper())
} | dict.fromkeys(("PA", "pa", "PASS", "pass"), bare_moves([PASS])[0])

_NUMBER = re.compile(r"[+-]?(?:\d+(?:[.,]\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?", re.ASCII)
"""Programs write numbers with their user's decimal point, and small ones with an exponent."""


def _parse_move(text: str, sides: list[int], index: int) -> GameMove:
    """A move with what its player thought and how long."""
    place = f"move {index + 1}, {'BW'[sides[index]]}[{excerpt(text, 16)[1:-1]}]"
    spelled, *more = (part.strip() for part in text.split("/"))
    try:
        move = parse_move(spelled)
    except ValueError:
        raise GameError(f"{place}: {excerpt(spelled)} is no move") from None
    if len(more) > 2:
        raise GameError(f"{place}: more than a move, a value and a time")
    value, seconds = (*more, "", "")[:2]
    return GameMove(move, _parse_number(value), _parse_seconds(seconds))


def _parse_number(text: str) -> float | None:
    """None for what is no number (`NaN`, a pair): what a player thought must not cost the game."""
    return float(text.replace(",", ".")) if _NUMBER.fullmatch(text) else None


def _parse_seconds(text: str) -> float | None:
    """Seconds as a number, or as minutes and seconds; None for anything else."""
    return _parse_duration(text) if ":" in text else _parse_number(text)


@lru_cache(maxsize=64)
def _parse_board(text: str, match_type: str) -> Position:
    """The start position of a BO tag, or of the game itself without one."""
    size, _, squares = text.partition(" ")
    board_size = size or (re.search(r"\d+", match_type) or ["8"])[0]
    if board_size != "8":
        tag = f"BO[{excerpt(size)[1:-1]} ...]" if size else f"TY[{excerpt(match_type)[1:-1]}]"
        raise GameError(f"{tag}: boards of 8x8 squares are read, no others")
    if not size:
        return STANDARD_START
    try:
        return Position.from_text(" " * (len(size) + 1) + squares)  # columns count in the tag
    except BoardError as error:
        raise GameError(f"BO: {error}") from None


_DURATION = re.compile(r"(?:(?:(?:(\d+)\.)?(\d+):)?(\d+):)?(\d+(?:\.\d*)?)", re.ASCII)


def _parse_duration(text: str) -> float | None:
    """The seconds of `[[[days.]hours:]minutes:]seconds`, which may have decimals."""
    match = _DURATION.fullmatch(text.strip())
    if not match:
        return None
    days, hours, minutes, seconds = (float(part or 0) for part in match.groups())
    return ((days * 24 + hours) * 60 + minutes) * 60 + seconds


@lru_cache(maxsize=256)
def parse_clock(text: str) -> GameClock | None:
    """The clock of `main/increment/extension`, of which the last two may be missing; None if it is none.

    >>> parse_clock("5:00//1:00")
    GameClock(main_s=300.0, increment_s=0.0, extension_s=60.0)
    """
    parts = text.split("/")
    main, increment, extension = (_parse_duration(part) for part in (*parts, "", "")[:3])
    if len(parts) > 3 or (main is None and increment is None):
        return None
    return GameClock(main or 0.0, increment or 0.0, GGF_EXTENSION_S if extension is None else extension)


_RESULT = re.compile(r"([+-]?\d+(?:\.\d*)?)\s*(?::\s*([A-Za-z]))?", re.ASCII)
_ENDINGS = {ending.value: ending for ending in Ending}


@lru_cache(maxsize=1024)
def parse_result(text: str) -> Result | None:
    """The result of `+12.00`, `-64:r`, `+2.00:t`, black's view; None if it is none, such as `?`."""
    match = _RESULT.fullmatch(text.strip())
    if not match:
        return None
    return Result.of_score(float(match[1]), _ENDINGS.get((match[2] or "").lower(), Ending.PLAYED))


# -- writing one game ----------------------------------------------------------------------------------------


def format_ggf(game: Game) -> str:
    """The game as one line without its end. What GGF can't hold in a text (`]`, line ends) is replaced.

    The result of a finished game is what the board shows.
    """
    tags = [("GM", "Othello"), ("PC", game.place), ("EV", game.event), ("DT", game.date)]
    tags += [("PB", game.black), ("PW", game.white), ("RB", game.black_rating), ("RW", game.white_rating)]
    tags.append(("RE", format_result(game.result)))
    if game.black_clock == game.white_clock:
        tags.append(("TI", format_clock(game.black_clock)))
    else:
        tags += [("TB", format_clock(game.black_clock)), ("TW", format_clock(game.white_clock))]
    tags += [("TY", game.match_type or _USUAL_TYPE), *(("CO", note) for note in format_notes(game))]
    head = "".join([f"{tag}[{_clean(value)}]" for tag, value in tags if value])
    return f"(;{head}BO[{_format_board(game.start)}]{_format_moves(game)};)"


def _clean(text: str) -> str:
    """A text as GGF can hold it."""
    if text.isalnum():
        return text
    return " ".join(text.replace("[", "(").replace("]", ")").split())


@lru_cache(maxsize=64)
def _format_board(position: Position) -> str:
    return f"8 {position.to_text()}".replace("X", "*")


_SPELLED = tuple(
    tuple(f"{side}[{'PA' if move == PASS else square_name(move).upper()}]" for move in range(PASS + 1)) for side in "BW"
)


def _format_moves(game: Game) -> str:
    side = game.start.side
    written = []
    for each in game.moves:
        text = _SPELLED[side][each.move]
        if each.value is not None or each.seconds is not None:
            value = "" if each.value is None else f"{each.value:.2f}"
            seconds = "" if each.seconds is None else f"/{each.seconds:.3f}".rstrip("0").rstrip(".")
            text = f"{text[:-1]}/{value}{seconds}]"
        written.append(text)
        side = 1 - side
    return "".join(written)


@lru_cache(maxsize=1024)
def format_result(result: Result | None) -> str:
    """What stands in RE. A win without a score is written as all 64 discs."""
    if result is None:
        return "?"
    score = result.score
    if score is None:
        score = {BLACK: 64.0, WHITE: -64.0, None: 0.0}[result.winner]
    ending = f":{result.ending.value}" if result.ending.value else ""
    return f"{score:+.2f}{ending}"


def format_clock(clock: GameClock | None) -> str:
    """`main/increment/extension`, the last ones left out where that says the same; empty for no clock."""
    if clock is None:
        return ""
    parts = [_format_duration(clock.main_s)]
    parts.append(_format_duration(clock.increment_s) if clock.increment_s else "")
    parts.append("" if clock.extension_s == GGF_EXTENSION_S else _format_duration(clock.extension_s))
    return "/".join(parts).rstrip("/")


def _format_duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds * 1000), 60_000)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    text = f"{rest / 1000:06.3f}".removesuffix(".000")
    if days:
        return f"{days}.{hours:02}:{minutes:02}:{text}"
    return f"{hours}:{minutes:02}:{text}" if hours else f"{minutes}:{text}"
