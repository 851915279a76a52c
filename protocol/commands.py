"""The native protocol's language: command lines to values, replies to lines. Pure: no engine, no state, no
clock.

A command is recognised in two steps, because a line that has to wait its turn is judged only when its turn
comes: `command_word` says what kind of command a line is, `parse_command` reads it in full.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any

from othello_engine.config import (
    Config,
    OptionSpec,
    OptionValue,
    find_option,
    format_option_value,
    option_specs,
    parse_option_value,
)
from othello_engine.errors import BoardError, ConfigError, IllegalMoveError
from othello_engine.formats.boards import START_WORD, parse_setup
from othello_engine.formats.transcript import parse_moves
from othello_engine.notation import parse_move
from othello_engine.position import Position
from othello_engine.types import (
    BLACK,
    Bound,
    Goal,
    Limits,
    Score,
    ScoreKind,
    SearchInfo,
    SearchResult,
)

if TYPE_CHECKING:
    from othello_engine.games import AnyPosition
    from protocol.hints import MoveHint

_START = Position.start()

PROTOCOL_VERSION = 1

MAX_DEPTH = 60
"""A deeper search than this has nothing left to see; greater depths mean this one."""
MAX_TIME_MS = 2**31 - 1
"""Some 25 days, the longest that every platform can wait; longer times and clocks mean this one."""
MAX_LINES = 64
"""Lines of play that can be asked for; more than any position of a game has moves."""
_MAX_NUMBER = 10**18


# -- commands ----------------------------------------------------------------------------------------------


class Plain(Enum):
    """A command of one word."""

    IS_READY = "isready"
    HELP = "help"
    STOP = "stop"
    PONDER_HIT = "ponderhit"
    NEW_GAME = "newgame"
    DISPLAY = "display"
    EVAL = "eval"
    QUIT = "quit"


@dataclass(frozen=True, slots=True)
class Handshake:
    """`uoi` or `ugi`; the answer ends with that word and `ok`."""

    word: str


@dataclass(frozen=True, slots=True)
class Debug:
    """`debug on`, `debug off`"""

    on: bool


@dataclass(frozen=True, slots=True)
class SetOption:
    """`setoption name N [value V]`; value is None for a button."""

    spec: OptionSpec
    value: OptionValue | None


@dataclass(frozen=True, slots=True)
class SetBoard:
    """`setboard ... [moves ...]`; the set-up position and the one after each move, forced passes included."""

    line: tuple[AnyPosition, ...]


@dataclass(frozen=True, slots=True)
class Move:
    """`move m1 [m2 ...]`; the words are judged against the position of the moment."""

    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Undo:
    """`undo [n]`, or `undo round` with None."""

    n_plies: int | None


@dataclass(frozen=True, slots=True)
class Go:
    """`go ...`; whether `limits.search_moves` can be played now is another question."""

    limits: Limits


@dataclass(frozen=True, slots=True)
class Hint:
    """`hint [plies]`; None = as many as the profile says."""

    plies: int | None


@dataclass(frozen=True, slots=True)
class DisplayHints:
    """`display hints [colour]`"""

    in_colour: bool


@dataclass(frozen=True, slots=True)
class Query:
    """`query gameover|p1turn|result`"""

    topic: str


@dataclass(frozen=True, slots=True)
class Perft:
    """`perft D`"""

    depth: int


@dataclass(frozen=True, slots=True)
class Bench:
    """`bench [D] [threads] [hash]`; None = the bench's own default."""

    depth: int | None
    threads: int | None
    hash_mb: int | None


Command = (
    Plain | Handshake | Debug | SetOption | SetBoard | Move | Undo | Go | Hint | DisplayHints | Query | Perft | Bench
)


class CommandError(Exception):
    """A line that is refused: code, the offending token (`-` if none), and what is wrong with it."""

    def __init__(self, code: str, token: str, text: str) -> None:
        super().__init__(text)
        self.code = code
        self.token = token
        self.text = text


