"""torch_attention.py -- attention as PyTorch's modules write it out: cutting features into queries, keys,
values and heads, products, scaling, masks, softmax. import_attention.py knows what an attention is; here are
the functions that it may be written with. Whatever else they do is for import_layers.py, or is no layer.
"""
from math import sqrt

import torch

import import_attention
import import_layers
import import_norms
import import_rotary
from import_attention import either, is_scores, is_value, parts
from import_layers import origin
from import_network import NO_TENSOR, Fixed, Value, need
from import_views import converted, settled, takes_views, view_of
from torch_weights import product_with


def number_of(value):
    """A number, or a tensor of one that is no parameter; None: it is something else."""
    if isinstance(value, Fixed) and isinstance(value.value, torch.Tensor) and value.owner is None:
        value = value.value.item() if value.value.numel() == 1 else None
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def mask_of(value):
    need(isinstance(value, Fixed) and isinstance(value.value, torch.Tensor) and value.owner is None,
         "of scores and a mask that depends on the input or is a parameter")
    return value.value


@takes_views
def add(network, call):
    a, b = call.get(0, "input"), call.get(1, "other")
    found = either(a, b, is_scores)
    if found is not None:
        need(call.get(2, "alpha", 1) == 1, "alpha")
        return import_attention.added(network, call, found[0], mask_of(found[1]))
    found = either(a, b, is_value)
    if found and number_of(found[1]) == 0:
        return found[0]  # as sum() of a list begins
    made = None
    if call.get(2, "alpha", 1) == 1:
        made = import_norms.added(network, call, a, b) or import_rotary.summed(network, call, a, b)
    return made or converted(network, import_layers.add, call)


@takes_views
def subtract(network, call):
    a, b = call.get(0, "input"), call.get(1, "other")
    need(call.get(2, "alpha", 1) == 1, "alpha")
    made = import_norms.centered(network, call, a, b) or import_rotary.summed(network, call, a, b)
    if made is None:
        need(isinstance(a, Value) and isinstance(b, Value), "")
        made = converted(network, import_layers.add, call)
        network.note("note: a difference is in dtsim a sum, which takes the same time")
    return made


@takes_views
def multiply(network, call):
    a, b = call.get(0, "input"), call.get(1, "other")
    made = import_norms.multiplied(network, call, a, b)
    if made is not None:
        return made
    found = either(a, b, is_value)
    factor = number_of(found[1]) if found else None
    if factor is not None:
        return import_attention.scaled(network, call, found[0], factor, "by a number or by something fixed")
    by_fixed = found is not None and isinstance(found[1], Fixed) and not found[1].sources
    made = import_rotary.times_fixed(network, call, *found) if by_fixed else None
    return made or converted(network, import_layers.multiply, call)


@takes_views
def divide(network, call):
    x, divisor = call.get(0, "input"), call.get(1, "other")
    made = import_norms.divided(network, call, x, divisor)
    if made is not None:
        return made
    divisor = number_of(divisor)
    need(isinstance(x, Value) and divisor and call.get(2, "rounding_mode") is None, "")
    return import_attention.scaled(network, call, x, 1 / divisor, "")


@takes_views
def negative(network, call):
    turned = import_rotary.negated(network, call, call.x)
    return turned or import_attention.scaled(network, call, call.x, -1, "")


@takes_views
def matmul(network, call):
    a, b = call.get(0, "input"), call.get(1, "mat2", call.kwargs.get("other"))
    need(isinstance(a, Value), "with its weights on the left")
    if isinstance(b, Fixed):
        return product_with(network, call, a, b)
    need(isinstance(b, Value), "")
    return import_attention.product_of(network, call, a, b)


@takes_views
def masked_fill(network, call):
    x, value = call.get(0, "input"), number_of(call.get(2, "value"))
    need(is_scores(x) and value is not None, "")
    return import_attention.filled(network, call, x, mask_of(call.get(1, "mask")).bool(), value)


@takes_views
def where(network, call):
    mask, a, b = call.get(0, "condition"), call.get(1, "input"), call.get(2, "other")
    need(either(a, b, is_scores) is not None, "")
    x, value = either(a, b, is_scores)
    need(number_of(value) is not None, "of scores and other than a number")
    mask = mask_of(mask).bool()
    return import_attention.filled(network, call, x, ~mask if x is a else mask, number_of(value))


@takes_views
def softmax(network, call):
    x, axis = call.get(0, "input"), call.setting(1, "dim")
    need(is_scores(x), "that is no attention's")
    need(isinstance(axis, int), "over an axis that is not said")
    return import_attention.softmax(network, call, x, axis)


