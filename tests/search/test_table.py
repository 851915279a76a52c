"""The transposition table: what is kept, what is replaced, and that a torn entry is a miss."""

from __future__ import annotations

import ctypes
import itertools
import random

import numpy as np

from othello_engine.search import table
from othello_engine.search.state import new_state
from othello_engine.types import NO_MOVE
from tests import positions
from tests.search.support import several

EXACT, ESTIMATE = table.KIND_EXACT, table.KIND_ESTIMATE


class OneBucket:
    """A state whose table is a single bucket, so that everything collides."""

    def __init__(self) -> None:
        self.words = (ctypes.c_uint64 * 8)()
        self.state = new_state()
        self.state.table_address = ctypes.addressof(self.words)
        self.state.table_mask = 0
        self.address = np.uint64(ctypes.addressof(self.words))

    def store(
        self,
        p,
        o,
        depth,
        alpha,
        beta,
        score,
        move=NO_MOVE,
        kind=EXACT,
        generation=0,
        selectivity=100,
        epoch=0,
    ):
        self.state.generation = generation
        self.state.epoch = epoch
        numbers = (np.int64(n) for n in (kind, depth, selectivity, alpha, beta, score, move))
        table.store(self.state, self.address, np.uint64(p), np.uint64(o), *numbers)

    def probe(self, p, o):
        """(lower, upper, depth, move) or None."""
        bounds, meta = table.probe(self.state, self.address, np.uint64(p), np.uint64(o))
        bounds, meta = np.uint64(bounds), np.uint64(meta)
        if int(meta) == 0:
            return None
        return (
            int(table.lower_bound(bounds)),
            int(table.upper_bound(bounds)),
            int(table.entry_depth(meta)),
            int(table.entry_move(meta)),
        )

    def answers(self, p, o, kind, depth, selectivity):
        meta = np.uint64(table.probe(self.state, self.address, np.uint64(p), np.uint64(o))[1])
        return bool(table.answers(meta, np.int64(kind), np.int64(depth), np.int64(selectivity)))


BIG = 0x7FFFFFFF


def test_scores_become_the_bounds_that_they_prove() -> None:
    bucket = OneBucket()
    bucket.store(1, 2, 8, -10, 10, -12, 5)
    assert bucket.probe(1, 2) == (-BIG, -12, 8, 5)
    bucket.store(3, 4, 8, -10, 10, 12, 6)
    assert bucket.probe(3, 4) == (12, BIG, 8, 6)
    bucket.store(3, 4, 8, -10, 10, -4, 7)
    assert bucket.probe(3, 4) == (-4, -4, 8, 7) or bucket.probe(3, 4) == (-4, -4, 8, 7)


def test_bounds_of_the_same_depth_are_joined_and_a_missing_move_keeps_the_old_one() -> None:
    bucket = OneBucket()
    bucket.store(1, 2, 8, 3, 4, 6, 9)
    bucket.store(1, 2, 8, 9, 10, 8)
    assert bucket.probe(1, 2) == (6, 8, 8, 9)


def test_large_and_negative_scores_survive() -> None:
    bucket = OneBucket()
    for score in (-10_640_000, -1, 0, 1, 10_640_000):
        bucket.store(1, 2, 3, score - 1, score + 1, score, kind=ESTIMATE)
        bucket.store(1, 2, 4, score - 1, score + 1, score, kind=ESTIMATE)
        assert bucket.probe(1, 2) == (score, score, 4, NO_MOVE)


def test_only_the_same_kind_and_enough_depth_and_confidence_may_answer() -> None:
    bucket = OneBucket()
    bucket.store(1, 2, 8, 3, 4, 6, kind=ESTIMATE, selectivity=73)
    assert bucket.answers(1, 2, ESTIMATE, 8, 73)
    assert bucket.answers(1, 2, ESTIMATE, 5, 73)
    assert not bucket.answers(1, 2, ESTIMATE, 9, 73)
    assert not bucket.answers(1, 2, ESTIMATE, 8, 100)
    assert not bucket.answers(1, 2, EXACT, 8, 73)
    assert not bucket.answers(2, 1, ESTIMATE, 1, 73)


def test_older_entries_go_first_then_shallower_ones() -> None:
    bucket = OneBucket()
    bucket.store(1, 2, 20, 0, 1, 1, generation=1)
    bucket.store(3, 4, 5, 0, 1, 1, generation=2)
    bucket.store(5, 6, 3, 0, 1, 1, generation=2)
    assert bucket.probe(1, 2) is None
    assert bucket.probe(3, 4) is not None
    bucket.store(7, 8, 9, 0, 1, 1, generation=2)
    assert bucket.probe(5, 6) is None
    assert bucket.probe(3, 4) is not None
    assert bucket.probe(7, 8) is not None


def test_any_mixture_of_two_writers_reads_as_a_miss_or_as_one_of_them() -> None:
    rng = random.Random(7)
    boards = list(positions.random_bitboards(several(200, 20), 3))
    for _ in range(several(300, 20)):
        snapshots = []
        known = []
        same = rng.random() < 0.5
        first, second = rng.sample(boards, 2)
        for p, o in (first, first if same else second):
            bucket = OneBucket()
            score = rng.randrange(-64, 65)
            bucket.store(p, o, rng.randrange(1, 60), score - 1, score + rng.randrange(2), score, rng.randrange(64))
            snapshots.append(list(bucket.words[:4]))
            known.append(((p, o), bucket.probe(p, o)))
        for picks in itertools.product((0, 1), repeat=4):
            bucket = OneBucket()
            for index, source in enumerate(picks):
                bucket.words[index] = snapshots[source][index]
            for (p, o), _entry in known:
                found = bucket.probe(p, o)
                assert found is None or found in [entry for boards_, entry in known if boards_ == (p, o)]


def test_clearing_and_counting() -> None:
    bucket = OneBucket()
    bucket.store(1, 2, 20, 0, 1, 1, generation=3)
    one = np.uint64(1)
    assert int(table.count_used(bucket.address, one, np.int64(3), np.uint64(0))) == 1
    assert int(table.count_used(bucket.address, one, np.int64(4), np.uint64(0))) == 0
    table.clear(bucket.address, one)
    assert bucket.probe(1, 2) is None
    assert int(table.count_used(bucket.address, one, np.int64(3), np.uint64(0))) == 0


def test_a_new_epoch_empties_the_table_and_its_old_entries_count_as_free_slots() -> None:
    bucket = OneBucket()
    for epoch in (0, 1, 65535):
        bucket.store(1, 2, 50, 0, 1, 1, generation=3, epoch=epoch)
        bucket.store(3, 4, 50, 0, 1, 1, generation=3, epoch=epoch)
        assert bucket.probe(1, 2) is not None
        bucket.state.epoch = (epoch + 1) % 65536
        assert bucket.probe(1, 2) is None
        # two shallow entries of the new epoch fit, as if the bucket were empty
        bucket.store(5, 6, 1, 0, 1, 1, generation=3, epoch=epoch + 1 if epoch < 65535 else 7)
        bucket.store(7, 8, 1, 0, 1, 1, generation=3, epoch=epoch + 1 if epoch < 65535 else 7)
        assert bucket.probe(5, 6) is not None
        assert bucket.probe(7, 8) is not None
