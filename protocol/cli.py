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
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from types import SimpleNamespace
from typing import TYPE_CHECKING, TextIO, cast

from othello_engine.errors import ConfigError, OthelloError
from protocol import exit_status

if TYPE_CHECKING:
    from contextlib import ExitStack

    from othello_engine.config import Config
    from othello_engine.formats.obf import ObfRecord
    from protocol.batch.screen import Screen
    from protocol.facade import EngineLike, MakeEngine
    from protocol.lines import InputItem, Wire
    from protocol.service import Service

PROGRAMS = ("match", "conformance")
"""Programs of their own, with a command line of their own, that the first word starts: `tools.NAME`."""

_GAMES = {"nboard": "othello", "gtp": "othello", "cassio": "othello", "gomocup": "gomoku"}
"""Dialect -> the one game that it can speak of."""
_LAST_RESORT_SECONDS = 0.95
"""After a `quit` or a signal the process ends by then, whatever hangs."""
_CLOSE_SECONDS = 0.7
_FLUSH_SECONDS = 0.5


# -- main --------------------------------------------------------------------------------------------------


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the program; the exit status."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # no traceback before the real handlers are in place
    argv = sys.argv[1:] if argv is None else argv
    if argv and argv[0] in PROGRAMS:
        return _run_program(argv[0], argv[1:])
    options = _options(argv)
    if options.command in PROGRAMS:
        problem = f"{options.command} has options of its own: write othello-engine {options.command} ..."
        return _complain(problem, exit_status.BAD_COMMAND_LINE)
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
            return _run_daemon(options.protocol, config, wire)
        if options.protocol != "native":
            raise _UsageError(f"--protocol is what the daemon speaks; {options.command} has no use for it")
        return _run_command(options, config, wire)
    except (ConfigError, _UsageError) as error:
        return _complain(error, exit_status.BAD_COMMAND_LINE)
    except BrokenPipeError:
        return exit_status.OUTPUT_CLOSED
    except _Interrupted as interrupted:
        return exit_status.SIGNAL_BASE + interrupted.number
    except OthelloError as error:
        return _complain(error, exit_status.INTERNAL_ERROR)
    except Exception as error:
        if signal_behind := _signal_behind(error):
            return exit_status.SIGNAL_BASE + signal_behind.number
        import traceback

        traceback.print_exc()
        return exit_status.INTERNAL_ERROR


def main_gomocup() -> int:
    """Runs the daemon as managers of Gomoku tournaments start it, by a name of its own and without arguments."""
    return main(["--protocol", "gomocup", *sys.argv[1:]])


def _options(argv: Sequence[str]) -> SimpleNamespace:
    """The arguments, see `parse_arguments`."""
    if not argv:  # as GUIs start it
        return SimpleNamespace(command=None, version=False, settings=[], protocol="native")
    from protocol.arguments import parse_arguments

    return SimpleNamespace(**vars(parse_arguments(argv)))


def _run_program(name: str, argv: Sequence[str]) -> int:
    """`othello-engine match` and the like; what they need beyond the engine may not be installed."""
    from importlib import import_module

    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        program = import_module(f"tools.{name}.__main__")
    except ModuleNotFoundError as error:
        problem = f"{name} needs {error.name}, which is not installed: pip install 'othello-engine[match]'"
        return _complain(problem, exit_status.BAD_COMMAND_LINE)
    return cast(int, program.main(argv))


def _leave_a_deleted_folder() -> None:
    """Processes can't be started from a folder that no longer exists, and no file can be found from it."""
    try:
        os.getcwd()
    except OSError:
        os.chdir(os.sep)


def _complain(error: object, status: int) -> int:
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
    path, profile = getattr(options, "config", None), getattr(options, "profile", None)
    config = load_config(path, profile, overrides)
    game = _GAMES.get(options.protocol)
    if options.command is not None or game is None or config.game == game:
        return config
    if profile is None and "Game" not in overrides and game == "gomoku":
        # Nobody has named a game, unless a file has: its options stay, under the profile of the dialect's game.
        return load_config(path, None, {**overrides, "Game": game})
    raise ConfigError(
        f"--protocol {options.protocol} plays {game}; the profile {config.profile.name} is for {config.game}"
    )


def _make_engine(config: Config, on_message: Callable[[str], None]) -> EngineLike:
    from othello_engine.engine.engine import Engine

    return cast("EngineLike", Engine(config, on_message))


# -- the daemon --------------------------------------------------------------------------------------------