_ROUND = "round"
_ALIASES = {"position": "setboard", "ucinewgame": "newgame", "uginewgame": "newgame", "d": "display"}

USAGE = (
    ("uoi", "say who you are and list the options; ends with uoiok"),
    ("ugi", "the same, ends with ugiok"),
    ("isready", "answer readyok when everything is loaded, at once while searching"),
    ("setoption name N [value V]", "change an option"),
    ("setboard startpos|<squares> <side> [moves m1 m2 ...]", "set the position (also: position)"),
    ("move m1 [m2 ...]", "play moves"),
    ("undo [n]", "take back n plies, passes included"),
    ("undo round", "take back the last move of the side to move and all that followed"),
    ("newgame", "back to the start, nothing remembered"),
    ("go [time MS] [depth N] [nodes N] [exact] [wld] [infinite] ...", "search; ends with bestmove"),
    ("go btime MS wtime MS [binc MS] [winc MS] [movestogo N]", "search within a game clock"),
    ("go ... [ponder] [selectivity P] [multipv K] [window A B] [searchmoves m1 ...]", "what to search, how"),
    ("hint [plies]", "every move with its value among the others; ends with hintok"),
    ("stop", "end the running search, hint, perft or bench"),
    ("ponderhit", "the predicted move was played"),
    ("display [hints [colour]]", "show the position (also: d), with the values of the last hint"),
    ("eval", "static value for the side to move"),
    ("perft D", "count the lines of play, depth 1 to D"),
    ("bench [D] [threads] [hash]", "search fixed positions and count nodes"),
    ("query gameover|p1turn|result", "ask about the game"),
    ("debug on|off", "more or fewer info string lines"),
    ("help", "this list"),
    ("quit", "end at once"),
)
"""What a person may type, and what it does; `help` prints it."""

COMMAND_WORDS = tuple(dict.fromkeys(usage.split()[0] for usage, _ in USAGE))


def command_word(line: str) -> str:
    """The canonical first word of a line, whether or not it is a command; empty for blanks and comments.

    >>> command_word("Position startpos")
    'setboard'
    """
    words = line.split(maxsplit=1)
    if not words or words[0].startswith("#"):
        return ""
    word = words[0].lower()
    return _ALIASES.get(word, word)


def parse_command(line: str, position: AnyPosition = _START, start: AnyPosition = _START) -> Command:
    """The command of a line that has a `command_word`. Raises CommandError.

    position: the current one, whose moves a `go` may name. start: what `startpos` stands for; boards are of its game.
    """
    word = command_word(line)
    arguments = line.split()[1:]
    if word in _WHOLE_LINES:
        _expect_no_more(arguments)
        return _WHOLE_LINES[word]
    if word == "setoption":
        return _parse_setoption(line)
    if word == "setboard":
        return _parse_setboard(arguments, start)
    if word == "go":
        return _parse_go(arguments, position)
    parse = _PARSERS.get(word)
    if parse is None:
        raise CommandError("unknown-command", line.split()[0], f"no such command{_hint(word)}")
    return parse(arguments)


def _hint(word: str) -> str:
    if word == "uci":
        return "; this is no chess engine, say uoi"
    near: list[str] = []
    if word.isalpha() and len(word) <= 12:  # looking costs more than all else that is done for a line
        from difflib import get_close_matches

        near = get_close_matches(word, COMMAND_WORDS, n=1)
    return f"; did you mean {near[0]}?" if near else "; help lists them"


def _expect_no_more(words: Sequence[str]) -> None:
    if words:
        raise CommandError("bad-argument", words[0], "nothing may follow here")


def _parse_number(text: str, name: str, minimum: int | None = None, maximum: int = _MAX_NUMBER) -> int:
    """A decimal whole number within its range; minimum None: any negative number will do."""
    if not re.fullmatch(r"[+-]?[0-9]+", text):
        raise CommandError("bad-argument", text, f"{name} takes a whole number")
    number = int(text) if len(text) <= 20 else None
    if number is not None and (minimum is None or number >= minimum) and abs(number) <= maximum:
        return number
    problem = "of at most 18 digits"
    if maximum < _MAX_NUMBER:
        problem = f"from {minimum} to {maximum}"
    elif number is not None and minimum is not None and number < minimum:
        problem = f"not below {minimum}"
    raise CommandError("bad-argument", text, f"{name} takes a whole number {problem}")


