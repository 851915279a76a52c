"""What a manager has said by INFO: time, memory, limits of a search. Pure.

Values hold from when they come, over START and RESTART, until others come; only a clock of a game that is over is
forgotten. Nothing here is ever refused: what means nothing is left out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from othello_engine.types import BLACK, Limits
from protocol.gomocup_lines import parse_number

FREESTYLE = 0
"""The rule that can be played: five or more in a row win, nothing is forbidden."""
UNLIMITED_MS = 2**31 - 1
"""What managers send for a clock that doesn't run; longer times mean the same."""
LEAST_MARGIN_MS = 30
"""Kept back of a move's time even if the option MoveOverhead says less."""
LEAST_THINKING_MS = 20
"""With less than this left, the move is made at once."""
PATIENCE_PART = 0.85
"""The kernels are waited for in this part of a move's time: a machine that is busy with them is late with all else."""
CLOCK_SHARE = 7
"""A move never gets more than one part in this of the own clock."""
INSTANT_NODES, INSTANT_DEPTH = 2_000, 4
"""A move that is to be made at once: some milliseconds of search."""
INSTANT_STOP_MS, INSTANT_ANSWER_MS = 25, 35
STOP_PART, ANSWER_PART = 0.85, 0.65
"""Parts of the margin that are left when a search that should have ended is stopped, and when its move is given without
waiting for it any longer."""
MIB = 2**20
KIB = 2**10
BASE_BYTES = 64 * MIB
"""What the program takes besides its workers and the table: two small processes, and the libraries that the workers
share."""
WORKER_BYTES = 104 * MIB
"""What each worker takes: an interpreter with Numba, its compiled code, its own tables."""
WANTED_HASH_MB = 16
"""A worker less is better than a table smaller than this."""


@dataclass(frozen=True, slots=True)
class Allowance:
    """How long a move may take, in milliseconds from when it was asked for.

    limits: what the engine is told, if it begins at once. thinking_ms: all that may be used. patience_ms: how long the
    kernels may be waited for. stop_ms: when a search that should have ended by itself is told to. answer_ms: when the
    answer can't wait any longer. None: no such time.
    """

    limits: Limits
    thinking_ms: float | None = None
    patience_ms: float | None = None
    stop_ms: float | None = None
    answer_ms: float | None = None

    @property
    def is_instant(self) -> bool:
        """True if the move is to be made at once."""
        return self.thinking_ms == 0

    def limits_after(self, elapsed_ms: float) -> Limits:
        """The limits for a search that begins so much later."""
        ms = int(elapsed_ms)
        limits = self.limits
        if limits.move_time_ms is not None:
            limits = replace(limits, move_time_ms=max(1, limits.move_time_ms - ms))
        if limits.black_ms is not None:
            limits = replace(limits, black_ms=max(1, limits.black_ms - ms))
        if limits.white_ms is not None:
            limits = replace(limits, white_ms=max(1, limits.white_ms - ms))
        return limits


