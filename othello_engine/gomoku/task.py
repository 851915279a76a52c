"""What is asked of a search process for Gomoku and what it answers. Plain values without Numba, sent over pipes."""

from __future__ import annotations

from dataclasses import dataclass

from othello_engine.gomoku.position import NO_CELL

MAX_DEPTH = 60
"""Plies of the deepest iteration."""
FACT_NODES = 200_000
"""Positions that are worth looking at for a win by fours before the first iteration, if there is the time."""


@dataclass(frozen=True, slots=True)
class GomokuTask:
    """Search one position to one depth.

    size, cells, side: as of a GomokuPosition. depth: plies; 0: only what can be proved or ruled out at once. moves:
    the only cells allowed at the root, in order; empty = the search's own candidates. excluded: cells not allowed at
    the root. losing: root moves that an earlier task has proved to lose; they are left out while there are others.
    node_limit: stop after so many nodes, or a few more; 0 = none. generation: age stamped on table entries, 0..255.
    epoch: table entries of other epochs don't exist. former_move, former_score: of the iteration before, NO_CELL if
    there was none; the move is searched first. fact_nodes: of depth 0, positions that may be looked at to find a win by
    fours, as many to find one by threats, and as many to find the opponent's after each move; of other depths, three
    times what a best move is checked with. is_companion: another worker searches the same; this one helps it
    by what it leaves in the table.
    """

    size: int
    cells: bytes
    side: int
    depth: int
    moves: tuple[int, ...] = ()
    excluded: tuple[int, ...] = ()
    losing: tuple[int, ...] = ()
    node_limit: int = 0
    generation: int = 0
    epoch: int = 0
    former_move: int = NO_CELL
    former_score: int = 0
    fact_nodes: int = FACT_NODES
    is_companion: bool = False


@dataclass(frozen=True, slots=True)
class RootScore:
    """What a root move is worth, at most, for the side to move. mate: as of GomokuResult."""

    move: int
    score: int
    mate: int = 0


@dataclass(frozen=True, slots=True)
class GomokuResult:
    """The answer to a GomokuTask.

    complete: all root moves were searched to the depth. If not, `best_move` is one of those finished that is proved to
    be at least as good as the former best at this depth, NO_CELL if there is none. score: for the side to move, in the
    evaluation's units. mate: plies until the five is on the board, both sides counted, if the side to move is proved to
    win; negative if it is proved to lose; 0 = nothing proved. pv: begins with best_move. selective_depth: deepest ply
    reached. moves: the root moves that are known, best first.

    Of a task of depth 0 `best_move` is a move that is proved to win, or the only one that doesn't lose at once, else
    NO_CELL; `moves` holds those that are proved to win or to lose.
    """

    score: int
    best_move: int
    pv: tuple[int, ...]
    nodes: int
    complete: bool
    mate: int = 0
    selective_depth: int = 0
    moves: tuple[RootScore, ...] = ()


@dataclass(frozen=True, slots=True)
class Heatmap:
    """What each candidate cell seems to be worth before any search, best first."""

    moves: tuple[RootScore, ...]
    nodes: int = 0
