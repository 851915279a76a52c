"""The signature: nodes of fixed searches, the same compiled and uncompiled, on any processor and in any process.

A change of the search that moves these numbers on purpose writes the new ones here and says so in its commit.
"""

from __future__ import annotations

from othello_engine.search.task import Task
from tests import positions
from tests.search.support import exact_task, new_searcher, task

MIDGAME_NODES = 4336
EXACT_NODES = 4_607


def test_the_midgame_visits_the_nodes_of_the_signature() -> None:
    total = 0
    for position in list(positions.random_positions(60, seed=9))[9:50:8]:
        searcher = new_searcher()
        for depth in range(1, 5):
            total += searcher.run(task(position.player, position.opponent, depth)).nodes
    assert total == MIDGAME_NODES


def test_the_endgame_visits_the_nodes_of_the_signature() -> None:
    total = 0
    for position in positions.late_positions(9, 4, seed=9):
        searcher = new_searcher()
        searcher.run(Task(position.player, position.opponent, -1000, 1000, 2))
        total += searcher.run(exact_task(position.player, position.opponent)).nodes
    assert total == EXACT_NODES
