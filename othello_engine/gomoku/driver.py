"""One search process's searcher for Gomoku: turns tasks into kernel calls and kernel records into plain answers."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np

from othello_engine.core.layout import EPOCHS, TABLE_BUCKET_BYTES
from othello_engine.core.searcher import StateSearcher, sampled_use
from othello_engine.gomoku import table, weights
from othello_engine.gomoku.board import place, set_up, undo
from othello_engine.gomoku.forcing import ATTACKER_KEYS, OUT_OF_NODES, fours_move, known_end, shortest_fours
from othello_engine.gomoku.lines import (
    CELL_DOUBLE_OPEN_THREE,
    CELL_FIVE,
    CELL_FOUR,
    CELL_FOUR_OPEN_THREE,
    CELL_FOUR_PLUS,
    CELL_OPEN_FOUR,
)
from othello_engine.gomoku.position import EMPTY, NO_CELL, STONES, GomokuPosition
from othello_engine.gomoku.search import INFINITE as _INFINITE
from othello_engine.gomoku.search import (
    STOPPED_SCORE,
    find_losing,
    list_moves,
    search_root,
    static_score,
)
from othello_engine.gomoku.state import (
    FRAME_WORDS,
    HASH,
    MAX_PLY,
    ROOT_MOVES,
    STATE_DTYPE,
    fill_near,
    new_state,
    state_at,
)
from othello_engine.gomoku.table import BUCKET_ENTRIES
from othello_engine.gomoku.task import GomokuResult, GomokuTask, Heatmap, RootScore
from othello_engine.gomoku.threats import threats_move, threats_reply, threats_win

MATE = int(table.MATE)
INFINITE = int(_INFINITE)
MATE_BOUND = int(table.MATE_BOUND)

_PROOF_ENTRIES = 1 << 18
_THREAT_ENTRIES = 1 << 17
_LONGEST_FOURS = 60
_FOURS = (CELL_FOUR, CELL_FOUR_PLUS, CELL_FOUR_OPEN_THREE, CELL_OPEN_FOUR, CELL_FIVE)
"""Cell classes of a four or five."""
_FIRST_WINDOW = 40
_LINE_NODES = 40_000
"""Of the searches for fours and threats while a variation is written down."""
_WINDOW_DEPTH = 4
_CHECK_SHARE = 3
"""Of the positions that a question at the root is worth: a part for each best move, to see what threats do to it."""
_NOISE_BITS = 11
"""Of what a companion adds to its history scores."""


def table_use(buffer: Any, generation: int, epoch: int) -> int:
    """How full the table is with entries of this generation and epoch, per mille, from a sample."""
    return sampled_use(table.count_used, BUCKET_ENTRIES, buffer, generation, epoch)


def mate_of(score: int) -> int:
    """Plies to the end that a score proves, positive for a win; 0 if it proves nothing."""
    if abs(score) < MATE_BOUND:
        return 0
    return MATE - score if score > 0 else -MATE - score


class Searcher(StateSearcher):
    """Kernels, state record and table of one search process.

    state_buffer: STATE_BYTES of writable memory, kept alive by the caller. cell_weights: instead of those that come
    with the package. Not thread-safe, except that `evaluate` may be called while `run` is running.
    """

    def __init__(self, state_buffer: Any, cell_weights: weights.CellWeights | None = None) -> None:
        super().__init__(state_buffer, state_at, STATE_DTYPE)
        self._other_state = new_state()
        cell_weights = cell_weights or weights.shipped()
        self._info = weights.info_table(cell_weights)
        for state in (self._state, self._other_state):
            state.info[:] = self._info
            state.tempo = cell_weights.tempo
        self._proofs = np.zeros(_PROOF_ENTRIES, np.uint64)
        self._state.proof_address = self._proofs.ctypes.data
        self._state.proof_mask = _PROOF_ENTRIES - 1
        self._threats = np.zeros(2 * _THREAT_ENTRIES, np.uint64)
        self._state.threat_address = self._threats.ctypes.data
        self._state.threat_mask = _THREAT_ENTRIES - 1
        self._generation = self._epoch = -1
        self._order: list[int] = []
        self._order_of: tuple[int, bytes, int] | None = None
        self._line_end = 0
        # Of the position of _order_of: a win found before any search; nodes spent on each move that was checked; what
        # those moves are worth that lost.
        self._win: RootScore | None = None
        self._looked_at: dict[int, int] = {}
        self._refuted: dict[int, RootScore] = {}
        self.attach_table(bytearray(TABLE_BUCKET_BYTES))

    def new_game(self) -> None:
        """Forget what is kept from search to search; the shared table is the parent's to clear."""
        self._forget()
        self._generation = -1

    def _forget(self) -> None:
        self._state.killers[:] = -1
        self._state.replies[:] = -1
        self._state.history[:] = 0
        self._proofs[:] = 0
        self._threats[:] = 0
        self._order_of = None

    # -- tasks -----------------------------------------------------------------------------------------------

    def run(self, task: GomokuTask) -> GomokuResult:
        """Search one task; returns early, with what is proved, when the stop flag is set. See GomokuResult.

        The position isn't over.
        """
        state = self._prepare(task)
        if task.depth <= 0:
            return self._at_once(task)
        moves = self._root_order(task)
        if self._win is not None and self._win.move in moves:  # found before any search, but other lines are wanted too
            return self._result(task, self._win.score, self._win.move, [self._win.move], True, (self._win,))
        former = task.former_score
        width = INFINITE
        if task.depth >= _WINDOW_DEPTH and task.former_move != NO_CELL and not mate_of(former):
            width = _FIRST_WINDOW
        best_move, score, complete = NO_CELL, -INFINITE, True
        pv: list[int] = []
        scores: tuple[RootScore, ...] = ()
        while moves:
            self._order = moves
            state.root_cells[: len(moves)] = moves
            state.n_root = len(moves)
            best_move, score, pv, complete = self._search(task, width)
            scores = self._root_scores()
            if not complete or mate_of(score) or not self._is_refuted(task, best_move):
                break
            moves = [move for move in self._order if move != best_move]
            best_move, score, scores = NO_CELL, -INFINITE, ()
        refuted = self._known_refuted(task)
        last = max(refuted, key=lambda known: known.score, default=None)
        if complete and last is not None and last.score > score:  # all lose, this one last
            best_move, score, pv = last.move, last.score, [last.move]
        if complete:
            self._order = [best_move, *(move for move in self._order if move != best_move)]
        known = sorted((*scores, *refuted), key=lambda known: (-known.score, known.move != best_move))
        return self._result(task, score, best_move, pv, complete, tuple(known))

    def _known_refuted(self, task: GomokuTask) -> list[RootScore]:
        """Those of the allowed root moves that are refuted."""
        return [
            known
            for move, known in self._refuted.items()
            if (not task.moves or move in task.moves) and move not in task.excluded
        ]

    def _search(self, task: GomokuTask, width: int) -> tuple[int, int, list[int], bool]:
        """Best move, score and variation of the root moves, and whether all were searched.

        width: of the first window, either way; INFINITE for none.
        """
        state = self._state
        former = task.former_score
        alpha, beta = max(former - width, -INFINITE), min(former + width, INFINITE)
        if width == INFINITE:
            alpha, beta = -INFINITE, INFINITE
        best_move, score = NO_CELL, -INFINITE
        while True:
            found = int(search_root(state, task.side, alpha, beta, task.depth))
            complete = found != int(STOPPED_SCORE)
            if found > alpha if complete else int(state.root_best_score) > alpha:
                best_move, score = int(state.root_best_move), int(state.root_best_score)
            elif complete:  # worse than expected: nothing is known of the best move
                best_move, score = NO_CELL, found
            if not complete or alpha < score < beta:
                return best_move, score, [int(cell) for cell in state.pv[: int(state.pv_length[0])]], complete
            width *= 3
            if score >= beta:
                self._promote(best_move)
                beta = INFINITE if width > 1000 or mate_of(score) else score + width
            else:
                alpha = -INFINITE if width > 1000 or mate_of(score) else score - width

    def _is_refuted(self, task: GomokuTask, move: int) -> bool:
        """True if the opponent is found to win by threats after the move, which is seen farther than by a search."""
        state, opponent = self._state, 1 - task.side
        n_nodes = max(1, self._fact_nodes(task) // _CHECK_SHARE)
        if n_nodes < 4 * self._looked_at.get(move, 0):
            return False
        self._looked_at[move] = n_nodes
        place(state, move, task.side)
        plies = int(threats_win(state, opponent, int(state.n_empty), n_nodes))
        undo(state)
        if plies:
            self._refuted[move] = RootScore(move, plies + 1 - MATE, -plies - 1)
        return plies > 0

    def expand(self, task: GomokuTask) -> Heatmap:
        """The candidates of the task's position with their order scores, best first."""
        state = self._prepare(task)
        self._order_of = None
        moves = self._candidates(task, state)
        return Heatmap(tuple(RootScore(cell, score) for score, cell in moves), len(moves))

    def evaluate(self, size: int, cells: bytes, side: int) -> int:
        """Static value for the side to move; that of a lost or won game if it is over."""
        position = GomokuPosition(size, cells, side)
        if position.winner is not None:
            return MATE if position.winner == side else -MATE
        _load(self._other_state, size, cells)
        return int(static_score(self._other_state, side))

    # -- preparing -------------------------------------------------------------------------------------------

    def _prepare(self, task: GomokuTask) -> Any:
        """Write a task's settings into the state record. The stop flag is the caller's and stays as it is."""
        state = self._state
        if task.epoch != self._epoch:  # what was searched before is to be forgotten
            self._epoch = task.epoch
            self._forget()
        if task.generation != self._generation:
            self._generation = task.generation
            state.killers[:] = -1
            state.history[:] //= 4
            if task.is_companion:  # another order of moves that are nearly equal: it goes other ways first
                state.history[:] += (
                    np.array(state.zobrist[: len(state.history)]) >> np.uint64(64 - _NOISE_BITS)
                ).astype(np.int32)
        state.nodes = 0
        state.node_limit = task.node_limit
        state.selective_depth = 0
        state.generation = task.generation & 255
        state.epoch = task.epoch & (EPOCHS - 1)
        _load(state, task.size, task.cells)
        return state

    def _candidates(self, task: GomokuTask, state: Any) -> list[tuple[int, int]]:
        """(order score, cell) of the cells that may be played at the root, best first."""
        wanted = np.zeros(task.size**2, bool)
        if task.moves:
            wanted[list(task.moves)] = True
        else:
            wanted[_near_cells(task.size, task.cells)] = True
        empty = np.frombuffer(task.cells, np.uint8) == EMPTY
        wanted &= empty
        if task.excluded:
            wanted[list(task.excluded)] = False
        if not wanted.any():
            wanted = empty.copy()
            wanted[list(task.excluded)] = False
        combos = np.array(state.combos[: task.size**2])
        own, other = combos >> (16 * task.side) & 0xFFFF, combos >> (16 * (1 - task.side)) & 0xFFFF
        scores = 5 * (self._info[own] >> 4 & 0xFFF) + 4 * (self._info[other] >> 4 & 0xFFF)
        cells = np.flatnonzero(wanted)
        return sorted(((int(scores[cell]), int(cell)) for cell in cells), key=lambda pair: (-pair[0], pair[1]))

    def _root_order(self, task: GomokuTask) -> list[int]:
        """The root moves in the order of the last iteration, the former best first; losing ones only if all lose.

        Those that are refuted are never among them.
        """
        is_known = self._is_about(task)
        moves = [cell for _, cell in self._candidates(task, self._state)][:ROOT_MOVES]
        kept = [move for move in moves if move not in task.losing] or moves
        kept = [move for move in kept if move not in self._refuted]
        if is_known:
            kept = list(dict.fromkeys([*(move for move in self._order if move in kept), *kept]))
        if task.former_move in kept:
            kept = [task.former_move, *(move for move in kept if move != task.former_move)]
        return kept

    def _is_about(self, task: GomokuTask) -> bool:
        """True if the last task was about the same position; else what was found out about that is forgotten."""
        of = (task.size, task.cells, task.side)
        if self._order_of == of:
            return True
        self._order_of, self._order = of, []
        self._win, self._looked_at, self._refuted = None, {}, {}
        return False

    def _promote(self, move: int) -> None:
        """The move comes first among the root moves in the next search of the same iteration."""
        assert move in self._order
        self._order = [move, *(other for other in self._order if other != move)]
        self._state.root_cells[: len(self._order)] = self._order

    # -- answers ---------------------------------------------------------------------------------------------

    def _root_scores(self) -> tuple[RootScore, ...]:
        state = self._state
        n_done = int(state.n_root_done)
        pairs = list(zip(state.root_scores[:n_done].tolist(), state.root_cells[:n_done].tolist(), strict=True))
        best = int(state.root_best_move)
        pairs.sort(key=lambda pair: (-pair[0], pair[1] != best))
        return tuple(RootScore(cell, score, mate_of(score)) for score, cell in pairs)

    def _result(
        self, task: GomokuTask, score: int, best_move: int, pv: list[int], complete: bool, moves: tuple[RootScore, ...]
    ) -> GomokuResult:
        nodes, selective_depth = int(self._state.nodes), int(self._state.selective_depth)
        if pv[:1] != [best_move]:
            pv = [best_move] if best_move != NO_CELL else []
        line = self._extended(task, pv, mate_of(score)) if pv and complete else tuple(pv)
        return GomokuResult(
            score=score if best_move != NO_CELL else 0,
            best_move=best_move,
            pv=line,
            nodes=nodes,
            complete=complete,
            mate=mate_of(score) if best_move != NO_CELL else 0,
            selective_depth=max(selective_depth, len(pv)),
            moves=moves,
        )

    def _at_once(self, task: GomokuTask) -> GomokuResult:
        """What can be proved or ruled out before any search; see GomokuResult."""
        state, side = self._state, task.side
        allowed = [cell for _, cell in self._candidates(task, state)]
        static = int(static_score(state, side))
        end = int(known_end(state, side))
        win, move = self._static_win(side, allowed)
        if win != 1:
            length = int(shortest_fours(state, side, _LONGEST_FOURS, self._fact_nodes(task)))
            if length > 0 and (not win or length <= win):
                state.proof_left = self._fact_nodes(task)
                first = int(fours_move(state, side, length))
                if first in allowed:
                    win, move = length, first
        if not win and end == 0 and not state.stop:
            win, move = self._win_by_threats(side, self._fact_nodes(task))
            if move not in allowed:
                win, move = 0, NO_CELL
        if win:
            self._is_about(task)
            self._win = RootScore(move, MATE - win, win)
            return self._result(task, MATE - win, move, [move], True, (self._win,))
        if end < 0:
            moves = tuple(RootScore(cell, -MATE - end, end) for cell in allowed)
            return GomokuResult(-MATE - end, NO_CELL, (), int(state.nodes), not state.stop, end, 0, moves)
        known = self._losing(task, allowed) if not state.stop else []
        forced = [cell for cell in self._cells_of(1 - side, CELL_FIVE) if cell in allowed]
        best = forced[0] if len(forced) == 1 else NO_CELL
        pv = (best,) if best != NO_CELL else ()
        nodes = int(state.nodes)
        return GomokuResult(static, best, pv, nodes, not state.stop, 0, len(pv), tuple(known))

    @staticmethod
    def _fact_nodes(task: GomokuTask) -> int:
        """Positions for each of the three questions; most of a limit is for the search."""
        return min(task.fact_nodes, max(1, task.node_limit // 6)) if task.node_limit else task.fact_nodes

    def _losing(self, task: GomokuTask, allowed: list[int]) -> list[RootScore]:
        """Root moves after which the opponent wins by fours or at once; none of them makes five."""
        state = self._state
        state.root_cells[: len(allowed)] = allowed
        state.n_root = len(allowed)
        n_known = int(find_losing(state, task.side, _LONGEST_FOURS // 3, self._fact_nodes(task)))
        plies = zip(allowed, state.root_scores[:n_known].tolist(), strict=False)
        return [RootScore(cell, n - MATE, -n) for cell, n in plies if n]

    def _class_of(self, cell: int, side: int) -> int:
        return int(self._info[int(self._state.combos[cell]) >> (16 * side) & 0xFFFF]) & 15

    def _cells_of(self, side: int, class_: int) -> list[int]:
        """The empty cells of a cell class for a side."""
        state = self._state
        n_cells = int(state.board_size) ** 2
        classes = self._info[state.combos[:n_cells] >> (16 * side) & 0xFFFF] & 15
        return [int(cell) for cell in np.flatnonzero((classes == class_) & (state.cells[:n_cells] == EMPTY))]

    def _static_win(self, side: int, allowed: Collection[int]) -> tuple[int, int]:
        """Plies of a win that is seen without a search, and the move that makes it; 0 and NO_CELL if there is none.

        allowed: cells to choose from. The reasons are those of `known_end`.
        """
        plies_of = {CELL_FIVE: 1}
        if not self._cells_of(1 - side, CELL_FIVE):
            plies_of[CELL_OPEN_FOUR] = 3
            if not any(self._cells_of(1 - side, class_) for class_ in _FOURS):
                plies_of |= {CELL_FOUR_OPEN_THREE: 5, CELL_DOUBLE_OPEN_THREE: 5}
        for class_, plies in plies_of.items():
            for cell in self._cells_of(side, class_):
                if cell in allowed:
                    return plies, cell
        return 0, NO_CELL

    def _win_by_threats(self, side: int, n_nodes: int) -> tuple[int, int]:
        """Plies of a win by threats, as short as is found in `n_nodes` positions, and its move; 0 and NO_CELL: none."""
        state = self._state
        until = int(state.nodes) + n_nodes
        win, move, end = 0, NO_CELL, int(state.threats_end)
        while left := max(0, until - int(state.nodes)):
            plies = int(threats_win(state, side, win - 2 if win else int(state.n_empty), left))
            first = int(threats_move(state, side)) if plies else NO_CELL
            if first == NO_CELL:
                break
            win, move, end = plies, first, int(state.threats_end)
        state.threats_end = end  # the moves of the win are kept under it
        return win, move

    def _extended(self, task: GomokuTask, pv: list[int], mate: int) -> tuple[int, ...]:
        """Follow proofs and the table's moves beyond the end of a line that a cutoff ended."""
        state = self._state
        line: list[int] = []
        side = task.side
        winner = None if not mate else side if mate > 0 else 1 - side
        wanted = abs(mate) or min(max(task.depth, len(pv)), MAX_PLY)
        limit, state.node_limit = int(state.node_limit), 0
        self._line_end = int(state.nodes) + _LINE_NODES
        if state.stop == OUT_OF_NODES:  # which doesn't concern what is known already
            state.stop = 0
        for ply in range(min(wanted, MAX_PLY)):
            if state.stop and ply >= len(pv):
                break
            move = pv[ply] if ply < len(pv) else self._next_move(side, winner)
            if move == NO_CELL or state.cells[move] != EMPTY:
                break
            line.append(move)
            if self._class_of(move, side) == CELL_FIVE:
                break
            place(state, move, side)
            side = 1 - side
        while state.frame > 0:
            undo(state)
        state.node_limit = limit
        return tuple(line)

    def _next_move(self, side: int, winner: int | None) -> int:
        """The move that a proof needs here, or the table's. winner: the side that is proved to win, None: no proof."""
        state = self._state
        plies, move = self._static_win(side, range(int(state.board_size) ** 2))
        if plies:
            return move
        fives = self._cells_of(1 - side, CELL_FIVE)
        if fives:
            return fives[0]
        move = self._winning_move(side) if winner == side else NO_CELL
        if move != NO_CELL:
            return move
        key = np.uint64(int(state.frames[int(state.frame) * FRAME_WORDS + int(HASH)]) ^ int(ATTACKER_KEYS[side]))
        move = int(table.entry_move(table.probe(state, key)))
        if move != NO_CELL and state.cells[move] == EMPTY:
            return move
        if winner is None:
            return NO_CELL
        move = int(threats_reply(state, side)) if winner != side else NO_CELL
        if move == NO_CELL:
            n_moves = int(list_moves(state, side, 0, NO_CELL, 0))
            entries = [int(entry) for entry in state.moves[:n_moves]]
            state.n_moves = 0
            move = max(entries) & 1023 if entries else NO_CELL
        return move

    def _winning_move(self, side: int) -> int:
        """A move that keeps a win by fours or by threats, NO_CELL if none is found with what the line may still use."""
        state = self._state
        left = max(1, self._line_end - int(state.nodes))
        length = int(shortest_fours(state, side, _LONGEST_FOURS, left))
        if length > 0:
            state.proof_left = left
            return int(fours_move(state, side, length))
        move = int(threats_move(state, side))
        left = self._line_end - int(state.nodes)
        if move == NO_CELL and left > 0 and threats_win(state, side, int(state.n_empty), left):
            move = int(threats_move(state, side))
        return move


def _load(state: Any, size: int, cells: bytes) -> None:
    """Set the board of a record up."""
    fill_near(state, size)
    state.cells[: size * size] = np.frombuffer(cells, np.uint8)
    set_up(state)


def _near_cells(size: int, cells: bytes) -> list[int]:
    """Candidates at the root: within three steps of a stone in any direction, or four along a line; on an empty board
    the middle, or what is nearest to it and not blocked."""
    board = np.frombuffer(cells, np.uint8).reshape(size, size)
    stones = np.argwhere((board == STONES[0]) | (board == STONES[1]))
    rows, columns = np.indices((size, size))
    if not len(stones):
        away = np.abs(rows - size // 2) + np.abs(columns - size // 2) + 1000 * (board != EMPTY)
        return [int(np.argmin(away))]
    down, right = np.abs(rows[..., None] - stones[:, 0]), np.abs(columns[..., None] - stones[:, 1])
    farthest = np.maximum(down, right)
    near = (farthest <= 3) | ((farthest == 4) & ((down == 0) | (right == 0) | (down == right)))
    return [int(cell) for cell in np.flatnonzero(near.any(axis=-1) & (board == EMPTY))]
