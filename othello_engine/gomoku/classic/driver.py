"""One process's searcher of the documented engine: tasks in, results out."""

from typing import Any

import numpy as np

from othello_engine.core.searcher import StateSearcher
from othello_engine.gomoku.classic.board import cells_of, has_five, put, set_position, take_back
from othello_engine.gomoku.classic.candidates import ROOT_LIMIT, candidates
from othello_engine.gomoku.classic.evaluate import evaluate
from othello_engine.gomoku.classic.order import unpack_key
from othello_engine.gomoku.classic.search import INFINITY, PROVED, STOPPED, TABLE_SLOTS, WIN, negamax, table_words
from othello_engine.gomoku.classic.shortcuts import fives, settle
from othello_engine.gomoku.classic.state import EMPTY_ROW, MAX_DEPTH, STATE_DTYPE, new_state, state_at
from othello_engine.gomoku.position import NO_CELL
from othello_engine.gomoku.task import GomokuResult, GomokuTask, Heatmap, RootScore


def table_use(buffer: Any, generation: int, epoch: int) -> int:
    """How full the shared table is, per mille: always 0, each worker has a table of its own."""
    return 0


def mate_of(score: int) -> int:
    """Plies until the five that a score proves, negative for a loss; 0 if it proves nothing."""
    if score >= PROVED:
        return WIN - score + 1
    return -(WIN + score + 1) if score <= -PROVED else 0


class Searcher(StateSearcher):
    """Kernels, state record and table of one search process.

    state_buffer: STATE_BYTES of writable memory, kept alive by the caller. Not thread-safe, except that `evaluate` may
    be called while `run` is running.
    """

    def __init__(self, state_buffer: Any) -> None:
        super().__init__(state_buffer, state_at, STATE_DTYPE)
        self._board_of_evaluate = new_state()
        self._table = np.zeros(0, dtype=np.uint64)
        self._root: tuple[Any, ...] = ()

    def attach_table(self, buffer: Any) -> None:
        """There is no use for one: the documented table belongs to one worker."""

    def new_game(self) -> None:
        """Nothing is kept from move to move but the table, and that is emptied now."""
        self._root = ()

    def run(self, task: GomokuTask) -> GomokuResult:
        """Settle what can be proved (depth 0) or search to a depth of at most MAX_DEPTH plies."""
        state = self._prepare(task)
        if has_five(state, 0) or has_five(state, 1):
            score = WIN if has_five(state, task.side) else -WIN
            return GomokuResult(score, NO_CELL, (), 0, True)
        moves = self._root_moves(task)
        if not moves:
            return GomokuResult(0, NO_CELL, (), 0, True)
        if task.depth > 0:
            return self._search(task, moves)
        settled = settle(state, task.side, moves)
        return GomokuResult(
            score=settled.score,
            best_move=settled.best_move,
            pv=settled.pv,
            nodes=int(state.nodes),
            complete=not state.stop,
            mate=settled.mate,
            selective_depth=abs(settled.mate),
            moves=tuple(settled.moves),
        )

    def expand(self, task: GomokuTask) -> Heatmap:
        """All candidates with their documented ordering scores, best first by (tier, score)."""
        self._prepare(task)
        return Heatmap(tuple(RootScore(move, score) for move, score in self._ranked(task)))

    def evaluate(self, size: int, cells: bytes, side: int) -> int:
        """Static value for the side to move; of a finished game WIN or -WIN."""
        state = self._board_of_evaluate
        set_position(state, size, cells)
        if has_five(state, side):
            return WIN
        return -WIN if has_five(state, 1 - side) else int(evaluate(state, side))

    def _prepare(self, task: GomokuTask) -> Any:
        state = self._state
        state.nodes = 0
        state.node_limit = task.node_limit
        state.selective_depth = 0
        set_position(state, task.size, task.cells)
        root = task.size, task.cells, task.side, task.epoch
        if root != self._root:
            self._root = root
            state.table_stamp = (int(state.table_stamp) + 1) % (1 << 32)
        return state

    def _attach_own_table(self) -> None:
        """Memory comes with the first search. When the stamps begin again, or entries change their length, old
        contents could be misread, so they go."""
        state = self._state
        n_words = TABLE_SLOTS * table_words(int(state.words))
        if len(self._table) != n_words or state.table_stamp == 0:
            self._table = np.zeros(n_words, dtype=np.uint64)
            state.table_address = self._table.ctypes.data
            state.table_stamp = max(1, int(state.table_stamp))

    def _ranked(self, task: GomokuTask) -> list[tuple[int, int]]:
        """(cell, documented score) of the candidates that the task allows, best first."""
        state = self._state
        count = candidates(state, task.side, 0)
        keys = sorted((int(key) for key in state.keys[0, :count]), reverse=True)
        ranked = [unpack_key(key) for key in keys]
        return [(cell, score) for cell, _, score in ranked if cell not in task.excluded]

    def _root_moves(self, task: GomokuTask) -> list[int]:
        """The root moves in the order in which they are searched: those of the task, or the search's own."""
        if task.moves:
            cells = [cell for cell in task.moves if task.cells[cell] == 0 and cell not in task.excluded]
        else:
            cells = [cell for cell, _ in self._ranked(task)[:ROOT_LIMIT]]
            if not cells:
                cells = [cell for cell in cells_of(self._state, EMPTY_ROW) if cell not in task.excluded]
        return [cell for cell in cells if cell not in task.losing] or cells

    def _search(self, task: GomokuTask, moves: list[int]) -> GomokuResult:
        state, side = self._state, task.side
        self._attach_own_table()
        against = [] if fives(state, side) else fives(state, 1 - side)
        legal = [move for move in moves if move in against] if against else moves
        if not legal:
            lost = tuple(RootScore(move, 1 - WIN, -2) for move in moves)
            mate = -2 if len(against) > 1 else 0
            return GomokuResult(1 - WIN, moves[0], (moves[0],), 0, True, mate, 0, lost)
        legal.sort(key=lambda move: move != task.former_move)
        depth = min(task.depth, MAX_DEPTH)
        best, scores = -INFINITY, []
        pv: tuple[int, ...] = (NO_CELL,)
        for move in legal:
            put(state, move, side)
            value = int(negamax(state, 1 - side, depth - 1, 1, -INFINITY, -best))
            take_back(state, move, side)
            if value == STOPPED:
                return GomokuResult(0, NO_CELL, (), int(state.nodes), False, 0, int(state.selective_depth))
            scores.append(RootScore(move, -value, mate_of(-value)))
            if -value > best:
                best = -value
                pv = (move, *(int(cell) for cell in state.pv[1, : int(state.pv_length[1])]))
        scores.sort(key=lambda root_score: root_score.score, reverse=True)
        mate = mate_of(best)
        is_whole = (bool(against) and set(legal) == set(against)) or len(legal) == task.cells.count(0)
        return GomokuResult(
            score=best,
            best_move=pv[0],
            pv=pv,
            nodes=int(state.nodes),
            complete=True,
            mate=mate if mate > 0 or is_whole else 0,
            selective_depth=int(state.selective_depth),
            moves=tuple(scores),
        )
