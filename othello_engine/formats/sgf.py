r"""SGF, the Smart Game Format with GM[2], Othello: `(;FF[4]GM[2]SZ[8]PB[Anna];B[f5];W[d6])`.

Read: squares as letter and digit or as two letters, passes in any spelling or left out, the main line where there
are variations, games from set-up positions. Written: letter and digit, no passes, as every program reads it. In
texts `\` stands before `]` and `\`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from othello_engine.formats.game import (
    ANTI_TYPE,
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
from othello_engine.notation import parse_move, parse_side
from othello_engine.position import Position
from othello_engine.types import BLACK, N_SQUARES, PASS, WHITE, square_name

_VALUE = r"\[(?:[^\\\]]++|\\.)*+\]"
_GAME = re.compile(rf"\((?:[^()\[\]]++|{_VALUE})*+\)", re.DOTALL)
_BRACKET = re.compile(rf"[()]|{_VALUE}|\[", re.DOTALL)
_NEXT_GAME = re.compile(r"(?<=\n)[ \t]*\(\s*;\s*(?:FF|GM)\s*\[")
_LINE_OF_PLAY = re.compile(rf"(?:[;(\s]*+[A-Za-z]++\s*+(?:{_VALUE}\s*+)++)*+[;(\s]*+", re.DOTALL)
_PROPERTY = re.compile(rf"([A-Za-z]++)\s*+((?:{_VALUE}\s*+)++)", re.DOTALL)
_VALUES = re.compile(_VALUE, re.DOTALL)

_SIDES = {"B": BLACK, "W": WHITE, "b": BLACK, "w": WHITE}
_FIELDS = {
    "PB": "black",
    "PW": "white",
    "BR": "black_rating",
    "WR": "white_rating",
    "EV": "event",
    "PC": "place",
    "DT": "date",
}
_ANTI_RULES = "anti"
"""In RU: fewest discs win."""


def read_sgf(chunks: Iterable[str], on_error: OnError | None = None) -> Iterator[Game]:
    """The games of a collection, one by one, as they are read.

    chunks: its text in pieces of any size, such as lines. Raises GameError, which names game, line and move.
    on_error: takes that instead, and the reading goes on with the next game.
    """
    return read_collection(chunks, _find_end, _NEXT_GAME, parse_sgf, on_error)


def _find_end(text: str, at: int) -> int:
    match = _GAME.match(text, at)
    if match:
        return match.end()
    depth = 0
    for match in _BRACKET.finditer(text, at):
        if match[0] == "(":
            depth += 1
        elif match[0] == ")":
            depth -= 1
            if depth == 0:
                return match.end()
        elif match[0] == "[":  # a value without an end
            return -1
    return -1


# -- reading one game ----------------------------------------------------------------------------------------


def parse_sgf(text: str) -> Game:
    """The game of one `(;...)`, its main line. Raises GameError, which names the property or move.

    Forced passes may be written or left out. Without PL the colour of the first move says who begins.

    >>> parse_sgf("(;FF[4]GM[2]SZ[8];B[fe];W[df];B[cc](;W[dc])(;W[c5]))").transcript
    'f5d6c3d3'
    """
    body = text.strip("\ufeff \t\r\n")
    if not re.match(r"\(\s*;", body):
        raise GameError(f"{excerpt(body)} is no game; SGF begins with '(;'")
    end = _find_end(body, 0)
    if end < 0:
        raise GameError("the end ')' is missing")
    if end < len(body):
        raise GameError(f"{excerpt(body[end:])} after the end of the game")
    match = _LINE_OF_PLAY.match(body)
    assert match is not None  # which may be empty
    if body[match.end()] != ")":
        raise GameError(f"{excerpt(body[match.end() :])} is no property; NAME[value] is needed")

    root: dict[str, str] = {}
    setup: list[tuple[str, str]] = []
    moves: list[str] = []
    values_for_black: dict[int, str] = {}
    sides: list[int] = []
    comments: list[str] = []
    for written, values in _PROPERTY.findall(match[0]):
        mover = _SIDES.get(written)
        if mover is not None:
            moves.append(values)
            sides.append(mover)
            continue
        name = written.upper()
        if name == "V" and moves:
            values_for_black[len(moves) - 1] = values.strip()[1:-1].strip()
        elif name in ("AB", "AW", "AE"):
            if moves:
                raise GameError(f"{name} after move {len(moves)}: discs set up within a game can't be read")
            setup.append((name, values))
        elif moves:
            continue  # what is said about single moves
        elif name in ("GC", "C"):
            comments += parse_text(values.strip()[1:-1]).split("\n")
        else:
            root[name] = " ".join(parse_text(values.strip()[1:-1]).split())

    _check_root(root)
    notes = split_notes(comments)
    played = [_BARE.get(value) or _parse_move(value, sides, index) for index, value in enumerate(moves)]
    for index, value in values_for_black.items():
        played[index] = _with_value(played[index], sides[index], value)
    return build_game(
        _start(setup, root.get("PL", ""), sides),
        played,
        sides,
        **{field: root[name] for name, field in _FIELDS.items() if name in root},
        black_clock=_parse_time(root.get("TM", "")),
        white_clock=_parse_time(root.get("TM", "")),
        match_type=ANTI_TYPE if root.get("RU", "").lower().startswith(_ANTI_RULES) else "",
        stated=notes.stated or parse_result(root.get("RE", "")),
        theory=notes.theory,
        comment=notes.comment,
        header=notes.header,
    )


def _check_root(root: dict[str, str]) -> None:
    if root.get("GM", "2").strip() != "2":
        raise GameError(f"GM[{excerpt(root['GM'])[1:-1]}]: a game of another kind; GM[2], Othello, is read")
    if root.get("SZ", "8").strip() not in ("8", "8:8"):
        raise GameError(f"SZ[{excerpt(root['SZ'])[1:-1]}]: boards of 8x8 squares are read, no others")


def parse_text(value: str) -> str:
    r"""A text as it was before it was escaped. A line end behind `\` doesn't count.

    >>> print(parse_text(r"a \[bracketed\] name, a \\ and \n"))
    a [bracketed] name, a \ and n
    """
    return _ESCAPED.sub(lambda match: "" if match[1].isspace() and match[1] not in " \t" else match[1], value)


_ESCAPED = re.compile(r"\\(\r\n|.)", re.DOTALL)
_BARE = {f"[{square_name(bare.move)}]": bare for bare in bare_moves(range(N_SQUARES))}


def _parse_move(values: str, sides: list[int], index: int) -> GameMove:
    value = values.strip()[1:-1]
    return GameMove(_parse_point(value, f"move {index + 1}, {'BW'[sides[index]]}[{excerpt(value, 16)[1:-1]}]"))


def _parse_point(text: str, place: str) -> int:
    """The square of `f5` or `fe`, or the pass of any spelling, Go's `[]` and `[tt]` among them."""
    point = parse_text(text).strip().lower()
    if point in ("", "tt"):
        return PASS
    if len(point) == 2 and "a" <= point[0] <= "h" and "a" <= point[1] <= "h":
        return ord(point[0]) - ord("a") + 8 * (ord(point[1]) - ord("a"))
    try:
        return parse_move(point)
    except ValueError:
        raise GameError(f"{place}: {excerpt(text)} is no move") from None


def _with_value(move: GameMove, side: int, text: str) -> GameMove:
    """V is the value for black. What isn't a number is left out."""
    if not _NUMBER.fullmatch(text):
        return move
    return GameMove(move.move, float(text) if side == BLACK else 0.0 - float(text), move.seconds)


_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)", re.ASCII)


def _parse_time(text: str) -> GameClock | None:
    return GameClock(float(text), 0.0, 0.0) if _NUMBER.fullmatch(text) and float(text) >= 0 else None


def _start(setup: list[tuple[str, str]], to_play: str, sides: list[int]) -> Position:
    """Where the game begins: the usual start, or the discs of AB and AW and nothing else."""
    first = sides[0] if sides else BLACK
    side = _parse_player(to_play, first)
    discs = _setup_discs(setup) if setup else (STANDARD_START.black, STANDARD_START.white)
    position = _position(discs, side)
    if first != side and sides and not position.must_pass:
        return _position(discs, first)  # the move knows better than PL
    return position


def _position(discs: tuple[int, int], side: int) -> Position:
    return Position(discs[side], discs[1 - side], side)


def _setup_discs(setup: list[tuple[str, str]]) -> tuple[int, int]:
    """The bitboards of black and white after AB, AW and AE, one after another."""
    black = white = 0
    for name, values in setup:
        for value in _VALUES.findall(values):
            bits = sum(1 << square for square in _parse_points(value[1:-1], f"{name}{value[:16]}"))
            black = black | bits if name == "AB" else black & ~bits
            white = white | bits if name == "AW" else white & ~bits
    return black, white


def _parse_player(text: str, default: int) -> int:
    """The side of PL; some programs number the colours."""
    if not text:
        return default
    try:
        return parse_side({"1": "B", "2": "W"}.get(text, text))
    except ValueError:
        raise GameError(f"PL[{excerpt(text)[1:-1]}]: B or W is needed") from None


def _parse_points(text: str, place: str) -> list[int]:
    """The squares of one value: a square, or a rectangle `a1:b2`."""
    first, colon, last = text.partition(":")
    corners = [_parse_point(first, place), _parse_point(last if colon else first, place)]
    if PASS in corners:
        raise GameError(f"{place}: {excerpt(text)} is no square")
    columns, rows = (sorted(part) for part in zip(*((x % 8, x // 8) for x in corners), strict=True))
    return [8 * row + column for row in range(rows[0], rows[1] + 1) for column in range(columns[0], columns[1] + 1)]


_RESULT = re.compile(r"([BW])\+\s*(\d+(?:\.\d*)?)?\s*([A-Za-z]*)", re.ASCII | re.IGNORECASE)
_ENDINGS = {"R": Ending.RESIGNED, "RESIGN": Ending.RESIGNED, "T": Ending.TIME, "TIME": Ending.TIME}


@lru_cache(maxsize=1024)
def parse_result(text: str) -> Result | None:
    """The result of `B+12`, `W+R`, `W+Time`, `0`, `Draw`; None for `Void`, `?` and everything else."""
    if text.strip().lower() in ("0", "draw", "jigo"):
        return Result.of_score(0)
    match = _RESULT.fullmatch(text.strip())
    if not match:
        return None
    winner = _SIDES[match[1].upper()]
    score = None if match[2] is None else float(match[2]) * (1 if winner == BLACK else -1)
    return Result(score, _ENDINGS.get(match[3].upper(), Ending.PLAYED), winner)


# -- writing one game ----------------------------------------------------------------------------------------


def format_sgf(game: Game) -> str:
    """The game without a line end behind it: one line, unless a comment has several.

    The result of a finished game is what the board shows. Times of moves can't be written, nor all of a clock.
    """
    result = game.result
    notes = format_notes(game)
    if result is not None and result.ending is not Ending.PLAYED and result.score is not None:
        notes.append(f"stated: {result.score:+.2f}:{result.ending.value}")
    tags = [("PB", game.black), ("PW", game.white), ("BR", game.black_rating), ("WR", game.white_rating)]
    tags += [("EV", game.event), ("PC", game.place), ("DT", game.date), ("RE", format_result(result))]
    tags += [("RU", _ANTI_RULES)] if game.is_anti else []
    clocks = {clock.main_s for clock in (game.black_clock, game.white_clock) if clock}
    if len(clocks) == 1:
        tags.append(("TM", f"{clocks.pop():.3f}".rstrip("0").rstrip(".")))
    head = "".join([f"{tag}[{_escape_line(value)}]" for tag, value in tags if value])
    comment = f"GC[{_escape(chr(10).join(notes))}]" if notes else ""
    charset = "" if (head + comment).isascii() else "CA[UTF-8]"
    return f"(;FF[4]{charset}GM[2]SZ[8]{head}{comment}{_format_start(game.start)}{_format_moves(game)})"


def _escape(text: str) -> str:
    return text.replace("\\", "\\\\").replace("]", "\\]")


def _escape_line(text: str) -> str:
    return text if text.isalnum() else _escape(" ".join(text.split()))


@lru_cache(maxsize=64)
def _format_start(start: Position) -> str:
    if start == STANDARD_START:
        return ""
    discs = "".join(
        f"{name}{''.join(f'[{square_name(x)}]' for x in range(N_SQUARES) if board >> x & 1)}"
        for name, board in (("AB", start.black), ("AW", start.white))
        if board
    )
    return f"{discs}PL[{'BW'[start.side]}]"


_SPELLED = tuple(tuple(f";{side}[{square_name(move)}]" for move in range(N_SQUARES)) for side in "BW")


def _format_moves(game: Game) -> str:
    side = game.start.side
    written = []
    for each in game.moves:
        if each.move != PASS:
            written.append(_SPELLED[side][each.move])
            if each.value is not None:
                value = each.value if side == BLACK else 0.0 - each.value
                written.append(f"V[{value:.2f}]")
        side = 1 - side
    return "".join(written)


@lru_cache(maxsize=1024)
def format_result(result: Result | None) -> str:
    """What stands in RE; `?` if nothing is known."""
    if result is None:
        return "?"
    if result.winner is None:
        return "0"
    letter = "BW"[result.winner]
    if result.ending in (Ending.RESIGNED, Ending.TIME):
        return f"{letter}+{result.ending.value.upper()}"
    return f"{letter}+" + ("" if result.score is None else f"{abs(result.score):.2f}".rstrip("0").rstrip("."))
