"""Cassio's ENGINE-PROTOCOL: what an engine of the GUI Cassio for the Mac has to do. docs/cassio.md is its page.

One thing runs at a time: loading that an `init` waits for, or a search. Meanwhile `stop`, `quit`, `get-search-infos`
and empty lines are answered at once; all other lines wait their turn.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace

from othello_engine import __version__
from othello_engine.types import ScoreKind, SearchInfo, SearchResult
from protocol import exit_status
from protocol.cassio_lines import (
    FEED_HASH,
    MIDGAME_SEARCH,
    PROTOCOL_WORD,
    CassioError,
    Command,
    Result,
    SearchRequest,
    format_effort,
    limits_of,
    nothing_known,
    read_command,
    read_feed,
    read_search,
    result_of,
    unknown_command,
)
from protocol.lines import LineError
from protocol.service import QUEUE_LIMIT, Search, Service, Task, Wiring, describe

_READY = "ready."
_STOP = f"{PROTOCOL_WORD} stop"
_AT_ONCE = frozenset(("", "stop", "quit", "get-search-infos"))
"""Commands that never wait."""
_SILENT = frozenset((FEED_HASH, "empty-hash"))
"""Commands that have no answer."""
_LAST_SECONDS = 2.0
"""What searches may still take after the end of input, when nobody can stop them any more."""


@dataclass(slots=True, kw_only=True)
class _Init(Task):
    """An `init`: answered when the kernels are there."""


@dataclass(slots=True, kw_only=True)
class _Search(Search):
    """A search of a request. began: by the service's clock; nodes: of its last report; said: its last line."""

    request: SearchRequest
    began: float
    nodes: int = 0
    said: Result | None = None


