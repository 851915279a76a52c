"""A match from its folder to its summary: plays what is not played yet, shows it, and knows when to stop."""

from __future__ import annotations

import datetime
import json
import signal
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from typing import Any

import psutil
from rich.console import Console
from rich.live import Live

from tools.match.folder import Folder
from tools.match.game import Rules
from tools.match.games import AnyOpening
from tools.match.picture import draw
from tools.match.record import GameRecord
from tools.match.report import game_text, live_table, markdown, sprt_text, standing_text, summary
from tools.match.schedule import pairings, schedule
from tools.match.settings import Settings, UsageError
from tools.match.standing import Duel, Standing
from tools.match.stats import Verdict
from tools.match.tournament import Tournament

_REFRESH_S = 0.5
"""Least time between two pictures of the live table; drawing takes a few milliseconds from the games."""
_LOG_EVERY_S = 10.0
"""Between two lines of the standing where there is no terminal."""
_WARM_GAMES = 100
"""After so many games everything has been loaded and allocated once; what is added then grows with the match."""
_SUMMARY = "summary"
_PICTURES = ("score.png", "score.svg")


_NOT_SHOWN = (OSError, SystemExit)
"""Raised where nobody reads any more; the second is what Rich makes of a broken pipe."""


@contextmanager
def _read_by_somebody() -> Iterator[None]:
    """A terminal or a pipe that was closed ends the match as Ctrl-C does."""
    try:
        yield
    except _NOT_SHOWN:
        signal.signal(signal.SIGHUP, signal.SIG_IGN)  # it may come as well, and once is enough
        raise KeyboardInterrupt from None


class _Show:
    """What the user sees while the match runs: a live table in a terminal, otherwise a line now and then."""

    def __init__(self, console: Console, settings: Settings, standing: Standing, n_games: int, quiet: bool) -> None:
        self._console, self._settings, self._standing = console, settings, standing
        self._n_games, self._quiet = n_games, quiet
        can_redraw = console.is_terminal and not console.is_dumb_terminal
        self._live = Live(console=console, auto_refresh=False, transient=True) if can_redraw else None
        self._shown_at = 0.0
        self._began, self._n_before = time.perf_counter(), standing.n_games

    def __enter__(self) -> _Show:
        if self._live:
            with _read_by_somebody():
                self._live.start()
                self._table()  # the first game may take long
        return self

    def __exit__(self, *_: object) -> None:
        if self._live:
            with suppress(*_NOT_SHOWN):
                self._live.stop()

    def line(self, text: str, style: str | None = None) -> None:
        self._console.print(text, style=style, markup=False, highlight=False, soft_wrap=True)

    def game(self, record: GameRecord) -> None:
        """Tell of a game, and of the standing if it is time. KeyboardInterrupt if nobody reads that any more."""
        with _read_by_somebody():
            self._tell(record)

    def _tell(self, record: GameRecord) -> None:
        if record.fault:
            self.line(game_text(record), "red")
        elif not self._quiet and not self._live:
            self.line(game_text(record))
        now = time.perf_counter()
        if now - self._shown_at < (_REFRESH_S if self._live else _LOG_EVERY_S):
            return
        self._shown_at = now
        if self._live:
            self._table(self._time_text(now))
        else:
            self._lines()

    def _table(self, time_text: str = "") -> None:
        if self._live:
            self._live.update(live_table(self._standing, self._settings, self._n_games, time_text), refresh=True)

    def _time_text(self, now: float) -> str:
        """`0:05:00 gone, 0:20:00 left`."""
        gone = now - self._began
        left = gone * (self._n_games - self._standing.n_games) / (self._standing.n_games - self._n_before)
        texts = [str(datetime.timedelta(seconds=round(seconds))) for seconds in (gone, left)]
        return f"{texts[0]} gone, {texts[1]} left"

    def _lines(self) -> None:
        text = standing_text(self._standing)
        self.line(f"{self._standing.n_games} of {self._n_games} games  {text}")
        if self._settings.sprt:
            self.line(sprt_text(self._settings.sprt, self._standing.duels[0, 1]))


