"""Vector code of the trained evaluation: pattern indices of a position, kept up to date move by move, and its value.

The indices of all instances lie side by side in vectors of 16-bit lanes. A *row* is two such vectors, 2 * N_LANES
numbers: the indices as the side to move sees them, then as the opponent does. With A the sum of the digits' values over
the side's own discs and B over the other's, the two views are A + 2 B and B + 2 A. A move on x that turns F makes

    own view    of the next side to move:  other view + P(F) + 2 P(x)
    other view  of the next side to move:  own view   - P(F) + P(x)

where P adds the rows of the constant table POWERS: no digit is ever taken apart, and colours never change.

Each intrinsic has an uncompiled twin of the same name at the bottom. Addresses are of rows of indices (any alignment)
and of the weights (features.py says how they lie).
"""

from __future__ import annotations

import ctypes

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from othello_engine.core.jit import IS_COMPILED
from othello_engine.evaluation.features import (
    HIDDEN,
    INSTANCES,
    N_LANES,
    ONE_BITS,
    POWERS,
    WIDTH,
)

ROW_BYTES = 2 * 2 * N_LANES
"""Bytes of one row of indices."""

_I1, _I16, _I32, _I64 = (ir.IntType(bits) for bits in (1, 16, 32, 64))
_WIDTH = 16
"""Lanes of one vector. LLVM takes a vector of all lanes to pieces of two bytes when their number is no power of two."""
_PARTS = N_LANES // _WIDTH
_VECTOR = ir.VectorType(_I16, _WIDTH)
_ZERO = [ir.Constant(_VECTOR, [0] * _WIDTH)] * _PARTS
_OWN, _OTHER = range(2)


def _part_pointer(builder, address, view, part):
    return builder.gep(
        builder.inttoptr(address, _VECTOR.as_pointer()), [ir.Constant(_I64, view * _PARTS + part)], inbounds=True
    )


def _load(builder, address, view):
    """One view of the row at this address, as a list of vectors."""
    return [builder.load(_part_pointer(builder, address, view, part), align=2) for part in range(_PARTS)]


def _store(builder, vectors, address, view):
    for part, vector in enumerate(vectors):
        builder.store(vector, _part_pointer(builder, address, view, part), align=2)


def _add(builder, a, b):
    return [builder.add(x, y) for x, y in zip(a, b, strict=True)]


def _subtract(builder, a, b):
    return [builder.sub(x, y) for x, y in zip(a, b, strict=True)]


def _powers(builder, square):
    """The row of POWERS for a square."""
    module = builder.module
    name = "othello.powers"
    if name in module.globals:
        table = module.globals[name]
    else:
        kind = ir.ArrayType(_VECTOR, 64 * _PARTS)
        table = ir.GlobalVariable(module, kind, name)
        table.linkage = "internal"
        table.global_constant = True
        parts = [row[first : first + _WIDTH] for row in POWERS for first in range(0, N_LANES, _WIDTH)]
        table.initializer = ir.Constant(kind, [ir.Constant(_VECTOR, part) for part in parts])
        table.align = 64
    first = builder.mul(square, ir.Constant(_I64, _PARTS))
    places = [builder.add(first, ir.Constant(_I64, part)) for part in range(_PARTS)]
    return [builder.load(builder.gep(table, [ir.Constant(_I64, 0), place], inbounds=True), align=2) for place in places]


def _sum_of_powers(builder, squares):
    """P(squares): the sum of POWERS over the bits of a bitboard."""
    before = builder.block
    loop = builder.append_basic_block("powers.loop")
    after = builder.append_basic_block("powers.end")
    zero = ir.Constant(_I64, 0)
    builder.cbranch(builder.icmp_unsigned("!=", squares, zero), loop, after)
    builder.position_at_end(loop)
    rest, total = builder.phi(_I64), [builder.phi(_VECTOR) for _ in range(_PARTS)]
    cttz = cgutils.get_or_insert_function(builder.module, ir.FunctionType(_I64, [_I64, _I1]), "llvm.cttz.i64")
    square = builder.call(cttz, [rest, ir.Constant(_I1, 1)])
    new_total = _add(builder, total, _powers(builder, square))
    new_rest = builder.and_(rest, builder.sub(rest, ir.Constant(_I64, 1)))
    rest.add_incoming(squares, before)
    rest.add_incoming(new_rest, loop)
    builder.cbranch(builder.icmp_unsigned("!=", new_rest, zero), loop, after)
    builder.position_at_end(after)
    result = [builder.phi(_VECTOR) for _ in range(_PARTS)]
    for part in range(_PARTS):
        total[part].add_incoming(_ZERO[part], before)
        total[part].add_incoming(new_total[part], loop)
        result[part].add_incoming(_ZERO[part], before)
        result[part].add_incoming(new_total[part], loop)
    return result