def _parse_setoption(line: str) -> SetOption:
    """name: all words up to `value`; value: the rest of the line as it stands."""
    words = line.split()
    if len(words) == 1:
        raise CommandError("missing-argument", "setoption", "write setoption name N value V")
    if words[1].lower() != "name":
        raise CommandError("bad-argument", words[1], "write setoption name N value V")
    rest = line.split(maxsplit=2)[2] if len(words) > 2 else ""
    parts = re.split(r"\s+value(?:\s+|$)", rest.rstrip(), maxsplit=1, flags=re.IGNORECASE | re.ASCII)
    name = " ".join(parts[0].split())
    text = parts[1] if len(parts) == 2 else None
    if not name:
        raise CommandError("missing-argument", "name", "which option?")

    spec = find_option(name)
    if spec is None:
        from difflib import get_close_matches

        names = {each.name.lower(): each.name for each in option_specs()}
        near = get_close_matches(name.lower()[:40], names, n=1)
        hint = f"; did you mean {names[near[0]]}?" if near else "; uoi lists them"
        raise CommandError("unknown-option", name, f"no such option{hint}")
    if spec.kind == "button":
        if text is not None:
            raise CommandError("bad-option-value", text, f"{spec.name} is a button and takes no value")
        return SetOption(spec, None)
    if text is None or (not text and spec.kind != "string"):
        raise CommandError("missing-argument", "value", f"what value for {spec.name}?")
    try:
        return SetOption(spec, parse_option_value(spec, text))
    except ConfigError as error:
        raise CommandError("bad-option-value", text, str(error)) from None


def _parse_setboard(words: Sequence[str], start: AnyPosition) -> SetBoard:
    squares = f"{start.size**2} {'squares' if isinstance(start, Position) else 'cells'}"
    if not words:
        raise CommandError("missing-argument", "setboard", f"write startpos, or {squares} and a side")
    lowered = [word.lower() for word in words]
    end = lowered.index("moves") if "moves" in lowered else len(words)
    board = list(words[:end])
    if board and lowered[0] in ("board", "fen"):
        board.pop(0)
    if board and board[0].lower() == START_WORD and len(board) > 1:
        raise CommandError("bad-argument", board[1], "write moves before the list of moves")
    if not board:
        raise CommandError("missing-argument", words[0], f"write {squares} and a side")
    try:
        if isinstance(start, Position):
            position: AnyPosition = parse_setup(board)
        else:
            position = start if board[0].lower() == START_WORD else start.from_text(" ".join(board))
    except BoardError as error:
        raise CommandError("bad-board", str(error.column or "-"), _without_place(error)) from None
    return SetBoard((position, *play_words(position, words[end + 1 :])))


def play_words(position: AnyPosition, words: Sequence[str]) -> tuple[AnyPosition, ...]:
    """The position after each of some written moves, forced passes included; CommandError for an illegal
    one."""
    try:
        if isinstance(position, Position):
            return tuple(after for _, after in parse_moves(position, words))
        return tuple(after for _, after in position.follow(" ".join(words)))
    except IllegalMoveError as error:
        text = f"at {error.index} {_without_place(error)}"
        raise CommandError("illegal-move", error.move, text) from None


def check_search_moves(position: AnyPosition, moves: Sequence[int] | None) -> None:
    """CommandError for the first root move that the position doesn't have."""
    for index, move in enumerate(moves or (), 1):
        if move not in position.legal_moves:
            try:
                position.play(move)
            except IllegalMoveError as error:
                text = f"at {index} {_without_place(error)}"
                raise CommandError("illegal-move", position.move_name(move), text) from None


def _without_place(error: Exception) -> str:
    """The message without its closing `(move 2: e3)` or `(column 5)`, which an error line gives elsewhere."""
    return re.sub(r" \([^()]*\)$", "", str(error))


