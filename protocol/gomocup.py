"""The protocol of Gomocup and piskvork, with what Yixin-Board adds: a daemon that plays freestyle Gomoku.

docs/gomocup.md is its page. A request for a move has exactly one answer, one line with a point, and has it in time: if
the kernels are still being compiled, or the engine is late, the move is one that was found without it.
"""

from __future__ import annotations

import os
import random
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from othello_engine.config import GOMOKU, available_cores, option_spec
from othello_engine.gomoku.plain import quick_move
from othello_engine.gomoku.position import EMPTY, GomokuPosition
from othello_engine.types import SearchInfo, SearchResult
from protocol import exit_status, gomocup_lines
from protocol.gomocup_game import Game, Stone
from protocol.gomocup_info import FREESTYLE, KIB, MIB, Info
from protocol.gomocup_lines import (
    BLOCKS,
    END_OF_BLOCK,
    OPPONENT,
    OWN,
    QUIT_WORD,
    STOP_WORDS,
    UNREADABLE,
    RefusedError,
    format_point,
    parse_command,
    parse_number,
    parse_point,
    parse_stone,
)
from protocol.gomocup_opening import Plan, balance_one, balance_two, swap2
from protocol.gomocup_service import Loading, Move, Planning, PunctualService
from protocol.lines import LineError
from protocol.service import Event, Received, Search, Wiring, describe

START_PATIENCE_S = 4.0
"""START is answered when the kernels are loaded, but not later than this."""
PLAN_MS = 5_000
"""What SWAP2BOARD and the like may take where no time was set."""
MESSAGE_INTERVAL_S = 0.5
"""Messages of the engine, about compiling, come no faster."""
MAX_POINTS = 1_000
"""Lines of a block; the largest board has 400 cells."""
REACH = 3
"""Cells as far as this from a stone are root moves where some are forbidden or all are to be searched."""
_FIRST_LOOK_S = 0.1
"""Lines that come this early were sent before the program was up."""
_STARTING_FACTOR = 2
"""Starting takes so many times the processor time that it costs, on a machine that has other things to do."""
_BEGINS_ANEW = frozenset(("START", "RECTSTART", "RESTART", "BOARD", "YXBOARD", "SWAP2BOARD"))
"""What makes the move that is being searched for useless: it is asked for at once."""


@dataclass(slots=True)
class _Block:
    """A command that goes on for several lines. problem: why it will be refused."""

    name: str
    points: list[tuple[int, int | None]] = field(default_factory=list)
    problem: str = ""


# -- the service -------------------------------------------------------------------------------------------