@intrinsic
def row_of(typingctx, row, player, opponent):
    """Write the indices of a position into the row at this address."""

    def codegen(context, builder, signature, args):
        row_, player_, opponent_ = args
        mine = _sum_of_powers(builder, player_)
        theirs = _sum_of_powers(builder, opponent_)
        both = _add(builder, mine, theirs)
        _store(builder, _add(builder, both, theirs), row_, _OWN)
        _store(builder, _add(builder, both, mine), row_, _OTHER)
        return context.get_dummy_value()

    return types.void(types.uint64, types.uint64, types.uint64), codegen


def _own_view_after(builder, row, square, turned):
    """The next side's own view, and P of the discs turned and of the square."""
    change = _sum_of_powers(builder, turned)
    placed = _powers(builder, square)
    own = _add(builder, _add(builder, _load(builder, row, _OTHER), change), _add(builder, placed, placed))
    return own, change, placed


@intrinsic
def row_after(typingctx, row, next_row, square, turned):
    """Write the indices after a move (int64 square, bitboard of the discs turned) into the row `next_row`."""

    def codegen(context, builder, signature, args):
        row_, next_row_, square_, turned_ = args
        own, change, placed = _own_view_after(builder, row_, square_, turned_)
        other = _add(builder, _subtract(builder, _load(builder, row_, _OWN), change), placed)
        _store(builder, own, next_row_, _OWN)
        _store(builder, other, next_row_, _OTHER)
        return context.get_dummy_value()

    return types.void(types.uint64, types.uint64, types.int64, types.uint64), codegen


@intrinsic
def own_view_after(typingctx, row, next_row, square, turned):
    """As `row_after`, but only the view of the next side to move: enough for a leaf."""

    def codegen(context, builder, signature, args):
        row_, next_row_, square_, turned_ = args
        _store(builder, _own_view_after(builder, row_, square_, turned_)[0], next_row_, _OWN)
        return context.get_dummy_value()

    return types.void(types.uint64, types.uint64, types.int64, types.uint64), codegen


@intrinsic
def row_after_pass(typingctx, row, next_row):
    """Write the indices after a pass into the row `next_row`: the views change places."""

    def codegen(context, builder, signature, args):
        row_, next_row_ = args
        own, other = _load(builder, row_, _OWN), _load(builder, row_, _OTHER)
        _store(builder, other, next_row_, _OWN)
        _store(builder, own, next_row_, _OTHER)
        return context.get_dummy_value()

    return types.void(types.uint64, types.uint64), codegen


_VALUES = ir.VectorType(_I16, WIDTH)
_WIDE = ir.VectorType(_I32, WIDTH)
_UNITS = ir.VectorType(_I32, HIDDEN)
assert WIDTH == HIDDEN  # the last step adds both products as one vector


def _splat(builder, vector, lane):
    """All lanes of a vector like `_UNITS` set to one lane of `vector`."""
    return builder.shuffle_vector(
        vector, ir.Constant(vector.type, ir.Undefined), ir.Constant(ir.VectorType(_I32, HIDDEN), [lane] * HIDDEN)
    )


def _positive(builder, vector):
    zero = ir.Constant(vector.type, [0] * vector.type.count)
    return builder.select(builder.icmp_signed(">", vector, zero), vector, zero)


