"""The client's side of each dialect: a new game, the moves made, a choice within limits.

Gomoku is played in two of them: in the native one, as Othello is, and in Gomocup's.

A driver knows the words of its dialect and nothing of the rules; what a program plays is judged by whoever asked. All
take the same calls: `greet` once, `start_game` with the moves so far, `played` for every further move of either side,
forced passes included (no engine is asked for one), and `choose`.
"""

from __future__ import annotations

import re
import tempfile
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from othello_engine.formats.game import Game, GameClock, GameMove
from othello_engine.formats.ggf import format_ggf
from othello_engine.formats.sgf import format_sgf
from othello_engine.gomoku.position import BLOCKED, STONES, GomokuPosition, cell_name
from othello_engine.position import Position
from othello_engine.types import BLACK, PASS, WHITE, square_name
from tools.engines.process import Line, Program, ProgramError, SilenceError
from tools.engines.spec import EngineSpec, PassStyle

if TYPE_CHECKING:
    from othello_engine.games import AnyPosition

COMMAND_LIMIT_S = 20.0
"""For answers that need no thinking: `pong`, `readyok`, an empty GTP answer."""


_KEPT_BEFORE = 50
"""Lines before an answer, for what they say about it."""
_ASKED = 40
"""Characters of a question in the text of a fault."""


class FaultKind(StrEnum):
    """Ways to lose a game without playing it to the end."""

    ILLEGAL = "illegal move"
    TIME = "time loss"
    """The move came, too late."""
    HANG = "hang"
    """No move came at all, or no answer to a command."""
    CRASH = "crash"
    """The program ended, or could not be started."""
    RESIGNATION = "resignation"
    """The program gave the game up, which is no fault of its own making but ends the game like one."""
    REFUSAL = "refusal"
    """The program answered a proper command with an error."""


class FaultError(Exception):
    """A program did not do its part. The first line of the text says it all; more lines tell the story."""

    def __init__(self, kind: FaultKind, text: str) -> None:
        super().__init__(text)
        self.kind = kind


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What an engine says about the move it chose. value: for the mover, in discs, or in Gomoku in its own unit; None:
    it does not say. mate: in Gomoku the plies until five are on the board, both sides counted, negative if the mover
    loses; None: it claims no proof.
    """

    value: float | None = None
    depth: int | None = None
    nodes: int | None = None
    mate: int | None = None


NO_EVALUATION = Evaluation()


@dataclass(frozen=True, slots=True)
class Answer:
    """The move an engine wants to play, in its own spelling, and the seconds from the question to the answer."""

    text: str
    seconds: float
    evaluation: Evaluation = NO_EVALUATION


@dataclass(frozen=True, slots=True)
class Setup:
    """A game to be started: its first position, the moves made already, and both clocks, black's first."""

    start: AnyPosition
    moves: tuple[int, ...]
    clocks: tuple[GameClock | None, GameClock | None] = (None, None)
    black: str = "black"
    white: str = "white"


class Driver(ABC):
    """A dialect spoken to one running program. Every method may raise FaultError.

    untold: limits of the specification that the program could not be told, after `greet`; its own command line has to
    hold it to them. held_s: seconds in which the program was waited for, so far.
    """

    takes_options = True
    takes: frozenset[str] = frozenset()
    """The limits that the dialect has words for: some of `move_s clock_s depth nodes`."""

    def __init__(self, spec: EngineSpec, program: Program) -> None:
        self.spec = spec
        self.program = program
        self.held_s = 0.0
        self.untold = untold_limits(spec)

    @abstractmethod
    def greet(self) -> None:
        """Introduce ourselves, set the options, and wait until the program is ready."""

    @abstractmethod
    def start_game(self, setup: Setup) -> None:
        """A new game with some moves made; ready to think when it returns."""

    @abstractmethod
    def played(self, side: int, move: int, seconds: float) -> None:
        """A move was made, by either player, within so many seconds."""

    @abstractmethod
    def choose(self, side: int, clock_s: float | None, patience_s: float) -> Answer:
        """The program's move. clock_s: what is left on its clock; patience_s: how long to wait for the answer."""

    def say_goodbye(self) -> None:
        """Ask the program to end."""
        self.program.send("quit")

    # --- for the dialects

    def _send(self, *lines: str) -> float:
        try:
            return self.program.send(*lines)
        except ProgramError as error:
            raise _fault(error) from None

    def _ask(self, lines: Sequence[str], pattern: re.Pattern[str], limit_s: float = COMMAND_LIMIT_S) -> _Reply:
        """Send lines and wait for the answer that the pattern matches as a whole. What came before is no answer."""
        self.program.read_available()
        sent_at = self._send(*lines)
        before: deque[str] = deque(maxlen=_KEPT_BEFORE)
        try:
            while True:
                line = self.program.read_line(sent_at + limit_s)
                text = line.text
                match = pattern.fullmatch(text)
                if match:
                    self.held_s += line.at - sent_at
                    return _Reply(match, line.at - sent_at, before)
                before.append(text)
        except ProgramError as error:
            self.held_s += time.perf_counter() - sent_at
            raise _fault(error, lines[-1]) from None


