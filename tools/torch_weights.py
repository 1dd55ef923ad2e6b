"""torch_weights.py -- what weights a fixed tensor of a traced graph is, where a layer takes it for one: a parameter,
rows of one, or something that is computed from parameters, as by weight normalization.

And layers by function: they are given the weights that modules have.
"""
from types import SimpleNamespace

import torch

import import_layers
import import_padding
from import_network import Fixed, Part, Value, need, product
from import_views import settled, takes_views

NO_WEIGHT = "with weights that are no parameters"


class Computed:
    """A weight that is computed in each step."""

    def __init__(self, shape, sources):
        self.shape, self.sources = list(shape), sources


def find_sources(graph, parameters):
    """By node that does not depend on the input: the parameters that its value is computed from."""
    found, modules = {}, dict(graph.owning_module.named_modules())
    for node in graph.nodes:
        if node.meta.get("from_input"):
            continue
        known = {id(p): p for before in node.all_input_nodes for p in found.get(before, [])}
        own = modules[node.target].parameters() if node.op == "call_module" else [node.meta.get("value")]
        known.update((id(p), p) for p in own if id(p) in parameters)
        found[node] = list(known.values())
    return found


def rows_of(value, parameter):
    """A Part, where it is some rows of a parameter as they lie there; else None."""
    row = product(parameter.shape[1:])
    same = value.dim() == parameter.dim() and value.shape[1:] == parameter.shape[1:] and \
        value.stride() == parameter.stride() and value.dtype == parameter.dtype and row > 0
    first = (value.data_ptr() - parameter.data_ptr()) // value.element_size() if same else -1
    if first < 0 or first % row != 0 or first // row + value.shape[0] > parameter.shape[0]:
        return None
    return Part(parameter, first // row, first // row + value.shape[0])


def weight_of(network, fixed):
    """For a layer. None stays None."""
    if fixed is None:
        return None
    need(isinstance(fixed, Fixed) and isinstance(fixed.value, torch.Tensor), "with weights that depend on the input")
    if fixed.owner is None:
        need(fixed.sources, NO_WEIGHT)
        fixed.owner = owner_of(network, fixed.value, fixed.sources)
    return Seen(fixed.owner, fixed.value.shape)


def owner_of(network, value, sources):
    first = sources[0]
    if len(sources) == 1 and value.numel() == first.numel():
        return first  # in another order, or made new from it: it has as many values
    part = rows_of(value, first) if len(sources) == 1 else None
    if part is not None:
        return part
    network.computed.append(Computed(value.shape, sources))
    return network.computed[-1]


class Seen:
    """A weight as a layer looks at it: turned, say. `owner` says which it is."""

    def __init__(self, owner, shape):
        self.owner, self.shape = owner, list(shape)


def by_module(network, call, convert, x, **attributes):
    """A layer that is given the attributes of a module."""
    call.module, call.args, call.kwargs = SimpleNamespace(**attributes), [x], {}
    return convert(network, call)


def tuple_of(value, count):
    return (value,) * count if isinstance(value, int) else tuple(value) * (count // len(value))


def conv(axes):
    """F.conv2d and its like."""

    @takes_views
    def convert(network, call):
        weight, bias = (weight_of(network, call.get(i, name)) for i, name in ((1, "weight"), (2, "bias")))
        stride, dilation = (tuple_of(call.get(i, n, 1), axes) for i, n in ((3, "stride"), (5, "dilation")))
        padding = call.get(4, "padding", 0)
        padding = padding if isinstance(padding, str) else tuple_of(padding, axes)
        return by_module(network, call, import_padding.conv, call.x, kernel_size=tuple(weight.shape[2:]),
                         transposed=False, padding_mode="zeros", padding=padding, stride=stride, dilation=dilation,
                         groups=call.get(6, "groups", 1), weight=weight, bias=bias, out_channels=weight.shape[0])

    return convert


def conv_transpose(axes):
    """F.conv_transpose2d and its like: weights have the input's channels first."""

    def convert(network, call):
        weight, bias = (weight_of(network, call.get(i, name)) for i, name in ((1, "weight"), (2, "bias")))
        stride, padding, dilation = (tuple_of(call.get(i, n, d), axes) for i, n, d in (
            (3, "stride", 1), (4, "padding", 0), (7, "dilation", 1)))
        return by_module(network, call, import_layers.conv, call.x, kernel_size=tuple(weight.shape[2:]),
                         transposed=True, padding_mode="zeros", padding=padding, stride=stride, dilation=dilation,
                         groups=call.get(6, "groups", 1), weight=weight, bias=bias, out_channels=call.shape[0])

    return convert


def group_norm(network, call):
    weight, bias = (weight_of(network, call.get(i, name)) for i, name in ((2, "weight"), (3, "bias")))
    need((weight is None) == (bias is None), "without a weight or bias that dtsim's layer has")
    return by_module(network, call, import_layers.group_norm, call.x, num_groups=call.get(1, "num_groups"),
                     weight=weight, bias=bias, eps=call.get(4, "eps", 1e-5))


@takes_views
def linear(network, call):
    """F.linear: its weights have outputs first."""
    weight, bias = (weight_of(network, call.get(i, name)) for i, name in ((1, "weight"), (2, "bias")))
    need(weight is not None and len(weight.shape) == 2, "with weights that are no matrix")
    return by_module(network, call, import_layers.linear, call.x, weight=weight, bias=bias,
                     out_features=weight.shape[0])


def product_with(network, call, x, weight, bias=None):
    """x @ weight: outputs are last."""
    weight, bias = weight_of(network, weight), weight_of(network, bias)
    need(len(weight.shape) == 2, "with weights that are no matrix")
    need(bias is None or product(bias.shape) == weight.shape[1], "with a bias of another shape")
    return by_module(network, call, import_layers.linear, x, weight=weight, bias=bias, out_features=weight.shape[1])


@takes_views
def addmm(network, call):
    bias, x, weight = (call.get(i, name) for i, name in enumerate(("input", "mat1", "mat2")))
    need(call.get(3, "beta", 1) == 1 and call.get(4, "alpha", 1) == 1, "alpha or beta")
    need(isinstance(x, Value), "with its weights on the left")
    return product_with(network, call, x, weight, bias)


def norm_weights(network, call, first):
    weights = [weight_of(network, call.get(first + i, name)) for i, name in enumerate(("weight", "bias"))]
    need(None not in weights, "without a weight or bias that dtsim's layer has")
    return weights


def batch_norm(weights_at, training_at):
    """F.batch_norm and torch.batch_norm, which have their arguments in other orders."""

    def convert(network, call):
        weight, bias = norm_weights(network, call, weights_at)
        need(call.get(training_at, "training", False) is True, "that does not train")
        return by_module(network, call, import_layers.batch_norm, call.x, affine=True, weight=weight, bias=bias,
                         eps=call.get(7, "eps", 1e-5))

    return convert


def layer_norm(network, call):
    shape, eps = call.get(1, "normalized_shape"), call.get(4, "eps", 1e-5)
    weight, bias = norm_weights(network, call, 2)
    return by_module(network, call, import_layers.layer_norm, call.x, elementwise_affine=True,
                     normalized_shape=shape, weight=weight, bias=bias, eps=eps)


def rms_norm(network, call):
    """The function and the module, since PyTorch 2.4. Without an epsilon it is that of the numbers."""
    m = call.module
    weight = weight_of(network, call.get(2, "weight")) if m is None else m.weight
    shape, eps = call.setting(1, "normalized_shape"), call.setting(3, "eps")
    return by_module(network, call, import_layers.rms_norm, call.x, normalized_shape=shape, weight=weight,
                     eps=torch.finfo(torch.float32).eps if eps is None else eps)


def embedding_of(convert, index, weight, more=False):
    """`convert`: what makes a layer out of nn.Embedding; `more`: it has the function's other arguments."""
    def by_function(network, call):
        tokens, table = call.get(*index), weight_of(network, call.get(*weight))
        need(table is not None and len(table.shape) == 2, "with weights that are no matrix")
        max_norm = call.get(3, "max_norm") if more else None
        return by_module(network, call, convert, settled(network, tokens), weight=table, max_norm=max_norm,
                         num_embeddings=table.shape[0], embedding_dim=table.shape[1])

    return by_function