def _run_daemon(dialect: str, config: Config, wire: Wire) -> int:
    """Reader, writer and service, each on its thread, until one of them says that it is over."""
    from protocol.lines import LineReader, LineWriter
    from protocol.service import Ended, Received, Wiring
    from protocol.signals import watch_signals
    from protocol.traffic import TrafficLog

    traffic = TrafficLog()
    try:
        traffic.open(config.log_file)
    except OSError as error:
        raise _UsageError(f"{config.log_file}: {error.strerror}") from None
    writer = LineWriter(wire.output, lambda: service.post(Ended(exit_status.OUTPUT_CLOSED)), traffic.sent)
    service = _service_class(dialect)(Wiring(config, _watched_engine(wire), writer, traffic))

    def deliver(item: InputItem | None) -> None:
        service.post(Received(item))
        if service.quits_at_once and isinstance(item, str) and service.is_quit(item):
            _end_without_fail(exit_status.DONE)

    def interrupt(number: int) -> None:
        service.post(Ended(exit_status.SIGNAL_BASE + number))
        _end_without_fail(exit_status.SIGNAL_BASE + number)

    watch_signals(interrupt)
    LineReader(wire.input, deliver, service.drops_control_characters).start()
    status = service.run()
    _close(service.close, lambda: writer.close(_FLUSH_SECONDS), status)
    return exit_status.OUTPUT_CLOSED if status == exit_status.DONE and writer.failed else status


def _service_class(dialect: str) -> type[Service]:
    """The service that speaks a dialect, one of `protocol.arguments.DIALECTS`."""
    from importlib import import_module

    return cast("type[Service]", getattr(import_module(f"protocol.{dialect}"), f"{dialect.capitalize()}Service"))


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


def _signal_behind(error: BaseException | None) -> _Interrupted | None:
    """The signal in whose handling an error came up: after a hang-up the terminal can't be written to."""
    while error is not None and not isinstance(error, _Interrupted):
        error = error.__context__
    return error


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
        return _solve(options, config, screen, wire)
    if options.command == "convert":
        return _convert(options, screen, wire)
    if options.command == "profiles":
        return _profiles(config, screen)
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

    _refuse_gomoku(config, "perft")
    try:
        position = parse_board(options.board)
    except BoardError as error:
        raise _UsageError(f"--board: {error}") from None
    with _engine(config) as engine:
        return perft(engine, screen, position, options.depth)


def _refuse_gomoku(config: Config, command: str) -> None:
    if config.game == "gomoku":
        raise _UsageError(f"{command} is for Othello; the profile {config.profile.name} plays Gomoku")


def _bench(options: SimpleNamespace, config: Config, screen: Screen) -> int:
    from protocol.batch.bench import BENCH_HASH_MB, BENCH_THREADS, bench

    if "threads" not in config.explicit:
        config = config.with_option("Threads", BENCH_THREADS)
    if "hash_mb" not in config.explicit:
        config = config.with_option("Hash", BENCH_HASH_MB)
    config = config.with_option("LimitStrength", False)  # the figure is that of the build
    with _engine(config) as engine:
        return bench(engine, screen, options.depth)


def _solve(options: SimpleNamespace, config: Config, screen: Screen, wire: Wire) -> int:
    from contextlib import ExitStack

    from protocol.batch.results import (
        STANDARD_OUTPUT,
        CsvForm,
        Form,
        JsonForm,
        JsonLinesForm,
        ResultFile,
        ResultsError,
        Totals,
        open_binary,
        open_results,
        read_results,
    )
    from protocol.batch.solve import Question, solve, take_up

    _refuse_gomoku(config, "solve")
    if not config.profile.can_solve:
        raise _UsageError(f"the profile {config.profile.name} never solves")
    question = Question(options.wld, options.moves, config.is_anti)
    paths = _result_paths(options)
    shows_rows = STANDARD_OUTPUT not in paths.values()
    refused: list[Exception] = []
    with ExitStack() as open_files:
        records = _records(options, open_files, wire, refused)
        if not records:
            return exit_status.BAD_COMMAND_LINE
        planned = len(records) if isinstance(records, list) else None
        forms: dict[str, Form] = {
            "json": JsonForm(question.name, config.threads),
            "jsonl": JsonLinesForm(),
            "csv": CsvForm(),
        }
        try:
            kept = {}
            if options.resume and isinstance(records, list):
                named = {path: forms[form] for form, path in paths.items() if path != STANDARD_OUTPUT}
                kept = take_up({path: read_results(path, form) for path, form in named.items()}, records, question)
            done = tuple(kept.values())
            files = []
            for name, path in paths.items():
                if path == STANDARD_OUTPUT:
                    assert wire.output is not None
                    file = open_binary(wire.output, "wb")
                else:
                    file = open_results(path, forms[name], done, planned)
                files.append(ResultFile(path, open_files.enter_context(file), forms[name], done, planned))
            totals = Totals(planned, done)
            with _engine(config) as engine:
                status = solve(engine, screen, records, question, totals, files, kept, shows_rows)
        except ResultsError as error:
            raise _UsageError(str(error)) from None
        return exit_status.BAD_COMMAND_LINE if refused else status