@dataclass(frozen=True, slots=True)
class _Reply:
    """match: the answer; seconds: since the question; before: the last lines that came before it."""

    match: re.Match[str]
    seconds: float
    before: Sequence[str]

    def last(self, *beginnings: str) -> str:
        """The last line before the answer that begins so; empty if there is none."""
        return next((line for line in reversed(self.before) if line.startswith(beginnings)), "")


def untold_limits(spec: EngineSpec) -> tuple[str, ...]:
    """The limits that the dialect has no words for, such as `100 ms a move`."""
    takes, limits = DIALECTS[spec.protocol].takes, spec.limits
    given = (
        ("move_s", limits.move_s, "time per move"),
        ("clock_s", limits.clock_s, "clock"),
        ("depth", limits.depth, "depth"),
        ("nodes", limits.nodes, "nodes"),
    )
    return tuple(text for key, value, text in given if value is not None and key not in takes)


def _fault(error: ProgramError, asked: str = "") -> FaultError:
    kind = FaultKind.HANG if isinstance(error, SilenceError) else FaultKind.CRASH
    return FaultError(kind, f"{asked[:_ASKED]}: {error}" if asked else str(error))


def _refusal(text: str) -> FaultError:
    return FaultError(FaultKind.REFUSAL, text)


class NativeDriver(Driver):
    """The project's own protocol, docs/protocol.md."""

    takes = frozenset({"move_s", "clock_s", "depth", "nodes"})
    _READY = re.compile(r"(error .*)|readyok")
    _BEST = re.compile(r"(error .*)|bestmove (\S+).*")
    _INFO = re.compile(r"info depth (\d+).* score (?:(cp|disc|raw|mate) (-?\d+)|\S+ \S+).*? nodes (\d+).*")

    def greet(self) -> None:
        limit_s = self.spec.start_limit_s
        self._ask(["uoi"], re.compile("uoiok"), limit_s)
        self._ready([f"setoption name {name} value {value}" for name, value in self.spec.options], limit_s)
        limits = self.spec.limits
        given = (
            ("time", None if limits.move_s is None else max(1, round(1000 * limits.move_s))),
            ("depth", limits.depth),
            ("nodes", limits.nodes),
        )
        self._go = "".join(f" {word} {value}" for word, value in given if value is not None)

    def start_game(self, setup: Setup) -> None:
        self._spell: Callable[[int], str] = square_name
        self._units = {"cp": 100, "disc": 1}
        if isinstance(setup.start, GomokuPosition):
            self._spell, self._units = setup.start.move_name, {"cp": 100, "raw": 1}
        moves = f" moves {self._names(setup.moves)}" if setup.moves else ""
        self._ready(["newgame", f"setboard {setup.start.to_text()}{moves}"])
        self._news: list[int] = []

    def played(self, side: int, move: int, seconds: float) -> None:
        self._news.append(move)

    def choose(self, side: int, clock_s: float | None, patience_s: float) -> Answer:
        lines = [f"move {self._names(self._news)}"] if self._news else []
        self._news = []
        clock = ""
        if clock_s is not None:
            mover, increment = "bw"[side], round(1000 * self.spec.limits.increment_s)
            clock = f" {mover}time {round(1000 * clock_s)} {mover}inc {increment}"
        reply = self._ask([*lines, f"go{clock}{self._go}"], self._BEST, patience_s)
        error, move = reply.match.groups()
        if error:
            raise _refusal(error)
        return Answer(move, reply.seconds, self._evaluation(reply.last("info depth")))

    def _ready(self, lines: Sequence[str], limit_s: float = COMMAND_LIMIT_S) -> None:
        reply = self._ask([*lines, "isready"], self._READY, limit_s)
        if reply.match[1]:
            raise _refusal(reply.match[1])

    def _names(self, moves: Sequence[int]) -> str:
        return " ".join([self._spell(move) for move in moves])

    def _evaluation(self, info: str) -> Evaluation:
        match = self._INFO.fullmatch(info)
        if not match:
            return NO_EVALUATION
        depth, kind, text, nodes = match.groups()
        unit = self._units.get(kind)
        value = None if unit is None else int(text) / unit
        return Evaluation(value, int(depth), int(nodes), int(text) if kind == "mate" else None)


