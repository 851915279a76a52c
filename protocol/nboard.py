"""The NBoard protocol, versions 1 and 2: a daemon for the NBoard program and its like. docs/nboard.md is its page.

The client decides when something is no longer wanted: whatever it says next ends what runs. That then has no answer,
and nothing of it is printed any more; what was said is carried out as soon as the engine is quiet.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from othello_engine.errors import IllegalMoveError
from othello_engine.formats.game import Game, GameClock
from othello_engine.position import Position
from othello_engine.types import BLACK, NO_MOVE, PASS, WHITE, Limits, SearchInfo, SearchResult
from protocol import exit_status, nboard_lines
from protocol.lines import LineError
from protocol.nboard_lines import MAX_SECONDS, Plain, RefusedError
from protocol.service import QUEUE_LIMIT, Search, Service, Task, Wiring, describe

if TYPE_CHECKING:
    from othello_engine.games import AnyPosition

_UNREAD_SECONDS = 2.0
"""How long a search that a client could only have cut short goes on after the end of input."""
_MOST_CONTEMPT_DISCS = 64
"""A draw can't be worth more than a game; clients say 100 for that."""


# -- the client's game -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Clock:
    """The time a player has left, and what each move adds to it, in seconds."""

    left_s: float
    increment_s: float

    @classmethod
    def of(cls, clock: GameClock | None) -> Clock | None:
        """The clock at the start of a game. Clients write a clock of no time at all for a game without one.

        The extension is left alone: who needs it has lost on time.
        """
        if clock is None or clock.main_s + clock.increment_s <= 0:
            return None
        return cls(min(clock.main_s, MAX_SECONDS), min(clock.increment_s, MAX_SECONDS))

    def after(self, seconds: float) -> Clock:
        """The clock after a move that took so long."""
        return Clock(self.left_s - seconds + self.increment_s, self.increment_s)


@dataclass(frozen=True, slots=True)
class Record:
    """A game as far as it went. positions: before each move, forced passes included, and after the last one.

    clocks: Black's and White's; None where no clock runs.
    """

    positions: tuple[Position, ...] = (Position.start(),)
    clocks: tuple[Clock | None, Clock | None] = (None, None)

    @classmethod
    def of(cls, game: Game) -> Record:
        """The record of a game that was read."""
        record = cls((game.start,), (Clock.of(game.black_clock), Clock.of(game.white_clock)))
        for each in game.moves:
            record = record.after(each.move, each.seconds or 0.0)
        return record

    @property
    def position(self) -> Position:
        """Where the game stands."""
        return self.positions[-1]

    @property
    def own_clock(self) -> Clock | None:
        """The clock of the side to move."""
        return self.clocks[self.position.side]

    def after(self, move: int, seconds: float) -> Record:
        """The record with one more move, which took so long. Raises IllegalMoveError."""
        position = self.position.play(move)
        clock = self.own_clock
        if move == PASS or clock is None:
            clocks = self.clocks
        elif self.position.side == BLACK:
            clocks = (clock.after(seconds), self.clocks[WHITE])
        else:
            clocks = (self.clocks[BLACK], clock.after(seconds))
        return Record((*self.positions, position), clocks)


# -- what runs ---------------------------------------------------------------------------------------------


@dataclass(slots=True, kw_only=True)
class _Request(Search):
    """A `go` or a `hint`. asked_at: by the service's clock."""

    is_hint: bool
    asked_at: float


@dataclass(slots=True, kw_only=True)
class _Analysis(Task):
    """An `analyze`: the positions of a game, from the last to the first. n_made: moves made in the present one."""

    positions: tuple[Position, ...]
    n_made: int
    asked_at: float
    nodes: int = 0


# -- the service -------------------------------------------------------------------------------------------


