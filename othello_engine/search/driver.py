"""One search process's searcher: turns tasks into kernel calls and kernel records into plain answers."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from othello_engine.core import plain
from othello_engine.core.layout import EPOCHS, TABLE_BUCKET_BYTES
from othello_engine.core.searcher import StateSearcher, address_of, sampled_use, table_buckets
from othello_engine.evaluation.evaluate import ANTI, CLASSIC, EVALUATIONS, PATTERNS, begin, static_value
from othello_engine.evaluation.lanes import ROW_BYTES
from othello_engine.search import table
from othello_engine.search.leaf import terminal_value
from othello_engine.search.midgame import STOPPED_VALUE, TABLE_DEPTH
from othello_engine.search.ordering import order
from othello_engine.search.perft import count_leaves
from othello_engine.search.probcut import NO_SELECTIVITY
from othello_engine.search.pvs import null_window, pvs
from othello_engine.search.state import MAX_PLY, STATE_DTYPE, state_at
from othello_engine.search.task import EXACT_LIMIT, SCORE_LIMIT, Child, Claim, Expansion, Task, TaskResult
from othello_engine.types import NO_MOVE, PASS

_BUCKET_ENTRIES = 2
_EXPAND_DEPTH = 8
"""Nodes that are split are ordered as carefully as any this deep."""
_NOISE = 64
"""A seed adds less than this to the order score of each square: it decides between moves that are equal or nearly so,
and so which of several best moves is found first."""
_SPARE_PLY = MAX_PLY + 1


def clear_table(buffer: Any) -> None:
    """Empty the table in this block; other processes may go on using it."""
    table.clear(address_of(buffer), table_buckets(len(buffer)))


def table_use(buffer: Any, generation: int, epoch: int) -> int:
    """How full the table is with entries of this generation and epoch, per mille, from a sample."""
    return sampled_use(table.count_used, _BUCKET_ENTRIES, buffer, generation, epoch)


class Searcher(StateSearcher):
    """Kernels, state record and table of one search process.

    state_buffer: STATE_BYTES of writable memory, kept alive by the caller; evaluation: a name in EVALUATIONS, `anti`
    for anti-Othello; weights: the stages of a trained one, one after another, in memory that the caller keeps as long
    as this searcher. Not thread-safe, except that `evaluate` may be called while `run` is running.
    """

    def __init__(self, state_buffer: Any, evaluation: str = "classic", weights: Any = None) -> None:
        super().__init__(state_buffer, state_at, STATE_DTYPE)
        number, _, self._disc_unit, self._win_unit = EVALUATIONS[evaluation]
        self._state.evaluation = number
        self._state.anti = int(number == ANTI)
        self._state.by_regions = int(number not in (CLASSIC, PATTERNS))
        self._sign = -1 if number == ANTI else 1
        self._evaluation = number
        self._weights = weights
        assert evaluation != "patterns" or weights is not None
        if weights is not None:
            self._state.weights_address = address_of(weights)
        self._generation = self._epoch = -1
        self.attach_table(bytearray(2 * TABLE_BUCKET_BYTES))

    def new_game(self) -> None:
        """Forget what is kept from search to search; the shared table is the parent's to clear."""
        self._state.killers[:] = NO_MOVE
        self._state.history[:] = 0
        self._state.near[:] = 0
        self._generation = -1

    def run(self, task: Task) -> TaskResult:
        """Search one task; returns early, with what is proved, when the stop flag is set. See TaskResult."""
        state = self._prepare(task)
        player, opponent = np.uint64(task.player), np.uint64(task.opponent)
        alpha, beta = self._window(task)
        limit = EXACT_LIMIT if task.exact else SCORE_LIMIT
        is_inner = beta == alpha + 1 and task.moves == 0 and task.ply > 0
        if is_inner:
            score = int(null_window(state, player, opponent, alpha, task.depth, task.ply))
        else:
            score = int(pvs(state, player, opponent, alpha, beta, task.depth, task.ply))
        complete = score != int(STOPPED_VALUE)
        nodes = int(state.nodes)
        if is_inner:
            # Not every cutoff leaves its move behind, and a table move need not be the one that proves the score.
            best_move, pv = NO_MOVE, []
        else:
            best_move = int(state.root_best_move)
            pv = [int(move) for move in state.pv[task.ply, : int(state.pv_length[task.ply])]]
            if not complete:
                score = int(state.root_best_score)
                if score <= alpha:  # an upper bound of some moves: proves nothing about the position
                    best_move = NO_MOVE
            if pv[:1] != [best_move]:
                pv = [best_move] if best_move != NO_MOVE else []
        return TaskResult(
            score=score if complete or best_move != NO_MOVE else -limit,
            best_move=best_move,
            pv=self._extended(task, pv),
            nodes=nodes,
            complete=complete,
            first_done=complete or bool(state.root_first_done),
            selective_depth=max(int(state.selective_depth) - task.ply, len(pv)),
        )

    def expand(self, task: Task) -> Expansion:
        """The moves of the task's position in search order, with what the table proves about each reply position."""
        state = self._prepare(task)
        player, opponent = task.player, task.opponent
        moves = plain.legal_moves(player, opponent)
        if not moves:
            if not plain.legal_moves(opponent, player):
                return Expansion((), False, 0)
            return Expansion((self._child(task, PASS, opponent, player, task.depth),), True, 1)
        if task.moves:
            moves &= task.moves
        meta = self._entry(player, opponent, self._is_proof(task))[1]
        first, second = int(table.entry_move(meta)), int(table.entry_second_move(meta))
        boards = np.uint64(player), np.uint64(opponent), np.uint64(moves)
        n_moves = int(order(state, *boards, max(task.depth, _EXPAND_DEPTH), task.ply, first, second))
        ordered = sorted((int(packed) for packed in state.moves[task.ply, :n_moves]), reverse=True)
        children = []
        for packed in ordered:
            square = packed & 255
            turned = plain.flips(square, player, opponent)
            placed = player ^ turned ^ (1 << square)
            children.append(self._child(task, square, opponent ^ turned, placed, task.depth - 1))
        return Expansion(tuple(children), False, n_moves)

    def feed(self, claim: Claim, generation: int, epoch: int) -> None:
        """Put a claim into the table, for the position and for all on its line; generation, epoch: as of a task.

        A bound of the value is one of the value after the best move, too. An upper bound says besides that no other
        move is better, which is what lets a search leave those moves at once.
        """
        state = self._state
        state.generation = generation & 255
        state.epoch = epoch & (EPOCHS - 1)
        player, opponent, depth = claim.player, claim.opponent, claim.depth
        lower, upper = claim.lower, claim.upper
        for move in (*claim.moves, NO_MOVE):
            moves = plain.legal_moves(player, opponent)
            if moves:
                self._keep(player, opponent, (lower, upper), depth, claim.selectivity, move)
                depth -= 1
            for square in range(64):
                if moves >> square & 1 and square != move:
                    after = plain.after_moves(player, opponent, (square,))
                    self._keep(*after, (-upper, SCORE_LIMIT), depth, claim.selectivity, NO_MOVE)
            if move == NO_MOVE:
                break
            player, opponent = plain.after_moves(player, opponent, (move,))
            lower, upper = -upper, -lower

    def _keep(
        self, player: int, opponent: int, bounds: tuple[int, int], depth: int, selectivity: int, move: int
    ) -> None:
        """Store claimed bounds, unless they say nothing, or the table has a proof or deeper ones of the position."""
        lower, upper = bounds
        if depth < TABLE_DEPTH or (lower <= -SCORE_LIMIT and upper >= SCORE_LIMIT and move == NO_MOVE):
            return
        p, o = np.uint64(player), np.uint64(opponent)
        bucket = table.bucket_address(self._state, p, o)
        meta = table.probe(self._state, bucket, p, o)[1]
        if table.answers(meta, table.KIND_EXACT, 0, 0) or table.answers(meta, table.KIND_ESTIMATE, depth + 1, 0):
            return
        entry = self._state, bucket, p, o, table.KIND_ESTIMATE, depth, selectivity
        low, high = np.int64(lower), np.int64(upper)
        # Fail-soft results with these bounds: one that failed high, and one that failed low.
        table.store(*entry, low - 1, low, low, move)
        if upper < SCORE_LIMIT:
            table.store(*entry, high, high + 1, high, move)

    def evaluate(self, player: int, opponent: int) -> int:
        """Static value for the side to move; the true one if the game is over. Units of the evaluation."""
        if not plain.legal_moves(player, opponent) and not plain.legal_moves(opponent, player):
            score = plain.final_score(player, opponent)
            return score * self._disc_unit + (score > 0) * self._win_unit - (score < 0) * self._win_unit
        # The listener asks while a kernel runs: the row behind the last ply is this method's own.
        return self._static_value(player, opponent, _SPARE_PLY)

    def _static_value(self, player: int, opponent: int, ply: int) -> int:
        """Value by the evaluation alone; fills the row of `ply`."""
        row = self._row(ply)
        p, o, moves = np.uint64(player), np.uint64(opponent), np.uint64(plain.legal_moves(player, opponent))
        begin(self._evaluation, row, p, o)
        return int(static_value(self._evaluation, self._state.weights_address, row, p, o, moves))

    def perft(self, player: int, opponent: int, depth: int) -> int | None:
        """Leaves at `depth`; None if the stop flag was set. See count_leaves."""
        return count_leaves(self._state, player, opponent, depth)

    def _prepare(self, task: Task) -> Any:
        """Write a task's settings into the state record. The stop flag is the caller's and stays as it is."""
        state = self._state
        if task.epoch != self._epoch:  # what was searched before is to be forgotten
            self._epoch = task.epoch
            state.history[:] = 0
        if task.generation != self._generation:
            self._generation = task.generation
            state.killers[:] = NO_MOVE
            state.history >>= 2
            if task.seed:
                rng = random.Random(task.seed)
                state.history += np.array([[rng.randrange(_NOISE) for _ in range(64)] for _ in range(2)])
        state.nodes = 0
        state.node_limit = task.node_limit
        state.selective_depth = 0
        state.exact = int(task.exact)
        state.draw_value = 0 if task.exact else task.draw_value
        # Without an error model nothing is pruned, whatever was asked for.
        state.selectivity = task.selectivity if self._evaluation == PATTERNS else NO_SELECTIVITY
        # A selective solve searches in the midgame's units.
        is_plain = task.exact and state.selectivity >= NO_SELECTIVITY
        state.disc_unit, state.win_unit = (self._sign, 0) if is_plain else (self._disc_unit, self._win_unit)
        state.generation = task.generation & 255
        state.epoch = task.epoch & (EPOCHS - 1)
        state.root_ply = task.ply
        state.root_moves = task.moves
        state.root_former_move = task.former_move
        state.root_best_move = NO_MOVE
        state.root_best_score = -EXACT_LIMIT if task.exact else -SCORE_LIMIT
        state.root_first_done = 0
        begin(self._evaluation, self._row(task.ply), np.uint64(task.player), np.uint64(task.opponent))
        return state

    def _row(self, ply: int) -> Any:
        """Address of the evaluation's row of a ply."""
        return np.uint64(int(self._state.rows_address) + ply * ROW_BYTES)

    @staticmethod
    def _window(task: Task) -> tuple[int, int]:
        if task.exact:
            # -65 and 65: a score of exactly -64 or 64 inside the full window is exact, not a bound.
            return max(task.alpha, -EXACT_LIMIT - 1), min(task.beta, EXACT_LIMIT + 1)
        return max(task.alpha, -SCORE_LIMIT), min(task.beta, SCORE_LIMIT)

    def _is_proof(self, task: Task) -> bool:
        """True if the task, for which the state is prepared, finds exact results without pruning."""
        return task.exact and bool(self._state.selectivity >= NO_SELECTIVITY)

    def _entry(self, player: int, opponent: int, is_proof: bool) -> tuple[int, int]:
        """(bounds, meta) of a position's entry, where proofs or where estimates are kept; (0, 0) if there is none."""
        p, o = np.uint64(player), np.uint64(opponent)
        bucket = table.bucket_of(self._state, p, o, 64 - (player | opponent).bit_count(), is_proof)
        bounds, meta = table.probe(self._state, bucket, p, o)
        return bounds, meta

    def _table_move(self, player: int, opponent: int, is_proof: bool) -> int:
        """The table's move if it is legal here, else NO_MOVE."""
        if not plain.legal_moves(player, opponent):
            return PASS if plain.legal_moves(opponent, player) else NO_MOVE
        move = int(table.entry_move(self._entry(player, opponent, is_proof)[1]))
        if move == NO_MOVE and not is_proof:  # midgame searches end in exact ones, near the end of the game
            move = int(table.entry_move(self._entry(player, opponent, True)[1]))
        return move if plain.legal_moves(player, opponent) >> move & 1 else NO_MOVE

    @staticmethod
    def _table_terms(exact: bool, discs: int, depth: int) -> tuple[Any, int]:
        """Kind and depth of the table entries that may answer a search of this position."""
        return (table.KIND_EXACT, 64 - discs.bit_count()) if exact else (table.KIND_ESTIMATE, depth)

    def _extended(self, task: Task, pv: list[int]) -> tuple[int, ...]:
        """Follow the table's moves beyond the end of a line that a cutoff ended."""
        player, opponent = plain.after_moves(task.player, task.opponent, pv)
        wanted = MAX_PLY if task.exact else task.depth
        while pv and len(pv) < wanted:
            move = self._table_move(player, opponent, self._is_proof(task))
            if move == NO_MOVE:
                break
            pv.append(move)
            player, opponent = plain.after_moves(player, opponent, (move,))
        return tuple(pv)

    def _child(self, task: Task, move: int, player: int, opponent: int, depth: int) -> Child:
        limit = EXACT_LIMIT if task.exact else SCORE_LIMIT
        moves, others = plain.legal_moves(player, opponent), plain.legal_moves(opponent, player)
        if not moves and not others:
            if task.exact:
                score = self._sign * plain.final_score(player, opponent)
            else:
                score = int(terminal_value(self._state, np.uint64(player), np.uint64(opponent), task.ply + 1))
            return Child(move, player, opponent, score, score, over=True)
        if not task.exact and depth <= 0:
            score = self._static_value(player, opponent, task.ply + 1)
            return Child(move, player, opponent, score, score)
        is_proof = self._is_proof(task)
        bounds, meta = self._entry(player, opponent, is_proof)
        kind, needed = self._table_terms(task.exact, player | opponent, depth)
        lower, upper = -limit, limit
        if table.answers(meta, kind, needed, task.selectivity):
            lower = max(lower, int(table.lower_bound(bounds)))
            upper = min(upper, int(table.upper_bound(bounds)))
        reply = self._table_move(player, opponent, is_proof)
        return Child(move, player, opponent, lower, upper, reply, passes=not moves)
