"""GTP version 2 for Othello, with the extensions of Quarry and GoGui. docs/gtp.md is its page.

Commands are carried out strictly one after another, each with one answer. Those that come while one runs wait, `quit`
too; only GoGui's comment `# interrupt` is noticed at once and ends what runs.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from othello_engine import __version__
from othello_engine.config import find_option
from othello_engine.errors import BoardError, ConfigError, EngineError, PositionError
from othello_engine.position import Position
from othello_engine.types import BLACK, PASS, WHITE, Limits, SearchInfo, SearchResult, square_name
from protocol import exit_status, gtp_lines
from protocol.gtp_clock import Clocks, TimeSettings
from protocol.gtp_game import Record, RuleError
from protocol.gtp_lines import UNREADABLE, Request, RequestError, parse_colour, parse_count, parse_seconds, parse_vertex
from protocol.lines import LineError
from protocol.service import Search, Service, Task, Wiring

NAME = "othello-engine"
GAME = "Othello"
BOARD_SIZE = 8
ALL_MOVES = 64

Answer = Sequence[str] | None
"""The lines of an answer, none for an empty one; None if it comes later."""


@dataclass(slots=True, kw_only=True)
class _Search(Search):
    """A search that a command waits for.

    report: the lines of its answer. makes_do: with any legal move if the search failed, since a game has to go on.
    """

    report: Callable[[SearchResult], Sequence[str]]
    makes_do: bool = False


class GtpService(Service):
    """A daemon that speaks GTP."""

    quits_at_once = False
    drops_control_characters = True

    def __init__(self, wiring: Wiring) -> None:
        super().__init__(wiring)
        self._record = Record()
        self._clocks = Clocks()
        self._owed: str | None = None
        """The id of the command that has no answer yet."""
        self._last: tuple[Position, SearchResult] | None = None
        """The last search that found something."""

    @property
    def position(self) -> Position:
        """The current position."""
        return self._record.position

    # -- lines -------------------------------------------------------------------------------------------------

    @staticmethod
    def is_quit(line: str) -> bool:
        """`quit`, with or without an id."""
        request = gtp_lines.parse_request(line)
        return request is not None and request.name.lower() == "quit"

    def take_line(self, line: str) -> None:
        """Runs a command, or lets it wait for the one that runs; but nobody who leaves waits for the engine to load."""
        if gtp_lines.is_interrupt(line):
            self.stop_task()
        elif gtp_lines.parse_request(line) is not None:
            is_loading = self.task is not None and not isinstance(self.task, Search)
            if is_loading and not self.waiting and self.is_quit(line):
                self.stop_task()
            self._run_or_wait(line)

    def refuse_line(self, problem: LineError, text: str) -> None:
        """A line that can't be read has its answer when its turn comes, like all others."""
        self._run_or_wait(f"{UNREADABLE}{text}")

    def _run_or_wait(self, line: str) -> None:
        # However many wait: none may be refused, for its answer would come before theirs.
        if self.task is None:
            self.run_now(line)
        else:
            self.waiting.append(line)

    def run_line(self, line: str) -> bool:
        """Carries out a command, or says what is wrong with it."""
        if line.startswith(UNREADABLE):
            request, problem = Request("", "", ""), line.removeprefix(UNREADABLE)
        else:
            request, problem = gtp_lines.parse_request(line) or Request("", "", ""), "a command is missing"
        self._owed = request.id
        try:
            if not request.name:
                raise RequestError(f"syntax error: {problem}")
            lines = self._run(request)
        except (RequestError, RuleError) as error:
            self._fail(str(error))
            return False
        if lines is not None:
            self._succeed(lines)
        return True

    def _run(self, request: Request) -> Answer:
        command = _COMMANDS.get(request.name.lower())
        if command is None:
            raise RequestError("unknown command")
        n_words = len(request.words)
        if n_words < command.least or (command.most is not None and n_words > command.most):
            usage = f"{request.name.lower()} {command.usage}".rstrip()
            raise RequestError(f"syntax error: write {usage}")
        return command.run(self, request)

    # -- answers -----------------------------------------------------------------------------------------------

    def _succeed(self, lines: Sequence[str]) -> None:
        self._say_all(gtp_lines.format_success(self._pay(), lines))

    def _fail(self, problem: str) -> None:
        self._say_all(gtp_lines.format_failure(self._pay(), problem))

    def _pay(self) -> str:
        """The id of the command that gets its one answer now."""
        assert self._owed is not None
        request_id, self._owed = self._owed, None
        return request_id

    def _say_all(self, lines: Sequence[str]) -> None:
        for line in lines:
            self.say(line)

    def say_fault(self, problem: str) -> None:
        """The answer of the command in hand; a fault apart from any is told of on stderr.

        So is one while a search runs: the command that waits for it will have its answer from it.
        """
        if self._owed is not None and not isinstance(self.task, Search):
            self._fail(f"internal error: {problem}")
        else:
            _complain(problem)

    def say_message(self, text: str) -> None:
        """Nowhere: standard output carries answers only, and nothing is wrong."""

    def show_lines(self, search: Search, infos: list[SearchInfo]) -> None:
        """Nowhere, for the same reason."""

    # -- about the program -------------------------------------------------------------------------------------

    def _quit(self, request: Request) -> Answer:
        self.exit_status = exit_status.DONE
        return ()

    def _known_command(self, request: Request) -> Answer:
        return ("true" if request.text.lower() in _COMMANDS else "false",)

    def _list_commands(self, request: Request) -> Answer:
        return tuple(_COMMANDS)

    def _set_game(self, request: Request) -> Answer:
        if request.text.lower() != GAME.lower():
            raise RequestError(f"unsupported game: {gtp_lines.quoted(request.text)}")
        return ()

    def _option(self, request: Request) -> Answer:
        """All options, one, or a new value for one."""
        if not request.text:
            return gtp_lines.format_parameters(self.config)
        name, value = request.text, ""
        if (spec := find_option(name)) is None:
            name, _, value = request.text.partition(" ")
            spec = find_option(name)
        if spec is None:
            raise RequestError(f"unknown option: {gtp_lines.quoted(name)}")
        if spec.kind == "button":
            if self.engine_if_built is not None:
                self.engine_if_built.clear_hash()
            return ()
        if not value:
            return (gtp_lines.format_parameter(spec, self.config),)
        text = gtp_lines.parse_parameter(spec, value.strip())
        try:
            changed = self.config.with_option(spec.name, text).value_of(spec)
            if spec.key == "log_file":
                self.traffic.open(str(changed))
            if spec.key == "eval_file":
                assert self.engine  # which alone can tell whether the file is any good
            self.change_option(spec.name, changed)
        except OSError as error:
            raise RequestError(f"cannot set {spec.name}: {error.strerror or error}") from None
        except (ConfigError, EngineError) as error:
            raise RequestError(f"cannot set {spec.name}: {error}") from None
        return ()

    # -- positions ---------------------------------------------------------------------------------------------

    def _board_size(self, request: Request) -> Answer:
        if parse_count(request.text) != BOARD_SIZE:
            raise RequestError("unacceptable size")
        self._begin(Record())
        return ()

    def _clear_board(self, request: Request) -> Answer:
        """A new game. The answer comes when the engine has loaded, so that no clock of the game waits for that."""
        self._begin(Record())
        return self._answer_when_loaded()

    def _answer_when_loaded(self) -> Answer:
        self.start_task(Task(self.next_generation()))
        return None

    def _begin(self, record: Record) -> None:
        """A game, from its start or from later on: nothing that was known before is of use."""
        self._record = record
        self._clocks.restart()
        if self.engine_if_built is not None:
            self.engine_if_built.new_game()

    def launch_other(self, task: Task) -> None:
        """A command that sets up a game has waited for nothing else than that the engine can take a task."""
        self.give_up_other(task)

    def give_up_other(self, task: Task) -> None:
        """It was interrupted, or the engine can't load, which has been said."""
        if self._owed is not None:
            self._succeed(())
        self.end_task()

    def _komi(self, request: Request) -> Answer:
        gtp_lines.parse_komi(request.text)
        return ()

    def _play(self, request: Request) -> Answer:
        colour, vertex = request.words
        self._record = self._record.play(parse_colour(colour), parse_vertex(vertex))
        return ()

    def _play_sequence(self, request: Request) -> Answer:
        self._record = self._record.play_all(gtp_lines.parse_moves(request.words))
        return ()

    def _undo(self, request: Request) -> Answer:
        self._record = self._record.undo(parse_count(request.text or "1"))
        return ()

    def _load_sgf(self, request: Request) -> Answer:
        from othello_engine.formats.files import GameFormat, open_games

        name, number = gtp_lines.parse_file_name(request.text)
        before = parse_count(number) if number else None
        try:
            if not os.path.isfile(name):  # to open a pipe may take for ever
                raise FileNotFoundError(2, "there is no such file")
            game = next(iter(open_games(name, GameFormat.SGF)), None)
        except OSError as error:
            raise RequestError(f"cannot load file: {error.strerror or error}") from None
        except PositionError as error:
            raise RequestError(f"cannot load file: {error}") from None
        if game is None:
            raise RequestError("cannot load file: there is no game in it")
        moves = [each.move for each in game.moves]
        self._begin(Record.of(game.start, moves if before is None else moves[: max(0, before - 1)]))
        return self._answer_when_loaded()

    def _set_board(self, request: Request) -> Answer:
        try:
            position = Position.from_text(request.text)
        except BoardError as error:
            raise RequestError(f"syntax error: {error}") from None
        self._begin(Record(position))
        return self._answer_when_loaded()

    def _setup(self, request: Request) -> Answer:
        """These discs and no others, in a game that has not begun."""
        self._require_no_moves()
        discs = [0, 0]
        for colour, square in gtp_lines.parse_moves(request.words):
            if square == PASS:
                raise RequestError("syntax error: a pass is no disc")
            if (discs[BLACK] | discs[WHITE]) >> square & 1:
                raise RequestError(f"syntax error: two discs on {square_name(square)}")
            discs[colour] |= 1 << square
        self._begin(Record(Position(discs[BLACK], discs[WHITE], BLACK)))
        return ()

    def _setup_player(self, request: Request) -> Answer:
        self._require_no_moves()
        start, colour = self._record.start, parse_colour(request.text)
        self._begin(Record(start if start.side == colour else start.swapped()))
        return ()

    def _require_no_moves(self) -> None:
        if self._record.plies:
            raise RequestError("moves have been made; clear_board comes first")

    def _show_board(self, request: Request) -> Answer:
        return ("", *self.position.diagram())

    def _final_score(self, request: Request) -> Answer:
        self._require_end()
        return (gtp_lines.format_score(self.position, self.config.is_anti),)

    def _final_result(self, request: Request) -> Answer:
        self._require_end()
        return (gtp_lines.format_result(self.position, self.config.is_anti),)

    def _require_end(self) -> None:
        if not self.position.is_over:
            raise RequestError("cannot score: the game is not over")

    # -- time --------------------------------------------------------------------------------------------------

    def _time_settings(self, request: Request) -> Answer:
        main, period, stones = request.words
        settings = TimeSettings(parse_seconds(main), parse_seconds(period), parse_count(stones))
        if settings.main_s < 0 or settings.period_s < 0:
            raise RequestError("syntax error: a time is not negative")
        self._clocks.set(settings)
        return ()

    def _time_left(self, request: Request) -> Answer:
        colour, seconds, stones = request.words
        self._clocks.set_left(parse_colour(colour), max(0.0, parse_seconds(seconds)), parse_count(stones))
        return ()

    # -- searches ----------------------------------------------------------------------------------------------

    def _generate_move(self, request: Request) -> Answer:
        """The engine's move, made on the board."""
        colour = parse_colour(request.text)
        position = self._record.turn_of(colour)
        if position.is_over or position.must_pass:
            self._record = self._record.play(colour, PASS)
            return ("pass",)
        begun = self._clock()

        def make(result: SearchResult) -> Sequence[str]:
            self._record = self._record.play(colour, result.best_move)
            # The controller's clock also shows the way there and back.
            self._clocks.spend(colour, self._clock() - begun + self.config.move_overhead_ms / 1000)
            return (square_name(result.best_move),)

        self._search(position, self._clocks.limits(colour), make, makes_do=True)
        return None

    def _suggest_move(self, request: Request) -> Answer:
        """The engine's move, and nothing changes."""
        colour = parse_colour(request.text)
        position = self._record.turn_of(colour)
        if position.is_over or position.must_pass:
            return ("pass",)
        self._search(position, self._clocks.limits(colour), lambda result: (square_name(result.best_move),))
        return None

    def _analyse(self, form: Callable[[Position, Sequence[SearchInfo]], Sequence[str]], n_lines: int = 1) -> Answer:
        """What a search of the position without a clock finds: so many lines of play, in this form."""
        position = self.position
        if position.is_over:
            return form(position, ())

        def report(result: SearchResult) -> Sequence[str]:
            if not result.lines:
                raise RequestError("interrupted before anything was found")
            return form(position, result.lines)

        self._search(position, Limits(multipv=n_lines, thorough=True), report)
        return None

    def _search(
        self,
        position: Position,
        limits: Limits,
        report: Callable[[SearchResult], Sequence[str]],
        makes_do: bool = False,
    ) -> None:
        self.start_task(
            _Search(
                self.next_generation(),
                position=position,
                limits=replace(limits, multipv=limits.multipv or 1),
                gate=self.new_gate(),
                report=report,
                makes_do=makes_do,
            )
        )

    def answer(self, search: Search, result: SearchResult) -> None:
        """The answer of the command that waits for this search."""
        assert isinstance(search, _Search)
        if result.lines:
            assert isinstance(search.position, Position)
            self._last = (search.position, result)
        try:
            if result.error is not None:
                if not search.makes_do:
                    raise RequestError(f"internal error: {result.error}")
                _complain(result.error)
            lines = search.report(result)
        except (RequestError, RuleError) as error:
            self._fail(str(error))
        else:
            self._succeed(lines)

    # -- for GoGui ---------------------------------------------------------------------------------------------

    def _influence(self, request: Request) -> Answer:
        return self._analyse(gtp_lines.format_influence, ALL_MOVES)

    def _coloured_moves(self, request: Request) -> Answer:
        def form(position: Position, lines: Sequence[SearchInfo]) -> Sequence[str]:
            if position.is_over:
                return (f"TEXT {gtp_lines.format_result(position, self.config.is_anti)}",)
            return gtp_lines.format_coloured_moves(position, lines)

        return self._analyse(form, ALL_MOVES)

    def _line_of_play(self, request: Request) -> Answer:
        return self._analyse(lambda position, lines: [gtp_lines.format_line_of_play(line) for line in lines[:1]])

    def _score(self, request: Request) -> Answer:
        def form(position: Position, lines: Sequence[SearchInfo]) -> Sequence[str]:
            if position.is_over:
                return (gtp_lines.format_result(position, self.config.is_anti),)
            return (gtp_lines.format_verdict(position, lines[0]),)

        return self._analyse(form)

    def _last_search(self, request: Request) -> Answer:
        if self._last is None:
            return ("There was no search yet",)
        return gtp_lines.format_search(*self._last)

    def _analyze_commands(self, request: Request) -> Answer:
        return _ANALYZE_COMMANDS