class GomocupService(PunctualService):
    """A daemon that speaks the protocol of Gomocup."""

    games = (GOMOKU,)

    def __init__(self, wiring: Wiring) -> None:
        super().__init__(wiring)
        self._info = Info()
        self._game: Game | None = None
        self._block: _Block | None = None
        self._forbidden: frozenset[int] = frozenset()
        self._rng = random.Random(self.config.seed)
        self._own_hash_mb, self._own_threads = self.config.hash_mb, self.config.threads
        self._must_fit = False
        self._is_yixin = False
        self._owes = False
        """The command in hand has no answer yet."""
        self._born_at = self._clock()
        self.head_start_s = _STARTING_FACTOR * time.process_time()
        """What was said before we could listen may have waited so long already."""
        self._arrivals: deque[float] = deque()
        """When the lines came that were not looked at yet: the reader's thread knows before this one does."""
        self._asked_at: float | None = None
        """When the command in hand came; None if it had to wait for others."""
        self._messaged_at = -MESSAGE_INTERVAL_S

    @property
    def game(self) -> Game | None:
        """The game that is played; None before START."""
        return self._game

    # -- lines -------------------------------------------------------------------------------------------------

    @staticmethod
    def is_quit(line: str) -> bool:
        """`END`, whatever else stands on the line."""
        command = parse_command(line)
        return command is not None and command.name == QUIT_WORD

    def post(self, event: Event) -> None:
        """As for every service; the time at which a line came is noted, since a move's time begins there."""
        if isinstance(event, Received) and event.item is not None:
            now = self._clock()
            was_there = now - self._born_at < _FIRST_LOOK_S
            self._arrivals.append(now - self.head_start_s if was_there else now)
        super().post(event)

    def take_line(self, line: str) -> None:
        """Runs a command, or lets it wait for the move that is being searched for.

        What ends something is seen to at once. A START that is not answered yet has its answer as soon as anything
        else is asked: whoever goes on does not wait for it.
        """
        arrived_at = self._arrivals.popleft() if self._arrivals else self._clock()
        command = parse_command(line)
        if command is None:
            return
        if command.name == QUIT_WORD:
            self.exit_status = exit_status.DONE
            return
        if command.name in STOP_WORDS:
            if isinstance(self.task, Move | Planning):
                self.stop_now()
            return
        if isinstance(self.task, Loading) and command.name != "INFO":
            self.stop_task()
        if self.task is None or (command.name == "INFO" and not self.waiting):
            self._asked_at = arrived_at
            self.run_now(line)
            return
        self.waiting.append(line)
        if command.name in _BEGINS_ANEW:
            self.stop_now()

    def refuse_line(self, problem: LineError, text: str) -> None:
        """A line that can't be read has its answer when its turn comes, like all others."""
        if self._arrivals:
            self._arrivals.popleft()
        if isinstance(self.task, Loading):
            self.stop_task()
        if self.task is None:
            self.run_now(f"{UNREADABLE}{text}")
        else:
            self.waiting.append(f"{UNREADABLE}{text}")

    def run_line(self, line: str) -> bool:
        """Carries out a command, or says what is wrong with it.

        INFO alone does not make the engine load: what it says may be how much memory there is for it.
        """
        asked_at, self._asked_at = self._asked_at, None
        if self.task is not None:  # only INFO gets here then, and what is owed is owed for something else
            return self._take_info(line)
        self._owes = True
        is_done = False
        try:
            is_done = self._run(line, self._clock() if asked_at is None else asked_at)
        except RefusedError as refusal:
            self._reply(gomocup_lines.format_error(str(refusal)))
        except Exception as error:
            self.say_fault(describe(error))
        if self.task is None:
            self._owes = False
        return is_done

    def _run(self, line: str, asked_at: float) -> bool:
        if self._block is not None and self._go_on_with_block(line, asked_at):
            return True
        if line.startswith(UNREADABLE):
            self._reply(gomocup_lines.format_unknown(line.removeprefix(UNREADABLE)))
            return False
        command = parse_command(line)
        assert command is not None
        if command.name == "INFO":
            return self._take_info(line)
        if command.name in BLOCKS:
            self._block = _Block(command.name, problem="" if self._game is not None else _NO_GAME)
            return True
        run = _COMMANDS.get(command.name)
        if run is None:
            # Yixin-Board has many commands of its own for databases and opening rules, and says so by YXSHOWINFO.
            if not (self._is_yixin and command.name.startswith("YX")):
                self._reply(gomocup_lines.format_unknown(gomocup_lines.quoted(line.strip())[1:-1]))
            return False
        run(self, command.text, asked_at)
        return True

    def _take_info(self, line: str) -> bool:
        command = parse_command(line)
        assert command is not None
        key = self._info.take(command.text)
        self._must_fit = self._must_fit or key in ("max_memory", "hash_size", "thread_num")
        return False

    def _go_on_with_block(self, line: str, asked_at: float) -> bool:
        """Takes a line of the block; False if the line is a command of its own, for which the block was left."""
        block = self._block
        assert block is not None
        command = parse_command(line)
        if command is not None and command.name == END_OF_BLOCK:
            self._block = None
            if block.problem:
                raise RefusedError(block.problem)
            self._end_block(block, asked_at)
            return True
        if command is not None and command.name == "INFO":
            self._take_info(line)
            return True
        if command is not None and (command.name in _COMMANDS or command.name in BLOCKS):
            self._block = None
            self.say(gomocup_lines.format_error(f"{block.name} without {END_OF_BLOCK}"))
            return False
        if not block.problem:
            self._add_point(block, line)
        return True

    def _add_point(self, block: _Block, line: str) -> None:
        assert self._game is not None
        try:
            if len(block.points) >= MAX_POINTS:
                raise RefusedError(f"{block.name} has at most {MAX_POINTS} points")
            block.points.append(parse_stone(line.removeprefix(UNREADABLE).strip(), self._game.size))
        except RefusedError as refusal:
            block.problem = str(refusal)

    def _end_block(self, block: _Block, asked_at: float) -> None:
        assert self._game is not None
        size = self._game.size
        match block.name:
            case "BOARD":
                self._begin_move(Game.of(size, _stones(block)), asked_at)
            case "YXBOARD":
                self._game = Game.of(size, _stones(block))
            case "SWAP2BOARD":
                plan = swap2(size, [cell for cell, _ in block.points], self._rng)
                self._begin_plan(plan, asked_at)
            case "YXBLOCK":
                self._forbidden |= {cell for cell, _ in block.points}
            case "YXBLOCKUNDO":
                self._forbidden -= {cell for cell, _ in block.points}

    # -- answers -----------------------------------------------------------------------------------------------

    def _reply(self, line: str) -> None:
        """The one answer of the command in hand."""
        self._owes = False
        self.say(line)

    def say_note(self, text: str) -> None:
        """A line for people, without which nothing is missing."""
        self.say(gomocup_lines.format_message(text), progress=True)

    def say_fault(self, problem: str) -> None:
        """The answer of the command in hand; a fault apart from any is a line for people."""
        if self._owes and (self.task is None or isinstance(self.task, Loading)):
            self._reply(gomocup_lines.format_error(f"internal error: {problem}"))
        else:
            self.say_note(f"internal error: {problem}")

    def say_message(self, text: str) -> None:
        """While an answer is waited for, and time allows; nobody wants it at other times."""
        task = self.task
        is_wanted = isinstance(task, Loading) or (isinstance(task, Move | Planning) and self.is_comfortable(task))
        now = self._clock()
        if is_wanted and now - self._messaged_at >= MESSAGE_INTERVAL_S:
            self._messaged_at = now
            self.say_note(text)

    # -- about the program -------------------------------------------------------------------------------------

    def _about(self, text: str, asked_at: float) -> None:
        self._reply(gomocup_lines.format_about())

    def _show_info(self, text: str, asked_at: float) -> None:
        self._is_yixin = True
        self.say(gomocup_lines.format_message(f"INFO MAX_THREAD_NUM {available_cores()}"))
        self.say(gomocup_lines.format_message(f"INFO MAX_HASH_SIZE {_largest_hash_kib().bit_length() - 1}"))

    def _show_forbidden(self, text: str, asked_at: float) -> None:
        """Of freestyle there are none."""
        self._reply("FORBID .")

    def _show_hash_usage(self, text: str, asked_at: float) -> None:
        self.say(gomocup_lines.format_message(f"hash usage {self.hashfull / 10:.1f}%"))

    def _clear_hash(self, text: str, asked_at: float) -> None:
        def clear() -> None:
            if self.engine_if_built is not None:
                self.engine_if_built.clear_hash()

        self.do_when_free(clear)

    # -- games -------------------------------------------------------------------------------------------------

    def _start(self, text: str, asked_at: float) -> None:
        """A new game. Whatever can be done before a clock runs is done before the answer, if that does not take long.

        Some managers wait for it, others go on without it or even suspend us, so that it must not take for ever.
        """
        size = gomocup_lines.parse_size(text)
        if self.config.game != GOMOKU:
            raise RefusedError(f"the profile {self.config.profile.name} does not play Gomoku")
        self._begin_game(size)
        if self.waiting:  # whoever has sent more does not wait
            self._reply("OK")
            return
        due = self._clock() + START_PATIENCE_S
        self.start_task(Loading(self.next_generation(), due=due))

    def _start_rectangle(self, text: str, asked_at: float) -> None:
        raise gomocup_lines.refuse_rectangle(text)

    def _allow_all(self, text: str, asked_at: float) -> None:
        """YXBLOCKRESET: no cell is forbidden any more."""
        self._forbidden = frozenset()

    def answer_loading(self) -> None:
        """START is answered, unless it has been, by what is wrong with the engine."""
        if self._owes:
            self._reply("OK")

    def _restart(self, text: str, asked_at: float) -> None:
        self._begin_game(self._require_game().size)
        self._reply("OK")

    def _begin_game(self, size: int) -> None:
        self._game = Game(size)
        self._forbidden = frozenset()
        self._info.begin_game()

        def begin() -> None:
            if self.engine_if_built is not None:
                self.engine_if_built.new_game()

        self.do_when_free(begin)

    def _take_back(self, text: str, asked_at: float) -> None:
        game = self._require_game()
        self._game = game.without_stone(parse_point(text, game.size))
        self._reply("OK")

    def _play(self, text: str, asked_at: float) -> None:
        """The engine's own stone, where the manager wants it."""
        game = self._require_game()
        cell = parse_point(text, game.size)
        self._game = game.with_stone(cell, OWN)
        self._reply(format_point(cell, game.size))

    def _require_game(self) -> Game:
        if self._game is None:
            raise RefusedError(_NO_GAME)
        return self._game

    # -- requests for a move -----------------------------------------------------------------------------------

    def _begin(self, text: str, asked_at: float) -> None:
        game = self._require_game()
        if not game.is_empty:
            raise RefusedError("the board is not empty")
        self._begin_move(game, asked_at)

    def _turn(self, text: str, asked_at: float) -> None:
        game = self._require_game()
        self._begin_move(game.with_stone(parse_point(text, game.size), OPPONENT), asked_at)

    def _search_lines(self, text: str, asked_at: float) -> None:
        """YXNBEST: as many lines of play as are asked for, then the best move."""
        n_lines = parse_number(text or "1")
        if n_lines is None or n_lines < 1:
            raise RefusedError(f"a number of moves is needed, not {gomocup_lines.quoted(text)}")
        self._begin_move(self._require_game(), asked_at, n_lines=n_lines)

    def _search_all(self, text: str, asked_at: float) -> None:
        """YXSEARCHDEFEND: no move is left out at the root."""
        self._begin_move(self._require_game(), asked_at, searches_all=True)

    def _begin_move(self, game: Game, asked_at: float, n_lines: int = 1, searches_all: bool = False) -> None:
        """The engine's move in this game, with the opponent's stone that has just come. A refusal changes nothing."""
        self._require_rule()
        position = game.position()
        if EMPTY not in position.cells:
            raise RefusedError("no cell is empty")
        self._game = game
        legal = position.legal_moves
        if len(legal) <= 1:
            # One cell is left, or the game is over and a manager goes on all the same: any move is as good.
            self._finish_move(legal[0] if legal else quick_move(position, avoid=self._forbidden), asked_at)
            return
        with self._saying_faults():
            self._fit()
        allowance = self._info.allowance(position.side, self.config.move_overhead_ms)
        limits = replace(
            allowance.limits,
            multipv=min(n_lines, len(legal)),
            search_moves=self._root_moves(position) if searches_all or self._forbidden else None,
        )
        self.begin(
            Move(
                self.next_generation(),
                position=position,
                limits=limits,
                gate=self.new_gate(),
                asked_at=asked_at,
                allowance=replace(allowance, limits=limits),
                avoid=self._forbidden,
            )
        )

    def _require_rule(self) -> None:
        """The complaint about a rule that INFO has named, for which there was no answer then."""
        if self._info.rule != FREESTYLE:
            raise RefusedError(f"rule {self._info.rule} is not supported, only freestyle, rule {FREESTYLE}")

    def _root_moves(self, position: GomokuPosition) -> tuple[int, ...] | None:
        """Cells in reach of a stone that are not forbidden; None for all that the search itself finds worth it."""
        size = position.size
        stones = [divmod(cell, size) for cell, content in enumerate(position.cells) if content != EMPTY]

        def is_in_reach(cell: int) -> bool:
            row, column = divmod(cell, size)
            return any(abs(row - y) <= REACH and abs(column - x) <= REACH for y, x in stones)

        allowed = [cell for cell in position.legal_moves if cell not in self._forbidden]
        return tuple(cell for cell in allowed if is_in_reach(cell)) or tuple(allowed) or None

    def _finish_move(self, cell: int, asked_at: float) -> None:
        """The one line that a request for a move is answered by. The move is made."""
        assert self._game is not None
        self._game = self._game.with_stone(cell, OWN)
        self._info.spend(1000 * (self._clock() - asked_at))
        self._reply(format_point(cell, self._game.size))

    # -- requests for more than a move -------------------------------------------------------------------------

    def _balance_one(self, text: str, asked_at: float) -> None:
        self._balance(balance_one, 1, text, asked_at)

    def _balance_two(self, text: str, asked_at: float) -> None:
        self._balance(balance_two, 2, text, asked_at)

    def _balance(self, plan: Callable[[GomokuPosition, int], Plan], n_moves: int, text: str, asked_at: float) -> None:
        game = self._require_game()
        wanted = parse_number(text or "0")
        if wanted is None:
            raise RefusedError(f"a value is needed, not {gomocup_lines.quoted(text)}")
        position = game.position()
        if len(position.legal_moves) < n_moves:
            raise RefusedError("there is nothing left to play")
        self._begin_plan(plan(position, wanted), asked_at)

    def _begin_plan(self, plan: Plan, asked_at: float) -> None:
        self._require_rule()
        with self._saying_faults():
            self._fit()
        question = next(plan)
        allowance = self._info.allowance(question.position.side, self.config.move_overhead_ms)
        if allowance.thinking_ms is None:
            allowance = replace(allowance, thinking_ms=PLAN_MS)
        self.begin(
            Planning(self.next_generation(), asked_at=asked_at, allowance=allowance, plan=plan, question=question)
        )

    def answer_plan(self, task: Planning, answer: str) -> None:
        """The stones, or SWAP. They are not made: a board comes next."""
        self._info.spend(self.ms_since(task))
        self._reply(answer)

    # -- searches ----------------------------------------------------------------------------------------------

    def show_lines(self, search: Search, infos: list[SearchInfo]) -> None:
        """Lines of play, as long as there is plenty of time."""
        if not isinstance(search, Move) or not self.is_comfortable(search):
            return
        for info in infos:
            self.say(self._report(search, info), progress=True)
            if info.rank == 1 and self._info.show_detail & 1 and info.pv:
                self.say_note(f"REALTIME BEST {format_point(info.pv[0], search.position.size)}")

    def answer(self, search: Search, result: SearchResult) -> None:
        """The move, right behind a last line about it."""
        assert isinstance(search, Move)
        with self._saying_faults():  # whatever is wrong with the lines, the move comes
            for info in result.lines[: search.limits.multipv or 1]:
                self.hashfull = info.hashfull
                self.say(self._report(search, info))
        if self._info.show_detail & 1:
            self.say_note("REALTIME REFRESH")
        self._finish_move(result.best_move, search.asked_at)

    def _report(self, search: Move, info: SearchInfo) -> str:
        return gomocup_lines.format_report(info, search.position.size, (search.limits.multipv or 1) > 1)

    # -- memory ------------------------------------------------------------------------------------------------

    def _do_what_is_due(self) -> None:
        """As for every service; and what INFO has said is complied with when nothing more has come."""
        super()._do_what_is_due()
        is_at_rest = self.task is None or isinstance(self.task, Loading)
        if is_at_rest and self.exit_status is None and self._events.empty():
            self._fit()

    def _fit(self) -> None:
        """Makes the table and the workers what the manager's limits allow."""
        if not self._must_fit or not self.is_free:
            return
        self._must_fit = False
        hash_mb, threads = self._info.resources(self._own_hash_mb, self._own_threads)
        for name, value, former in (
            ("Threads", threads, self.config.threads),
            ("Hash", hash_mb, self.config.hash_mb),
        ):
            most = option_spec(name).maximum
            assert most is not None
            if min(value, most) != former:
                self.change_option(name, min(value, most))