class CassioService(Service):
    """A daemon that Cassio can use as its engine."""

    def __init__(self, wiring: Wiring) -> None:
        super().__init__(wiring)
        self._last_moment: float | None = None
        """After the end of input: when a search that still runs is stopped."""

    # -- lines -----------------------------------------------------------------------------------------------

    @staticmethod
    def is_quit(line: str) -> bool:
        """`ENGINE-PROTOCOL quit`, whatever else stands on the line."""
        return _word(line) == "quit"

    def take_line(self, line: str) -> None:
        """Runs a command, or lets it wait for the end of what runs."""
        if self.task is None or _word(line) in _AT_ONCE:
            self.run_now(line)
        else:
            self._let_wait(line)

    def run_line(self, line: str) -> bool:
        """Carry out a command; whatever fails, one that has an answer is answered."""
        command = None
        try:
            command = read_command(line)
            self._run(command)
            return bool(command.word)
        except CassioError as problem:
            self.say(f"ERROR: {problem}")
        except Exception as error:
            self.say_fault(describe(error))
        if command is not None and command.word not in _SILENT:
            self.say(_READY)
        return False

    def refuse_line(self, problem: LineError, text: str) -> None:
        """A line that could not be read may be of any protocol."""
        self.say(f"ERROR: {text}")

    def _let_wait(self, line: str) -> None:
        if len(self.waiting) >= QUEUE_LIMIT:
            self.say(f"ERROR: {_word(line) or 'line'} refused, {QUEUE_LIMIT} lines are waiting already")
        else:
            self.waiting.append(line)

    # -- commands --------------------------------------------------------------------------------------------

    def _run(self, command: Command) -> None:
        match command.word:
            case "":
                self.say(_READY if self.task is None else "ok.")
            case "init":
                self.start_task(_Init(self.next_generation()))
            case "get-version":
                self.say(f"version: othello-engine {__version__}")
                self.say(_READY)
            case "new-position":  # nothing is remembered of earlier positions but the table, which stays true
                self.say(_READY)
            case "midgame-search" | "endgame-search":
                self._start_search(command)
            case "feed-hash":
                feed = read_feed(command)
                self.engine.feed(feed.position, feed.lower, feed.upper, feed.depth, feed.selectivity, feed.moves)
            case "empty-hash":
                if self.engine_if_built is not None:
                    self.engine_if_built.clear_hash()
            case "get-search-infos":
                self._say_effort()
            case "stop":
                self._stop()
            case "quit":
                self.say("bye bye.")
                self.exit_status = exit_status.DONE
            case _:
                raise unknown_command(command)

    def _start_search(self, command: Command) -> None:
        request = read_search(command)
        move_time_ms = self.config.bare_move_time_ms if command.word == MIDGAME_SEARCH else 0
        self.start_task(
            _Search(
                self.next_generation(),
                position=request.position,
                limits=limits_of(request, move_time_ms or None),
                gate=self.new_gate(),
                request=request,
                began=self._clock(),
            )
        )

    def _say_effort(self) -> None:
        """Nodes and time of what runs."""
        task = self.task
        if isinstance(task, _Search):
            self.say(format_effort(task.nodes, round(1000 * (self._clock() - task.began))))
        else:
            self.say(_READY if task is None else format_effort(0, 0))

    def _stop(self) -> None:
        """Ends the search and clears the queue. The one answer is the end of the search, if there is one to end."""
        if self.task is None:  # also where it had to wait: what came after it stays
            self.say(_READY)
            return
        self.waiting = deque(line for line in self.waiting if _outlives_stop(line))
        if isinstance(self.task, _Search) and not self.task.stopping:
            self.stop_task()
        else:
            self._let_wait(_STOP)

    def stop_at_end_of_input(self) -> None:
        """Searches that end soon are answered; others could take days."""
        if not isinstance(self.task, _Search) or not self.task.launched or self.task.stopping:
            return
        if self._last_moment is None:
            self._last_moment = self._clock() + _LAST_SECONDS
        elif self._clock() >= self._last_moment:
            self._stop()

    # -- tasks -----------------------------------------------------------------------------------------------

    def launch_other(self, task: Task) -> None:
        """The engine is loaded, which is all that an `init` wanted to know."""
        self._end_init()

    def give_up_other(self, task: Task) -> None:
        """The engine will not load; that has been said."""
        self._end_init()

    def _end_init(self) -> None:
        self.say(_READY)
        self.end_task()

    def show_lines(self, search: Search, infos: list[SearchInfo]) -> None:
        """Result lines of what has been found so far."""
        assert isinstance(search, _Search)
        for info in infos:
            search.nodes = info.nodes
            # Who wins says too little for a line on the way: Cassio takes one of the depth asked for as a result.
            if info.score.kind is not ScoreKind.WLD:
                self._say_result(search, info)

    def answer(self, search: Search, result: SearchResult) -> None:
        """The last result line, unless it has been said, and the end of the answer."""
        assert isinstance(search, _Search)
        lines = result.lines
        if not lines and search.said is None and not search.stopping and result.error is None:
            lines = (nothing_known(result),)  # its time was over before anything was found, and yet a move is needed
        for info in lines[:1]:
            total = replace(info, nodes=max(info.nodes, result.nodes), time_ms=max(info.time_ms, result.time_ms))
            self._say_result(search, total, is_last=True)
        if result.error is not None:
            self.say_fault(result.error)
        self.say(_READY)

    def _say_result(self, search: _Search, info: SearchInfo, is_last: bool = False) -> None:
        """A result line. On the way, one that tells nothing but more nodes is left out."""
        result, said = result_of(search.request, info), search.said
        if said is not None and result.text == said.text and (result.nodes == said.nodes or not is_last):
            return
        search.said = result
        # A slow reader may miss what is found on the way, but nothing that has the depth it asked for.
        self.say(str(result), progress=info.depth < search.request.depth)

    # -- problems --------------------------------------------------------------------------------------------

    def say_fault(self, problem: str) -> None:
        """`ERROR: ...`"""
        self.say(f"ERROR: {' '.join(problem.split())}")

    def say_message(self, text: str) -> None:
        """Cassio has nowhere to show that kernels compile."""


def _word(line: str) -> str | None:
    """The command word of a line, in lower case; None for a line of another protocol."""
    try:
        return read_command(line).word
    except CassioError:
        return None


def _outlives_stop(line: str) -> bool:
    """True for a line that a `stop` leaves in the queue: one without a `ready.`, and an earlier `stop`."""
    return line == _STOP or _word(line) in (None, *_SILENT)