@intrinsic
def network_value(typingctx, row, weights, network, count_1, count_2, count_3, count_4):
    """Value in hundredths of a disc, int64, of the position whose indices the row's own view holds.

    weights: address of all weights; network: of the one for its empty squares; count_1..4: int64, rows that the
    counts pick. Sums of rows saturate at the ends of int16.
    """

    def codegen(context, builder, signature, args):
        row_, weights_, network_, *counts = args
        indices = builder.inttoptr(row_, _I16.as_pointer())
        table = builder.inttoptr(weights_, _VALUES.as_pointer())
        places = []
        for lane, instance in enumerate(INSTANCES):
            # An atomic load without ordering: a plain one would be served from vector registers, lane by lane, which
            # is several times slower than reading back what has just been stored.
            index = builder.load_atomic(builder.gep(indices, [ir.Constant(_I64, lane)]), "monotonic", 2)
            places.append(builder.add(builder.zext(index, _I64), ir.Constant(_I64, instance.offset)))
        name = f"llvm.sadd.sat.v{WIDTH}i16"
        add = cgutils.get_or_insert_function(builder.module, ir.FunctionType(_VALUES, [_VALUES, _VALUES]), name)
        # Four sums, so that additions need not wait for one another.
        sums: list = [None] * 4
        for number, place in enumerate(places + counts):
            part = builder.load(builder.gep(table, [place]), align=2)
            slot = number % 4
            sums[slot] = part if sums[slot] is None else builder.call(add, [sums[slot], part])
        vector = builder.call(add, [builder.call(add, sums[:2]), builder.call(add, sums[2:])])

        numbers = builder.inttoptr(network_, _I32.as_pointer())

        def at(place, kind):
            pointer = builder.gep(numbers, [ir.Constant(_I64, place)])
            return builder.load(builder.bitcast(pointer, kind.as_pointer()), align=4)

        wide = builder.sext(vector, _WIDE)
        active = _positive(builder, wide)
        offsets_at = WIDTH + WIDTH * HIDDEN
        hidden = [at(offsets_at, _UNITS), ir.Constant(_UNITS, [0] * HIDDEN)]
        for element in range(WIDTH):
            product = builder.mul(_splat(builder, active, element), at(WIDTH + element * HIDDEN, _UNITS))
            hidden[element % 2] = builder.add(hidden[element % 2], product)
        units = builder.ashr(builder.add(*hidden), ir.Constant(_UNITS, [ONE_BITS] * HIDDEN))
        output = builder.mul(_positive(builder, units), at(offsets_at + HIDDEN, _UNITS))
        output = builder.add(output, builder.mul(wide, at(0, _WIDE)))
        name = f"llvm.vector.reduce.add.v{HIDDEN}i32"
        reduce = cgutils.get_or_insert_function(builder.module, ir.FunctionType(_I32, [_UNITS]), name)
        total = builder.add(builder.call(reduce, [output]), at(offsets_at + 2 * HIDDEN, _I32))
        return builder.sext(builder.ashr(total, ir.Constant(_I32, ONE_BITS)), _I64)

    word, number = types.uint64, types.int64
    return number(word, word, word, number, number, number, number), codegen


if not IS_COMPILED:

    def _row(address):
        return (ctypes.c_uint16 * (2 * N_LANES)).from_address(int(address))

    def _powers_of(squares):
        squares = int(squares)
        return [sum(POWERS[s][lane] for s in range(64) if squares >> s & 1) for lane in range(N_LANES)]

    def row_of(row, player, opponent):
        mine, theirs = _powers_of(player), _powers_of(opponent)
        _row(row)[:] = [a + 2 * b for a, b in zip(mine, theirs, strict=True)] + [
            b + 2 * a for a, b in zip(mine, theirs, strict=True)
        ]

    def row_after(row, next_row, square, turned):
        own, other = _row(row)[:N_LANES], _row(row)[N_LANES:]
        change, placed = _powers_of(turned), POWERS[int(square)]
        _row(next_row)[:] = [o + c + 2 * p for o, c, p in zip(other, change, placed, strict=True)] + [
            m - c + p for m, c, p in zip(own, change, placed, strict=True)
        ]

    def own_view_after(row, next_row, square, turned):
        other = _row(row)[N_LANES:]
        change, placed = _powers_of(turned), POWERS[int(square)]
        _row(next_row)[:N_LANES] = [o + c + 2 * p for o, c, p in zip(other, change, placed, strict=True)]

    def row_after_pass(row, next_row):
        indices = list(_row(row))
        _row(next_row)[:] = indices[N_LANES:] + indices[:N_LANES]

    def _numbers(kind, address, n):
        return list((kind * n).from_address(int(address)))

    def _saturated(x):
        return max(-32768, min(x, 32767))

    def network_value(row, weights, network, *counts):
        indices = _row(row)
        places = [each.offset + indices[lane] for lane, each in enumerate(INSTANCES)] + [int(count) for count in counts]
        sums = [[0] * WIDTH for _ in range(4)]
        for number, place in enumerate(places):
            part = _numbers(ctypes.c_int16, int(weights) + 2 * WIDTH * place, WIDTH)
            sums[number % 4] = [_saturated(a + b) for a, b in zip(sums[number % 4], part, strict=True)]
        halves = [[_saturated(a + b) for a, b in zip(*sums[i : i + 2], strict=True)] for i in (0, 2)]
        vector = [_saturated(a + b) for a, b in zip(*halves, strict=True)]
        numbers = _numbers(ctypes.c_int32, network, WIDTH + WIDTH * HIDDEN + 2 * HIDDEN + 1)
        direct, hidden = numbers[:WIDTH], numbers[WIDTH : WIDTH + WIDTH * HIDDEN]
        offsets, output, (last,) = (
            numbers[WIDTH + WIDTH * HIDDEN :][:HIDDEN],
            numbers[-HIDDEN - 1 : -1],
            numbers[-1:],
        )
        total = last + sum(a * b for a, b in zip(vector, direct, strict=True))
        for unit in range(HIDDEN):
            sum_ = offsets[unit] + sum(max(a, 0) * hidden[e * HIDDEN + unit] for e, a in enumerate(vector))
            total += max(sum_ >> ONE_BITS, 0) * output[unit]
        return np.int64(total >> ONE_BITS)