def _parse_move(words: Sequence[str]) -> Move:
    if not words:
        raise CommandError("missing-argument", "move", "which move?")
    return Move(tuple(words))


def _parse_undo(words: Sequence[str]) -> Undo:
    _expect_no_more(words[1:])
    if words and words[0].lower() == _ROUND:
        return Undo(None)
    return Undo(_parse_number(words[0], "undo", 1) if words else 1)


def is_undo_round(line: str) -> bool:
    """True for `undo round`, which never waits."""
    words = line.lower().split()
    return words[:2] == ["undo", _ROUND]


def _parse_debug(words: Sequence[str]) -> Debug:
    return Debug(_parse_choice("debug", words, ("on", "off")) == "on")


def _parse_query(words: Sequence[str]) -> Query:
    return Query(_parse_choice("query", words, ("gameover", "p1turn", "result")))


def _parse_choice(command: str, words: Sequence[str], choices: Sequence[str]) -> str:
    if not words:
        raise CommandError("missing-argument", command, f"one of {' '.join(choices)}")
    _expect_no_more(words[1:])
    if words[0].lower() not in choices:
        raise CommandError("bad-argument", words[0], f"{command} takes one of {' '.join(choices)}")
    return words[0].lower()


def _parse_hint(words: Sequence[str]) -> Hint:
    _expect_no_more(words[1:])
    return Hint(_parse_number(words[0], "hint", 1, MAX_DEPTH) if words else None)


def _parse_display(words: Sequence[str]) -> Plain | DisplayHints:
    for word, known in zip(words, ("hints", "colour"), strict=False):
        if word.lower() != known:
            raise CommandError("bad-argument", word, "write display, display hints or display hints colour")
    _expect_no_more(words[2:])
    return DisplayHints(in_colour=len(words) == 2) if words else Plain.DISPLAY


def is_display_hints(line: str) -> bool:
    """True for `display hints`, which waits for hints that are on the way."""
    return command_word(line) == "display" and len(line.split()) > 1


def _parse_perft(words: Sequence[str]) -> Perft:
    if not words:
        raise CommandError("missing-argument", "perft", "to what depth?")
    _expect_no_more(words[1:])
    return Perft(_parse_number(words[0], "perft", 1, MAX_DEPTH))


def _parse_bench(words: Sequence[str]) -> Bench:
    _expect_no_more(words[3:])
    ranges = (("depth", 1, MAX_DEPTH), ("threads", 1, 256), ("hash", 1, 65536))
    given: list[int | None] = [
        _parse_number(word, name, low, high) for word, (name, low, high) in zip(words, ranges, strict=False)
    ]
    given += [None] * (3 - len(given))
    return Bench(*given)


# Every token of `go` that takes a number: the field it fills, and its smallest value (None: any, as a clock
# may have run out).
_GO_NUMBERS: dict[str, tuple[str, int | None]] = {
    "time": ("move_time_ms", 0),
    "movetime": ("move_time_ms", 0),
    "btime": ("black_ms", None),
    "p1time": ("black_ms", None),
    "wtime": ("white_ms", None),
    "p2time": ("white_ms", None),
    "binc": ("black_increment_ms", None),
    "p1inc": ("black_increment_ms", None),
    "winc": ("white_increment_ms", None),
    "p2inc": ("white_increment_ms", None),
    "movestogo": ("moves_to_go", None),
    "depth": ("depth", 0),
    "nodes": ("nodes", 0),
    "multipv": ("multipv", 1),
    "selectivity": ("selectivity", 0),
}
_CLOCK_FIELDS = ("black_ms", "white_ms", "black_increment_ms", "white_increment_ms", "moves_to_go")
_GO_FLAGS: dict[str, tuple[str, Goal | bool]] = {
    "exact": ("goal", Goal.EXACT),
    "wld": ("goal", Goal.WLD),
    "infinite": ("infinite", True),
    "ponder": ("ponder", True),
}