class NBoardDriver(Driver):
    """NBoard, version 2. Its clock is in the game that is set, so that a clock is told, a time per move is not."""

    takes = frozenset({"clock_s", "depth"})
    # MOVE/EVAL/TIME by the book; some programs write blanks for the slashes.
    _CHOICE = re.compile(r"=== *([^ /]+)[ /]?([^ /]*).*")
    _DEPTH = re.compile(r"(?:search|book) +\S+ +\S+ +\S+ +(\d+)(%?).*")
    _NODES = re.compile(r"nodestats +(\d+)\b.*")
    _n_pings = 0

    def greet(self) -> None:
        depth = self.spec.limits.depth
        options = [*self.spec.options, *([("depth", str(depth))] if depth else [])]
        self._send("nboard 2", *(f"set {name} {value}" for name, value in options))
        self._barrier([], self.spec.start_limit_s)

    def start_game(self, setup: Setup) -> None:
        self._has_clock = setup.clocks != (None, None)
        clocks = [clock or _NO_HURRY for clock in setup.clocks]
        game = Game(
            _othello(setup.start),
            tuple(GameMove(move, seconds=0.0 if self._has_clock else None) for move in setup.moves),
            setup.black,
            setup.white,
            place="match",
            black_clock=clocks[BLACK],
            white_clock=clocks[WHITE],
        )
        self._news: list[str] = []
        self._barrier([f"set game {format_ggf(game)}"])

    def played(self, side: int, move: int, seconds: float) -> None:
        text = "PA" if move == PASS else square_name(move).upper()
        self._news.append(f"move {text}//{seconds:.3f}" if self._has_clock else f"move {text}")

    def choose(self, side: int, clock_s: float | None, patience_s: float) -> Answer:
        # Told one by one and at once, not by a new game: that is how a GUI does it.
        lines, self._news = [*self._news, "go"], []
        reply = self._ask(lines, self._CHOICE, patience_s)
        move, value = reply.match.groups()
        found = self._DEPTH.fullmatch(reply.last("search", "book"))
        depth = int(found[1]) if found and not found[2] else None
        found = self._NODES.fullmatch(reply.last("nodestats"))
        nodes = int(found[1]) if found else None
        return Answer(move, reply.seconds, Evaluation(_discs(value), depth, nodes))

    def _barrier(self, lines: Sequence[str], limit_s: float = COMMAND_LIMIT_S) -> None:
        """What comes behind the answer belongs to nothing that was asked before."""
        self._n_pings += 1
        self._ask([*lines, f"ping {self._n_pings}"], re.compile(f"pong {self._n_pings}"), limit_s)


_NO_HURRY = GameClock(36_000.0)
"""Where no clock is asked for: engines without one in the game take it for zero."""


