"""The language of GTP: lines to requests, answers to lines, boards and graphics as GoGui takes them. Pure.

GoGui counts rows from below, so a board that it is to show as it stands there begins with row 8.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from othello_engine.config import Config, OptionSpec, format_option_value, option_specs
from othello_engine.notation import SIDE_NAMES, parse_move
from othello_engine.position import Position
from othello_engine.types import BLACK, N_SQUARES, PASS, WHITE, Bound, ScoreKind, SearchInfo, SearchResult, square_name
from protocol.gtp_clock import MOST_SECONDS
from protocol.gtp_game import Move

UNREADABLE = "\0"
"""Begins what stands in for a line that could not be read: no line that was read has it."""

_CONTROLS = {code: None for code in (*range(32), 127) if code != ord("\t")}
_ID = re.compile(r"[0-9]{1,19}")
_NUMBER = re.compile(r"[+-]?[0-9]{1,300}(\.[0-9]*)?")
_VERTEX = re.compile(r"[a-z][0-9]{1,2}", re.IGNORECASE)
_COLOURS = {"b": BLACK, "black": BLACK, "w": WHITE, "white": WHITE}


class RequestError(Exception):
    """A request that is refused; the text begins with GTP's own words for the reason."""


# -- lines in ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Request:
    """A command line. id: as it was written, empty if there was none. text: what stands behind the name, as it was."""

    id: str
    name: str
    text: str

    @property
    def words(self) -> list[str]:
        """The arguments."""
        return self.text.split()


def parse_request(line: str) -> Request | None:
    """The request of a line; None if nothing is left when comment and control characters are gone."""
    text = line.partition("#")[0].translate(_CONTROLS).replace("\t", " ").strip()
    if not text:
        return None
    first, _, rest = text.partition(" ")
    if not _ID.fullmatch(first):
        return Request("", first, rest.strip())
    name, _, rest = rest.strip().partition(" ")
    return Request(first, name, rest.strip())


def is_interrupt(line: str) -> bool:
    """True for GoGui's way to end a command: the comment `# interrupt`."""
    return line.split() == ["#", "interrupt"]


def parse_colour(word: str) -> int:
    """BLACK or WHITE. Raises RequestError."""
    colour = _COLOURS.get(word.lower())
    if colour is None:
        raise RequestError(f"syntax error: the colour is b or w, not {quoted(word)}")
    return colour


def parse_vertex(word: str) -> int:
    """A square or PASS. Raises RequestError, as for an illegal move if it is a square of a larger board."""
    try:
        return parse_move(word)
    except ValueError:
        problem = "illegal move" if _VERTEX.fullmatch(word) else "syntax error"
        raise RequestError(f"{problem}: no square of this board and no pass: {quoted(word)}") from None


def parse_moves(words: Sequence[str]) -> list[Move]:
    """Pairs of a colour and a vertex. Raises RequestError."""
    if len(words) % 2:
        raise RequestError(f"syntax error: a vertex is missing behind {quoted(words[-1])}")
    return [(parse_colour(words[i]), parse_vertex(words[i + 1])) for i in range(0, len(words), 2)]


def parse_seconds(word: str) -> float:
    """A time, with or without a decimal fraction. Raises RequestError."""
    if not _NUMBER.fullmatch(word):
        raise RequestError(f"syntax error: a time is a number of seconds, not {quoted(word)}")
    return max(-MOST_SECONDS, min(float(word), MOST_SECONDS))


def parse_count(word: str) -> int:
    """A whole number that is not negative. Raises RequestError."""
    if not word.isascii() or not word.isdigit():
        raise RequestError(f"syntax error: a whole number is needed, not {quoted(word)}")
    return min(int(word[:300]), 10**9)


def parse_komi(word: str) -> None:
    """Komi means nothing here, but is a number. Raises RequestError."""
    if not _NUMBER.fullmatch(word):
        raise RequestError(f"syntax error: komi is a number, not {quoted(word)}")