def _parse_go(words: Sequence[str], position: AnyPosition) -> Go:
    fields: dict[str, Any] = {}
    spelled: dict[str, str] = {}
    rest = list(words)

    def put(token: str, field: str, value: object) -> None:
        if field in fields:
            problem = "given twice" if spelled[field] == token.lower() else f"contradicts {spelled[field]}"
            raise CommandError("bad-argument", token, problem)
        fields[field] = value
        spelled[field] = token.lower()

    def take(token: str) -> str:
        if not rest:
            raise CommandError("missing-argument", token, f"{token.lower()} needs a value")
        return rest.pop(0)

    while rest:
        token = rest.pop(0)
        word = token.lower()
        if word in _GO_NUMBERS:
            field, minimum = _GO_NUMBERS[word]
            maximum = MAX_LINES if field == "multipv" else _MAX_NUMBER
            put(token, field, _parse_number(take(token), word, minimum, maximum))
        elif word in _GO_FLAGS:
            put(token, *_GO_FLAGS[word])
        elif word == "window":
            alpha = _parse_number(take(token), word, -64, 64)
            beta = _parse_number(take(token), word, -64, 64)
            if alpha >= beta:
                raise CommandError("bad-argument", str(beta), "a window's second number is the larger one")
            put(token, "window", (alpha, beta))
        elif word == "searchmoves":
            put(token, "search_moves", _parse_search_moves(token, rest, position))
            rest.clear()
        else:
            raise CommandError("bad-argument", token, "unknown to go; no search started")

    _refuse_contradictions(fields, spelled)
    return Go(_limits(fields))


def _parse_search_moves(token: str, words: Sequence[str], position: AnyPosition) -> tuple[int, ...]:
    if not words:
        raise CommandError("missing-argument", token, "which moves?")
    moves: list[int] = []
    for index, word in enumerate(words, 1):
        try:
            move = parse_move(word) if isinstance(position, Position) else position.parse_move(word)
        except ValueError:
            known = word.lower() in (*_GO_NUMBERS, *_GO_FLAGS, "window", "searchmoves")
            reason = "searchmoves runs to the end of the line" if known else "no such square"
            raise CommandError("illegal-move", word, f"at {index} {reason}") from None
        if move not in moves:
            moves.append(move)
    return tuple(moves)


def _refuse_contradictions(fields: dict[str, Any], spelled: dict[str, str]) -> None:
    def refuse(first: str, second: str) -> None:
        raise CommandError("bad-argument", spelled[second], f"contradicts {spelled[first]}")

    if "move_time_ms" in fields:
        for clock in _CLOCK_FIELDS:
            if clock in fields:
                refuse("move_time_ms", clock)
    if "ponder" in fields and "infinite" in fields:
        refuse("infinite", "ponder")
    if fields.get("goal") is Goal.WLD and "window" in fields:
        refuse("goal", "window")
    selectivity = fields.get("selectivity")
    choices = next(spec.choices for spec in option_specs() if spec.key == "selectivity")
    if selectivity is not None and selectivity not in choices:
        text = f"selectivity is one of {' '.join(str(choice) for choice in choices)}"
        raise CommandError("bad-argument", str(selectivity), text)


def _limits(fields: dict[str, Any]) -> Limits:
    """The limits of a checked `go`, numbers brought into the ranges that make sense.

    Zero means zero and never "no limit": depth 0 and nodes 0 ask for the least there is. Moves to go below 1
    say nothing, negative increments are none.
    """
    for name in ("move_time_ms", "black_ms", "white_ms", "black_increment_ms", "white_increment_ms"):
        if name in fields:
            fields[name] = max(-MAX_TIME_MS, min(fields[name], MAX_TIME_MS))
    for name in ("black_increment_ms", "white_increment_ms"):
        if name in fields:
            fields[name] = max(0, fields[name])
    if fields.get("moves_to_go", 1) < 1:
        del fields["moves_to_go"]
    if "depth" in fields:
        fields["depth"] = max(1, min(fields["depth"], MAX_DEPTH))
    if "nodes" in fields:
        fields["nodes"] = max(1, fields["nodes"])
    return Limits(**fields)


