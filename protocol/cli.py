"""The command line: arguments, configuration, signals, exit status, and the wiring of everything else.

The only place that builds an `Engine`. Light to import, as worker processes may import it too.
"""

from __future__ import annotations

import os
import queue
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import SimpleNamespace
from typing import TYPE_CHECKING, TextIO, cast

from othello_engine.errors import ConfigError, OthelloError
from protocol import exit_status

if TYPE_CHECKING:
    from othello_engine.config import Config
    from protocol.batch.screen import Screen
    from protocol.facade import EngineLike, MakeEngine
    from protocol.lines import InputItem, Wire

_LAST_RESORT_SECONDS = 0.95
"""After a `quit` or a signal the process ends by then, whatever hangs."""
_CLOSE_SECONDS = 0.7
_FLUSH_SECONDS = 0.5


# -- main --------------------------------------------------------------------------------------------------


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the program; the exit status."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # no traceback before the real handlers are in place
    options = _options(sys.argv[1:] if argv is None else argv)
    if options.version:
        from othello_engine import __version__

        sys.stdout.write(f"othello-engine {__version__}\n")
        return exit_status.DONE

    from protocol.lines import claim_descriptors

    wire = claim_descriptors()
    _leave_a_deleted_folder()
    try:
        config = _load_config(options)
        if options.command is None:
            return _run_daemon(config, wire)
        return _run_command(options, config, wire)
    except (ConfigError, _UsageError) as error:
        return _complain(error, exit_status.BAD_COMMAND_LINE)
    except BrokenPipeError:
        return exit_status.OUTPUT_CLOSED
    except _Interrupted as interrupted:
        return exit_status.SIGNAL_BASE + interrupted.number
    except OthelloError as error:
        return _complain(error, exit_status.INTERNAL_ERROR)
    except Exception:
        import traceback

        traceback.print_exc()
        return exit_status.INTERNAL_ERROR


def _options(argv: Sequence[str]) -> SimpleNamespace:
    """The arguments, see `parse_arguments`."""
    if not argv:  # as GUIs start it
        return SimpleNamespace(command=None, version=False, settings=[])
    from protocol.arguments import parse_arguments

    return SimpleNamespace(**vars(parse_arguments(argv)))


def _leave_a_deleted_folder() -> None:
    """Processes can't be started from a folder that no longer exists, and no file can be found from it."""
    try:
        os.getcwd()
    except OSError:
        os.chdir(os.sep)


def _complain(error: Exception, status: int) -> int:
    sys.stderr.write(f"othello-engine: {error}\n")
    return status


class _UsageError(Exception):
    """A file or value on the command line that can't be used."""


def _load_config(options: SimpleNamespace) -> Config:
    from othello_engine.config import load_config, option_spec

    overrides: dict[str, object] = {}
    for name, value in (*options.settings, *getattr(options, "more_settings", ())):
        overrides[option_spec(name).name] = value
    if hasattr(options, "log"):
        overrides["LogFile"] = options.log
    if getattr(options, "threads", None) is not None:
        overrides["Threads"] = options.threads
    if getattr(options, "hash", None) is not None:
        overrides["Hash"] = options.hash
    return load_config(getattr(options, "config", None), getattr(options, "profile", None), overrides)


def _make_engine(config: Config, on_message: Callable[[str], None]) -> EngineLike:
    from othello_engine.engine.engine import Engine

    return cast("EngineLike", Engine(config, on_message))


# -- the daemon --------------------------------------------------------------------------------------------


def _run_daemon(config: Config, wire: Wire) -> int:
    """Reader, writer and service, each on its thread, until one of them says that it is over."""
    from protocol.commands import command_word
    from protocol.lines import LineReader, LineWriter
    from protocol.service import Ended, Received, Service
    from protocol.signals import watch_signals
    from protocol.traffic import TrafficLog

    traffic = TrafficLog()
    try:
        traffic.open(config.log_file)
    except OSError as error:
        raise _UsageError(f"{config.log_file}: {error.strerror}") from None
    writer = LineWriter(wire.output, lambda: service.post(Ended(exit_status.OUTPUT_CLOSED)), traffic.sent)
    service = Service(config, _watched_engine(wire), writer, traffic)

    def deliver(item: InputItem | None) -> None:
        service.post(Received(item))
        if isinstance(item, str) and command_word(item) == "quit":
            _end_without_fail(exit_status.DONE)

    def interrupt(number: int) -> None:
        service.post(Ended(exit_status.SIGNAL_BASE + number))
        _end_without_fail(exit_status.SIGNAL_BASE + number)

    watch_signals(interrupt)
    LineReader(wire.input, deliver).start()
    status = service.run()
    _close(service.close, lambda: writer.close(_FLUSH_SECONDS), status)
    return exit_status.OUTPUT_CLOSED if status == exit_status.DONE and writer.failed else status


def _watched_engine(wire: Wire) -> MakeEngine:
    """Builds engines whose loading is also shown on stderr, if a person sees stderr but not the protocol."""
    if wire.output is None or os.isatty(wire.output) or not sys.stderr.isatty():
        return _make_engine

    def make(config: Config, on_message: Callable[[str], None]) -> EngineLike:
        from protocol.batch.screen import LoadingBar

        bar = LoadingBar()

        def both(text: str) -> None:
            on_message(text)
            bar.message(text)

        return _make_engine(config, both)

    return make