class GtpDriver(Driver):
    """GTP version 2. Boards that are not the start are given by `loadsgf`.

    By the book it counts whole seconds. Decimals are tried, and taken where the engine accepts them.
    """

    takes = frozenset({"move_s", "clock_s"})
    _REPLY = re.compile(r"([=?])\d*(.*)")
    _END = re.compile(r"\s*")
    _moved_itself = False

    def greet(self) -> None:
        self._order("protocol_version", self.spec.start_limit_s)
        self._commands = self._list("list_commands")
        self._order("boardsize 8")
        for name, value in self.spec.options:
            self._order(f"{name} {value}".rstrip())
        self._passes = self.spec.passes
        self._set_time()

    def start_game(self, setup: Setup) -> None:
        self._moved_itself = False
        start = _othello(setup.start)
        if start == Position.start():
            self._order("clear_board")
        else:
            self._load(start)
        if self._time_settings:
            self._order(self._time_settings)
        side = start.side
        for move in setup.moves:
            self.played(side, move, 0.0)
            side = 1 - side

    def played(self, side: int, move: int, seconds: float) -> None:
        if self._moved_itself:  # genmove has made the move
            self._moved_itself = False
        elif move != PASS:
            self._order(f"play {'bw'[side]} {square_name(move)}")
        elif self._passes is not PassStyle.IMPLIED:
            refusal = self._try(f"play {'bw'[side]} pass")
            if refusal and self._passes is PassStyle.WRITTEN:
                raise _refusal(refusal)
            self._passes = PassStyle.IMPLIED if refusal else PassStyle.WRITTEN

    def choose(self, side: int, clock_s: float | None, patience_s: float) -> Answer:
        colour = "bw"[side]
        if clock_s is not None and "time_left" in self._commands:
            left = f"{clock_s:.3f}" if self._takes_decimals else str(int(clock_s))
            self._order(f"time_left {colour} {left} 0")
        reply = self._ask([f"genmove {colour}"], self._REPLY, patience_s)
        if reply.match[1] == "?":
            raise _refusal(f"genmove {colour}: {reply.match[0]}")
        if reply.match[2].strip().lower() == "resign":
            raise FaultError(FaultKind.RESIGNATION, "it resigned")
        self._moved_itself = True
        return Answer(reply.match[2].strip(), reply.seconds)

    def _set_time(self) -> None:
        """Find out what can be said about the time, and how."""
        limits = self.spec.limits
        self._time_settings, self._takes_decimals = "", False
        if limits.move_s is None and limits.clock_s is None:
            return
        kind = "clock" if limits.move_s is None else "time per move"
        if "time_settings" not in self._commands:
            self.untold = (*self.untold, kind)
            return
        self._takes_decimals = not self._try("time_settings 10.5 0 0")
        if limits.move_s is not None:
            if limits.move_s % 1 and not self._takes_decimals:
                self.untold = (*self.untold, f"{kind} (it takes whole seconds only)")
                return
            self._time_settings = f"time_settings 0 {limits.move_s:g} 1"
        elif limits.clock_s is not None:
            seconds = limits.clock_s if self._takes_decimals else int(limits.clock_s)
            self._time_settings = f"time_settings {seconds:g} 0 0"

    def _load(self, start: Position) -> None:
        if "loadsgf" not in self._commands:
            raise _refusal("it has no loadsgf, and a GTP engine is given a board in no other way")
        with tempfile.TemporaryDirectory(prefix="match") as folder:
            path = Path(folder) / "start.sgf"
            path.write_text(format_sgf(Game(start)) + "\n", encoding="ascii")
            self._order(f"loadsgf {path}")

    def _order(self, line: str, limit_s: float = COMMAND_LIMIT_S) -> None:
        refusal = self._try(line, limit_s)
        if refusal:
            raise _refusal(refusal)

    def _try(self, line: str, limit_s: float = COMMAND_LIMIT_S) -> str:
        """Give an order; an empty text if it was carried out, else what came back."""
        reply = self._ask([line], self._REPLY, limit_s)
        return f"{line}: {reply.match[0]}" if reply.match[1] == "?" else ""

    def _list(self, line: str) -> frozenset[str]:
        """The words of an answer of many lines; none if it is refused."""
        reply = self._ask([line], self._REPLY)
        words = [reply.match[2].strip()]
        deadline = time.perf_counter() + COMMAND_LIMIT_S
        try:
            more: list[Line] = self.program.read_until(self._END, deadline)
        except ProgramError as error:
            raise _fault(error, line) from None
        words += [each.text.strip() for each in more]
        return frozenset(words) if reply.match[1] == "=" else frozenset()


