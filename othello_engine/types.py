"""Plain values that cross layers: squares, scores, limits, search reports. No Numba, hardly any behaviour."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

N_SQUARES = 64
PASS = 64
"""The pass, where a square is expected. Legal only when it is forced."""
NO_MOVE = 65
"""No move at all: the game is over, or none is known."""

BLACK = 0
WHITE = 1


def square_name(square: int) -> str:
    """`a1`..`h8`, `pass` or `none` for a square index, PASS or NO_MOVE."""
    if square == PASS:
        return "pass"
    if square == NO_MOVE:
        return "none"
    if not 0 <= square < N_SQUARES:
        raise ValueError(f"no such square: {square}")
    return "abcdefgh"[square & 7] + str((square >> 3) + 1)


def parse_square(text: str) -> int:
    """The index (0 = a1, 63 = h8) of a square's name, case-insensitive; ValueError otherwise."""
    if len(text) == 2:
        column, row = text[0].lower(), text[1]
        if "a" <= column <= "h" and "1" <= row <= "8":
            return ord(column) - ord("a") + 8 * (ord(row) - ord("1"))
    raise ValueError(f"not a square: {text!r}")


class ScoreKind(Enum):
    """What a score's number means."""

    CENTIDISCS = "cp"
    """Midgame estimate in hundredths of a disc."""
    RAW = "raw"
    """Midgame estimate in the own units of a documented evaluation."""
    DISCS = "disc"
    """Disc difference at the end of the game, empties to the side with more discs: own minus the opponent's, and in
    anti-Othello, where fewest win, the opponent's minus own."""
    WLD = "wld"
    """Only the sign is meant: 1 win, 0 draw, -1 loss."""
    MATE = "mate"
    """Plies until five in a row are on the board, both sides counted: positive if the side to move is proved to win,
    negative if it is proved to lose."""


class Bound(Enum):
    """What a score promises about the true value."""

    EXACT = "exact"
    LOWER = "lowerbound"
    UPPER = "upperbound"


@dataclass(frozen=True, slots=True)
class Score:
    """A score for the side to move at the root.

    units_per_disc: what a disc is worth, roughly, in the units of a RAW score; nothing to the other kinds.
    """

    kind: ScoreKind
    value: int
    bound: Bound = Bound.EXACT
    units_per_disc: int = field(default=400, compare=False)

    @property
    def discs(self) -> float:
        """The value in discs, from -64 to 64, exact or an estimate; 1, 0 or -1 where only the sign is meant."""
        if self.kind is ScoreKind.MATE:
            return 64.0 if self.value > 0 else -64.0
        unit = {ScoreKind.CENTIDISCS: 100, ScoreKind.RAW: self.units_per_disc}.get(self.kind, 1)
        return max(-64.0, min(64.0, self.value / unit))


class Goal(Enum):
    """What a search is asked to find out."""

    AUTO = "auto"
    """A good move within the limits; solve when that fits."""
    EXACT = "exact"
    """The disc difference under perfect play."""
    WLD = "wld"
    """Only who wins."""


@dataclass(frozen=True, slots=True)
class Limits:
    """When a search must stop and what it is asked. The first limit reached stops it; None means no limit.

    All times in milliseconds. Clocks may be zero or negative (answer at once).
    """

    move_time_ms: int | None = None
    """Think this long for this move: a hard budget."""
    black_ms: int | None = None
    white_ms: int | None = None
    black_increment_ms: int = 0
    white_increment_ms: int = 0
    moves_to_go: int | None = None
    """Own moves until the next time control."""
    depth: int | None = None
    """Plies; a pass counts as a ply of the line but costs no search depth."""
    nodes: int | None = None
    goal: Goal = Goal.AUTO
    selectivity: int | None = None
    """Confidence of forward pruning in percent; None = the option's."""
    multipv: int | None = None
    window: tuple[int, int] | None = None
    """Discs (alpha, beta); the result may then be a bound."""
    search_moves: tuple[int, ...] | None = None
    """Only these squares at the root."""
    infinite: bool = False
    """Hold the result back until stop."""
    ponder: bool = False
    """The limits start at `ponder_hit`; until then as infinite."""
    level: int | None = None
    """Row of the level table."""
    thorough: bool = False
    """A single legal move is searched as far as any other; otherwise it is answered after a few plies."""
    heatmap: bool = False
    """In Gomoku: only what the moves look like before any search."""

    @property
    def is_open(self) -> bool:
        """True when only stop (or a ponder hit) brings the result."""
        return self.infinite or self.ponder


@dataclass(frozen=True, slots=True)
class SearchInfo:
    """One line of play found so far.

    depth: plies completed (for a solve: the empties). selectivity: confidence percent of this result, 100 = no
    forward pruning. rank: 1 = best. nps: nodes per second since `go`. time_ms: since `go`.
    hashfull: table use per mille.
    """

    depth: int
    selective_depth: int
    selectivity: int
    rank: int
    score: Score
    nodes: int
    time_ms: int
    nps: int
    hashfull: int
    pv: tuple[int, ...]
    complete: bool = True
    """False: from an iteration that was cut short; the move is proved better than the former best at this depth."""


@dataclass(frozen=True, slots=True)
class RootValue:
    """What a root move seems to be worth before any search, in the units of its evaluation."""

    move: int
    value: int


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The final answer to one `go`.

    best_move: a square, PASS when forced, NO_MOVE when the game is over. ponder_move: expected reply or NO_MOVE.
    lines: the final line of each rank, best first (empty if nothing was searched).
    document_score: the score on the profile's own documented scale (for the result line). root_values: the heatmap,
    best first, where there is one.
    """

    best_move: int
    ponder_move: int
    lines: tuple[SearchInfo, ...]
    nodes: int
    time_ms: int
    document_score: int = 0
    worker_nodes: tuple[int, ...] = field(default=())
    error: str | None = None
    """Set when the search failed inside; best_move is still legal."""
    root_values: tuple[RootValue, ...] = field(default=())