_WHOLE_LINES: dict[str, Command] = {
    "uoi": Handshake("uoi"),
    "ugi": Handshake("ugi"),
    **{plain.value: plain for plain in Plain if plain not in (Plain.QUIT, Plain.DISPLAY)},
}
_PARSERS: dict[str, Callable[[Sequence[str]], Command]] = {
    "debug": _parse_debug,
    "move": _parse_move,
    "undo": _parse_undo,
    "hint": _parse_hint,
    "display": _parse_display,
    "query": _parse_query,
    "perft": _parse_perft,
    "bench": _parse_bench,
    "quit": lambda words: Plain.QUIT,  # whatever else stands on the line
}


# -- replies -----------------------------------------------------------------------------------------------


def format_error(code: str, token: str, text: str) -> str:
    """`error <code> <token> <text>`; a token is kept to one short word.

    >>> format_error("bad-argument", "x y", "no")
    'error bad-argument x_y no'
    """
    word = "_".join(token.split()) or "-"
    if len(word) > 40:
        word = word[:37] + "..."
    return f"error {code} {word} {' '.join(text.split())}".rstrip()


def format_handshake(word: str, version: str, config: Config) -> list[str]:
    """The whole answer to `uoi` or `ugi`; options show the value in force as their default."""
    return [
        f"id name othello-engine {version}",
        "id author the othello-engine developers",
        f"id protocol {PROTOCOL_VERSION}",
        *(format_option(spec, config) for spec in offered_options(config)),
        f"{word}ok",
    ]


def offered_options(config: Config) -> Iterable[OptionSpec]:
    """The options that mean something under the profile in force."""
    for spec in option_specs():
        if config.profile.offers(spec):
            yield config.profile.fitted(spec)


def format_option(spec: OptionSpec, config: Config) -> str:
    """One `option` line."""
    line = f"option name {spec.name} type {spec.kind}"
    if spec.kind == "button":
        return line
    line += f" default {format_option_value(config.value_of(spec))}"
    if spec.kind == "spin":
        line += f" min {spec.minimum} max {spec.maximum}"
    for choice in spec.choices:
        line += f" var {choice}"
    return line


def format_score(score: Score) -> str:
    """`cp -35`, `raw 1788`, `disc 12`, `wld win`, `mate 5`; with `lowerbound` or `upperbound` where it is one."""
    value = str(score.value)
    if score.kind is ScoreKind.WLD:
        value = "win" if score.value > 0 else "loss" if score.value < 0 else "draw"
    text = f"{score.kind.value} {value}"
    return text if score.bound is Bound.EXACT else f"{text} {score.bound.value}"


def format_info(info: SearchInfo, with_rank: bool, position: AnyPosition = _START) -> str:
    """One line of play of a position; with_rank: several lines were asked for."""
    parts = [f"info depth {info.depth} seldepth {info.selective_depth} sel {info.selectivity}"]
    if with_rank:
        parts.append(f"multipv {info.rank}")
    parts.append(f"score {format_score(info.score)}")
    parts.append(f"nodes {info.nodes} nps {info.nps} time {info.time_ms} hashfull {info.hashfull}")
    if info.pv:
        parts.append(f"pv {format_moves(info.pv, position)}")
    if not info.complete:
        parts.append("string iteration cut short")
    return " ".join(parts)


def format_moves(moves: Iterable[int], position: AnyPosition = _START) -> str:
    """Squares and passes, blanks between."""
    return " ".join(position.move_name(move) for move in moves)


def format_best_move(result: SearchResult, with_ponder: bool, position: AnyPosition = _START) -> str:
    """`bestmove d3`, `bestmove d3 ponder c3`, `bestmove pass`, `bestmove none`."""
    line = f"bestmove {position.move_name(result.best_move)}"
    if with_ponder and position.NO_MOVE not in (result.ponder_move, result.best_move):
        line += f" ponder {position.move_name(result.ponder_move)}"
    return line


