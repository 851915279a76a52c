"""Which of a search's reports are printed: enough for a person and a graph, never a flood."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from othello_engine.types import SearchInfo, SearchResult
from protocol.commands import nodes_per_second


class ProgressGate:
    """Lets the first and the last report of one search through, and those between at most once an interval.

    A report is all lines of play of one depth, best first; it passes or waits as a whole. A waiting report is
    replaced by a newer one, and printed when the interval is over even if none comes. Depths never go back.
    interval: seconds, 0 lets everything through. clock: seconds, monotonic.
    """

    def __init__(self, interval: float, clock: Callable[[], float]) -> None:
        self._interval = interval
        self._clock = clock
        self._last_time: float | None = None
        self._depth = 0
        self._passing = False
        self._waiting: dict[int, SearchInfo] = {}
        self._printed: dict[int, SearchInfo] = {}

    def offer(self, info: SearchInfo) -> list[SearchInfo]:
        """The lines to print now that this one has come."""
        if info.depth < self._depth:
            return []
        if info.rank == 1:
            self._waiting.clear()
            self._passing = self._interval_is_over()
            if self._passing:
                self._last_time = self._clock()
        if self._passing:
            return [self._print(info)]
        self._waiting[info.rank] = info
        return []

    def seconds_until_due(self) -> float | None:
        """When `flush` has something to print; None if nothing waits."""
        if not self._waiting or self._last_time is None:
            return None
        return max(0.0, self._last_time + self._interval - self._clock())

    def flush(self) -> list[SearchInfo]:
        """The waiting report, if its time has come."""
        if not self._waiting or not self._interval_is_over():
            return []
        self._last_time = self._clock()
        self._passing = True  # lines of this report that come later belong to what is printed now
        lines = [self._print(info) for _, info in sorted(self._waiting.items())]
        self._waiting.clear()
        return lines

    def finish(self, result: SearchResult) -> list[SearchInfo]:
        """The last report, with the whole search's nodes and time, unless just that was printed already.

        After an interruption its first lines may be of a later depth than the others; then all are printed, since a
        new best move shifts the ranks of the rest.
        """
        final = result.lines or tuple(info for _, info in sorted(self._waiting.items()))
        if not final or final[0].depth < self._depth or all(self._was_printed(line, result) for line in final):
            return []
        return [self._print(_with_totals(line, result)) for line in final]

    def _was_printed(self, line: SearchInfo, result: SearchResult) -> bool:
        """True if the same was said last about this rank, and no positions have been visited since."""
        printed = self._printed.get(line.rank)
        return printed is not None and _without_times(replace(line, nodes=result.nodes)) == _without_times(printed)

    def _interval_is_over(self) -> bool:
        return self._last_time is None or self._clock() - self._last_time >= self._interval

    def _print(self, info: SearchInfo) -> SearchInfo:
        self._depth = info.depth
        self._printed[info.rank] = info
        return info


def _with_totals(line: SearchInfo, result: SearchResult) -> SearchInfo:
    if result.nodes < line.nodes:
        return line
    rate = nodes_per_second(result.nodes, result.time_ms)
    return replace(line, nodes=result.nodes, time_ms=result.time_ms, nps=rate)


def _without_times(line: SearchInfo) -> SearchInfo:
    return replace(line, time_ms=0, nps=0, hashfull=0)
