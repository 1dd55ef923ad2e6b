"""torch_blocks.py -- what language models of today are written out of in PyTorch: root mean squares, rotary positions,
keys and values that heads share. import_norms.py and import_rotary.py know what these are; here are the functions
that they may be written with.
"""
import torch

import import_attention
import import_einsum
import import_layers
import import_norms
import import_rotary
from import_layers import origin
from import_network import Value, need
from import_views import converted, simplest, takes_views, view_of
from torch_attention import number_of
from torch_weights import linear, product_with


def over_features(call, axes, keep):
    """Whether a reduction is over the last axis, which stays as one of one value."""
    axes = [axes] if isinstance(axes, int) else list(axes or [])
    return keep is True and isinstance(call.x, Value) and axes in ([-1], [len(call.x.shape)])


@takes_views
def mean(network, call):
    last = over_features(call, call.get(1, "dim"), call.get(2, "keepdim", False))
    made = import_norms.averaged(network, call, call.x, last)
    return made or converted(network, import_layers.mean, call)


def variance(root):
    @takes_views
    def convert(network, call):
        axes = call.get(1, "dim")
        made = import_norms.variance(network, call, call.x, root) if over_features(
            call, axes, call.kwargs.get("keepdim", False)) else None
        need(made is not None, "")
        return made

    return convert


def raised(power=None):
    @takes_views
    def convert(network, call):
        exponent = number_of(call.get(1, "exponent")) if power is None else power
        made = import_norms.raised(network, call, call.x, exponent)
        need(made is not None, "")
        return made

    return convert


@takes_views
def of_length_one(network, call):
    """F.normalize."""
    last = over_features(call, call.get(2, "dim", 1), True) and call.get(1, "p", 2.0) == 2
    made = import_norms.of_length_one(network, call, call.x, call.get(3, "eps", 1e-12)) if last else None
    need(made is not None, "")
    return made


@takes_views
def concat(network, call):
    parts, axis = call.get(0, "tensors"), call.get(1, "dim", 0)
    made = import_rotary.behind_one_another(network, call, parts, axis)
    return made or converted(network, import_layers.concat, call)


@takes_views
def stack(network, call):
    made = import_rotary.behind_one_another(network, call, call.get(0, "tensors"), call.get(1, "dim", 0), True)
    need(made is not None, "")
    return made


def pairs(look):
    """view_as_complex and view_as_real."""
    @takes_views
    def convert(network, call):
        made = look(network, call, call.x)
        need(made is not None, "")
        return made

    return convert


@takes_views
def repeat_interleave(network, call):
    x, count, axis = view_of(network, call.x), call.get(1, "repeats"), call.get(2, "dim")
    need(isinstance(count, int) and isinstance(axis, int) and axis % len(x.axes) > 0, "")
    return x.repeated(axis % len(x.axes), count, origin(call))


@takes_views
def einsum(network, call):
    equation, *parts = call.args
    parts = list(parts[0]) if parts and isinstance(parts[0], (list, tuple)) else parts
    need(len(parts) == 2 and isinstance(parts[0], Value), import_einsum.WHY)
    if isinstance(parts[1], Value):
        return import_einsum.of_two(network, call, equation, *parts, import_attention.product_of)
    call.args, weight = parts, parts[1]

    def product(turned):
        return linear(network, call) if turned else product_with(network, call, parts[0], weight)

    return import_einsum.with_weights(network, call, equation, *parts, product)


def sizes_given(call, name):
    sizes = call.get(1, name, call.kwargs.get("size"))
    sizes = list(sizes if isinstance(sizes, (list, tuple)) else call.args[1:])
    need(sizes and all(isinstance(size, int) for size in sizes), "of sizes that are computed")
    return sizes


@takes_views
def expand(network, call):
    x, sizes = view_of(network, call.x), sizes_given(call, "sizes")
    need(len(sizes) == len(x.axes), "")
    made = origin(call)
    for axis, (size, wanted) in enumerate(zip(x.sizes, sizes)):
        if wanted not in (-1, size):
            need(size == 1, "")
            x = x.repeated(axis, wanted, made)
    return simplest(network, x)


@takes_views
def repeat(network, call):
    x, times = view_of(network, call.x), sizes_given(call, "repeats")
    need(len(times) == len(x.axes) and times[0] == 1, "")
    made = origin(call)
    for axis, count in enumerate(times):
        x = x.repeated(axis, count, made, apart=True) if count > 1 else x
    return simplest(network, x)


FUNCTIONS = {
    torch.cat: concat, torch.concat: concat, torch.stack: stack,
    torch.mean: mean, torch.var: variance(False), torch.std: variance(True),
    torch.nn.functional.normalize: of_length_one,
    torch.pow: raised(), pow: raised(), torch.square: raised(2), torch.sqrt: raised(0.5), torch.rsqrt: raised(-0.5),
    torch.reciprocal: raised(-1),
    torch.einsum: einsum,
    torch.repeat_interleave: repeat_interleave,
    torch.view_as_complex: pairs(import_rotary.as_complex), torch.view_as_real: pairs(import_rotary.as_real),
}
METHODS = {
    "expand": expand, "repeat": repeat, "repeat_interleave": repeat_interleave,
    "mean": mean, "var": variance(False), "std": variance(True),
    "pow": raised(), "pow_": raised(), "square": raised(2), "sqrt": raised(0.5), "rsqrt": raised(-0.5),
    "reciprocal": raised(-1),
}