class CassioDriver(Driver):
    """The protocol of Cassio's engines. Every search brings its position, so that there is no game to keep."""

    takes_options = False
    takes = frozenset({"depth"})
    _READY = re.compile(r"ready\.|(ERROR.*)")
    _RESULT = re.compile(
        r"[-XO]{64} ?[XO], *move (\S+), *depth (\d+), *@[\d.]+%, *([BW])([-+]?[\d.]+) *<=? *v *<=? *"
        r"([BW])([-+]?[\d.]+),.*?(?:, *node (\d+).*)?"
    )
    _DEEPEST = 60

    def greet(self) -> None:
        self._order("init", self.spec.start_limit_s)

    def start_game(self, setup: Setup) -> None:
        self._position = _othello(setup.start)
        for move in setup.moves:
            self._position = self._position.play(move)
        self._order("new-position")

    def played(self, side: int, move: int, seconds: float) -> None:
        self._position = self._position.play(move)

    def choose(self, side: int, clock_s: float | None, patience_s: float) -> Answer:
        board = self._position.to_text().replace(" ", "")
        depth = self.spec.limits.depth or self._DEEPEST
        if depth < self._DEEPEST and depth >= self._position.n_empties:
            search = f"endgame-search {board} -64 64 100"
        else:
            # Where only its time limits a search, nothing is to be said against a proof.
            precision = self.spec.precision if depth < self._DEEPEST else 100
            search = f"midgame-search {board} -64.00 64.00 {depth} {precision}"
        reply = self._order(search, patience_s)
        line = reply.last(board[:1])
        result = self._RESULT.fullmatch(line)
        if not result:
            raise _refusal(f"{search}: no result line, but {line[:200]!a}")
        move, depth_reached, *bounds, nodes = result.groups()
        low, high = (float(v) * (1 if "BW"[side] == colour else -1) for colour, v in (bounds[:2], bounds[2:]))
        value = between(min(low, high), max(low, high))
        return Answer(move, reply.seconds, Evaluation(value, int(depth_reached), int(nodes) if nodes else None))

    def say_goodbye(self) -> None:
        self.program.send("ENGINE-PROTOCOL quit")

    def _order(self, command: str, limit_s: float = COMMAND_LIMIT_S) -> _Reply:
        reply = self._ask([f"ENGINE-PROTOCOL {command}"], self._READY, limit_s)
        if reply.match[1]:
            raise _refusal(f"{command}: {reply.match[1]}")
        return reply