def format_result_line(result: SearchResult, form: str, position: AnyPosition = _START) -> str:
    """csv: `row,col,score,depth,nodes,elapsed_ms,nps`; json: `result` and an object with these and the heatmap.

    Rows and columns from 0, a1 is 0,0; -1,-1 for no square. The heatmap lists `[row, col, score]`, best first.
    """
    row, column = _place(result.best_move, position)
    depth = result.lines[0].depth if result.lines else 0
    rate = nodes_per_second(result.nodes, result.time_ms)
    numbers = (row, column, result.document_score, depth, result.nodes, result.time_ms, rate)
    if form == "csv":
        return ",".join(str(number) for number in numbers)
    import json

    names = ("r", "c", "score", "depth", "nodes", "time_ms", "nps")
    heatmap = [[*_place(each.move, position), each.value] for each in result.root_values]
    return f"result {json.dumps({**dict(zip(names, numbers, strict=True)), 'heatmap': heatmap}, separators=(',', ':'))}"


def _place(move: int, position: AnyPosition) -> tuple[int, int]:
    """Row and column of a move, from 0; -1, -1 if it is on no square."""
    return divmod(move, position.size) if 0 <= move < position.size**2 else (-1, -1)


def format_hint(hint: MoveHint, position: AnyPosition = _START) -> str:
    """`hint d3 value 90 band amber score raw 22 depth 3`"""
    value = f"value {hint.value} band {hint.band}"
    return f"hint {position.move_name(hint.move)} {value} score {format_score(hint.score)} depth {hint.depth}"


def format_display(position: AnyPosition, diagram: Sequence[str] | None = None) -> list[str]:
    """The answer to `display`: the facts as lines to parse, then a drawing, the position's own if none is given."""
    moves = "none" if position.is_over else format_moves(position.legal_moves, position)
    drawing = [f"info string {row}" for row in (position.diagram() if diagram is None else diagram)]
    return [f"board {position.to_text()}", f"empties {position.n_empties}", f"legal {moves}", *drawing]


def format_query(topic: str, position: AnyPosition, is_anti: bool = False) -> str:
    """The answer to `query`. is_anti: fewest discs win."""
    if topic == "gameover":
        answer = "true" if position.is_over else "false"
    elif topic == "p1turn":
        answer = "true" if position.side == BLACK else "false"
    elif not position.is_over:
        answer = "none"
    else:
        if isinstance(position, Position):
            black = position.final_score_in(is_anti, BLACK)
        else:
            black = 0 if position.winner is None else 1 if position.winner == BLACK else -1
        answer = "p1win" if black > 0 else "p2win" if black < 0 else "draw"
    return f"response {answer}"


def format_perft(depth: int, nodes: int, time_ms: int) -> str:
    """The closing line of `perft`."""
    return f"perft depth {depth} nodes {nodes} time {time_ms} nps {nodes_per_second(nodes, time_ms)}"


def format_perft_info(depth: int, nodes: int, time_ms: int) -> str:
    """One depth of `perft`."""
    rate = nodes_per_second(nodes, time_ms)
    return f"info perft {depth} nodes {nodes} time {time_ms} nps {rate}"


def format_bench(nodes: int, time_ms: int) -> str:
    """The closing line of `bench`."""
    return f"bench nodes {nodes} time {time_ms} nps {nodes_per_second(nodes, time_ms)}"


def format_bench_info(index: int, result: SearchResult, position: AnyPosition = _START) -> str:
    """One position of `bench`, counted from 1."""
    rate = nodes_per_second(result.nodes, result.time_ms)
    move = position.move_name(result.best_move)
    return f"info bench {index} nodes {result.nodes} time {result.time_ms} nps {rate} move {move}"


def format_help() -> list[str]:
    """The answer to `help`."""
    return [f"info string {usage} - {meaning}" for usage, meaning in USAGE]


def nodes_per_second(nodes: int, time_ms: int) -> int:
    """A whole number, also for a search that took no time at all."""
    return nodes * 1000 // max(1, time_ms)
