"""onnx_fixed.py -- what in an ONNX graph does not depend on the values of the input: sizes, axes,
positions, masks. Worked out, with a bound on how much a file can ask for.

Nodes that only look at a tensor in another way keep whose weight it is.
"""
import numpy

from import_network import Fixed, Unsupported, need, product
from onnx_graph import MOST_VALUES, TYPE, Stored

MOST = 1 << 22  # values that are worked out at once
TYPES = {TYPE.FLOAT: numpy.float32, TYPE.DOUBLE: numpy.float64, TYPE.FLOAT16: numpy.float16,
         TYPE.INT32: numpy.int32, TYPE.INT64: numpy.int64, TYPE.BOOL: numpy.bool_,
         TYPE.INT8: numpy.int8, TYPE.UINT8: numpy.uint8}


class Worked:
    """A tensor that was worked out, or looks at another one."""

    def __init__(self, shape, read):
        self.shape, self.read = list(shape), read


class Filled(Worked):
    """A tensor of one value, of any size: the state that recurrent layers begin with."""

    def __init__(self, shape, value):
        super().__init__(shape, lambda: numpy.broadcast_to(value, shape))
        self.fill = value


def known(array):
    array = numpy.asarray(array)
    return Fixed(Worked(array.shape, lambda: array))


def array_of(fixed):
    need(isinstance(fixed, Fixed), "of what depends on the input's values")
    need(product(fixed.value.shape) <= MOST, "of a fixed tensor of shape %s" % fixed.value.shape)
    return fixed.value.read()


def is_zero(fixed):
    if isinstance(fixed, Fixed) and isinstance(fixed.value, Filled):
        return not fixed.value.fill
    return not array_of(fixed).any()


def numbers(fixed):
    """A short list of whole numbers."""
    return [int(number) for number in array_of(fixed).flatten()]


def axes_of(node, args, position=1):
    """Axes, which older files have as an attribute and newer ones as an input; None: not said."""
    if len(args) > position and args[position] is not None:
        return numbers(args[position])
    return node.get("axes")


def reshaped(shape, target, keep_zero):
    """The sizes that a Reshape makes."""
    wanted = [shape[i] if size == 0 and not keep_zero else size for i, size in enumerate(target)]
    rest = product(size for size in wanted if size != -1)
    if wanted.count(-1) == 1 and rest > 0:
        wanted[wanted.index(-1)] = product(shape) // rest
    need(min(wanted, default=0) >= 0 and product(wanted) == product(shape),
         "of %s into %s" % (shape, target))
    return wanted


def squeezed(shape, axes):
    if axes is None:
        return [size for size in shape if size != 1]
    axes = {axis % len(shape) for axis in axes}
    need(all(shape[axis] == 1 for axis in axes), "of sizes other than 1")
    return [size for axis, size in enumerate(shape) if axis not in axes]


def unsqueezed(shape, axes):
    rank = len(shape) + len(axes)
    new = {axis % rank for axis in axes}
    need(len(new) == len(axes) and rank < 10, "along axes %s" % axes)
    rest = iter(shape)
    return [1 if axis in new else next(rest) for axis in range(rank)]


def flattened(shape, axis):
    axis = axis % (len(shape) + 1)
    return [product(shape[:axis]), product(shape[axis:])]


def looked_at(node, args, shape):
    """The sizes behind a node that only looks at its input in another way; None: it is none."""
    if node.op == "Reshape":
        return reshaped(shape, numbers(args[1]), bool(node.get("allowzero", 0)))
    if node.op == "Squeeze":
        return squeezed(shape, axes_of(node, args))
    if node.op == "Unsqueeze":
        return unsqueezed(shape, axes_of(node, args))
    if node.op == "Flatten":
        return flattened(shape, node.get("axis", 1))
    return shape if node.op in ("Identity", "Cast") else None


def view(node, args):
    """The same for a fixed tensor, whose weight it stays."""
    of = args[0].value
    if node.op == "Transpose":
        order = node.get("perm") or list(range(len(of.shape)))[::-1]
        need(sorted(order) == list(range(len(of.shape))), "of axes %s" % order)
        return Fixed(Worked([of.shape[axis] for axis in order],
                            lambda: of.read().transpose(order)), args[0].owner)
    shape = looked_at(node, args, of.shape)
    if shape is None:
        return None
    kind = TYPES.get(node.get("to")) if node.op == "Cast" else None
    seen = Worked(shape, lambda: of.read().astype(kind).reshape(shape) if kind
                  else of.read().reshape(shape))
    # vectors that were exported as one since they are equal: nobody shares those
    apart = node.op == "Identity" and len(shape) == 1 and args[0].owner is not None
    return Fixed(seen, seen if apart else args[0].owner, args[0].table, args[0].rows)


