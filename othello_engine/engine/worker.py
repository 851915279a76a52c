"""What one search process runs. It imports the kernels (through `loading`), and nothing else of the package does.

The main thread takes work from one pipe and computes, in kernels that release the interpreter lock. A listener thread
waits on a second pipe: it answers static evaluations while a kernel runs, and ends the process when the parent asks for
it or is gone, which shows as the end of the pipe. Nothing here reads or writes standard input and output.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import signal
import sys
import threading
import time
import traceback
from multiprocessing.connection import Connection
from typing import Any

from othello_engine.core.layout import NODES_OFFSET, STOP_OFFSET
from othello_engine.engine.loading import Backend, SearcherLike
from othello_engine.engine.messages import (
    AnyTask,
    Counted,
    Evaluate,
    Evaluated,
    Exit,
    Expand,
    Expanded,
    Failed,
    Fed,
    Feed,
    Hello,
    Loading,
    NewGame,
    Perft,
    Ready,
    Reply,
    Search,
    Searched,
    UseState,
    UseTable,
    UseWeights,
    Work,
)
from othello_engine.engine.shared import SharedBlock

HASHFULL_INTERVAL_S = 0.1
"""How long a look at the table's use stays good."""


def main(
    work: Connection[Any, Any],
    control: Connection[Any, Any],
    replies: Connection[Any, Any],
    loader: str,
    evaluation: str,
) -> None:
    """Serve the parent until it says so or is gone. work, control, replies: this side's ends of the pipes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C goes to the whole group; the parent decides
    _detach_standard_streams()
    worker = _Worker(work, control, replies)
    threading.Thread(target=worker.listen, name="listener", daemon=True).start()
    try:
        worker.receive_memory()
    except (EOFError, OSError):
        os._exit(0)  # the parent is gone
    try:
        module, _, function = loader.partition(":")
        backend: Backend = getattr(importlib.import_module(module), function)(worker.progress)
        worker.serve(backend, evaluation)
    except BaseException:
        worker.tell(Failed(0, _last_line(traceback.format_exc())))
        os._exit(1)


def _detach_standard_streams() -> None:
    """Point input at nothing and output at stderr: a stray print must not reach the protocol."""
    with contextlib.suppress(OSError):
        nothing = os.open(os.devnull, os.O_RDWR)
        os.dup2(nothing, 0)
        try:
            os.dup2(2, 1)
        except OSError:  # started without a stderr
            os.dup2(nothing, 1)
            os.dup2(nothing, 2)
        os.close(nothing)
    if sys.stderr is not None:
        sys.stdout = sys.stderr


class _Worker:
    def __init__(
        self, work: Connection[Any, Any], control: Connection[Any, Any], replies: Connection[Any, Any]
    ) -> None:
        self._work = work
        self._control = control
        self._replies = replies
        self._lock = threading.Lock()  # one reply at a time
        self._state: SharedBlock | None = None
        self._table: SharedBlock | None = None
        self._weights: SharedBlock | None = None
        self._searcher: SearcherLike | None = None
        self._hashfull = 0
        self._hashfull_at = float("-inf")
        self._hashfull_epoch = 0

    def tell(self, reply: Reply) -> None:
        """Send a reply; a parent that is gone does not read it, and the listener sees to the rest."""
        with self._lock, contextlib.suppress(OSError):
            self._replies.send(reply)

    def progress(self, done: int, total: int, compiling: bool) -> None:
        self.tell(Loading(done, total, compiling))

    # -- the listener's thread ----------------------------------------------------------------------------------

    def listen(self) -> None:
        """Answer questions until the pipe ends; then, or when told to, end the process in whatever it is doing."""
        try:
            while True:
                request = self._control.recv()
                if isinstance(request, Exit):
                    break
                self._evaluate(request)
        except (EOFError, OSError):
            pass
        except BaseException:
            self.tell(Failed(0, _last_line(traceback.format_exc())))
        if self._state is not None:
            self._state.view[STOP_OFFSET // 8] = 1
        os._exit(0)

    def _evaluate(self, request: Evaluate) -> None:
        try:
            assert self._searcher is not None
            reply: Reply = Evaluated(request.id, self._searcher.evaluate(*request.board))
        except Exception:
            reply = Failed(request.id, _last_line(traceback.format_exc()))
        self.tell(reply)

    # -- the main thread ----------------------------------------------------------------------------------------

    def receive_memory(self) -> None:
        """Ask for the search state, the weights if there are any, and the table, before anything that takes long: the
        parent may have to wait."""
        self.tell(Hello())
        while self._state is None or self._table is None:
            request = self._work.recv()
            if isinstance(request, UseState):
                self._state = SharedBlock.receive(self._work)
            elif isinstance(request, UseWeights):
                self._weights = SharedBlock.receive(self._work)
            elif isinstance(request, UseTable):
                self._table = SharedBlock.receive(self._work)

    def serve(self, backend: Backend, evaluation: str) -> None:
        """Make a searcher and do what is asked of it, for ever."""
        assert self._state is not None
        assert self._table is not None
        weights = None if self._weights is None else self._weights.buffer
        self._searcher = backend.searcher(self._state.buffer, evaluation, weights)
        self._searcher.attach_table(self._table.buffer)
        self._table.populate()
        if self._weights is not None:
            self._weights.populate()
        self.tell(Ready(tuple(backend.notes)))
        while True:
            try:
                request = self._work.recv()
                block = SharedBlock.receive(self._work) if isinstance(request, UseTable) else None
            except (EOFError, OSError):
                os._exit(0)  # the parent is gone
            if block is not None:
                self._use_table(block)
            else:
                self._serve_one(request, backend)

    def _use_table(self, block: SharedBlock) -> None:
        assert self._searcher is not None
        old, self._table = self._table, block
        self._searcher.attach_table(block.buffer)
        if old is not None:
            old.close()  # before the new one takes its pages: there may not be room for both
        block.populate()
        self._hashfull_at = float("-inf")
        self.tell(Ready(()))

    def _serve_one(self, request: Work, backend: Backend) -> None:
        searcher = self._searcher
        assert searcher is not None
        id = getattr(request, "id", 0)
        try:
            if isinstance(request, Search):
                result = searcher.run(request.task)
                self.tell(Searched(id, result, self._table_use(backend, request.task)))
            elif isinstance(request, Expand):
                self.tell(Expanded(id, searcher.expand(request.task)))
            elif isinstance(request, Perft):
                assert self._state is not None
                self._state.view[NODES_OFFSET // 8] = 0
                self.tell(Counted(id, searcher.perft(request.player, request.opponent, request.depth)))
            elif isinstance(request, Feed):
                searcher.feed(request.claim, request.generation, request.epoch)
                self.tell(Fed(id))
            elif isinstance(request, NewGame):
                searcher.new_game()
        except Exception:
            self.tell(Failed(id, _last_line(traceback.format_exc())))

    def _table_use(self, backend: Backend, task: AnyTask) -> int:
        now = time.monotonic()
        is_old = task.epoch != self._hashfull_epoch or now - self._hashfull_at > HASHFULL_INTERVAL_S
        if self._table is not None and is_old:
            self._hashfull_epoch = task.epoch
            self._hashfull = backend.table_use(self._table.buffer, task.generation, task.epoch)
            self._hashfull_at = now
        return self._hashfull


def _last_line(text: str) -> str:
    """The end of a traceback, with the place, on one line."""
    lines = [line.strip() for line in text.strip().splitlines()]
    places = [line for line in lines if line.startswith("File ")]
    return " ".join([lines[-1], *(f"({place})" for place in places[-1:])])