@takes_views
def dropout(network, call):
    training = call.setting(2, "training", True)
    need(isinstance(training, bool), "whose `training` is computed")
    if not training:
        return call.x
    if is_scores(call.x):
        return import_attention.dropped(network, call, call.x, call.setting(1, "p", 0.5))
    return converted(network, import_layers.same("dropout", rate=(1, "p")), call)


def cut(network, call, counts, axis):
    need(all(isinstance(size, int) for size in [axis] + counts), "of sizes that are computed")
    x = view_of(network, call.x)
    x = cuttable(network, call, x, axis % len(x.axes))
    return parts(x, counts, axis % len(x.axes), origin(call))


def cuttable(network, call, x, axis):
    """A view of which a part along an axis can be taken: what was put together, as behind a shuffle, is made first."""
    if len(x.axes[axis]) < 2 or axis == 0 or x.layer is None:
        return x
    made = settled(network, x)
    return view_of(network, network.plain(made, call.name))


@takes_views
def split(network, call):
    axis, sizes = call.get(2, "dim", 0), call.get(1, "split_size_or_sections", call.kwargs.get("split_size"))
    if isinstance(sizes, int):
        whole = view_of(network, call.x).sizes[axis]
        sizes = [min(sizes, whole - first) for first in range(0, whole, sizes)]
    return cut(network, call, list(sizes), axis)


@takes_views
def chunk(network, call):
    count, axis = call.get(1, "chunks"), call.get(2, "dim", 0)
    whole = view_of(network, call.x).sizes[axis]
    each = -(-whole // count)
    return cut(network, call, [min(each, whole - first) for first in range(0, whole, each)], axis)


@takes_views
def unbind(network, call):
    x, axis, made = view_of(network, call.x), call.get(1, "dim", 0), origin(call)
    return tuple(x.one(axis % len(x.axes), i, made) for i in range(x.sizes[axis]))


@takes_views
def item(network, call):
    """x[index] of whole numbers, slices and an ellipsis."""
    x, index = call.args
    need(isinstance(x, Value), NO_TENSOR)
    why = "of a part of a tensor other than the first position"
    x, axis, made = view_of(network, x), 0, origin(call, why)
    index = list(index) if isinstance(index, tuple) else [index]
    if Ellipsis in index:
        at = index.index(Ellipsis)
        index[at:at + 1] = [slice(None)] * (len(x.axes) - len(index) + 1 + index.count(None))
    for which in index:
        if which is None:
            x, axis = x.reshaped(x.sizes[:axis] + [1] + x.sizes[axis:], made), axis + 1
            continue
        need(isinstance(which, (int, slice)) and not isinstance(which, bool), why)
        size = x.sizes[axis]
        if isinstance(which, int):
            x = x.one(axis, which % size, made)
            continue
        first, last, step = which.indices(size)
        x = cuttable(network, call, x, axis) if last - first < size else x
        x = x.part(axis, first, last - first, made)
        x, axis = x if step == 1 else x.every(axis, step, made), axis + 1
    return x


@takes_views
def scaled_dot_product_attention(network, call):
    """One kernel, which keeps no scores."""
    given = [call.get(i, name) for i, name in enumerate(("query", "key", "value"))]
    need(all(isinstance(x, Value) for x in given), "")
    query, key, value = [view_of(network, x) for x in given]
    if call.kwargs.get("enable_gqa", False):
        groups = query.sizes[-3] // key.sizes[-3]
        key, value = (x.repeated(len(x.axes) - 3, groups, origin(call)) for x in (key, value))
    order = list(range(len(key.axes)))
    key = key.moved(order[:-2] + [order[-1], order[-2]], None)
    x, scale = import_attention.scores(network, call, query, key), call.get(6, "scale")
    features = x.source.features
    x = import_attention.scaled(network, call, x, 1 / sqrt(features) if scale is None else scale, "")
    mask = call.get(3, "attn_mask")
    if call.get(5, "is_causal", False):  # then PyTorch takes no other mask
        mask = Fixed(torch.ones(x.sizes[-2:], dtype=torch.bool).tril())
    if mask is not None:
        mask = mask_of(mask)
        x = import_attention.masked(network, call, x, ~mask) if mask.dtype == torch.bool else \
            import_attention.added(network, call, x, mask)
    x = import_attention.softmax(network, call, x, -1)
    x = import_attention.dropped(network, call, x, call.get(4, "dropout_p", 0.0))
    return import_attention.attention(network, call, x, value, fused=True)
