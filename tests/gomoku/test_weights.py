"""Values by hand, and files of trained ones."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from othello_engine.errors import WeightsError
from othello_engine.gomoku import lines, weights
from othello_engine.gomoku.weights import CellWeights


def some() -> CellWeights:
    rng = np.random.default_rng(4)
    n = len(lines.MULTISETS)
    values = rng.integers(-2047, 2048, n).astype(np.int16)
    return CellWeights(values, rng.integers(0, 2048, n).astype(np.int16), -17, "some")


def test_info_table_has_all_three_parts() -> None:
    some_weights = some()
    table = weights.info_table(some_weights)
    rng = np.random.default_rng(5)
    for combination in rng.integers(0, lines.N_COMBINATIONS, 500):
        classes = sorted(int(combination) >> (4 * direction) & 15 for direction in range(4))
        if classes[-1] >= lines.N_CLASSES:
            continue
        number = lines.MULTISETS.index(tuple(classes))
        info = int(table[combination])
        assert info & 15 == lines.cell_class(tuple(classes))
        assert info >> 4 & 0xFFF == some_weights.orders[number]
        assert info >> 16 == some_weights.values[number]


def test_by_hand_a_stronger_cell_class_is_ordered_first() -> None:
    by_hand = weights.by_hand()
    for class_ in (lines.CELL_FIVE, lines.CELL_OPEN_FOUR, lines.CELL_FOUR_OPEN_THREE, lines.CELL_DOUBLE_OPEN_THREE):
        lowest = by_hand.orders[class_ == lines.CELL_CLASS].min()
        weaker = min(class_, lines.CELL_DOUBLE_OPEN_THREE) > lines.CELL_CLASS
        assert lowest > by_hand.orders[weaker].max()


def test_a_file_brings_back_what_was_written(tmp_path: Path) -> None:
    path = tmp_path / "some.weights"
    weights.write(path, some(), "by chance")
    found = weights.read(path)
    assert (found.values == some().values).all()
    assert (found.orders == some().orders).all()
    assert (found.tempo, found.name) == (-17, "some")


@pytest.mark.parametrize("where", [0, 40, 200, -20])
def test_damage_is_found(tmp_path: Path, where: int) -> None:
    path = tmp_path / "some.weights"
    weights.write(path, some(), "by chance")
    data = bytearray(path.read_bytes())
    data[where] ^= 0x55
    path.write_bytes(data)
    with pytest.raises(WeightsError, match=r"some\.weights"):
        weights.read(path)


def test_a_short_file_and_none(tmp_path: Path) -> None:
    path = tmp_path / "some.weights"
    weights.write(path, some(), "by chance")
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(WeightsError):
        weights.read(path)
    with pytest.raises(WeightsError):
        weights.read(tmp_path / "none.weights")


def test_other_classes_of_lines_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "some.weights"
    with monkeypatch.context() as patch:
        patch.setattr(weights, "lines_digest", lambda: "0" * 16)
        weights.write(path, some(), "by chance")
    with pytest.raises(WeightsError, match="other classes"):
        weights.read(path)


def test_numbers_out_of_range_are_refused(tmp_path: Path) -> None:
    bad = some()
    bad.orders[3] = 3000
    with pytest.raises(WeightsError, match="0 to 2047"):
        weights.write(tmp_path / "bad.weights", bad, "")


def test_what_is_shipped_can_be_read() -> None:
    assert len(weights.shipped().values) == len(lines.MULTISETS)