def bounded(shape, most=MOST):
    need(product(shape) <= most and min(shape, default=0) >= 0, "that makes %s" % list(shape))
    return shape


def elementwise(function):
    def work(node, arrays):
        bounded(numpy.broadcast_shapes(*[a.shape for a in arrays]))
        return function(*arrays)

    return work


def divide(a, b):
    return a // b if numpy.issubdtype(a.dtype, numpy.integer) else a / b


def arange(node, arrays):
    start, end, step = [a.item() for a in arrays]
    need(step != 0 and abs(end - start) / abs(step) <= MOST, "that makes too much")
    return numpy.arange(start, end, step, dtype=arrays[0].dtype)


def filled(node, args):
    """One value everywhere, or a part of such a tensor; None: it is none."""
    if node.op == "ConstantOfShape":
        shape = bounded(numbers(args[0]), MOST_VALUES)
        value = node.get("value")
        return Fixed(Filled(shape, value.read().item() if value is not None else numpy.float32(0)))
    if node.op == "Slice" and isinstance(args[0].value, Filled):
        of = args[0].value
        shape = of.shape
        which = slices(node, [array_of(arg) for arg in args[1:] if arg is not None], shape)
        return Fixed(Filled([len(range(*part.indices(size))) for part, size in zip(which, shape)], of.fill))
    return None


def slices(node, arrays, shape):
    rest = [a.flatten().tolist() for a in arrays]
    starts, ends = rest[:2] if rest else (node.get("starts"), node.get("ends"))
    axes = rest[2] if len(rest) > 2 else node.get("axes") or range(len(starts))
    steps = rest[3] if len(rest) > 3 else [1] * len(starts)
    index = [slice(None)] * len(shape)
    for start, end, axis, step in zip(starts, ends, axes, steps):
        index[axis] = slice(start, end if step > 0 or end > -shape[axis] - 1 else None, step)
    return index


def sliced(node, arrays):
    return arrays[0][tuple(slices(node, arrays[1:], arrays[0].shape))]


def gathered(node, arrays):
    data, index = arrays
    axis = node.get("axis", 0)
    bounded([product(data.shape), product(index.shape)])
    bounded(data.shape[:axis] + index.shape + data.shape[axis % data.ndim + 1:])
    return numpy.take(data, index.astype(int), axis=axis)


WORK = {
    "Add": elementwise(numpy.add), "Sub": elementwise(numpy.subtract),
    "Mul": elementwise(numpy.multiply), "Div": elementwise(divide),
    "Pow": elementwise(numpy.power), "Sqrt": elementwise(numpy.sqrt),
    "Neg": elementwise(numpy.negative), "Floor": elementwise(numpy.floor),
    "Ceil": elementwise(numpy.ceil), "Equal": elementwise(numpy.equal),
    "Where": elementwise(numpy.where), "Not": elementwise(numpy.logical_not),
    "Max": elementwise(lambda *a: numpy.maximum.reduce(numpy.broadcast_arrays(*a))),
    "Min": elementwise(lambda *a: numpy.minimum.reduce(numpy.broadcast_arrays(*a))),
    "Concat": lambda node, arrays: numpy.concatenate(arrays, axis=node.get("axis", 0)),
    "Range": arange, "Slice": sliced, "Gather": gathered,
    "Expand": lambda node, arrays: arrays[0] * numpy.ones(
        bounded(numpy.broadcast_shapes(arrays[0].shape, tuple(int(n) for n in arrays[1]))),
        dtype=arrays[0].dtype),
}


def constant(node):
    for name in ("value_int", "value_ints", "value_float", "value_floats"):
        if node.get(name) is not None:
            return known(node.get(name))
    stored = node.get("value")
    need(isinstance(stored, Stored), "without a tensor")
    return Fixed(stored, stored)


def work_out(node, args):
    """The value of a node all of whose inputs are fixed; None: nobody knows how."""
    try:
        if node.op == "Constant":
            return constant(node)
        if node.op == "Shape":
            return known(args[0].value.shape)
        if args and args[0] is not None:
            seen = view(node, args) or filled(node, args)
            if seen is not None:
                return seen
        if node.op not in WORK:
            return None
        arrays = [array_of(fixed) for fixed in args if fixed is not None]
        with numpy.errstate(all="ignore"):
            return known(WORK[node.op](node, arrays))
    except (ValueError, TypeError, IndexError, KeyError, AttributeError, OverflowError,
            ZeroDivisionError) as error:
        raise Unsupported("that cannot be worked out (%s)" % str(error).splitlines()[0])
