"""The incremental board against a count from scratch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from othello_engine.gomoku import lines, weights
from othello_engine.gomoku.board import place, set_up, undo
from othello_engine.gomoku.lines import combos_of
from othello_engine.gomoku.position import BLOCKED, EMPTY
from othello_engine.gomoku.state import (
    COUNTS,
    FIVES,
    FOURS,
    FRAME_WORDS,
    HASH,
    NEAR,
    STATE_BYTES,
    STATE_DTYPE,
    THREES,
    VALUE,
    fill_near,
    new_state,
)
from tests.gomoku import slow

SIZES = ((10, 0), (11, 5), (15, 0), (19, 7), (20, 12))


@pytest.fixture(scope="module")
def state() -> Any:
    state = new_state()
    state.info[:] = weights.info_table(weights.by_hand())
    return state


def load(state: Any, size: int, cells: bytes) -> None:
    fill_near(state, size)
    state.cells[: size * size] = np.frombuffer(cells, np.uint8)
    set_up(state)


def frame(state: Any) -> list[int]:
    """The present frame without the undo stack's place."""
    first = int(state.frame) * FRAME_WORDS
    return [int(word) for word in state.frames[first : first + FRAME_WORDS - 1]]


def cells_of(words: list[int], first: int) -> set[int]:
    return {cell for cell in range(512) if words[first + (cell >> 6)] >> (cell & 63) & 1}


def signed(word: int) -> int:
    return word - (1 << 64) if word >> 63 else word


def check(state: Any, size: int) -> None:
    cells = bytes(state.cells[: size * size].astype(np.uint8))
    empty = [cell for cell in range(size * size) if cells[cell] == EMPTY]
    combos = combos_of(size, cells)
    words = frame(state)
    kept = np.array(state.combos[: size * size]).astype(np.int64)
    stones = [cell for cell in range(size * size) if cells[cell] in (1, 2)]
    near = set()
    for stone in stones:
        row, column = divmod(stone, size)
        for cell in range(size * size):
            down, right = abs(cell // size - row), abs(cell % size - column)
            if max(down, right) <= 2 or (max(down, right) == 3 and (min(down, right) in (0, 3))):
                near.add(cell)
    assert cells_of(words, int(NEAR)) == near
    assert state.n_empty == len(empty)
    for side in range(2):
        info = {cell: int(state.info[combos[cell, side]]) for cell in empty}
        for cell in empty:
            assert kept[cell] >> (16 * side) & 0xFFFF == combos[cell, side]
        assert signed(words[int(VALUE) + side]) == sum(word >> 16 for word in info.values())
        classes = {cell: word & 15 for cell, word in info.items()}
        for class_ in range(8, 16):
            word = words[int(COUNTS) + 2 * side + (class_ >> 2 & 1)]
            assert word >> (16 * (class_ & 3)) & 0xFFFF == list(classes.values()).count(class_)
        fours = {cell for cell, class_ in classes.items() if class_ >= lines.CELL_FOUR}
        fives = {cell for cell, class_ in classes.items() if class_ == lines.CELL_FIVE}
        threes = {cell for cell in empty if _has_open_three(int(combos[cell, side]), classes[cell])}
        assert cells_of(words, int(FOURS) + 8 * side) == fours
        assert cells_of(words, int(FIVES) + 8 * side) == fives
        assert cells_of(words, int(THREES) + 8 * side) == threes


def _has_open_three(combination: int, cell_class: int) -> bool:
    classes = [combination >> (4 * direction) & 15 for direction in range(4)]
    is_three = any(class_ in (lines.OPEN_THREE, lines.OPEN_THREE_WEAK) for class_ in classes)
    return is_three and cell_class < lines.CELL_OPEN_FOUR


@pytest.mark.parametrize(("size", "blocked"), SIZES)
def test_everything_stays_true_when_stones_come_and_go(state: Any, size: int, blocked: int) -> None:
    rng = np.random.default_rng(size)
    position = slow.random_position(size, size, 12, blocked)
    load(state, size, position.cells)
    check(state, size)
    history = []
    for _ in range(60):
        if len(history) > 1 and rng.random() < 0.35:
            undo(state)
            assert frame(state) == history.pop()
            check(state, size)
            continue
        empty = np.flatnonzero(state.cells[: size * size] == EMPTY)
        history.append(frame(state))
        place(state, int(rng.choice(empty)), int(rng.integers(2)))
        check(state, size)
    while history:
        undo(state)
        assert frame(state) == history.pop()
    assert bytes(state.cells[: size * size].astype(np.uint8)) == position.cells
    check(state, size)


def test_hash_depends_on_stones_not_on_their_order(state: Any) -> None:
    load(state, 15, bytes(225))
    for cells in ((0, 20, 112), (112, 0, 20)):
        for cell in cells:
            place(state, cell, 0)
    hashes = set()
    words = []
    for first, second in (((112, 0), (20, 1)), ((20, 1), (112, 0)), ((112, 1), (20, 0))):
        load(state, 15, bytes(225))
        place(state, *first)
        place(state, *second)
        words.append(frame(state)[int(HASH)])
    assert words[0] == words[1] != words[2]
    for cell, content in ((3, 1), (3, 2), (3, BLOCKED), (4, 1)):
        cells = bytearray(225)
        cells[cell] = content
        load(state, 15, bytes(cells))
        hashes.add(frame(state)[int(HASH)])
    assert len(hashes) == 4
    load(state, 15, bytes(225))
    empty = frame(state)[int(HASH)]
    load(state, 16, bytes(256))
    assert frame(state)[int(HASH)] != empty


def test_set_up_equals_placing(state: Any) -> None:
    position = slow.random_position(15, 9, 30)
    load(state, 15, position.cells)
    at_once = frame(state), list(state.lines), list(state.combos[:225])
    load(state, 15, bytes(225))
    for cell, content in enumerate(position.cells):
        if content:
            place(state, cell, content - 1)
    empty = [cell for cell in range(225) if not position.cells[cell]]
    assert (frame(state), list(state.lines)) == at_once[:2]
    assert [state.combos[cell] for cell in empty] == [at_once[2][cell] for cell in empty]


def test_record_fits() -> None:
    fields = STATE_DTYPE.fields
    assert fields is not None
    assert fields["stop"][1] == 0
    assert fields["nodes"][1] == 8
    assert STATE_DTYPE.itemsize <= STATE_BYTES