def _result_paths(options: SimpleNamespace) -> dict[str, str]:
    """Where results go, by the name of the form."""
    from itertools import combinations

    names = ("json", "jsonl", "csv")
    paths = {name: path for name in names if (path := getattr(options, name)) is not None}
    if options.resume and options.file == "-":
        raise _UsageError("--resume needs a file of positions, not standard input")
    if options.resume and not any(path != "-" for path in paths.values()):
        raise _UsageError("--resume needs a file of results: --json OUT, --jsonl OUT or --csv OUT")
    if list(paths.values()).count("-") > 1:
        raise _UsageError("standard output is named twice")
    for one, other in combinations([path for path in (options.file, *paths.values()) if path != "-"], 2):
        if _is_same_file(one, other):
            raise _UsageError(f"{other} is named twice" if one == other else f"{one} and {other} are the same file")
    return paths


def _is_same_file(one: str, other: str) -> bool:
    """Also by a link, or in other letters where their case doesn't count."""
    places = [os.path.normcase(os.path.realpath(path)) for path in (one, other)]
    try:
        return places[0] == places[1] or os.path.samefile(one, other)
    except OSError:  # one of them is not there yet
        return False


def _records(
    options: SimpleNamespace, open_files: ExitStack, wire: Wire, refused: list[Exception]
) -> Iterable[ObfRecord]:
    """The positions to solve: all that a file has, or one after another as standard input brings them.

    A bad line of a file is an error, before anything is solved; one of standard input is told of, kept in `refused`,
    and left out. Empty only if all lines were refused.
    """
    from itertools import chain, islice

    from othello_engine.errors import PositionError
    from othello_engine.formats.obf import read_obf

    name = "standard input" if options.file == "-" else options.file

    def refuse(error: PositionError) -> None:
        refused.append(error)
        _complain(f"{name}: {error}", exit_status.BAD_COMMAND_LINE)

    try:
        lines = open_files.enter_context(_open_input(options.file, wire))
        records = islice(read_obf(_named_lines(lines, name), refuse if options.file == "-" else None), options.limit)
        first = next(records, None)
        if first is None:
            if not refused:
                raise _UsageError(f"{name}: no positions")
            return []
        if options.file == "-":
            return chain([first], records)
        return [first, *records]
    except OSError as error:
        raise _UsageError(f"{name}: {error.strerror}") from None
    except PositionError as error:
        raise _UsageError(f"{name}: {error}") from None


def _named_lines(lines: Iterable[str], name: str) -> Iterator[str]:
    """The lines; an error in reading them names where they come from, however late it is."""
    try:
        yield from lines
    except OSError as error:
        raise _UsageError(f"{name}: {error.strerror}") from None


def _open_input(path: str, wire: Wire) -> TextIO:
    """A text file or standard input; any line ends, a byte order mark and foreign bytes do no harm."""
    if path == "-":
        if wire.input is None:
            raise OSError(None, "closed")
        return open(wire.input, encoding="utf-8-sig", errors="replace", closefd=False)
    return open(path, encoding="utf-8-sig", errors="replace")


def _convert(options: SimpleNamespace, screen: Screen, wire: Wire) -> int:
    from protocol.batch.convert import Conversion, ConvertError, convert

    try:
        conversion = Conversion.of(
            options.source,
            options.target,
            options.source_format,
            options.target_format,
            options.players,
            options.tournaments,
            options.strict,
        )
        return convert(conversion, screen, wire)
    except ConvertError as error:
        raise _UsageError(str(error)) from None


def _profiles(config: Config, screen: Screen) -> int:
    """A line for each profile; `*` marks the one in force."""
    from othello_engine.config import load_profile, profile_names

    width = max(len(name) for name in profile_names())
    for name in profile_names():
        mark = "*" if name == config.profile.name else " "
        screen.line(f"{mark} {name:{width}}  {load_profile(name).summary}")
    return exit_status.DONE


def _warmup(config: Config, screen: Screen) -> int:
    from protocol.batch.warmup import warmup

    say = None if sys.stderr.isatty() else screen.line
    began = time.monotonic()
    with _engine(config, say) as engine:
        return warmup(engine, screen, began)
