"""onnx_fold.py -- nodes of an ONNX graph all of whose inputs are fixed: sizes, axes, positions, masks, and weights
that nodes make.

What is small is worked out at once. Of what is large the shape is told, and values are worked out where somebody
asks for them: weights are not read.
"""
import numpy

from import_network import Fixed, Unsupported, need, product
from onnx_fixed import (MOST, Computed, Filled, Worked, array_of, bounded, known, numbers, slices,
                        sources_of, view)
from onnx_graph import MOST_VALUES, TYPE, Stored
from onnx_shapes import shapes_behind

SMALL = 1 << 16  # values: no weight that matters, every list of sizes
REAL = (TYPE.FLOAT, TYPE.DOUBLE, TYPE.FLOAT16, TYPE.BFLOAT16)
FAULTS = (ValueError, TypeError, IndexError, KeyError, AttributeError, OverflowError, ZeroDivisionError)


def elementwise(function):
    def work(node, arrays):
        bounded(numpy.broadcast_shapes(*[a.shape for a in arrays]))
        return function(*arrays)

    return work


def divide(a, b):
    """Whole numbers are cut towards zero."""
    if not numpy.issubdtype(a.dtype, numpy.integer):
        return a / b
    down = a // b
    return numpy.where((down < 0) & (down * b != a), down + 1, down).astype(a.dtype)


def modulo(node, arrays):
    bounded(numpy.broadcast_shapes(*[a.shape for a in arrays]))
    return numpy.fmod(*arrays) if node.get("fmod", 0) else numpy.mod(*arrays)


def arange(node, arrays):
    start, end, step = [a.item() for a in arrays]
    need(step != 0 and abs(end - start) / abs(step) <= MOST, "that makes too much")
    return numpy.arange(start, end, step, dtype=arrays[0].dtype)


def sliced(node, arrays):
    return arrays[0][tuple(slices(node, arrays[1:], arrays[0].shape))]


def gathered(node, arrays):
    data, index = arrays
    axis = node.get("axis", 0)
    bounded([product(data.shape), product(index.shape)])
    bounded(data.shape[:axis] + index.shape + data.shape[axis % data.ndim + 1:])
    return numpy.take(data, index.astype(int), axis=axis)


def expanded(node, arrays):
    shape = numpy.broadcast_shapes(arrays[0].shape, tuple(int(n) for n in arrays[1]))
    return numpy.broadcast_to(arrays[0], bounded(shape)).copy()


def reduced(function):
    def work(node, arrays):
        axes = [int(n) for n in arrays[1].flatten()] if len(arrays) > 1 else node.get("axes")
        if not axes and node.get("noop_with_empty_axes", 0):
            return arrays[0]
        return function(arrays[0], axis=tuple(axes) if axes else None, keepdims=bool(node.get("keepdims", 1)))

    return work


def triangle(node, arrays):
    keep = numpy.triu if node.get("upper", 1) else numpy.tril
    return keep(arrays[0], int(arrays[1]) if len(arrays) > 1 else 0)


def tiled(node, arrays):
    times = [int(n) for n in arrays[1].flatten()]
    bounded([size * time for size, time in zip(arrays[0].shape, times)])
    return numpy.tile(arrays[0], times)


def einsum(node, arrays):
    equation = node.get("equation", "").replace(" ", "")
    letters = equation.partition("->")[0].split(",")
    need("..." not in equation and [len(part) for part in letters] == [a.ndim for a in arrays],
         "that nobody knows here")
    bounded({letter: size for part, a in zip(letters, arrays) for letter, size in zip(part, a.shape)}.values())
    return numpy.einsum(equation, *arrays)


def several(function):
    return elementwise(lambda *arrays: function.reduce(numpy.broadcast_arrays(*arrays)))


ONE_BY_ONE = {
    "Add": numpy.add, "Sub": numpy.subtract, "Mul": numpy.multiply, "Div": divide, "Pow": numpy.power,
    "Sqrt": numpy.sqrt, "Neg": numpy.negative, "Floor": numpy.floor, "Ceil": numpy.ceil, "Round": numpy.round,
    "Abs": numpy.abs, "Sign": numpy.sign, "Exp": numpy.exp, "Log": numpy.log, "Sin": numpy.sin, "Cos": numpy.cos,
    "Tanh": numpy.tanh, "Reciprocal": numpy.reciprocal, "Equal": numpy.equal, "Less": numpy.less,
    "LessOrEqual": numpy.less_equal, "Greater": numpy.greater, "GreaterOrEqual": numpy.greater_equal,
    "And": numpy.logical_and, "Or": numpy.logical_or, "Xor": numpy.logical_xor, "Not": numpy.logical_not,
    "Where": numpy.where,
}
WORK = {op: elementwise(function) for op, function in ONE_BY_ONE.items()}
WORK.update({
    "Max": several(numpy.maximum), "Min": several(numpy.minimum), "Sum": several(numpy.add), "Mod": modulo,
    "Concat": lambda node, arrays: numpy.concatenate(arrays, axis=node.get("axis", 0)),
    "Range": arange, "Slice": sliced, "Gather": gathered, "Expand": expanded, "Tile": tiled, "Trilu": triangle,
    "ReduceProd": reduced(numpy.prod), "ReduceSum": reduced(numpy.sum), "ReduceMax": reduced(numpy.max),
    "ReduceMin": reduced(numpy.min), "ReduceMean": reduced(numpy.mean),
    "Einsum": einsum,
    "NonZero": lambda node, arrays: numpy.array(numpy.nonzero(arrays[0]), numpy.int64),
    "Size": lambda node, arrays: numpy.int64(arrays[0].size),
    "CumSum": lambda node, arrays: numpy.cumsum(arrays[0], axis=int(arrays[1])),
})
UNLIKE = {"CumSum": ("exclusive", "reverse")}  # attributes that make it something else