class NboardService(Service):
    """A daemon that speaks the NBoard protocol."""

    def __init__(self, wiring: Wiring) -> None:
        super().__init__(wiring)
        self._version = 2
        self._level: int | None = None
        self._contempt: float | None = None
        self._record = Record()
        self._is_cancelled = False
        self._owed_pong: str | None = None
        self._has_ponged = False
        self._status = ""
        self._goes_on_since = 0.0
        self._input_ended_at: float | None = None

    @property
    def record(self) -> Record:
        """The game that is talked about."""
        return self._record

    # -- lines -----------------------------------------------------------------------------------------------

    @staticmethod
    def is_quit(line: str) -> bool:
        """`quit`, whatever else stands on the line."""
        return nboard_lines.command_word(line) == Plain.QUIT.value

    def take_line(self, line: str) -> None:
        """Runs a command, or lets it wait until what it ends has come to rest.

        What means nothing, or is refused, ends nothing. A request that waits is given up for the next line: nobody
        will look at its answer.
        """
        if self.task is None:
            self.run_now(line)
            return
        try:
            if nboard_lines.parse_command(line) is None:
                return
        except RefusedError as refusal:
            self._say_status(str(refusal))
            return
        if self.waiting and nboard_lines.is_long_request(self.waiting[-1]):
            self.waiting.pop()
        if len(self.waiting) >= QUEUE_LIMIT:
            self._say_status(f"{nboard_lines.command_word(line)}: {QUEUE_LIMIT} lines are waiting already")
            return
        self.waiting.append(line)
        if not self._is_cancelled:
            self._is_cancelled = True
            self.stop_task()

    def run_line(self, line: str) -> bool:
        """Carries out a command, or says what is wrong with it; the rest is ignored."""
        try:
            command = nboard_lines.parse_command(line)
            if command is None:
                return False
            self._run(command)
        except RefusedError as refusal:
            self._say_status(str(refusal))
            return False
        return True

    def refuse_line(self, problem: LineError, text: str) -> None:
        """A line that is no text, or too long."""
        self._say_status(text)

    # -- commands ----------------------------------------------------------------------------------------

    def _run(self, command: nboard_lines.Command) -> None:
        match command:
            case nboard_lines.Hello(version):
                self._version = version
                self._say_name()
            case nboard_lines.SetDepth(depth):
                self._level = min(depth, len(self.config.levels) - 1)
                self._say_name()
            case nboard_lines.SetContempt(discs):
                self._contempt = max(-_MOST_CONTEMPT_DISCS, min(discs, _MOST_CONTEMPT_DISCS))
            case nboard_lines.SetGame(game):
                self._record = Record.of(game)
            case nboard_lines.Move(move, seconds):
                self._move(move, seconds)
            case nboard_lines.Ping(number):
                self._ping(number)
            case nboard_lines.Hint(n_moves):
                self._hint(n_moves)
            case Plain.GO:
                self._go()
            case Plain.ANALYZE:
                self._analyze()
            case Plain.LEARN:
                self.say("learned")
                self._say_status("Nothing was learned: this engine keeps no opening book")
            case Plain.CLEAR:
                if self.engine_if_built is not None:
                    self.engine_if_built.clear_hash()
            case Plain.QUIT:
                self.exit_status = exit_status.DONE

    def _say_name(self) -> None:
        self.say(nboard_lines.format_myname(self.config.bare_go_level if self._level is None else self._level))

    def _move(self, move: int, seconds: float) -> None:
        try:
            self._record = self._record.after(move, seconds)
        except IllegalMoveError as error:
            reason = str(error).partition(" (")[0]
            raise RefusedError(f"move {nboard_lines.format_move(move)}: {reason}") from None

    def _ping(self, number: str) -> None:
        """The client waits with its clocks for the first `pong`, so loading is waited for there, and only there."""
        try:
            if self._has_ponged or self.is_loaded:
                self._pong(number)
                return
        except Exception as error:  # there is no engine, and without a `pong` the client drops all that we say
            self._say_status(describe(error))
            self._pong(number)
            return
        self._owed_pong = number
        self.hold("ping")
        self._say_status("Loading")
        self.await_loading()

    def loaded(self, problem: str | None) -> None:
        """The first `pong` is due, loaded or not."""
        if self._owed_pong is not None:
            self._say_status(problem or "")
            self._pong(self._owed_pong)
            self._owed_pong = None
            self.release("ping")

    def _pong(self, number: str) -> None:
        self._has_ponged = True
        self.say(f"pong {number}")

    # -- requests ------------------------------------------------------------------------------------------

    def _go(self) -> None:
        position = self._record.position
        if position.is_over:  # nobody asks, but who does waits for an answer
            self._say_answer(PASS, position.final_score_in(self.config.is_anti), 0.0)
            self._say_status("The game is over")
        elif position.must_pass:
            self._say_answer(PASS, None, 0.0)
        else:
            self._start(position, self._limits_of_move(), is_hint=False)

    def _hint(self, n_moves: int) -> None:
        position = self._record.position
        if position.is_over:
            self.say(nboard_lines.format_nodestats(0, 0.0))
            self._say_status("The game is over")
            return
        limits = replace(self._limits(), multipv=min(n_moves, len(position.legal_moves)), thorough=True)
        self._start(position, limits, is_hint=True)

    def _analyze(self) -> None:
        positions = self._record.positions
        self.start_task(
            _Analysis(self.next_generation(), positions=positions, n_made=len(positions) - 1, asked_at=self._clock())
        )

    def _limits(self) -> Limits:
        """Of a hint or an analysis: the depth that was set, or else what limits any search that has no limits."""
        return Limits(level=self._level)

    def _limits_of_move(self) -> Limits:
        """Of a `go`: in version 2 the clock as well, and the option MoveTime if it is set."""
        limits = self._limits()
        if self._level is None:  # said here, since a clock would take the place of what limits a search without limits
            limits = Limits(level=self.config.bare_go_level, move_time_ms=self.config.bare_go_time_ms)
        clock = self._record.own_clock if self._version >= 2 else None
        if clock is not None:
            left_ms, increment_ms = int(1000 * clock.left_s), int(1000 * clock.increment_s)
            limits = replace(limits, move_time_ms=None)
            if self._record.position.side == BLACK:
                limits = replace(limits, black_ms=left_ms, black_increment_ms=increment_ms)
            else:
                limits = replace(limits, white_ms=left_ms, white_increment_ms=increment_ms)
        if self.config.bare_move_time_ms:
            limits = replace(limits, move_time_ms=self.config.bare_move_time_ms)
        return limits

    def _start(self, position: Position, limits: Limits, is_hint: bool) -> None:
        request = _Request(
            self.next_generation(),
            position=position,
            limits=limits,
            gate=self.new_gate(),
            is_hint=is_hint,
            asked_at=self._clock(),
        )
        self._say_status("Analysing" if is_hint else "Thinking")
        try:
            self.start_task(request)
        except Exception as error:  # there is no engine, and the client must not wait for ever
            result = SearchResult(position.legal_moves[0], NO_MOVE, (), 0, 0, error=describe(error))
            self.finish_search(request, result)

    # -- tasks -----------------------------------------------------------------------------------------------

    def go(self, generation: int, position: AnyPosition, limits: Limits) -> None:
        """As for every search; what a draw is worth depends on who moves."""
        if self._contempt is not None:
            for_black = round(100 * self._contempt)
            value = for_black if position.side == BLACK else -for_black
            if value != self.config.contempt:
                self.change_option("Contempt", value)
        self._goes_on_since = self._clock()
        super().go(generation, position, limits)

    def stop_at_end_of_input(self) -> None:
        """A `hint`, or a position of an `analyze`, has a depth, but clients set 60 and mean until further notice.

        So what is known after a while is its result. A `go` is limited as its client wants it.
        """
        now, task = self._clock(), self.task
        if self._input_ended_at is None:
            self._input_ended_at = now
        if task is None or not task.launched or task.stopping or (isinstance(task, _Request) and not task.is_hint):
            return
        if now - max(self._input_ended_at, self._goes_on_since) >= _UNREAD_SECONDS:
            self.stop_task()

    def show_lines(self, search: Search, infos: list[SearchInfo]) -> None:
        """`search` lines of a `hint`.

        A line that comes before its depth is complete is left out: clients drop all others of a lesser depth for it.
        """
        if isinstance(search, _Request) and search.is_hint and not self._is_cancelled:
            for info in infos:
                if info.complete:
                    self.say(nboard_lines.format_search(info), progress=True)

    def answer(self, search: Search, result: SearchResult) -> None:
        """`===` of a `go`, or the last lines of a `hint`; nothing if it was cancelled."""
        if self._is_cancelled or not isinstance(search, _Request):
            return
        seconds = self._clock() - search.asked_at
        if search.is_hint:
            for info in search.gate.finish(result):
                self.say(nboard_lines.format_search(info))
        self.say(nboard_lines.format_nodestats(result.nodes, seconds))
        if not search.is_hint:
            self._say_answer(result.best_move, nboard_lines.first_discs(result.lines), seconds)
        self._say_status(result.error or "")

    def launch_other(self, task: Task) -> None:
        """The present position of an analysis."""
        assert isinstance(task, _Analysis)
        position = task.positions[task.n_made]
        total = len(task.positions)
        self._say_status(f"Analysing position {total - task.n_made} of {total}", progress=True)
        if position.is_over:
            self._take_value(task, position.final_score_in(self.config.is_anti))
        else:
            self.go(task.generation, position, replace(self._limits(), multipv=1, thorough=True))

    def take_result(self, task: Task, result: SearchResult) -> None:
        """The value of a position of an analysis; then the position before it."""
        if not isinstance(task, _Analysis):
            super().take_result(task, result)
        elif self._is_cancelled:
            self.end_task()
        else:
            task.nodes += result.nodes
            if result.error is not None:
                self._say_status(result.error)
            self._take_value(task, nboard_lines.first_discs(result.lines))

    def _take_value(self, task: _Analysis, discs: float | None) -> None:
        if discs is not None:
            self.say(nboard_lines.format_analysis(task.n_made, discs))
        if task.n_made == 0:
            self.say(nboard_lines.format_nodestats(task.nodes, self._clock() - task.asked_at))
            self._say_status("")
            self.end_task()
            return
        task.n_made -= 1
        task.stopping = False
        task.generation = self.next_generation()
        self.launch(task)

    def give_up_other(self, task: Task) -> None:
        """An analysis that the engine never had."""
        self.end_task()

    def end_task(self) -> None:
        """Nothing runs any more."""
        super().end_task()
        if self._is_cancelled:
            self._is_cancelled = False
            self._say_status("")

    # -- output ----------------------------------------------------------------------------------------------

    def say_message(self, text: str) -> None:
        """`status`"""
        self._say_status(text, progress=True)

    def say_fault(self, problem: str) -> None:
        """`status`"""
        self._say_status(problem)

    def _say_answer(self, move: int, discs: float | None, seconds: float) -> None:
        """`===`, which also clears the status that clients show."""
        self.say(nboard_lines.format_answer(move, discs, seconds))
        self._status = ""

    def _say_status(self, text: str, progress: bool = False) -> None:
        """`status`; without a text it clears what clients show, if there is anything."""
        if text or self._status:
            self._status = text
            self.say(nboard_lines.format_status(text), progress)
