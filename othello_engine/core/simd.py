"""Vector and bit intrinsics in LLVM terms, each with an uncompiled twin of the same name.

The twins at the bottom replace the intrinsics when Numba's compiler is off; the tests hold the two against each
other. LLVM lowers the 4-lane vectors to AVX2 or AVX-512 on x86 and to pairs of NEON registers on Arm.
"""

from __future__ import annotations

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from othello_engine.core import plain
from othello_engine.core.jit import IS_COMPILED

_I1 = ir.IntType(1)
_I8 = ir.IntType(8)
_I64 = ir.IntType(64)
_V4 = ir.VectorType(_I64, 4)

# Lanes of the four line directions: row, column, and the two diagonals.
_SHIFTS = (1, 8, 7, 9)
_NOT_EDGE = plain.NOT_EDGE_FILES
_CROSSABLE = (_NOT_EDGE, plain.FULL, _NOT_EDGE, _NOT_EDGE)


def _ray(square: int, column_step: int, row_step: int) -> int:
    """The squares seen from `square` in one direction, without the square itself."""
    column, row = square & 7, square >> 3
    found = 0
    while True:
        column += column_step
        row += row_step
        if not (0 <= column < 8 and 0 <= row < 8):
            return found
        found |= 1 << (row * 8 + column)


def _ray_table() -> list[int]:
    """Per square eight rays: four toward higher squares, then the opposite four."""
    steps = ((1, 0), (0, 1), (-1, 1), (1, 1))
    return [
        _ray(square, sign * column_step, sign * row_step)
        for square in range(64)
        for sign in (1, -1)
        for column_step, row_step in steps
    ]


RAYS = _ray_table()


def _vector(values):
    return ir.Constant(_V4, list(values))


def _splat(builder, scalar):
    start = builder.insert_element(ir.Constant(_V4, ir.Undefined), scalar, ir.Constant(ir.IntType(32), 0))
    lanes = ir.Constant(ir.VectorType(ir.IntType(32), 4), [0, 0, 0, 0])
    return builder.shuffle_vector(start, ir.Constant(_V4, ir.Undefined), lanes)


def _function(builder, name, result, arguments):
    return cgutils.get_or_insert_function(builder.module, ir.FunctionType(result, arguments), name)


def _or_lanes(builder, vector):
    return builder.call(_function(builder, "llvm.vector.reduce.or.v4i64", _I64, [_V4]), [vector])


def _constant_table(builder, name, values):
    """A 64-byte aligned constant of this module; the same name gives the same table."""
    module = builder.module
    if name in module.globals:
        return module.globals[name]
    kind = ir.ArrayType(_I64, len(values))
    table = ir.GlobalVariable(module, kind, name)
    table.linkage = "internal"
    table.global_constant = True
    table.initializer = ir.Constant(kind, [ir.Constant(_I64, value) for value in values])
    table.align = 64
    return table


def _load_lanes(builder, table, index):
    pointer = builder.gep(table, [ir.Constant(_I64, 0), index], inbounds=True)
    lanes = builder.bitcast(pointer, _V4.as_pointer())
    return builder.load(lanes, align=32)


@intrinsic
def legal_moves(typingctx, player, opponent):
    """Squares where `player` turns at least one disc of `opponent`, as a bitboard."""

    def codegen(context, builder, signature, args):
        p, o = args
        shift = _vector(_SHIFTS)
        double = _vector([2 * s for s in _SHIFTS])
        players = _splat(builder, p)
        inner = builder.and_(_splat(builder, o), _vector(_CROSSABLE))
        moves = None
        # Runs of one to six opponents by doubling, once upward and once downward.
        for move in (builder.shl, builder.lshr):
            run = builder.and_(inner, move(players, shift))
            run = builder.or_(run, builder.and_(inner, move(run, shift)))
            pairs = builder.and_(inner, move(inner, shift))
            run = builder.or_(run, builder.and_(pairs, move(run, double)))
            run = builder.or_(run, builder.and_(pairs, move(run, double)))
            ends = move(run, shift)
            moves = ends if moves is None else builder.or_(moves, ends)
        empties = builder.not_(builder.or_(p, o))
        return builder.and_(_or_lanes(builder, moves), empties)

    return types.uint64(types.uint64, types.uint64), codegen


