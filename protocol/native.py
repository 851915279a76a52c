"""The native protocol's state machine: the only place that knows what may happen when. docs/protocol.md is its page.

IDLE    nothing runs
SEARCH  a search that ends by itself
OPEN    a search that only `stop` ends (`go infinite`), or that `ponderhit` turns into the former
BATCH   perft or bench
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import Enum, auto
from typing import TYPE_CHECKING

from othello_engine import __version__
from othello_engine.config import GOMOKU, OTHELLO, OptionValue
from othello_engine.errors import ConfigError, EngineError, WeightsError
from othello_engine.games import start_position
from othello_engine.notation import SIDE_NAMES
from othello_engine.position import Position
from othello_engine.types import Goal, Limits, SearchInfo, SearchResult
from protocol import commands, exit_status
from protocol.commands import CommandError, Plain
from protocol.facade import PerftCount
from protocol.limits import own_limits
from protocol.lines import LineError
from protocol.service import QUEUE_LIMIT, Done, Search, Service, Task, Wiring, describe

if TYPE_CHECKING:
    from othello_engine.games import AnyPosition
    from protocol.hints import MoveHint

_DEFERRED = frozenset(("setboard", "move", "undo", "newgame", "setoption", "go", "hint", "perft", "bench"))
"""Commands that wait while a finite task runs. All others are answered at once."""


class State(Enum):
    """What is going on."""

    IDLE = auto()
    SEARCH = auto()
    OPEN = auto()
    BATCH = auto()


@dataclass(slots=True, kw_only=True)
class _Search(Search):
    """A `go`. early: the result of an open search that has nothing left to do and waits for `stop`."""

    with_rank: bool
    early: SearchResult | None = None


@dataclass(slots=True, kw_only=True)
class _HintSearch(Search):
    """A `hint`: a search for the values of all moves, whose reports nobody sees."""


@dataclass(slots=True, kw_only=True)
class _Perft(Task):
    position: Position
    depth: int


@dataclass(slots=True, kw_only=True)
class _Bench(Task):
    """generation: of the position being searched. restore: options to set back, by name."""

    positions: tuple[AnyPosition, ...]
    depth: int
    restore: dict[str, OptionValue] = field(default_factory=dict)
    index: int = 0
    nodes: int = 0
    time_ms: int = 0


class NativeService(Service):
    """A daemon that speaks the native protocol."""

    games = (OTHELLO, GOMOKU)

    def __init__(self, wiring: Wiring) -> None:
        super().__init__(wiring)
        self._state = State.IDLE
        self._line = [start_position(self.config)]
        self._hints: tuple[AnyPosition | None, tuple[MoveHint, ...]] = (
            None,
            (),
        )  # the last ones, and what they are about
        self._owed_readyok = 0
        self._debug = False

    @property
    def state(self) -> State:
        """What is going on."""
        return self._state

    @property
    def position(self) -> AnyPosition:
        """The current position."""
        return self._line[-1]

    # -- lines -----------------------------------------------------------------------------------------------

    @staticmethod
    def is_quit(line: str) -> bool:
        """`quit`, whatever else stands on the line."""
        return commands.command_word(line) == "quit"

    def take_line(self, line: str) -> None:
        """Runs a command, lets it wait, or refuses it: the table of the protocol page."""
        word = commands.command_word(line)
        if not word:
            return
        waits = word in _DEFERRED or (commands.is_display_hints(line) and self._state is not State.OPEN)
        if not waits or self._state is State.IDLE:
            self.run_now(line)
        elif commands.is_undo_round(line):  # whoever sends it looks at the board, and wants it or not, now
            self.say(commands.format_error("busy", line.split()[0], "not while the engine thinks"))
        elif self._state is State.OPEN:
            self.say(commands.format_error("busy", line.split()[0], "not before stop"))
        elif len(self.waiting) >= QUEUE_LIMIT:
            problem = f"{QUEUE_LIMIT} lines are waiting already"
            self.say(commands.format_error("busy", line.split()[0], problem))
        else:
            self.waiting.append(line)

    def run_line(self, line: str) -> bool:
        """Carries out a command, or says what is wrong with it."""
        try:
            self._run(commands.parse_command(line, self.position, start_position(self.config)))
        except CommandError as error:
            self.say(commands.format_error(error.code, error.token, error.text))
            return False
        return True

    def refuse_line(self, problem: LineError, text: str) -> None:
        """`error line-too-long`, `error bad-encoding`"""
        self.say(commands.format_error(problem.value, "-", text))

    def stop_at_end_of_input(self) -> None:
        """An open search has nobody left to end it."""
        if self._state is State.OPEN:
            self._stop()

    # -- commands ----------------------------------------------------------------------------------------

    def _run(self, command: commands.Command) -> None:
        match command:
            case commands.Handshake(word):
                for line in commands.format_handshake(word, __version__, self.config):
                    self.say(line)
            case Plain.IS_READY:
                self._run_isready()
            case commands.SetOption(spec, value):
                self._set_option(spec.name, spec.key, value)
            case commands.SetBoard(line):
                self._line = list(line)
            case commands.Move(words):
                self._line += commands.play_words(self.position, words)
            case commands.Undo(n_plies):
                self._undo(n_plies)
            case Plain.NEW_GAME:
                if self.engine_if_built is not None:
                    self.engine_if_built.new_game()
                self._line = [start_position(self.config)]
            case commands.Go(limits):
                self._start_search(limits)
            case commands.Hint(plies):
                self._start_hint(plies)
            case Plain.STOP:
                self._stop()
            case Plain.PONDER_HIT:
                self._ponder_hit()
            case Plain.DISPLAY:
                for line in commands.format_display(self.position):
                    self.say(line)
            case commands.DisplayHints(in_colour):
                self._display_hints(in_colour)
            case Plain.EVAL:
                self._evaluate()
            case commands.Query(topic):
                self.say(commands.format_query(topic, self.position, self.config.is_anti))
            case commands.Perft(depth):
                self._start_perft(depth)
            case commands.Bench():
                self._start_bench(command)
            case commands.Debug(on):
                self._debug = on
            case Plain.HELP:
                for line in commands.format_help():
                    self.say(line)
            case Plain.QUIT:
                self.exit_status = exit_status.DONE

    def _run_isready(self) -> None:
        if self.is_loaded:
            self.say("readyok")
            return
        self._owed_readyok += 1
        self.await_loading()
        if self._state is State.IDLE:
            self.hold("isready")

    def loaded(self, problem: str | None) -> None:
        """Every `isready` that waits has its answer."""
        for _ in range(self._owed_readyok):
            self.say("readyok" if problem is None else _internal(problem))
        self._owed_readyok = 0
        self.release("isready")

    def _set_option(self, name: str, key: str, value: int | bool | str | None) -> None:
        if value is None:
            if self.engine_if_built is not None:
                self.engine_if_built.clear_hash()
            return
        try:
            self.config.with_option(name, value)
            if key == "log_file":
                self.traffic.open(str(value))
            if key == "eval_file":
                assert self.engine  # which alone can tell whether the file is any good
            was_empty = self._line == [start_position(self.config)]
            former_game = self.config.game
            self.change_option(name, value)
            if key in ("profile", "game", "variant"):
                self._hints = None, ()  # of another game, or by another measure
            if self.config.game != former_game or (key == "board_size" and was_empty):
                self._line = [start_position(self.config)]
        except OSError as error:
            raise CommandError("io", str(value), error.strerror or str(error)) from None
        except WeightsError as error:
            raise CommandError("io", str(value), str(error)) from None
        except (ConfigError, EngineError) as error:
            raise CommandError("bad-option-value", str(value), str(error)) from None

    def _undo(self, n_plies: int | None) -> None:
        if n_plies is None:
            n_plies = self._plies_of_round()
        if n_plies >= len(self._line):
            played = len(self._line) - 1
            text = f"{played} {'ply' if played == 1 else 'plies'} to take back"
            raise CommandError("nothing-to-undo", str(n_plies), text)
        del self._line[-n_plies:]

    def _plies_of_round(self) -> int:
        """How many plies ago the side to move last had a choice: its last move, and all that followed, passes too."""
        side = self.position.side
        for n_plies, (before, after) in enumerate(zip(self._line[-2::-1], self._line[:0:-1], strict=True), 1):
            if before.side == side and before.n_empties != after.n_empties:
                return n_plies
        raise CommandError("nothing-to-undo", "round", f"{SIDE_NAMES[side]} has not moved yet")

    def _display_hints(self, in_colour: bool) -> None:
        from protocol.hints import hint_diagram

        position, hints = self._hints
        if position != self.position:
            hints = ()
        for line in commands.format_display(self.position, hint_diagram(self.position, hints, in_colour)):
            self.say(line)
        if not hints:
            self.say("info string there are no hints for this position; hint asks for them")

    def _evaluate(self) -> None:
        engine, position = self.engine, self.position

        def job() -> Done:
            try:
                engine.wait_ready()
                score = engine.evaluate(position)
                line = f"eval {commands.format_score(score)}"
            except Exception as error:
                line = _internal(describe(error))
            return Done(lambda: self._say_value(line))

        self.run_on_helper(job)
        if self._state is State.IDLE:
            self.hold("eval")

    def _say_value(self, line: str) -> None:
        self.say(line)
        self.release("eval")

    def _ponder_hit(self) -> None:
        task = self.task
        if self._state is not State.OPEN or not isinstance(task, _Search) or not task.limits.ponder:
            raise CommandError("not-pondering", "ponderhit", "no go ponder is running")
        self._state = State.SEARCH
        if not task.launched:
            task.limits = replace(task.limits, ponder=False)
        elif task.early is not None:
            self.finish_search(task, task.early)
        elif self.engine_if_built is not None:
            self.engine_if_built.ponder_hit()

    # -- tasks -----------------------------------------------------------------------------------------------

    def _start_search(self, limits: Limits) -> None:
        position = self.position
        commands.check_search_moves(position, limits.search_moves)
        if limits.goal is not Goal.AUTO and not self.config.profile.can_solve:
            problem = f"the profile {self.config.profile.name} never solves"
            raise CommandError("bad-argument", limits.goal.value, problem)
        if limits.window is not None and self.config.game != OTHELLO:
            raise CommandError("bad-argument", "window", "a window is in discs, and for Othello")
        limits = own_limits(limits, position)
        self._state = State.OPEN if limits.is_open else State.SEARCH
        self.start_task(
            _Search(
                self.next_generation(),
                position=position,
                limits=limits,
                gate=self.new_gate(),
                with_rank=(limits.multipv or self.config.multipv) > 1,
            )
        )

    def _start_hint(self, plies: int | None) -> None:
        profile = self.config.profile
        choices = profile.hint_plies
        if plies is not None and choices and plies not in choices:
            *others, last = (str(each) for each in sorted(choices))
            problem = f"under the profile {profile.name} a hint looks {', '.join(others)} or {last} plies ahead"
            raise CommandError("bad-argument", str(plies), problem)
        depth = choices[0] if plies is None and choices else plies
        limits = Limits(depth=depth, multipv=commands.MAX_LINES, thorough=True)
        if self.config.game == GOMOKU:
            if plies is not None:
                raise CommandError("bad-argument", str(plies), "in Gomoku a hint is given before any search")
            limits = Limits(heatmap=True)
        self._state = State.SEARCH
        self.start_task(
            _HintSearch(self.next_generation(), position=self.position, limits=limits, gate=self.new_gate())
        )

    def _start_perft(self, depth: int) -> None:
        if not isinstance(self.position, Position):
            raise CommandError("bad-argument", "perft", "lines of play are counted in Othello only")
        self._state = State.BATCH
        self.start_task(_Perft(self.next_generation(), position=self.position, depth=depth))

    def _start_bench(self, command: commands.Bench) -> None:
        from protocol.batch.bench import BENCH_HASH_MB, BENCH_THREADS, bench_depth, bench_positions

        wanted = {
            "Threads": (self.config.threads, command.threads or BENCH_THREADS),
            "Hash": (self.config.hash_mb, command.hash_mb or BENCH_HASH_MB),
            "LimitStrength": (self.config.limit_strength, False),
        }
        game = self.config.game
        task = _Bench(self.next_generation(), positions=bench_positions(game), depth=command.depth or bench_depth(game))
        try:
            for name, (present, value) in wanted.items():
                if value != present:
                    task.restore[name] = present
                    self.engine.set_option(name, value)
        except (ConfigError, EngineError) as error:
            self._restore_options(task)
            raise CommandError("bad-argument", "bench", str(error)) from None
        self._state = State.BATCH
        self.start_task(task)

    def launch(self, task: Task) -> None:
        """As for every task; `debug on` tells what a search was asked."""
        if isinstance(task, Search):
            self._say_debug(f"search {task.generation}: {_describe_limits(task.limits)}")
        super().launch(task)

    def launch_other(self, task: Task) -> None:
        """Perft, or the next position of a bench."""
        if isinstance(task, _Perft):
            generation = task.generation
            self.engine.set_position(task.position)
            self.engine.perft(
                task.depth,
                lambda depth, nodes, ms: self.post(Done(lambda: self._take_count(generation, depth, nodes, ms))),
                lambda total: self.post(Done(lambda: self._take_total(generation, total), answers=True)),
            )
        elif isinstance(task, _Bench):
            self.engine.new_game()
            self.go(task.generation, task.positions[task.index], Limits(depth=task.depth, multipv=1))

    def _stop(self) -> None:
        """Ends the running task, if any; what waits behind it goes on.

        An open search that was stopped ends by itself, so what comes before its answer waits its turn.
        """
        if self._state is State.OPEN:
            self._state = State.SEARCH
        task = self.task
        if isinstance(task, _Search) and task.early is not None:
            self.finish_search(task, task.early)
        else:
            self.stop_task()

    def take_result(self, task: Task, result: SearchResult) -> None:
        """An open search keeps its result until it is asked for; a bench goes on with its next position."""
        if isinstance(task, _Bench):
            self._take_bench_result(task, result)
        elif isinstance(task, _Search) and self._state is State.OPEN:
            task.early = result
        else:
            super().take_result(task, result)

    def answer(self, search: Search, result: SearchResult) -> None:
        """The last report, then the one `bestmove`; or the hints, then the one `hintok`."""
        if isinstance(search, _HintSearch):
            self._answer_hint(search, result)
            return
        for info in search.gate.finish(result):
            self.say(commands.format_info(info, _with_rank(search), search.position))
        if result.error is not None:
            self.say(_internal(result.error))
        if result.worker_nodes:
            self._say_debug(f"nodes by worker {' '.join(str(nodes) for nodes in result.worker_nodes)}")
        if self.config.result_line != "none":
            self.say(commands.format_result_line(result, self.config.result_line, search.position))
        self.say(commands.format_best_move(result, self.config.ponder, search.position))

    def _answer_hint(self, search: Search, result: SearchResult) -> None:
        from protocol.hints import hints_of, hints_of_heatmap

        hints = hints_of_heatmap(result.root_values) if search.limits.heatmap else hints_of(result.lines)
        self._hints = search.position, hints
        for hint in hints:
            self.say(commands.format_hint(hint, search.position))
        if result.error is not None:
            self.say(_internal(result.error))
        self.say("hintok")

    def end_task(self) -> None:
        """Nothing runs any more."""
        super().end_task()
        self._state = State.IDLE

    def _take_count(self, generation: int, depth: int, nodes: int, time_ms: int) -> None:
        """One depth of a perft."""
        if self.task is not None and self.task.generation == generation:
            self.say(commands.format_perft_info(depth, nodes, time_ms))

    def _take_total(self, generation: int, total: PerftCount) -> None:
        """The end of a perft."""
        if self.task is not None and self.task.generation == generation:
            self.say(commands.format_perft(total.depth, total.nodes, total.time_ms))
            self.end_task()

    def _take_bench_result(self, task: _Bench, result: SearchResult) -> None:
        position = task.positions[task.index]
        task.index += 1
        task.nodes += result.nodes
        task.time_ms += result.time_ms
        self.say(commands.format_bench_info(task.index, result, position))
        if task.stopping or task.index == len(task.positions):
            self._finish_bench(task)
        else:
            task.generation = self.next_generation()
            self.launch(task)

    def _finish_bench(self, task: _Bench) -> None:
        self.say(commands.format_bench(task.nodes, task.time_ms))
        self._restore_options(task)
        self.end_task()

    def _restore_options(self, task: _Bench) -> None:
        for name, value in task.restore.items():
            self.engine.set_option(name, value)
        self.engine.new_game()

    def give_up_other(self, task: Task) -> None:
        """A perft or bench that was stopped while the engine was still loading."""
        if isinstance(task, _Bench):
            self._finish_bench(task)
        else:
            self.say(commands.format_perft(0, 0, 0))
            self.end_task()

    # -- output ----------------------------------------------------------------------------------------------

    def show_lines(self, search: Search, infos: list[SearchInfo]) -> None:
        """`info` lines; none of a hint, which is worth something only as a whole."""
        if isinstance(search, _HintSearch):
            return
        for info in infos:
            self.say(commands.format_info(info, _with_rank(search), search.position), progress=True)

    def say_message(self, text: str) -> None:
        """`info string`"""
        self.say(f"info string {text}", progress=True)

    def say_fault(self, problem: str) -> None:
        """`error internal`"""
        self.say(_internal(problem))

    def _say_debug(self, text: str) -> None:
        if self._debug:
            self.say(f"info string {text}")


def _with_rank(search: Search) -> bool:
    return isinstance(search, _Search) and search.with_rank


def _internal(problem: str) -> str:
    return commands.format_error("internal", "-", problem)


def _describe_limits(limits: Limits) -> str:
    """The limits that are set, for `debug on`."""
    default = Limits()
    parts = []
    for name in Limits.__slots__:
        value = getattr(limits, name)
        if value != getattr(default, name):
            parts.append(f"{name} {getattr(value, 'value', value)}")
    return ", ".join(parts) or "no limits given"
