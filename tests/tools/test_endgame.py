"""Solving times, with a pretended engine: which positions are taken, what is compared, what is said."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest

from othello_engine.position import Position
from othello_engine.types import NO_MOVE, Goal, Limits
from tests import positions
from tests.search.support import perfect_score
from tools import endgame
from tools.endgame import game_positions, main


class PretendedEngine:
    """Plays the first legal move and solves by looking at everything. two_off: the error of two workers."""

    def __init__(self, threads: int, two_off: int = 0) -> None:
        self._threads = threads
        self._two_off = two_off
        self.asked: list[Goal] = []

    def new_game(self) -> None: ...

    def set_position(self, position: Position) -> None:
        self._position = position

    def go(self, limits: Limits) -> PretendedEngine:
        self.asked.append(limits.goal)
        self._goal = limits.goal
        return self

    def wait(self) -> SimpleNamespace:
        score = 0
        if self._goal is not Goal.AUTO:
            score = perfect_score(self._position.player, self._position.opponent)
        if self._goal is Goal.WLD:
            score = (score > 0) - (score < 0)
        elif self._threads == 2:
            score += self._two_off
        moves = self._position.legal_moves
        line = SimpleNamespace(score=SimpleNamespace(value=score))
        nodes = 100 if self._goal is Goal.WLD else 1000
        return SimpleNamespace(nodes=nodes, best_move=moves[0] if moves else NO_MOVE, lines=(line,))


@pytest.fixture
def pretended(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    made = SimpleNamespace(engines=[], two_off=0)

    @contextmanager
    def ready(profile: str | None, threads: int, hash_mb: int) -> Iterator[PretendedEngine]:
        made.engines.append(PretendedEngine(threads, made.two_off))
        yield made.engines[-1]

    monkeypatch.setattr(endgame, "ready_engine", ready)
    return made


def test_a_game_gives_one_position_of_each_kind_and_the_seed_decides() -> None:
    found = game_positions(PretendedEngine(1), range(10, 13), 3, random.Random(1))
    assert {n: [position.n_empties for position in chosen] for n, chosen in found.items()} == {
        n: [n] * 3 for n in (10, 11, 12)
    }
    assert not any(position.must_pass or position.is_over for chosen in found.values() for position in chosen)
    assert found == game_positions(PretendedEngine(1), range(10, 13), 3, random.Random(1))
    assert found != game_positions(PretendedEngine(1), range(10, 13), 3, random.Random(2))


def test_the_curve_solves_so_many_of_each_and_records_them(
    pretended: SimpleNamespace, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record = tmp_path / "curve.json"
    assert main(["--json", str(record), "curve", "--empties", "3-4", "--positions", "2"]) == 0
    written = json.loads(record.read_text())
    assert [written[n]["nodes"] for n in ("3", "4")] == [[1000, 1000]] * 2
    assert pretended.engines[0].asked.count(Goal.EXACT) == 4
    assert "means of 2 positions" in capsys.readouterr().out


@pytest.fixture
def obf(tmp_path: Path) -> Path:
    path = tmp_path / "two.obf"
    path.write_text("".join(f"{position.to_text()}\n" for position in positions.late_positions(4, 2, 7)))
    return path


def test_a_comparison_asks_one_worker_two_and_who_wins(
    pretended: SimpleNamespace, obf: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["compare", str(obf)])
    assert [engine.asked for engine in pretended.engines] == [[Goal.EXACT, Goal.WLD] * 2, [Goal.EXACT] * 2]
    said = capsys.readouterr().out
    assert "0.1 x" in said  # nodes for the winner


def test_different_scores_end_the_comparison(pretended: SimpleNamespace, obf: Path) -> None:
    pretended.two_off = 2
    with pytest.raises(SystemExit, match="different scores"):
        main(["compare", str(obf)])
