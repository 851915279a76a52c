"""The search of the `weighted` profile, as it is documented: plain minimax with alpha-beta cuts, and nothing else.

No ordering, no table, no deepening, no solver: moves are tried in the order of the board (a1, b1 .. h8), the first of
the best is taken, a pass costs a ply, and a finished game is worth what the evaluation says.
"""

from typing import Any

import numpy as np

from othello_engine.core.jit import I64, ONE, U64, ZERO, kernel
from othello_engine.core.searcher import StateSearcher
from othello_engine.core.simd import flips, legal_moves, square_of
from othello_engine.evaluation import weighted
from othello_engine.search.leaf import LOWEST
from othello_engine.search.midgame import STOPPED_VALUE
from othello_engine.search.perft import count_leaves
from othello_engine.search.pvs import lead_pv
from othello_engine.search.state import STATE, STATE_DTYPE, state_at
from othello_engine.search.task import SCORE_LIMIT, Claim, Expansion, Task, TaskResult
from othello_engine.types import NO_MOVE, PASS

_PASS = np.int64(PASS)


@kernel(I64(STATE, U64, U64, I64, I64, I64, I64), entry=True)
def minimax(state, player, opponent, alpha, beta, depth, ply):
    """Fail-soft value to `depth` plies in the window (alpha, beta); leaves its line in row `ply` of state.pv.

    STOPPED_VALUE once the stop flag is set. Oracle: tests/weighted_oracle.py.
    """
    state.pv_length[ply] = np.int64(0)
    state.nodes += np.int64(1)
    if state.stop != 0:
        return STOPPED_VALUE
    if state.node_limit != 0 and state.nodes >= state.node_limit:
        state.stop = np.int64(2)
        return STOPPED_VALUE
    if ply > state.selective_depth:
        state.selective_depth = ply
    if depth == np.int64(0):
        return weighted.evaluate(player, opponent)

    next_depth, next_ply = depth - np.int64(1), ply + np.int64(1)
    is_root = ply == np.int64(0)
    moves = legal_moves(player, opponent)
    if moves == ZERO:
        if legal_moves(opponent, player) == ZERO:
            return weighted.evaluate(player, opponent)
        score = minimax(state, opponent, player, -beta, -alpha, next_depth, next_ply)
        if score == STOPPED_VALUE:
            return STOPPED_VALUE
        lead_pv(state, ply, _PASS)
        if is_root:
            state.root_best_move, state.root_best_score = _PASS, -score
        return -score
    if is_root and state.root_moves != ZERO:
        moves &= state.root_moves

    best = LOWEST
    while moves != ZERO:
        x = square_of(moves)
        moves &= moves - ONE
        turned = flips(x, player, opponent)
        next_opponent = player ^ turned ^ (ONE << np.uint64(x))
        score = minimax(state, opponent ^ turned, next_opponent, -beta, -alpha, next_depth, next_ply)
        if score == STOPPED_VALUE:
            return STOPPED_VALUE
        if -score > best:
            best = -score
            if is_root:
                state.root_best_move, state.root_best_score = x, best
            if best > alpha:
                alpha = best
                lead_pv(state, ply, x)
            if beta <= alpha:
                break
    return best


class MinimaxSearcher(StateSearcher):
    """One process's searcher under a profile whose search is `minimax`; the shape of `driver.Searcher`.

    state_buffer: STATE_BYTES of writable memory, kept alive by the caller. Not thread-safe, except that `evaluate` may
    be called while `run` is running.
    """

    def __init__(self, state_buffer: Any) -> None:
        super().__init__(state_buffer, state_at, STATE_DTYPE)

    def run(self, task: Task) -> TaskResult:
        """Search one task to its depth; of what a task may ask besides, only the moves and the node limit count.

        If it is stopped, the best of the moves that were searched in full is what is known.
        """
        state = self._state
        state.nodes = 0
        state.node_limit = task.node_limit
        state.selective_depth = 0
        state.root_moves = task.moves
        state.root_best_move = NO_MOVE
        state.root_best_score = -SCORE_LIMIT
        board = np.uint64(task.player), np.uint64(task.opponent)
        score = int(minimax(state, *board, -SCORE_LIMIT, SCORE_LIMIT, task.depth, 0))
        complete = score != int(STOPPED_VALUE)
        return TaskResult(
            score=score if complete else int(state.root_best_score),
            best_move=int(state.root_best_move),
            pv=tuple(int(move) for move in state.pv[0, : int(state.pv_length[0])]),
            nodes=int(state.nodes),
            complete=complete,
            first_done=complete or int(state.root_best_move) != NO_MOVE,
            selective_depth=int(state.selective_depth),
        )

    def evaluate(self, player: int, opponent: int) -> int:
        """Static value for the side to move, also of a finished game."""
        return int(weighted.evaluate(np.uint64(player), np.uint64(opponent)))

    def perft(self, player: int, opponent: int, depth: int) -> int | None:
        """Leaves at `depth`; None if the stop flag was set. See count_leaves."""
        return count_leaves(self._state, player, opponent, depth)

    def expand(self, task: Task) -> Expansion:
        """Never asked: its tasks are undivided."""
        raise NotImplementedError("a plain minimax search is not divided")

    def feed(self, claim: Claim, generation: int, epoch: int) -> None:
        """What others know is of no use to a search without a table."""

    def attach_table(self, buffer: Any) -> None:
        """There is no use for one."""

    def new_game(self) -> None:
        """Nothing is kept from search to search."""