def play(
    settings: Settings,
    openings: Sequence[AnyOpening],
    folder: Folder,
    console: Console,
    quiet: bool = False,
    prepare: Callable[[], object] = lambda: None,
) -> int:
    """Play what the folder does not hold yet, and write the summary there; the exit status: 0, or 130 if interrupted.

    prepare: called if there is something to play, before it begins.
    """
    n_games = 2 * len(openings) * len(pairings(len(settings.engines), settings.mode))
    engines = settings.engines
    move_times = [spec.limits.move_s for spec in engines]
    standing = Standing([spec.name for spec in engines], move_times, settings.game.unit)
    memory = {"start": _own_memory_mb()}
    began = time.perf_counter()
    with ExitStack() as stack:
        stack.callback(folder.close)
        folder.lock()
        tournament = stack.enter_context(_tournament(settings, openings, folder, standing, stack))
        folder.rebuild()
        folder.open()
        state = _state(settings, standing, n_games, tournament)
        try:
            if not state:
                prepare()
            show = stack.enter_context(_Show(console, settings, standing, n_games, quiet))
            if not state:
                for record in tournament:
                    folder.append(record)
                    standing.add(record)
                    show.game(record)
                    if standing.n_games == _WARM_GAMES:
                        memory["warm"] = _own_memory_mb()
                    if state := _state(settings, standing, n_games, tournament):
                        break
        except KeyboardInterrupt:
            state = "interrupted"
        tournament.close()
        withdrawn = sorted(tournament.withdrawn)
    memory["end"] = _own_memory_mb()
    facts: dict[str, Any] = {
        "state": state or "played as far as its engines could",
        "n_games": n_games,
        "seconds_of_this_run": round(time.perf_counter() - began, 1),
        "withdrawn": withdrawn,
        "untold": folder.untold,
        "overhead_ms": standing.overhead_ms,
        "memory_mb": memory,
        "picture": _PICTURES[0],
    }
    _write(folder, standing, settings, facts)
    with suppress(*_NOT_SHOWN):
        _say_result(console, folder, standing, settings, facts)
    return 130 if state == "interrupted" else 0


def _tournament(
    settings: Settings, openings: Sequence[AnyOpening], folder: Folder, standing: Standing, stack: ExitStack
) -> Tournament:
    """Everything that is still to be played; what was played before is counted."""
    solver, interrupt = None, None
    if settings.adjudicate:
        from tools.match.solver import ExactSolver

        solver = stack.enter_context(ExactSolver(settings.is_anti))
        interrupt = solver.interrupt
    rules = Rules(
        settings.margin,
        settings.hang,
        settings.patience,
        settings.adjudicate,
        solver,
        is_anti=settings.is_anti,
        draw_after=settings.draw_after,
    )
    meetings = schedule(len(settings.engines), settings.mode, openings)
    tournament = Tournament(settings.engines, meetings, rules, settings.concurrency, settings.give_up, interrupt)
    for record in folder.records():
        for name in (record.black, record.white):
            if name not in standing.names:
                raise UsageError(f"{folder.path}: game {record.number + 1} is of {name}, which is not in the match")
        if record.game != settings.game:
            raise UsageError(
                f"{folder.path}: game {record.number + 1} is of {record.game.label}, but the match of "
                f"{settings.game.label}; that can't be changed"
            )
        standing.add(record)
        tournament.skip(record)
    return tournament


def _state(settings: Settings, standing: Standing, n_games: int, tournament: Tournament) -> str:
    """Why the match is over; an empty text if it is not."""
    if settings.sprt:
        verdict = settings.sprt.verdict(standing.duels.get((0, 1), Duel()).pentanomial)
        if verdict is not Verdict.OPEN:
            return f"decided: {verdict}"
    if standing.n_games == n_games:
        return "played to the end"
    if len(tournament.withdrawn) >= len(settings.engines) - 1:
        return "over, as too few engines are left"
    return ""


def _write(folder: Folder, standing: Standing, settings: Settings, facts: dict[str, Any]) -> None:
    (folder.path / f"{_SUMMARY}.md").write_text(markdown(standing, settings, facts), encoding="utf-8")
    text = json.dumps(summary(standing, settings, facts), indent=1)
    (folder.path / f"{_SUMMARY}.json").write_text(text + "\n", encoding="utf-8")
    for name in _PICTURES:
        draw(standing, folder.path / name, settings.title)


def _say_result(
    console: Console, folder: Folder, standing: Standing, settings: Settings, facts: Mapping[str, Any]
) -> None:
    if standing.n_games:
        console.print(live_table(standing, settings, facts["n_games"]))
    lines = [f"{facts['state']}; everything is in {folder.path}"]
    for name in facts["withdrawn"]:
        lines.append(f"{name} was taken out: {settings.give_up} games one after another failed")
    if facts["state"] == "interrupted":
        lines.append(f"go on with: othello-engine match --resume {folder.path}")
    for line in lines:
        console.print(line, markup=False, highlight=False, soft_wrap=True)


def _own_memory_mb() -> float:
    resident: int = psutil.Process().memory_info().rss
    return round(resident / (1 << 20), 1)
