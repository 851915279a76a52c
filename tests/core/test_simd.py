"""Bit and memory intrinsics, which only kernels can call, through kernels made for the purpose."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from othello_engine.core import plain
from othello_engine.core import simd as simd_module
from othello_engine.core.jit import I64, U64, VOID, kernel
from tests.core.support import SEED, bitboards, several

simd: Any = simd_module  # intrinsics are called by kernels, whose types are in the decorator

EDGE_VALUES = (0, 1, 2, 1 << 31, 1 << 32, 1 << 62, 1 << 63, (1 << 63) - 1, plain.FULL, plain.FULL - 1)


@kernel(I64(U64))
def _popcount(bits):  # type: ignore[no-untyped-def]
    return simd.popcount(bits)


@kernel(I64(U64))
def _square_of(bits):  # type: ignore[no-untyped-def]
    return simd.square_of(bits)


@kernel(U64(U64))
def _byte_swap(bits):  # type: ignore[no-untyped-def]
    return simd.byte_swap(bits)


@kernel(U64(U64, I64))
def _load(address, index):  # type: ignore[no-untyped-def]
    return simd.load_word(address, index)


@kernel(VOID(U64, I64, U64))
def _store(address, index, value):  # type: ignore[no-untyped-def]
    simd.store_word(address, index, value)


@kernel(VOID(U64))
def _prefetch(address):  # type: ignore[no-untyped-def]
    simd.prefetch(address)


def words() -> list[int]:
    rng = random.Random(SEED)
    single_bits = [1 << square for square in range(64)]
    return [*EDGE_VALUES, *single_bits, *(rng.getrandbits(64) for _ in range(several(2_000)))]


def test_popcount_counts_all_64_bits() -> None:
    for word in words():
        assert bitboards(_popcount, word) == word.bit_count()


def test_square_of_is_the_lowest_square_and_64_for_none() -> None:
    for word in words():
        lowest = next((square for square in range(64) if word >> square & 1), 64)
        assert bitboards(_square_of, word) == lowest


def test_byte_swap_reverses_the_rows() -> None:
    for word in words():
        rows = [word >> 8 * row & 255 for row in range(8)]
        assert bitboards(_byte_swap, word) == sum(row << 8 * (7 - n) for n, row in enumerate(rows))


def test_rays_of_a_square_are_its_lines_without_itself() -> None:
    assert len(simd.RAYS) == 512
    for square in range(64):
        row, column = divmod(square, 8)
        for index in range(8):
            row_step, column_step = ((0, 1), (1, 0), (1, -1), (1, 1), (0, -1), (-1, 0), (-1, 1), (-1, -1))[index]
            ray = 0
            r, c = row + row_step, column + column_step
            while 0 <= r < 8 and 0 <= c < 8:
                ray |= 1 << (8 * r + c)
                r, c = r + row_step, c + column_step
            assert simd.RAYS[8 * square + index] == ray


def test_words_are_stored_and_loaded_by_address() -> None:
    block = np.zeros(16, dtype=np.uint64)
    address = np.uint64(block.ctypes.data)
    for index, word in enumerate((*EDGE_VALUES, 0xDEADBEEF)):
        _store(address, np.int64(index), np.uint64(word))
        assert int(block[index]) == word
        assert int(_load(address, np.int64(index))) == word
    assert not block[len(EDGE_VALUES) + 1 :].any()


def test_prefetch_changes_nothing() -> None:
    block = np.arange(16, dtype=np.uint64)
    _prefetch(np.uint64(block.ctypes.data))
    assert block.tolist() == list(range(16))