def _complain(problem: str) -> None:
    """GTP's place for diagnostics is stderr."""
    sys.stderr.write(f"{NAME}: {problem}\n")


# -- the commands ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Command:
    """How a command is carried out. least, most: words behind its name; usage: what they are."""

    run: Callable[[GtpService, Request], Answer]
    least: int = 0
    most: int | None = 0
    usage: str = ""


def _constant(*lines: str) -> _Command:
    """A command that always has this answer."""
    return _Command(lambda service, request: lines)


_COMMANDS: dict[str, _Command] = {
    "protocol_version": _constant("2"),
    "name": _constant(NAME),
    "version": _constant(__version__),
    "known_command": _Command(GtpService._known_command, 1, 1, "NAME"),
    "list_commands": _Command(GtpService._list_commands),
    "quit": _Command(GtpService._quit),
    "list_games": _constant(GAME),
    "set_game": _Command(GtpService._set_game, 1, None, "NAME"),
    "boardsize": _Command(GtpService._board_size, 1, 1, "8"),
    "clear_board": _Command(GtpService._clear_board),
    "komi": _Command(GtpService._komi, 1, 1, "NUMBER"),
    "play": _Command(GtpService._play, 2, 2, "COLOUR VERTEX"),
    "genmove": _Command(GtpService._generate_move, 1, 1, "COLOUR"),
    "reg_genmove": _Command(GtpService._suggest_move, 1, 1, "COLOUR"),
    "undo": _Command(GtpService._undo),
    "gg-undo": _Command(GtpService._undo, 0, 1, "[NUMBER]"),
    "time_settings": _Command(GtpService._time_settings, 3, 3, "MAIN PERIOD STONES"),
    "time_left": _Command(GtpService._time_left, 3, 3, "COLOUR TIME STONES"),
    "final_score": _Command(GtpService._final_score),
    "showboard": _Command(GtpService._show_board),
    "loadsgf": _Command(GtpService._load_sgf, 1, None, "FILE [MOVE]"),
    "gogui-interrupt": _constant(),
    "gogui-analyze_commands": _Command(GtpService._analyze_commands),
    "gogui-play_sequence": _Command(GtpService._play_sequence, 0, None, "[COLOUR VERTEX ...]"),
    "gogui-setup": _Command(GtpService._setup, 0, None, "[COLOUR SQUARE ...]"),
    "gogui-setup_player": _Command(GtpService._setup_player, 1, 1, "COLOUR"),
    "gogui-rules_game_id": _constant(GAME),
    "gogui-rules_board": _Command(lambda service, request: gtp_lines.format_discs(service.position)),
    "gogui-rules_board_size": _constant(str(BOARD_SIZE)),
    "gogui-rules_legal_moves": _Command(lambda service, request: (gtp_lines.format_legal_moves(service.position),)),
    "gogui-rules_side_to_move": _Command(lambda service, request: (("black", "white")[service.position.side],)),
    "gogui-rules_final_result": _Command(GtpService._final_result),
    "othello_engine-setboard": _Command(GtpService._set_board, 1, None, "SQUARES SIDE"),
    "othello_engine-option": _Command(GtpService._option, 0, None, "[NAME [VALUE]]"),
    "othello_engine-influence": _Command(GtpService._influence),
    "othello_engine-move_scores": _Command(GtpService._coloured_moves),
    "othello_engine-line_of_play": _Command(GtpService._line_of_play),
    "othello_engine-score": _Command(GtpService._score),
    "othello_engine-last_search": _Command(GtpService._last_search),
}

_ANALYZE_COMMANDS = (
    "gfx/Scores of the Moves/othello_engine-move_scores",
    "dboard/Influence of the Moves/othello_engine-influence",
    "var/Line of Play/othello_engine-line_of_play",
    "string/Score/othello_engine-score",
    "hstring/Last Search/othello_engine-last_search",
    "pstring/Legal Moves/gogui-rules_legal_moves",
    "string/Final Score/final_score",
    "param/Options/othello_engine-option",
)