def parse_file_name(text: str) -> tuple[str, str]:
    """A file's name and what stands behind it; the name may be in double quotes, as GoGui writes one with blanks."""
    if text.startswith('"'):
        name, quote, rest = text[1:].partition('"')
        if not quote:
            raise RequestError("syntax error: the closing quote is missing")
        return name, rest.strip()
    name, _, last = text.rpartition(" ")
    return (name.strip(), last) if name and last.isdigit() else (text, "")


def quoted(text: str) -> str:
    """A user's text in a message: ASCII, and short enough to read."""
    return ascii(text if len(text) <= 40 else text[:37] + "...")


# -- lines out ---------------------------------------------------------------------------------------------


def format_success(request_id: str, lines: Sequence[str]) -> list[str]:
    """The lines of an answer, the empty one at the end included."""
    first = lines[0] if lines else ""
    return [f"={request_id} {first}".rstrip(), *(line for line in lines[1:] if line), ""]


def format_failure(request_id: str, problem: str) -> list[str]:
    """The lines of a refusal, the empty one at the end included."""
    return [f"?{request_id} {problem}", ""]


def format_score(position: Position, is_anti: bool = False) -> str:
    """`B+12`, `W+12` or `0`: the result of a finished game, empty squares to the side with more discs.

    is_anti: fewest discs win.
    """
    score = position.final_score_in(is_anti, BLACK)
    return f"{'B' if score > 0 else 'W'}+{abs(score)}" if score else "0"


def format_result(position: Position, is_anti: bool = False) -> str:
    """The result of a finished game in words. is_anti: fewest discs win."""
    score = position.final_score_in(is_anti, BLACK)
    discs = f"{position.black.bit_count()} discs to {position.white.bit_count()}"
    if not score:
        return f"Draw, {discs}"
    return f"{SIDE_NAMES[BLACK if score > 0 else WHITE]} wins by {abs(score)}, {discs}"


def format_board(symbol: Callable[[int], str]) -> list[str]:
    """A board as GoGui reads one: eight rows of what stands on each square, row 8 first."""
    return [" ".join(symbol(8 * row + column) for column in range(8)) for row in reversed(range(8))]


def format_discs(position: Position) -> list[str]:
    """The discs as GoGui reads them."""
    black, white = position.black, position.white
    return format_board(lambda x: "X" if black >> x & 1 else "O" if white >> x & 1 else ".")


def format_legal_moves(position: Position) -> str:
    """Legal moves as GoGui compares them: squares in capitals, `pass` in small letters; nothing at the end."""
    return " ".join("pass" if move == PASS else square_name(move).upper() for move in position.legal_moves)


# -- what a search found -----------------------------------------------------------------------------------

RED_LOSS = 10.0
"""Discs given away against the best move: the red end of a scale that begins with green for none."""
FULL_INFLUENCE = 16.0
"""Discs ahead that fill a square of GoGui's influence."""


def is_proved(line: SearchInfo) -> bool:
    """True if the score is the result of perfect play."""
    return (
        line.score.kind in (ScoreKind.DISCS, ScoreKind.WLD)
        and line.score.bound is Bound.EXACT
        and line.selectivity == 100
        and line.complete
    )


def format_discs_ahead(line: SearchInfo) -> str:
    """A score for the side to move, short enough for a square: `+3.4`, `-12` where it is proved, `win`."""
    discs = line.score.discs
    if line.score.kind is ScoreKind.WLD:
        return "win" if discs > 0 else "loss" if discs < 0 else "draw"
    return f"{discs:+.0f}" if line.score.kind is ScoreKind.DISCS else f"{_rounded(discs, 1):+.1f}"


def _rounded(value: float, n_digits: int) -> float:
    """A rounded number that is never minus zero."""
    return round(value, n_digits) + 0.0