def _stones(block: _Block) -> list[Stone]:
    """The stones of a board; a line without a field is nobody's."""
    stones = []
    for cell, field_ in block.points:
        if field_ is None:
            raise RefusedError(f"the field is missing in a line of {block.name}")
        stones.append((cell, field_))
    return stones


def _largest_hash_kib() -> int:
    """A table of this size takes half of the machine's memory, as far as that can be told."""
    most = option_spec("Hash").maximum
    assert most is not None
    try:
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return MIB
    return min(most * KIB, max(KIB, memory // 2 // KIB))


# -- the commands ------------------------------------------------------------------------------------------

_NO_GAME = "there is no board yet; START comes first"

_COMMANDS: dict[str, Callable[[GomocupService, str, float], None]] = {
    "START": GomocupService._start,
    "RECTSTART": GomocupService._start_rectangle,
    "RESTART": GomocupService._restart,
    "BEGIN": GomocupService._begin,
    "TURN": GomocupService._turn,
    "TAKEBACK": GomocupService._take_back,
    "PLAY": GomocupService._play,
    "ABOUT": GomocupService._about,
    "YXSHOWINFO": GomocupService._show_info,
    "YXSHOWFORBID": GomocupService._show_forbidden,
    "YXSHOWHASHUSAGE": GomocupService._show_hash_usage,
    "YXHASHCLEAR": GomocupService._clear_hash,
    "YXNBEST": GomocupService._search_lines,
    "YXSEARCHDEFEND": GomocupService._search_all,
    "YXBALANCEONE": GomocupService._balance_one,
    "YXBALANCETWO": GomocupService._balance_two,
    "YXBLOCKRESET": GomocupService._allow_all,
}
"""All but INFO, END, the words that stop, and those that begin a block."""