class GomocupDriver(Driver):
    """The protocol of Gomocup and piskvork, as managers of tournaments speak it. x is the column, y the row.

    A program has to answer a request with `x,y` and nothing else on the line. `MESSAGE` and `DEBUG`, and whatever else
    it says, are kept for the story of a fault; `ERROR`, `UNKNOWN` and `SUGGEST` are refusals.
    """

    takes = frozenset({"move_s", "clock_s", "depth", "nodes"})
    _STARTED = re.compile(r"OK|((?:ERROR|UNKNOWN).*)", re.IGNORECASE)
    _ABOUT = re.compile(r"[^\W\d]\w* *= *\".*")
    _NO_ABOUT = re.compile(rf"({_ABOUT.pattern})|(?:ERROR|UNKNOWN).*", re.IGNORECASE)
    # What looks like an attempt at a move is judged as one; the rest of a strange line would only be waited out.
    _CHOICE = re.compile(r"((?:ERROR|UNKNOWN|SUGGEST)\b.*)|(\s*[-+]?\d+\s*,.*)", re.IGNORECASE)
    _POINT = re.compile(r"(\d{1,2}),(\d{1,2})")
    _UNLIMITED_MS = 2_147_483_647
    _ABOUT_S = 2.0
    """Some programs don't know the command, and say nothing to it."""
    _USUAL = (("max_memory", "367001600"), ("game_type", "1"))
    """Told unless an option says otherwise: what tournaments allow, in bytes; and that the opponent is a program."""
    _FREESTYLE = ("rule", "0")
    _DEPTH = re.compile(r"\bdepth[ =:]+(\d+)", re.IGNORECASE)
    _VALUE = re.compile(r"\b(?:ev|eval)[ =:]+(\S+)", re.IGNORECASE)
    _PROOF = re.compile(r"([-+]?)M(\d+)", re.IGNORECASE)
    _NODES = re.compile(r"\b(?:nodes?|n)[ =:]+(\d+(?:\.\d+)?)([KMG]?)\b", re.IGNORECASE)

    def greet(self) -> None:
        self._is_new = True
        try:
            reply = self._ask(["ABOUT"], self._NO_ABOUT, min(self._ABOUT_S, self.spec.start_limit_s))
            self._has_about = reply.match[1] is not None
        except FaultError as error:
            if error.kind is not FaultKind.HANG:
                raise
            self._has_about = False

    def start_game(self, setup: Setup) -> None:
        start = setup.start
        assert isinstance(start, GomokuPosition)
        self._size = start.size
        self._stones = [(cell, content) for cell, content in enumerate(start.cells) if content]
        self._n_known = 0
        side = start.side
        for move in setup.moves:
            self.played(side, move, 0.0)
            side = 1 - side
        limit_s = self.spec.start_limit_s if self._is_new else COMMAND_LIMIT_S
        reply = self._ask([f"START {start.size}"], self._STARTED, limit_s)
        if reply.match[1]:
            raise _refusal(f"START {start.size}: {reply.match[1]}")
        self._is_new = False
        self._send(*[f"INFO {key} {value}" for key, value in self._information()])
        if self._has_about:  # a complaint about one of them must not be taken for the answer to a request
            self._ask(["ABOUT"], self._ABOUT)

    def played(self, side: int, move: int, seconds: float) -> None:
        self._stones.append((move, STONES[side]))

    def choose(self, side: int, clock_s: float | None, patience_s: float) -> Answer:
        left_ms = self._UNLIMITED_MS if clock_s is None else round(1000 * clock_s)
        lines = [f"INFO time_left {left_ms}", *self._request(STONES[side])]
        reply = self._ask(lines, self._CHOICE, patience_s)
        refusal, point = reply.match.groups()
        if refusal is not None:
            raise _refusal(f"{lines[-1]}: {refusal}")
        self._n_known = len(self._stones) + 1  # its own move, which it takes for played
        found = self._POINT.fullmatch(point)
        if found and max(x := int(found[1]), y := int(found[2])) < self._size:
            point = cell_name(y * self._size + x, self._size)
        return Answer(point, reply.seconds, self._evaluation(reply))

    def say_goodbye(self) -> None:
        self.program.send("END")

    def _request(self, own: int) -> list[str]:
        """One stone of the opponent's as `TURN`; what it can't know from its own moves as a whole board."""
        news = self._stones[self._n_known :]
        if not self._stones:
            return ["BEGIN"]
        if len(news) == 1 and news[0][1] not in (own, BLOCKED):
            return [f"TURN {self._point(news[0][0])}"]
        fields = {own: 1, BLOCKED: 3}
        return ["BOARD", *(f"{self._point(cell)},{fields.get(content, 2)}" for cell, content in self._stones), "DONE"]

    def _point(self, cell: int) -> str:
        row, column = divmod(cell, self._size)
        return f"{column},{row}"

    def _information(self) -> list[tuple[str, str]]:
        limits = self.spec.limits
        options = list(self.spec.options)
        given = {name.lower() for name, _ in options}
        found = [each for each in self._USUAL if each[0] not in given]
        # Programs take the lower one of both times; where only the game has one, a move may take it all.
        turn_s = limits.clock_s if limits.move_s is None else limits.move_s
        if turn_s is not None:
            found.append(("timeout_turn", str(max(1, round(1000 * turn_s)))))
        found.append(("timeout_match", str(round(1000 * (limits.clock_s or 0)))))
        told = (("max_depth", limits.depth), ("max_node", limits.nodes))
        found += [(key, str(value)) for key, value in told if value is not None]
        return [*found, *options, self._FREESTYLE]

    def _evaluation(self, reply: _Reply) -> Evaluation:
        """What the last lines before the move say, in any of the layouts that are in use."""
        value, depth, nodes = (self._found(pattern, reply) for pattern in (self._VALUE, self._DEPTH, self._NODES))
        scale = {"": 1, "K": 1000, "M": 10**6, "G": 10**9}
        said = value[1] if value else ""
        proof = self._PROOF.fullmatch(said)
        return Evaluation(
            float(said) if re.fullmatch(r"[-+]?\d+(\.\d+)?", said) else None,
            int(depth[1]) if depth else None,
            round(float(nodes[1]) * scale[nodes[2].upper()]) if nodes else None,
            None if proof is None else int(proof[2]) * (-1 if proof[1] == "-" else 1),
        )

    def _found(self, pattern: re.Pattern[str], reply: _Reply) -> re.Match[str] | None:
        matches = (pattern.search(line) for line in reversed(reply.before))
        return next((match for match in matches if match), None)


DIALECTS: dict[str, type[Driver]] = {
    "native": NativeDriver,
    "nboard": NBoardDriver,
    "gtp": GtpDriver,
    "cassio": CassioDriver,
    "gomocup": GomocupDriver,
}


def _othello(start: AnyPosition) -> Position:
    """Where a game of Othello begins; whoever chooses the dialect sees to it that no other game is asked for."""
    assert isinstance(start, Position)
    return start


def between(low: float, high: float) -> float | None:
    """A value in discs by its bounds: of a half-open one the end there is; None if they say nothing."""
    if (low <= -64) == (high >= 64):
        return None if low <= -64 else (low + high) / 2
    return high if low <= -64 else low


def _discs(text: str) -> float | None:
    """A value of NBoard's; of a pair, which depends on who wants a draw, the mean."""
    try:
        values = [float(part) for part in text.split(",")]
    except ValueError:
        return None
    value = sum(values) / len(values)
    return value if abs(value) <= 64 else None