def _close(close_engine: Callable[[], None], flush: Callable[[], object], status: int) -> None:
    """Ends the engine while the last lines are written; what doesn't end in time is left to the system.

    Workers end by themselves when this process is gone.
    """
    closing = threading.Thread(target=close_engine, name="closing", daemon=True)
    closing.start()
    flush()
    closing.join(_CLOSE_SECONDS)
    if closing.is_alive():
        os._exit(status)


def _end_without_fail(status: int) -> None:
    """The process ends with this status a little later, even if everything else hangs."""
    timer = threading.Timer(_LAST_RESORT_SECONDS, os._exit, (status,))
    timer.daemon = True
    timer.start()


# -- commands ----------------------------------------------------------------------------------------------


class _Interrupted(BaseException):
    """A signal that ends a command."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def _interrupted(number: int) -> _Interrupted:
    _end_without_fail(exit_status.SIGNAL_BASE + number)
    return _Interrupted(number)


def _run_command(options: SimpleNamespace, config: Config, wire: Wire) -> int:
    from protocol.batch.screen import Screen
    from protocol.signals import raise_in_main_thread

    raise_in_main_thread(_interrupted)
    if wire.output is None:
        return exit_status.OUTPUT_CLOSED
    out = open(wire.output, "w", encoding="utf-8", errors="replace", newline="\n")  # noqa: SIM115
    screen = Screen(out)
    if options.command == "perft":
        return _perft(options, config, screen)
    if options.command == "bench":
        return _bench(options, config, screen)
    if options.command == "solve":
        return _solve(options, config, screen, out, wire)
    return _warmup(config, screen)


@contextmanager
def _engine(config: Config, say: Callable[[str], None] | None = None) -> Iterator[EngineLike]:
    """An engine that is ready, closed at the end.

    say: takes the engine's messages, instead of the bar on stderr; in this thread, which a closed output may end.
    """
    from protocol.batch.screen import LoadingBar

    bar = LoadingBar()
    show = say or bar.message
    messages: queue.SimpleQueue[str] = queue.SimpleQueue()
    engine = _make_engine(config, messages.put)
    try:
        engine.start()
        while not engine.wait_ready(0.1):
            _drain(messages, show)
        bar.close()
        yield engine
        _drain(messages, show)
    finally:
        bar.close()
        engine.close()


def _drain(messages: queue.SimpleQueue[str], show: Callable[[str], None]) -> None:
    while not messages.empty():
        show(messages.get())


def _perft(options: SimpleNamespace, config: Config, screen: Screen) -> int:
    from othello_engine.errors import BoardError
    from othello_engine.formats.boards import parse_board
    from protocol.batch.perft import perft

    try:
        position = parse_board(options.board)
    except BoardError as error:
        raise _UsageError(f"--board: {error}") from None
    with _engine(config) as engine:
        return perft(engine, screen, position, options.depth)


def _bench(options: SimpleNamespace, config: Config, screen: Screen) -> int:
    from protocol.batch.bench import BENCH_DEPTH, BENCH_HASH_MB, BENCH_THREADS, bench

    if "threads" not in config.explicit:
        config = config.with_option("Threads", BENCH_THREADS)
    if "hash_mb" not in config.explicit:
        config = config.with_option("Hash", BENCH_HASH_MB)
    with _engine(config) as engine:
        return bench(engine, screen, options.depth or BENCH_DEPTH)


def _solve(options: SimpleNamespace, config: Config, screen: Screen, out: TextIO, wire: Wire) -> int:
    from contextlib import ExitStack
    from itertools import islice

    from othello_engine.errors import PositionError
    from othello_engine.formats.obf import read_obf
    from protocol.batch.solve import solve

    with ExitStack() as files:
        try:
            lines = files.enter_context(_open_input(options.file, wire))
            records = list(islice(read_obf(lines), options.limit))
        except OSError as error:
            raise _UsageError(f"{options.file}: {error.strerror}") from None
        except PositionError as error:
            raise _UsageError(f"{options.file}: {error}") from None
        if not records:
            raise _UsageError(f"{options.file}: no positions")

        def create(path: str) -> TextIO:
            try:
                return files.enter_context(open(path, "w", encoding="utf-8", newline="\n"))
            except OSError as error:
                raise _UsageError(f"{path}: {error.strerror}") from None

        json_file = None
        if options.json is not None:
            json_file = out if options.json == "-" else create(options.json)
        csv_file = create(options.csv) if options.csv is not None else None
        with _engine(config) as engine:
            status = solve(engine, screen, records, options.wld, json_file, csv_file, show_rows=json_file is not out)
            out.flush()
            return status


def _open_input(path: str, wire: Wire) -> TextIO:
    """A text file or standard input; any line ends, a byte order mark and foreign bytes do no harm."""
    if path == "-":
        if wire.input is None:
            raise OSError(None, "standard input is closed")
        return open(wire.input, encoding="utf-8-sig", errors="replace", closefd=False)
    return open(path, encoding="utf-8-sig", errors="replace")


def _warmup(config: Config, screen: Screen) -> int:
    from protocol.batch.warmup import warmup

    say = None if sys.stderr.isatty() else screen.line
    began = time.monotonic()
    with _engine(config, say) as engine:
        return warmup(engine, screen, began)
