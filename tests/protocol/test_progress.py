"""How much of a search's progress is printed."""

from __future__ import annotations

from othello_engine.types import SearchInfo, SearchResult
from protocol.progress import ProgressGate
from tests.protocol.fake_engine import info


class Clock:
    def __init__(self) -> None:
        self.now = 50.0

    def __call__(self) -> float:
        return self.now


def gate(interval: float = 0.1) -> tuple[ProgressGate, Clock]:
    clock = Clock()
    return ProgressGate(interval, clock), clock


def depths(lines: list[SearchInfo]) -> list[int]:
    return [line.depth for line in lines]


def result(*lines: SearchInfo, nodes: int = 0, time_ms: int = 0) -> SearchResult:
    return SearchResult(19, 65, lines, nodes or (lines[0].nodes if lines else 0), time_ms)


def test_the_first_and_the_last_are_printed_and_ten_a_second_between() -> None:
    progress, clock = gate()
    printed: list[SearchInfo] = []
    for depth in range(1, 1001):
        printed += progress.offer(info(depth))
        clock.now += 0.001
    printed += progress.finish(result(info(1000)))
    assert depths(printed)[0] == 1
    assert depths(printed)[-1] == 1000
    assert 9 <= len(printed) <= 12
    assert depths(printed) == sorted(depths(printed))


def test_without_an_interval_everything_is_printed() -> None:
    progress, _ = gate(0)
    assert [depths(progress.offer(info(depth))) for depth in (1, 2, 3)] == [[1], [2], [3]]
    assert progress.seconds_until_due() is None


def test_a_report_that_waited_is_printed_when_its_time_has_come() -> None:
    progress, clock = gate()
    assert depths(progress.offer(info(1))) == [1]
    clock.now += 0.03
    assert progress.offer(info(2)) == []
    assert abs((progress.seconds_until_due() or 0) - 0.07) < 1e-9
    assert progress.flush() == []
    clock.now += 0.07
    assert depths(progress.flush()) == [2]
    assert progress.seconds_until_due() is None
    assert progress.flush() == []


def test_only_the_newest_report_waits() -> None:
    progress, clock = gate()
    progress.offer(info(1))
    progress.offer(info(2))
    progress.offer(info(3))
    clock.now += 0.2
    assert depths(progress.flush()) == [3]


def test_depths_never_go_back() -> None:
    progress, _ = gate(0)
    assert depths(progress.offer(info(5))) == [5]
    assert progress.offer(info(4)) == []
    assert depths(progress.offer(info(5, nodes=900))) == [5]
    assert progress.finish(result(info(4))) == []


def test_all_lines_of_a_report_pass_or_wait_together() -> None:
    progress, clock = gate()
    first = [*progress.offer(info(1)), *progress.offer(info(1, "c4", rank=2))]
    assert [line.rank for line in first] == [1, 2]
    clock.now += 0.0999
    assert progress.offer(info(2)) == []
    clock.now += 0.1  # over now, but the report has begun to wait
    assert progress.offer(info(2, "c4", rank=2)) == []
    assert [(line.depth, line.rank) for line in progress.flush()] == [(2, 1), (2, 2)]
    assert depths(progress.offer(info(2, "f5", rank=3))) == [2]


def test_the_last_report_carries_the_whole_searchs_numbers() -> None:
    progress, _ = gate()
    progress.offer(info(7, nodes=700))
    lines = progress.finish(result(info(7, nodes=700), nodes=5000, time_ms=20))
    assert [(line.nodes, line.time_ms, line.nps) for line in lines] == [(5000, 20, 250_000)]


def test_a_new_best_move_at_the_end_renews_all_ranks() -> None:
    progress, _ = gate(0)
    for rank, move in enumerate(("d3", "c4", "f5"), 1):
        progress.offer(info(8, move, rank=rank, nodes=800))
    final = (info(9, "c4", nodes=900), info(8, "d3", rank=2, nodes=800), info(8, "f5", rank=3, nodes=800))
    lines = progress.finish(result(*final, nodes=900))
    assert [(line.rank, line.depth, line.pv) for line in lines] == [(i.rank, i.depth, i.pv) for i in final]


def test_what_was_printed_is_not_said_again() -> None:
    progress, _ = gate()
    progress.offer(info(7, nodes=700))
    assert progress.finish(result(info(7, nodes=700, time_ms=9, nps=1))) == []


def test_a_result_without_lines_brings_out_what_waited() -> None:
    progress, _ = gate()
    progress.offer(info(1))
    progress.offer(info(2))
    assert depths(progress.finish(result())) == [2]
