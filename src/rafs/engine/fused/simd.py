"""Vectors of one cache line (16 float32 or 8 float64) or half a line, for compiled code.

Loops over single numbers are vectorised by the compiler; only the matrix products need to control
which sums stay in registers. LLVM splits a line into the registers that the machine has.
"""

from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.core import cgutils
from numba.extending import models, register_model

from rafs.engine.compiled import intrinsic

LINE_BYTES = 64


class Line(types.Type):
    """The type of a vector."""

    def __init__(self, dtype: types.Float, lanes: int) -> None:
        self.dtype, self.lanes = dtype, lanes
        super().__init__(name=f"Line({dtype}, {lanes})")


@register_model(Line)
class _LineModel(models.PrimitiveModel):
    def __init__(self, dmm: Any, fe_type: Line) -> None:
        number = dmm.lookup(fe_type.dtype).get_value_type()
        super().__init__(dmm, fe_type, ir.VectorType(number, fe_type.lanes))


def _full(array: Any) -> Line:
    return Line(array.dtype, LINE_BYTES * 8 // array.dtype.bitwidth)


def _half(array: Any) -> Line:
    return Line(array.dtype, LINE_BYTES * 4 // array.dtype.bitwidth)


def _address(context: Any, builder: Any, array_type: Any, array: Any, index: Any) -> Any:
    data = context.make_array(array_type)(context, builder, array).data
    return builder.gep(data, [index], inbounds=True)


def _shuffle(builder: Any, a: Any, b: Any, order: list[int]) -> Any:
    mask = ir.Constant(ir.VectorType(ir.IntType(32), len(order)), order)
    return builder.shuffle_vector(a, b, mask)


def _fold(builder: Any, line: Any, lanes: int) -> Any:
    """Add the upper half of a vector to the lower until it has so many lanes."""
    while line.type.count > lanes:
        half = line.type.count // 2
        low = _shuffle(builder, line, line, list(range(half)))
        line = builder.fadd(low, _shuffle(builder, line, line, list(range(half, 2 * half))))
    return line


def _load(kind: Any) -> Any:
    def typed(typingctx, array, index):  # type: ignore[no-untyped-def]
        line = kind(array)

        def generate(context, builder, signature, args):  # type: ignore[no-untyped-def]
            address = _address(context, builder, array, args[0], args[1])
            pointer = builder.bitcast(address, context.get_value_type(line).as_pointer())
            return builder.load(pointer, align=array.dtype.bitwidth // 8)

        return line(array, types.intp), generate

    return intrinsic(typed)


def _zero(kind: Any) -> Any:
    def typed(typingctx, array):  # type: ignore[no-untyped-def]
        line = kind(array)

        def generate(context, builder, signature, args):  # type: ignore[no-untyped-def]
            return ir.Constant(context.get_value_type(line), None)

        return line(array), generate

    return intrinsic(typed)


load, load_half = _load(_full), _load(_half)  # (array, index): what begins at array[index]
zero, zero_half = _zero(_full), _zero(_half)  # (array): zeros in the precision of the array


@intrinsic
def lanes(typingctx, array):  # type: ignore[no-untyped-def]
    """Return how many numbers of the array make a line: a constant for the compiler."""
    count = ir.Constant(ir.IntType(64), _full(array).lanes)
    return types.int64(array), lambda context, builder, signature, args: count


@intrinsic
def store(typingctx, array, index, line):  # type: ignore[no-untyped-def]
    """Write a line to array[index] and what follows."""

    def generate(context, builder, signature, args):  # type: ignore[no-untyped-def]
        address = _address(context, builder, array, args[0], args[1])
        pointer = builder.bitcast(address, args[2].type.as_pointer())
        builder.store(args[2], pointer, align=array.dtype.bitwidth // 8)
        return context.get_dummy_value()

    return types.void(array, types.intp, line), generate


@intrinsic
def spread(typingctx, array, index):  # type: ignore[no-untyped-def]
    """Return a line in which every number is array[index]."""
    line = _full(array)

    def generate(context, builder, signature, args):  # type: ignore[no-untyped-def]
        number = builder.load(_address(context, builder, array, args[0], args[1]))
        empty = ir.Constant(context.get_value_type(line), ir.Undefined)
        first = builder.insert_element(empty, number, ir.Constant(ir.IntType(32), 0))
        return _shuffle(builder, first, empty, [0] * line.lanes)

    return line(array, types.intp), generate


@intrinsic
def fma(typingctx, a, b, c):  # type: ignore[no-untyped-def]
    """Return a · b + c, rounded once, for lines or single numbers."""
    lanes = f"v{a.lanes}" if isinstance(a, Line) else ""
    number = a.dtype if isinstance(a, Line) else a

    def generate(context, builder, signature, args):  # type: ignore[no-untyped-def]
        kind = args[0].type
        name = f"llvm.fma.{lanes}f{number.bitwidth}"
        function = cgutils.get_or_insert_function(
            builder.module, ir.FunctionType(kind, (kind, kind, kind)), name
        )
        return builder.call(function, args)

    return a(a, a, a), generate


@intrinsic
def add(typingctx, a, b):  # type: ignore[no-untyped-def]
    """Return a + b, lane by lane."""
    return a(a, b), lambda context, builder, signature, args: builder.fadd(*args)


@intrinsic
def total(typingctx, a):  # type: ignore[no-untyped-def]
    """Return the sum over the lanes."""

    def generate(context, builder, signature, args):  # type: ignore[no-untyped-def]
        line = _fold(builder, args[0], 1)
        return builder.extract_element(line, ir.Constant(ir.IntType(32), 0))

    return a.dtype(a), generate


@intrinsic
def add_totals(typingctx, array, index, a, b, c, d):  # type: ignore[no-untyped-def]
    """Add the sums over the lanes of four lines to array[index] and the three that follow."""

    def generate(context, builder, signature, args):  # type: ignore[no-untyped-def]
        a, b, c, d = (_fold(builder, line, 4) for line in args[2:])
        low, high = [0, 4, 1, 5], [2, 6, 3, 7]
        ab = builder.fadd(_shuffle(builder, a, b, low), _shuffle(builder, a, b, high))
        cd = builder.fadd(_shuffle(builder, c, d, low), _shuffle(builder, c, d, high))
        low, high = [0, 1, 4, 5], [2, 3, 6, 7]
        abcd = builder.fadd(_shuffle(builder, ab, cd, low), _shuffle(builder, ab, cd, high))
        address = _address(context, builder, array, args[0], args[1])
        pointer = builder.bitcast(address, abcd.type.as_pointer())
        align = array.dtype.bitwidth // 8
        builder.store(builder.fadd(builder.load(pointer, align=align), abcd), pointer, align=align)
        return context.get_dummy_value()

    return types.void(array, types.intp, a, b, c, d), generate