def filled(node, args):
    """One value everywhere, or a part of such a tensor; None: it is none."""
    if node.op == "ConstantOfShape":
        shape = bounded(numbers(args[0]), MOST_VALUES)
        value = node.get("value")
        return Fixed(Filled(shape, value.read().flatten()[0] if value is not None else numpy.float32(0)))
    of = args[0].value
    if not isinstance(of, Filled):
        return None
    if node.op == "Expand":
        shape = numpy.broadcast_shapes(tuple(of.shape), tuple(numbers(args[1])))
        return Fixed(Filled(bounded(shape, MOST_VALUES), of.fill))
    if node.op == "Slice":
        which = slices(node, [array_of(arg) for arg in args[1:] if arg is not None], of.shape)
        return Fixed(Filled([len(range(*part.indices(size))) for part, size in zip(which, of.shape)], of.fill))
    return None


def constant(node):
    for name in ("value_int", "value_ints", "value_float", "value_floats"):
        if node.get(name) is not None:
            return known(node.get(name))
    stored = node.get("value")
    need(isinstance(stored, Stored), "without a tensor")
    return Fixed(stored, stored)


def values_of(node, args):
    """All of them, now."""
    need(node.op in WORK and not any(node.get(name, 0) for name in UNLIKE.get(node.op, ())),
         "that needs the values of %s" % node.op)
    arrays = [array_of(fixed) for fixed in args if fixed is not None]
    with numpy.errstate(all="ignore"):
        return numpy.asarray(WORK[node.op](node, arrays))


def is_small(args):
    return all(product(arg.value.shape) <= SMALL for arg in args)


def later(at, args):
    """A tensor of which the shape is told now; None: nobody knows how."""
    node = at.node
    shape = shapes_behind(at.importer.graph, node, at.importer.named(node), at.batch).get(node.outputs[0])
    if shape is None or len(node.outputs) > 1:
        return None
    bounded(shape, MOST_VALUES)
    kept = []

    def read():
        if not kept:
            kept.append(values_of(node, args))
        return kept[0]

    return Fixed(Worked(shape, read))


def computed(at, given):
    """At once where that is little work and all values are there."""
    why = None
    if at.node.op in WORK and is_small(given):
        try:
            return known(values_of(at.node, at.args))
        except Unsupported as error:
            why = error
    try:
        made = later(at, at.args)
    except Unsupported as error:
        raise why or error
    if made is None and why is not None:
        raise why
    return made


def work_out(at):
    """The value of a node all of whose inputs are fixed; None: nobody knows how."""
    node, args = at.node, at.args
    given = [arg for arg in args if arg is not None]
    try:
        if node.op == "Constant":
            return constant(node)
        if node.op == "Shape":
            return known(numpy.array(args[0].value.shape[slice(node.get("start", 0), node.get("end"))], numpy.int64))
        made = (view(node, args) or filled(node, args)) if args and args[0] is not None else None
        if made is None:
            made = computed(at, given)
    except FAULTS as error:
        raise Unsupported("that cannot be worked out (%s)" % (str(error).splitlines() or [""])[0])
    if made is not None and isinstance(made.value, Worked) and not made.value.sources:
        made.value.sources = [source for arg in given for source in sources_of(arg)]
    return made


def is_real(stored):
    """Whether a tensor of the file can be a weight: sizes are whole numbers."""
    proto = getattr(stored, "proto", None)
    return proto is None or proto.data_type in REAL


class Twin:
    """A vector that a file has once for several layers, since their values are equal."""

    def __init__(self, stored):
        self.name, self.shape = stored.name, stored.shape


def apart(network, stored):
    """Whose weight a vector is that another layer has already. Exporters write vectors of equal values once; where
    all values are one number, as a normalization begins, nobody shared them."""
    if not isinstance(stored, Stored) or len(stored.shape) != 1 or not network.is_taken(stored):
        return stored
    try:
        values = stored.read() if stored.shape[0] <= SMALL else None
    except Unsupported:
        return stored
    if values is None or not bool((values == values.flat[0]).all()):
        return stored
    network.note("note: vectors of one number that the file has once for several layers are taken for one of each")
    return Twin(stored)


def weight_owner(network, fixed, name):
    """Whose weight a fixed tensor is, where a layer takes it for one: the file's own, or one that nodes make."""
    if fixed.owner is None and fixed.rows is None:
        weights = [source for source in sources_of(fixed) if product(source.shape) > 1 and is_real(source)]
        if len(weights) == 1 and product(weights[0].shape) == product(fixed.value.shape):
            fixed.owner = weights[0]  # in another order, or made new from it: it has as many values
            return fixed.owner
        fixed.owner = Computed(name, fixed.value.shape, weights)
        network.computed.append(fixed.owner)
    return fixed.owner
