"""Clocks by the rules of GTP: main time, then periods of so many moves in so much time (Canadian byo-yomi). Pure.

`time_settings` is believed over the default, `time_left` over our own count, and our own count is what remains where a
controller never sends it.
"""

from __future__ import annotations

from dataclasses import dataclass

from othello_engine.types import BLACK, Limits

MOST_SECONDS = 1e9
"""Longer times mean this one, thirty years: no sum of such times is too large to count with."""


@dataclass(frozen=True, slots=True)
class TimeSettings:
    """Main time and what follows it: `stones` moves in each period. All zero after the main time: sudden death."""

    main_s: float
    period_s: float
    stones: int

    @property
    def is_unlimited(self) -> bool:
        """True for a period without moves, GTP's way to say so; also without any time, since no game is meant so."""
        return (self.period_s > 0 and self.stones == 0) or (self.main_s <= 0 and self.period_s <= 0)

    @property
    def has_periods(self) -> bool:
        """True if the game goes on when the main time is over."""
        return self.period_s > 0 and self.stones > 0


@dataclass(slots=True)
class _Left:
    """What a side has left: main time, or, when that is over, time and moves of the running period."""

    main_s: float
    period_s: float
    stones: int


class Clocks:
    """Both sides' time. Nothing runs by itself: `spend` is told what a move took."""

    def __init__(self) -> None:
        self._settings = TimeSettings(0.0, 0.0, 0)
        self._period: TimeSettings | None = None
        """What a period holds, if the game goes on after the main time."""
        self._left: list[_Left | None] = [None, None]

    def set(self, settings: TimeSettings) -> None:
        """The time of the games to come, this one included."""
        self._settings = settings
        self.restart()

    def restart(self) -> None:
        """Full clocks for a new game."""
        settings = self._settings
        self._period = settings if settings.has_periods else None
        for colour in range(2):
            self._left[colour] = None if settings.is_unlimited else _Left(settings.main_s, 0.0, 0)
            self._enter_period(colour)

    def set_left(self, colour: int, seconds: float, stones: int) -> None:
        """What the controller's clock shows; stones: 0 while the main time runs.

        A clock that shows nothing starts none where none is in force. A period that was never announced is taken for
        one like all others.
        """
        if stones > 0:
            self._period = self._period or TimeSettings(0.0, seconds, stones)
            self._left[colour] = _Left(0.0, seconds, stones)
        elif seconds > 0 or self._left[colour] is not None:
            self._left[colour] = _Left(seconds, 0.0, 0)
            self._enter_period(colour)

    def spend(self, colour: int, seconds: float) -> None:
        """A move was made that took so long."""
        left = self._left[colour]
        if left is None:
            return
        if left.main_s > seconds:
            left.main_s -= seconds
            return
        if left.main_s > 0:
            seconds -= left.main_s
            left.main_s = 0.0
            self._enter_period(colour)
        left.period_s = max(0.0, left.period_s - seconds)
        left.stones = max(0, left.stones - 1)
        self._enter_period(colour)

    def limits(self, colour: int) -> Limits:
        """The limits of a search for a move of this side."""
        left, period = self._left[colour], self._period
        if left is None:
            return Limits()
        seconds, increment, moves_to_go = left.main_s, 0.0, None
        if left.stones > 0:
            seconds, moves_to_go = left.period_s, left.stones
        elif period is not None:
            increment = period.period_s / period.stones
            if seconds <= increment:  # this move may well be the first of a period
                seconds, increment, moves_to_go = seconds + period.period_s, 0.0, period.stones
        clock, more = round(1000 * seconds), round(1000 * increment)
        if colour == BLACK:
            return Limits(black_ms=clock, black_increment_ms=more, moves_to_go=moves_to_go)
        return Limits(white_ms=clock, white_increment_ms=more, moves_to_go=moves_to_go)

    def _enter_period(self, colour: int) -> None:
        """A new period, if the main time is over and no period runs."""
        left, period = self._left[colour], self._period
        if left is not None and period is not None and left.main_s <= 0 and left.stones == 0:
            left.period_s, left.stones = period.period_s, period.stones
