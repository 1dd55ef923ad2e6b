"""onnx_fixed.py -- what in an ONNX graph does not depend on the values of the input: sizes, axes,
positions, masks. Worked out, with a bound on how much a file can ask for.

Nodes that only look at a tensor in another way keep whose weight it is.
"""
import numpy

from import_network import Fixed, need, product
from onnx_graph import TYPE

MOST = 1 << 22  # values that are worked out at once
TYPES = {TYPE.FLOAT: numpy.float32, TYPE.DOUBLE: numpy.float64, TYPE.FLOAT16: numpy.float16,
         TYPE.INT32: numpy.int32, TYPE.INT64: numpy.int64, TYPE.BOOL: numpy.bool_,
         TYPE.INT8: numpy.int8, TYPE.UINT8: numpy.uint8}


class Worked:
    """A tensor that was worked out, or looks at another one. `sources`: the tensors of the file that it is made
    from."""

    def __init__(self, shape, read, sources=()):
        self.shape, self.read, self.sources = list(shape), read, list(sources)


class Filled(Worked):
    """A tensor of one value, of any size: the state that recurrent layers begin with."""

    def __init__(self, shape, value):
        super().__init__(shape, lambda: numpy.broadcast_to(value, shape))
        self.fill = value


class Computed:
    """A weight that nodes make: of constants, or of other tensors of the file. One for each tensor."""

    def __init__(self, name, shape, sources):
        self.name, self.shape, self.sources = name, list(shape), sources


def sources_of(fixed):
    """The tensors of the file that it is made from, which could be weights."""
    if fixed.owner is not None:
        return getattr(fixed.owner, "sources", None) or [getattr(fixed.owner, "whole", fixed.owner)]
    if isinstance(fixed.value, Worked):
        return fixed.value.sources
    return [fixed.value]


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
    return shape if node.op in ("Identity", "Cast", "CastLike") else None


def view(node, args):
    """The same for a fixed tensor, whose weight it stays."""
    of = args[0].value
    if node.op == "Transpose":
        order = node.get("perm") or list(range(len(of.shape)))[::-1]
        need(sorted(order) == list(range(len(of.shape))), "of axes %s" % order)
        return Fixed(Worked([of.shape[axis] for axis in order],
                            lambda: of.read().transpose(order), sources_of(args[0])), args[0].owner)
    shape = looked_at(node, args, of.shape)
    if shape is None:
        return None
    kind = TYPES.get(node.get("to")) if node.op == "Cast" else None
    seen = Worked(shape, lambda: of.read().astype(kind).reshape(shape) if kind
                  else of.read().reshape(shape), sources_of(args[0]))
    # vectors that were exported as one since they are equal: nobody shares those
    apart = node.op == "Identity" and len(shape) == 1 and args[0].owner is not None
    return Fixed(seen, seen if apart else args[0].owner, args[0].table, args[0].rows)


def bounded(shape, most=MOST):
    need(product(shape) <= most and min(shape, default=0) >= 0, "that makes %s" % list(shape))
    return shape


def slices(node, arrays, shape):
    rest = [a.flatten().tolist() for a in arrays]
    starts, ends = rest[:2] if rest else (node.get("starts"), node.get("ends"))
    axes = rest[2] if len(rest) > 2 else node.get("axes") or range(len(starts))
    steps = rest[3] if len(rest) > 3 else [1] * len(starts)
    index = [slice(None)] * len(shape)
    for start, end, axis, step in zip(starts, ends, axes, steps):
        index[axis] = slice(start, end if step > 0 or end > -shape[axis] - 1 else None, step)
    return index