def _flip_lanes(builder, square, p, o):
    """Vector whose lanes, joined, are the discs turned by playing `square`."""
    table = _constant_table(builder, "othello.rays", RAYS)
    base = builder.shl(square, ir.Constant(_I64, 3))
    upper = _load_lanes(builder, table, base)
    lower = _load_lanes(builder, table, builder.add(base, ir.Constant(_I64, 4)))
    players = _splat(builder, p)
    not_opponents = _splat(builder, builder.not_(o))
    zero, one = _vector([0] * 4), _vector([1] * 4)

    # Toward higher squares the first non-opponent is the lowest set bit.
    stops = builder.and_(not_opponents, upper)
    first = builder.and_(stops, builder.sub(zero, stops))
    outflank = builder.and_(first, players)
    is_none = builder.zext(builder.icmp_unsigned("!=", outflank, zero), _V4)
    flips_up = builder.and_(builder.sub(outflank, is_none), upper)

    # Toward lower squares it is the highest set bit. The added bit 0 keeps the count below 64; masking with
    # the ray undoes it where a1 is not on the ray (and where it is, a1 holds an opponent).
    stops = builder.or_(builder.and_(not_opponents, lower), one)
    ctlz = _function(builder, "llvm.ctlz.v4i64", _V4, [_V4, _I1])
    zeros = builder.call(ctlz, [stops, ir.Constant(_I1, 1)])
    first = builder.lshr(_vector([1 << 63] * 4), zeros)
    outflank = builder.and_(first, builder.and_(players, lower))
    beyond = builder.sub(zero, builder.shl(outflank, one))
    flips_down = builder.and_(beyond, lower)
    return builder.or_(flips_up, flips_down)


@intrinsic
def flips(typingctx, square, player, opponent):
    """Opponent discs turned when `player` plays the empty `square` (int64 0..63); 0 if the move is illegal."""

    def codegen(context, builder, signature, args):
        square_, p, o = args
        return _or_lanes(builder, _flip_lanes(builder, square_, p, o))

    return types.uint64(types.int64, types.uint64, types.uint64), codegen


@intrinsic
def popcount(typingctx, bits):
    """Number of set bits, int64."""

    def codegen(context, builder, signature, args):
        return builder.call(_function(builder, "llvm.ctpop.i64", _I64, [_I64]), [args[0]])

    return types.int64(types.uint64), codegen


@intrinsic
def square_of(typingctx, bits):
    """Index of the lowest set bit, int64; 64 when there is none."""

    def codegen(context, builder, signature, args):
        cttz = _function(builder, "llvm.cttz.i64", _I64, [_I64, _I1])
        return builder.call(cttz, [args[0], ir.Constant(_I1, 0)])

    return types.int64(types.uint64), codegen


@intrinsic
def byte_swap(typingctx, bits):
    """The bytes in reverse order: the board mirrored top to bottom."""

    def codegen(context, builder, signature, args):
        return builder.call(_function(builder, "llvm.bswap.i64", _I64, [_I64]), [args[0]])

    return types.uint64(types.uint64), codegen


def _word_pointer(builder, address, index):
    start = builder.inttoptr(address, _I64.as_pointer())
    return builder.gep(start, [index])


@intrinsic
def load_word(typingctx, address, index):
    """The 64-bit word at byte `address` + 8 * `index`; never torn (an atomic load without ordering)."""

    def codegen(context, builder, signature, args):
        return builder.load_atomic(_word_pointer(builder, *args), "monotonic", 8)

    return types.uint64(types.uint64, types.int64), codegen


@intrinsic
def store_word(typingctx, address, index, value):
    """Write one 64-bit word at byte `address` + 8 * `index`; never torn."""

    def codegen(context, builder, signature, args):
        address_, index_, value_ = args
        builder.store_atomic(value_, _word_pointer(builder, address_, index_), "monotonic", 8)
        return context.get_dummy_value()

    return types.void(types.uint64, types.int64, types.uint64), codegen


@intrinsic
def prefetch(typingctx, address):
    """Ask for the cache line at `address`; a hint, no effect on results."""

    def codegen(context, builder, signature, args):
        i32 = ir.IntType(32)
        pointer = builder.inttoptr(args[0], _I8.as_pointer())
        function = _function(builder, "llvm.prefetch.p0", ir.VoidType(), [_I8.as_pointer(), i32, i32, i32])
        builder.call(function, [pointer, ir.Constant(i32, 0), ir.Constant(i32, 3), ir.Constant(i32, 1)])
        return context.get_dummy_value()

    return types.void(types.uint64), codegen


if not IS_COMPILED:
    # Uncompiled twins: the rules come from `plain`; words are read through ctypes.
    import ctypes

    def legal_moves(player, opponent):
        return np.uint64(plain.legal_moves(int(player), int(opponent)))

    def flips(square, player, opponent):
        return np.uint64(plain.flips(int(square), int(player), int(opponent)))

    def popcount(bits):
        return int(bits).bit_count()

    def square_of(bits):
        bits = int(bits)
        return (bits & -bits).bit_length() - 1 if bits else 64

    def byte_swap(bits):
        return np.uint64(int.from_bytes(int(bits).to_bytes(8, "little"), "big"))

    def load_word(address, index):
        return np.uint64(ctypes.c_uint64.from_address(int(address) + 8 * int(index)).value)

    def store_word(address, index, value):
        ctypes.c_uint64.from_address(int(address) + 8 * int(index)).value = int(value)

    def prefetch(address):
        return None
