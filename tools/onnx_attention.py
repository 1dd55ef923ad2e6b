"""onnx_attention.py -- attention as ONNX files write it out: cutting features into queries, keys, values and
heads, products, scaling, masks, softmax. import_attention.py knows what an attention is; here are the
operators that it may be written with. Whatever else they do is for onnx_layers.py, or is no layer.
"""
import import_attention
from import_attention import either, is_scores, is_value, parts
from import_layers import origin
from import_network import Fixed, Value, need, product
from import_views import converted, takes_views, view_of
from onnx_fixed import array_of, numbers, slices
from onnx_graph import Stored, shown

PART = "of a part of a tensor other than the first position"


def number_of(value):
    """A number that is no weight of a layer; None: it is something else."""
    if not isinstance(value, Fixed) or product(value.value.shape) != 1:
        return None
    return float(array_of(value).item())


def note_if_stored(network, at, value, what):
    """What an exporter left among the weights may be learned or not: a file does not say which."""
    owner = value.owner
    if isinstance(owner, Stored) and at.importer.graph.stored.get(owner.name) is owner:
        network.note("note: %s is taken for %s that is not learned: the file does not say" % (shown(owner.name), what))


def mask_of(value):
    need(isinstance(value, Fixed), "of scores and a mask that depends on the input")
    return array_of(value)


def of_scores(attend, otherwise):
    """An operator of scores, or of anything else."""

    @takes_views
    def convert(network, at):
        scores = any(is_scores(arg) for arg in at.args)
        return attend(network, at) if scores else converted(network, otherwise, at)

    return convert


def add(network, at):
    x, mask = either(*at.args, is_scores)
    array = mask_of(mask)
    if not array.any():
        note_if_stored(network, at, mask, "a mask of zeros")
    return import_attention.added(network, at.call(None), x, array)


def multiply(otherwise):
    @takes_views
    def convert(network, at):
        found = either(*at.args, is_value)
        factor = number_of(found[1]) if found else None
        if factor is None:
            return converted(network, otherwise, at)
        note_if_stored(network, at, found[1], "a scale")
        return import_attention.scaled(network, at.call(None), found[0], factor, "by a number or by something fixed")

    return convert


@takes_views
def divide(network, at):
    divisor = number_of(at.args[1])
    need(isinstance(at.args[0], Value) and divisor, "")
    note_if_stored(network, at, at.args[1], "a scale")
    return import_attention.scaled(network, at.call(None), at.args[0], 1 / divisor, "")


def matmul(otherwise):
    @takes_views
    def convert(network, at):
        if not all(isinstance(arg, Value) for arg in at.args[:2]):
            return converted(network, otherwise, at)
        return import_attention.product_of(network, at.call(None), *at.args[:2])

    return convert


@takes_views
def where(network, at):
    mask, a, b = at.args
    found = either(a, b, is_scores)
    need(found is not None, "")
    x, value = found[0], number_of(found[1])
    need(value is not None, "of scores and other than a number")
    mask = mask_of(mask).astype(bool)
    return import_attention.filled(network, at.call(None), x, ~mask if x is a else mask, value)


def softmax(network, at):
    usual = -1 if at.importer.graph.opset >= 13 else 1
    return import_attention.softmax(network, at.call(None), at.x, at.get("axis", usual))


def dropped(rate_of):
    return lambda network, at: import_attention.dropped(network, at.call(None), at.x, rate_of(at))


@takes_views
def part(network, at):
    """Slice: of each axis one piece."""
    x = view_of(network, at.args[0])
    which = slices(at.node, [array_of(arg) for arg in at.args[1:] if arg is not None], x.sizes)
    for axis, (wanted, size) in enumerate(zip(which, x.sizes)):
        first, last, step = wanted.indices(size)
        x = x.part(axis, first, last - first, origin(at.call(None), PART))
        x = x if step == 1 else x.every(axis, step, origin(at.call(None), PART))
    return x


def one(network, at):
    """Gather by one whole number."""
    x, axis = view_of(network, at.args[0]), at.get("axis", 0)
    need(isinstance(at.args[1], Fixed) and not at.args[1].value.shape, PART)
    axis = axis % len(x.axes)
    return x.one(axis, int(array_of(at.args[1]).item()) % x.sizes[axis], origin(at.call(None), PART))


@takes_views
def split(network, at):
    """Behind one another along an axis: a value for each output."""
    x, axis, count = view_of(network, at.args[0]), at.get("axis", 0), len(at.node.outputs)
    axis = axis % len(x.axes)
    given = numbers(at.args[1]) if len(at.args) > 1 and at.args[1] is not None else at.get("split")
    each = -(-x.sizes[axis] // count)
    sizes = given or [min(each, x.sizes[axis] - i * each) for i in range(count)]
    need(len(sizes) == count and sum(sizes) == x.sizes[axis], "of %s into %s" % (x.sizes, sizes))
    return parts(x, sizes, axis, origin(at.call(None), PART))