def format_verdict(position: Position, line: SearchInfo) -> str:
    """A score in words: whose it is, and what it rests on."""
    certainty = f"depth {line.depth}" if line.selectivity == 100 else f"depth {line.depth} at {line.selectivity} %"
    return f"{SIDE_NAMES[position.side]} {format_discs_ahead(line)}, {'proved' if is_proved(line) else certainty}"


def format_influence(position: Position, lines: Iterable[SearchInfo]) -> list[str]:
    """The value of every move for GoGui's `dboard`: 1 where Black, -1 where White comes out far ahead, else between."""
    sign = 1 if position.side == BLACK else -1
    values = {line.pv[0]: sign * line.score.discs / FULL_INFLUENCE for line in lines}
    return format_board(lambda x: f"{_rounded(max(-1.0, min(1.0, values.get(x, 0.0))), 2):.2f}")


def format_coloured_moves(position: Position, lines: Sequence[SearchInfo]) -> list[str]:
    """The score of every move for GoGui's `gfx`: labels, fields from green for the best to red, a line of text."""
    moves = [line for line in lines if line.pv[0] < N_SQUARES]
    if not moves:
        return [f"TEXT {SIDE_NAMES[position.side]} has no move"]
    labels = (f"{square_name(line.pv[0])} {format_discs_ahead(line)}" for line in moves)
    best = moves[0].score.discs
    colours = (f"COLOR {_shade(best - line.score.discs)} {square_name(line.pv[0])}" for line in moves)
    return [f"LABEL {' '.join(labels)}", *colours, f"TEXT {format_verdict(position, moves[0])}"]


def _shade(loss: float) -> str:
    """A colour from green by yellow to red."""
    part = max(0.0, min(1.0, loss / RED_LOSS))
    return f"#{round(200 * min(1.0, 2 * part)):02x}{round(200 * min(1.0, 2 - 2 * part)):02x}00"


def format_line_of_play(line: SearchInfo) -> str:
    """The expected moves, passes among them."""
    return " ".join(square_name(move) for move in line.pv)


def format_search(position: Position, result: SearchResult) -> list[str]:
    """All about a search that has ended, a fact a line."""
    line = result.lines[0]
    rate = f"{1000 * result.nodes // result.time_ms}" if result.time_ms else "-"
    return [
        f"Position: {position.to_text()}",
        f"Empties: {position.n_empties}",
        f"Move: {square_name(result.best_move)}",
        f"Score: {format_verdict(position, line)}",
        f"Line: {format_line_of_play(line)}",
        f"Nodes: {result.nodes}",
        f"Seconds: {result.time_ms / 1000:.3f}",
        f"Rate: {rate}",
    ]


# -- options -----------------------------------------------------------------------------------------------

_WITHOUT_EFFECT = frozenset(("multipv", "ponder", "info_interval_ms", "result_line"))
"""Options, by key, that mean something only in other dialects."""
_BOOLEANS: Mapping[str, str] = {"1": "true", "0": "false"}


def format_parameters(config: Config) -> list[str]:
    """The options as GoGui's `param` reads them: type, name, value."""
    known = (config.profile.fitted(spec) for spec in option_specs() if config.profile.offers(spec))
    specs = (spec for spec in known if spec.kind != "button" and spec.key not in _WITHOUT_EFFECT)
    return [f"[{_parameter_type(spec)}] {spec.name} {format_parameter(spec, config)}" for spec in specs]


def format_parameter(spec: OptionSpec, config: Config) -> str:
    """An option's value; 1 or 0 for what is true or false."""
    value = config.value_of(spec)
    return str(int(value)) if isinstance(value, bool) else format_option_value(value)


def parse_parameter(spec: OptionSpec, text: str) -> str:
    """The text that an option reads: 1 and 0 stand for true and false as well."""
    return _BOOLEANS.get(text, text) if spec.kind == "check" else text


def _parameter_type(spec: OptionSpec) -> str:
    if spec.kind == "check":
        return "bool"
    return "/".join(("list", *map(str, spec.choices))) if spec.kind == "combo" else "string"
