"""Weights of the evaluation: read once, the same for all workers, replaced when nobody looks; bad files do no harm."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from othello_engine.engine import engine as engine_module
from othello_engine.engine.engine import Engine
from othello_engine.engine.knowledge import Knowledge
from othello_engine.errors import BusyError, EngineError, WeightsError, WorkerError
from othello_engine.evaluation import weights
from othello_engine.evaluation.features import WEIGHTS_BYTES
from othello_engine.position import Position
from othello_engine.types import Limits
from tests.engine.conftest import EngineMaker, worker_processes
from tests.engine.plain_searcher import PlainSearcher
from tests.weight_files import write_weights

MIDGAME = Position.from_moves("f5d6c3d3c4f4f6")

posix = pytest.mark.skipif(os.name != "posix", reason="needs signals")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Weight files whose first weight is their name, and a damaged one."""
    folder = tmp_path_factory.mktemp("weights")
    for first in (0, 50, 70):
        write_weights(folder / str(first), first)
    good = (folder / "0").read_bytes()
    (folder / "damaged").write_bytes(good[:-3] + b"!!!")
    (folder / "foreign").write_text("nothing of the kind\n")
    return folder


@pytest.fixture
def shipped(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Zeros, in place of the weights that come with the program."""
    path = folder / "0"
    monkeypatch.setattr(weights, "shipped_file", lambda evaluation: str(path) if evaluation == "patterns" else None)
    return path


def static_value(position: Position) -> int:
    """What a plain searcher without weights thinks of a position."""
    return PlainSearcher(bytearray(64)).evaluate(position.player, position.opponent)


def learned(engine: Engine) -> int:
    """The first weight, as a worker sees it."""
    return engine.evaluate(MIDGAME).value - static_value(MIDGAME)


def change(engine: Engine, file: Path | str) -> None:
    engine.set_option("EvalFile", str(file))
    assert engine.wait_ready(10)


# -- with workers -------------------------------------------------------------------------------------------------


def test_all_workers_have_the_weights_that_come_with_the_evaluation(
    make_engine: EngineMaker, shipped: Path, folder: Path
) -> None:
    engine = make_engine(2, profile="strong")
    assert learned(engine) == 0
    change(engine, folder / "50")
    for threads in (1, 3):
        engine.set_option("Threads", threads)
        assert engine.wait_ready(10)
        assert learned(engine) == 50
    change(engine, "")
    assert learned(engine) == 0


def test_weights_named_at_the_start_are_used(make_engine: EngineMaker, shipped: Path, folder: Path) -> None:
    engine = make_engine(1, profile="strong", EvalFile=str(folder / "70"))
    assert learned(engine) == 70


def test_an_evaluation_without_weights_reads_none(
    make_engine: EngineMaker, messages: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(weights, "load", lambda *_: pytest.fail("read weights"))
    engine = make_engine(1, EvalFile="/nowhere")
    engine.set_option("Threads", 2)
    assert engine.wait_ready(10)
    assert learned(engine) == 0
    assert [message for message in messages if "nowhere" in message] == []


@posix
def test_the_successor_of_a_killed_worker_has_the_weights(
    make_engine: EngineMaker, shipped: Path, folder: Path
) -> None:
    engine = make_engine(1, profile="strong", EvalFile=str(folder / "50"))
    change(engine, folder / "70")
    worker_processes()[0].kill()
    assert learned(engine) == 70


def test_a_search_that_follows_a_change_uses_the_weights_and_an_empty_table(
    make_engine: EngineMaker, shipped: Path, folder: Path
) -> None:
    engine = make_engine(2, profile="strong")
    engine.set_position(MIDGAME)
    before = engine.go(Limits(depth=1)).wait(10).lines[0].score.value
    assert engine._conductor is not None
    epoch = engine._conductor.epoch
    engine.set_option("EvalFile", str(folder / "50"))
    assert engine.go(Limits(depth=1)).wait(10).lines[0].score.value == before - 50
    assert engine._conductor.epoch == epoch + 1


def test_the_last_of_several_changes_counts(make_engine: EngineMaker, shipped: Path, folder: Path) -> None:
    engine = make_engine(1, profile="strong", ready=False)
    for first in (70, 50, 0, 70, 0, 50):
        engine.set_option("EvalFile", str(folder / str(first)))
    assert engine.wait_ready(30)
    assert learned(engine) == 50
    for first in (70, 0, 50, 0, 70):
        engine.set_option("EvalFile", str(folder / str(first)))
    assert engine.wait_ready(30)
    assert learned(engine) == 70


def test_weights_are_not_changed_while_a_search_runs(make_engine: EngineMaker, shipped: Path, folder: Path) -> None:
    engine = make_engine(1, profile="strong")
    handle = engine.go(Limits(infinite=True))
    with pytest.raises(BusyError):
        engine.set_option("EvalFile", str(folder / "50"))
    handle.stop()
    handle.wait(5)
    assert learned(engine) == 0


@pytest.mark.parametrize(("name", "reason"), [("none", "No such"), ("damaged", "damaged"), ("foreign", "not a weight")])
def test_a_bad_file_is_refused_and_the_old_weights_stay(
    name: str, reason: str, make_engine: EngineMaker, messages: list[str], shipped: Path, folder: Path
) -> None:
    engine = make_engine(1, profile="strong", EvalFile=str(folder / "50"))
    messages.clear()
    with pytest.raises(WeightsError, match=f"{folder / name}: .*{reason}"):
        engine.set_option("EvalFile", str(folder / name))
    assert engine.config.eval_file == str(folder / "50")
    assert engine.is_ready
    assert learned(engine) == 50
    assert messages == []


def test_a_bad_file_at_the_start_is_told_and_replaced_by_the_shipped_one(
    make_engine: EngineMaker, messages: list[str], shipped: Path, folder: Path
) -> None:
    engine = make_engine(1, profile="strong", EvalFile=str(folder / "damaged"))
    assert learned(engine) == 0
    (said,) = (message for message in messages if "damaged" in message)
    assert said.startswith(f"{folder / 'damaged'}: the file is damaged")
    assert said.endswith("using the weights that come with the program")


def test_a_file_that_goes_bad_after_the_check_is_told_and_the_old_weights_stay(
    make_engine: EngineMaker, messages: list[str], shipped: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = make_engine(1, profile="strong", EvalFile=str(folder / "50"))
    monkeypatch.setattr(engine_module, "check_weights", lambda _: None)
    change(engine, folder / "damaged")
    assert learned(engine) == 50
    assert messages[-1].endswith("; the old weights stay")


def test_without_any_weights_requests_fail_with_the_reason_until_there_are_some(
    make_engine: EngineMaker, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(weights, "shipped_file", lambda _: str(folder / "none"))
    engine = make_engine(1, profile="strong", ready=False)
    with pytest.raises(WorkerError, match=f"no weights: {folder / 'none'}: "):
        engine.wait_ready(10)
    engine.set_position(MIDGAME)
    result = engine.go(Limits(depth=3)).wait(5)
    assert result.best_move in MIDGAME.legal_moves
    assert "no weights" in (result.error or "")
    with pytest.raises(EngineError, match="no weights"):
        engine.evaluate(MIDGAME)
    change(engine, folder / "70")
    assert learned(engine) == 70
    assert engine.go(Limits(depth=3)).wait(5).error is None


def test_closing_while_weights_are_read_takes_no_longer(
    make_engine: EngineMaker, shipped: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(weights, "load", lambda *_: time.sleep(1))
    engine = make_engine(1, profile="strong", ready=False)
    engine.start()
    time.sleep(0.05)
    began = time.perf_counter()
    engine.close()
    assert time.perf_counter() - began < 0.9


# -- alone --------------------------------------------------------------------------------------------------------


class Owner:
    """Runs what is posted when the test says so."""

    def __init__(self) -> None:
        self.said: list[str] = []
        self.posted: list[Callable[[], None]] = []

    def settle(self, n: int = 1) -> None:
        """Wait for `n` posts, and run them."""
        deadline = time.monotonic() + 10
        while len(self.posted) < n:
            assert time.monotonic() < deadline
            time.sleep(0.001)
        for _ in range(n):
            self.posted.pop(0)()


def test_nothing_is_held_for_an_evaluation_without_weights(shipped: Path) -> None:
    owner = Owner()
    knowledge = Knowledge("classic", "", owner.said.append, owner.posted.append)
    knowledge.prepare()
    knowledge.use("/nowhere")
    assert knowledge.is_settled
    assert knowledge.block is None
    assert knowledge.bytes_to_come == 0
    assert (owner.said, owner.posted) == ([], [])
    knowledge.close()


def test_memory_is_counted_until_it_is_filled(shipped: Path) -> None:
    owner = Owner()
    knowledge = Knowledge("patterns", "", owner.said.append, owner.posted.append)
    assert not knowledge.is_settled
    knowledge.prepare()
    assert WEIGHTS_BYTES <= knowledge.bytes_to_come < WEIGHTS_BYTES + 8
    owner.settle()
    assert knowledge.is_settled
    assert knowledge.bytes_to_come == 0
    assert not knowledge.has_news  # the first are read straight into the block
    knowledge.close()


def test_later_weights_wait_until_they_may_be_changed(shipped: Path, folder: Path) -> None:
    owner = Owner()
    knowledge = Knowledge("patterns", "", owner.said.append, owner.posted.append)
    knowledge.prepare()
    owner.settle()
    knowledge.use(str(folder / "50"))
    owner.settle()
    assert knowledge.block is not None
    assert knowledge.has_news
    assert not knowledge.is_settled
    assert knowledge.block.buffer[:2] == b"\0\0"
    knowledge.change_over()
    assert knowledge.block.buffer[:2] == bytes([50, 0])
    assert knowledge.is_settled
    assert owner.said == []
    knowledge.close()