class Info:
    """All that INFO has said. Times in milliseconds; None: never said.

    rule: as it was said. show_detail: Yixin-Board's wish for marks on its board.
    """

    def __init__(self) -> None:
        self.rule = FREESTYLE
        self.timeout_turn: int | None = None
        self.timeout_match = 0
        self.time_increment = 0
        self.max_depth = 0
        self.max_nodes = 0
        self.max_memory = 0
        self.hash_kib = 0
        self.threads = 0
        self.show_detail = 0
        self._time_left: int | None = None
        self._is_running = False
        """A move was made on this clock."""
        self._match_used_ms = 0.0

    # -- what is said ------------------------------------------------------------------------------------------

    def take(self, text: str) -> str:
        """What stands behind INFO; the key that was understood, in lower case, or an empty text."""
        key, _, value = text.strip().partition(" ")
        number = parse_number(value)
        if number is None:
            return ""
        match key.lower():
            case "rule":
                self.rule = number
            case "timeout_turn":
                self.timeout_turn = max(0, number)
            case "timeout_match":
                self.timeout_match = max(0, number)
            case "time_left":
                self._time_left, self._is_running = min(number, UNLIMITED_MS), False
            case "time_increment":
                self.time_increment = max(0, number)
            case "max_depth":
                self.max_depth = max(0, number)
            case "max_node":
                self.max_nodes = max(0, number)
            case "max_memory":
                self.max_memory = max(0, number)
            case "hash_size":
                self.hash_kib = max(0, number)
            case "thread_num":
                self.threads = max(0, number)
            case "show_detail":
                self.show_detail = number
            case _:
                return ""
        return key.lower()

    def begin_game(self) -> None:
        """A new game: the clock of the one before means nothing any more. One that was set since does."""
        self._match_used_ms = 0.0
        if self._is_running:
            self._time_left = None

    def spend(self, ms: float) -> None:
        """An own move took so long. Nobody but us counts it if the manager does not send `time_left`."""
        self._match_used_ms += ms
        self._is_running = True
        if self._time_left is not None and self._time_left < UNLIMITED_MS:
            self._time_left += self.time_increment - int(ms)

    # -- what it means -----------------------------------------------------------------------------------------

    @property
    def clock_ms(self) -> int | None:
        """Own time left for the game; None without a limit. `time_left` counts for more than `timeout_match`."""
        if self._time_left is not None:
            return self._time_left if self._time_left < UNLIMITED_MS else None
        if 0 < self.timeout_match < UNLIMITED_MS:
            return int(self.timeout_match - self._match_used_ms)
        return None

    def allowance(self, side: int, overhead_ms: int) -> Allowance:
        """How long a move of `side` may take. overhead_ms: the option MoveOverhead, which the engine takes off."""
        margin = max(LEAST_MARGIN_MS, overhead_ms)
        turn = self.timeout_turn if self.timeout_turn is None or self.timeout_turn < UNLIMITED_MS else None
        clock = self.clock_ms
        most = [turn - margin] if turn is not None else []
        if clock is not None:
            most.append(min(clock - margin, clock // CLOCK_SHARE))
        if most and min(most) < LEAST_THINKING_MS:
            depth, nodes = self.max_depth or INSTANT_DEPTH, self.max_nodes or INSTANT_NODES
            instant = Limits(depth=min(depth, INSTANT_DEPTH), nodes=min(nodes, INSTANT_NODES), multipv=1)
            return Allowance(instant, 0.0, 0.0, INSTANT_STOP_MS, INSTANT_ANSWER_MS)
        limits = Limits(depth=self.max_depth or None, nodes=self.max_nodes or None, multipv=1)
        if turn is not None:
            limits = replace(limits, move_time_ms=turn - (margin - overhead_ms))
        if clock is not None:
            left, more = clock - (margin - overhead_ms), self.time_increment
            if side == BLACK:
                limits = replace(limits, black_ms=left, black_increment_ms=more)
            else:
                limits = replace(limits, white_ms=left, white_increment_ms=more)
        if not most:
            return Allowance(limits)
        end = min(each for each in (turn, clock) if each is not None)
        thinking_ms = float(min(most))
        stop_ms, answer_ms = end - STOP_PART * margin, end - ANSWER_PART * margin
        return Allowance(limits, thinking_ms, PATIENCE_PART * thinking_ms, stop_ms, answer_ms)

    def resources(self, hash_mb: int, threads: int) -> tuple[int, int]:
        """MiB of the table and workers, as `fit` allows. hash_mb, threads: where the manager has no wish."""
        wanted_hash = self.hash_kib * KIB // MIB if self.hash_kib else hash_mb
        return fit(max(1, wanted_hash), self.threads or threads, self.max_memory)


def fit(hash_mb: int, threads: int, max_bytes: int) -> tuple[int, int]:
    """MiB of the table and workers, cut so that the whole program stays below a limit; 0: no limit.

    Workers go first, down to one, until WANTED_HASH_MB are left for the table; then the table shrinks, to a power of
    two, down to one. Below that nothing helps, and nothing fails.
    """
    if max_bytes <= 0:
        return hash_mb, threads
    kept = min(hash_mb, WANTED_HASH_MB) * MIB
    threads = max(1, min(threads, (max_bytes - BASE_BYTES - kept) // WORKER_BYTES))
    left_mb = (max_bytes - BASE_BYTES - threads * WORKER_BYTES) // MIB
    if left_mb < hash_mb:
        hash_mb = 2 ** max(0, max(1, left_mb).bit_length() - 1)
    return hash_mb, threads
