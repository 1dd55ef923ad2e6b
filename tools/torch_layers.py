"""torch_layers.py -- what each of PyTorch's modules and functions is in a model file.

To add one: a function that takes (network, call) and returns the output's Value, and a row in
MODULES, FUNCTIONS or METHODS. What it has no layer for it says by Unsupported.
"""
import operator

import torch
import torch.nn.functional as F
from torch import nn

from torch_network import Fixed, Value, epsilon_of, need, product
from torch_sequences import attention, encoder, encoder_layer, lstm


def same(kind, **settings):
    """A layer whose output has its input's shape; settings: key of ours = (position, theirs)."""

    def convert(network, call):
        keys = {key: call.setting(*where) for key, where in settings.items()}
        x = call.x
        # the shape does not matter: values are changed one by one
        out = network.add(call.name, kind, [Value(x.layer, x.dims)], x.dims, **keys)
        return Value(out.layer, out.dims, x.shape)

    return convert


def gelu(network, call):
    if call.setting(1, "approximate", "none") == "none":
        network.note("note: gelu is by tanh in dtsim, by erf in PyTorch")
    return same("gelu")(network, call)


def nothing(network, call):
    return call.x


def sizes(value, axes):
    """One number where all axes have it, else a list."""
    listed = [value] * axes if isinstance(value, int) else list(value)
    return listed[0] if len(set(listed)) == 1 else listed


def conv(network, call):
    m = call.module
    axes = len(m.kernel_size)
    need(axes > 1, "one axis")
    need(not m.transposed, "transposed")
    need(m.padding_mode == "zeros", "padding_mode %s" % m.padding_mode)
    need(not isinstance(m.padding, str) or m.padding == "valid" or set(m.stride) == {1},
         "padding same with a stride")
    padding = 0 if m.padding == "valid" else m.padding
    padding = padding if isinstance(padding, str) else sizes(padding, axes)
    x = network.plain(call.x, call.name)
    return network.add(
        call.name, "conv%dd" % axes, [x], call.shape,
        [m.weight] + ([m.bias] if m.bias is not None else []),
        channels=m.out_channels, kernel=sizes(m.kernel_size, axes),
        stride=other(sizes(m.stride, axes), 1), padding=other(padding, 0),
        dilation=other(sizes(m.dilation, axes), 1), groups=other(m.groups, 1),
        bias=None if m.bias is not None else False)


def other(value, default):
    return None if value == default else value


def linear(network, call):
    m = call.module
    x = network.plain(call.x, call.name)
    return network.add(call.name, "linear", [x], call.shape,
                       [m.weight] + ([m.bias] if m.bias is not None else []),
                       outputs=m.out_features, bias=None if m.bias is not None else False)


def pool(kind):
    def convert(network, call):
        axes = len(call.x.dims) - 1
        kernel = sizes(call.setting(1, "kernel_size"), axes)
        stride = call.setting(2, "stride")
        padding = sizes(call.setting(3, "padding", 0), axes)
        if kind == "max_pool":
            ceil = call.setting(5, "ceil_mode", False)
            need(set_of(call.setting(4, "dilation", 1)) == {1}, "dilation")
            need(not call.setting(6, "return_indices", False), "return_indices")
        else:
            ceil = call.setting(4, "ceil_mode", False)
            need(call.setting(5, "count_include_pad", True) or padding == 0,
                 "count_include_pad=False")
            need(call.setting(6, "divisor_override") is None, "divisor_override")
            need(not ceil or call.shape == floor_shape(call.x.dims, kernel, stride, padding),
                 "ceil_mode")
            ceil = False
        return network.add(call.name, kind, [network.plain(call.x, call.name)], call.shape,
                           kernel=kernel, stride=sizes(stride, axes) if stride else None,
                           padding=other(padding, 0), ceil=ceil or None)

    return convert


def set_of(value):
    return {value} if isinstance(value, int) else set(value)


def floor_shape(dims, kernel, stride, padding):
    axes = len(dims) - 1
    each = [[v] * axes if isinstance(v, int) else list(v) for v in (kernel, stride or kernel, padding)]
    return dims[:1] + [(dims[i + 1] + 2 * each[2][i] - each[0][i]) // each[1][i] + 1
                       for i in range(axes)]


def global_mean(network, call, shape):
    x = network.plain(call.x, call.name)
    if call.flattened or len(shape) == 1:
        out = network.add(call.name, "global_pool", [x], x.dims[:1])
        return Value(out.layer, out.dims, shape)
    return network.add(call.name, "adaptive_pool", [x], shape, output=[1] * (len(x.dims) - 1))


def adaptive(network, call):
    x = network.plain(call.x, call.name)
    if product(call.shape[1:]) == 1:
        return global_mean(network, call, call.shape)
    return network.add(call.name, "adaptive_pool", [x], call.shape, output=call.shape[1:])


def mean(network, call):
    axes = call.get(1, "dim")
    axes = [axes] if isinstance(axes, int) else list(axes or [])
    rank = len(call.x.shape) + 1
    need(sorted(a % rank for a in axes) == list(range(2, rank)), "other than over all positions")
    return global_mean(network, call, call.shape)


def batch_norm(network, call):
    m = call.module
    need(m.affine, "affine=False")
    x = network.plain(call.x, call.name)
    return network.add(call.name, "batch_norm", [x], x.dims, [m.weight, m.bias],
                       epsilon=epsilon_of(m))


def layer_norm(network, call):
    m = call.module
    need(m.elementwise_affine, "elementwise_affine=False")
    need(len(m.normalized_shape) == 1, "over more than the last size")
    x = network.plain(call.x, call.name)
    return network.add(call.name, "layer_norm", [x], x.dims, [m.weight, m.bias],
                       epsilon=epsilon_of(m))


def embedding(network, call):
    m = call.module
    need(m.max_norm is None, "max_norm")
    x = call.get(0, "input")
    if isinstance(x, Fixed):  # positions: 0, 1, 2, ... for every sample
        rows = x.value.flatten()
        need(torch.equal(rows, torch.arange(len(rows))), "of numbers other than 0, 1, 2, ...")
        return Fixed(None, owner=m.weight, table=[len(rows), m.embedding_dim, m.num_embeddings])
    return network.add(call.name, "embedding", [network.plain(x, call.name)], call.shape,
                       [m.weight], vocabulary=m.num_embeddings, features=m.embedding_dim)


def add(network, call):
    a, b = call.get(0, "input"), call.get(1, "other")
    need(call.get(2, "alpha", 1) == 1, "alpha")
    if isinstance(a, Fixed):
        a, b = b, a
    if isinstance(b, Fixed):
        return positions(network, call, a, b)
    need(isinstance(a, Value) and isinstance(b, Value), "of a number")
    need(a.shape == b.shape, "of different shapes, %s and %s" % (a.shape, b.shape))
    a, b = network.plain(a, call.name), network.plain(b, call.name)
    return network.add(call.name, "add", [a, b], a.dims)


def positions(network, call, x, rows):
    """A learned row for each position: rows of an embedding, or a parameter of their shape."""
    x = network.plain(x, call.name)
    if rows.table is None:
        need(rows.owner is not None and rows.value.squeeze().dim() == 2, "of something fixed")
        rows.table = list(rows.value.squeeze().shape) + [rows.value.squeeze().shape[0]]
    need(rows.table[:2] == x.dims, "of rows for positions of other shape")
    return network.add(call.name, "positional_embedding", [x], x.dims, [rows.owner],
                       positions=rows.table[2])


def multiply(network, call):
    a, b = call.get(0, "input"), call.get(1, "other")
    need(isinstance(a, Value) and isinstance(b, Value), "by a number or by something fixed")
    if product(a.shape) < product(b.shape):
        a, b = b, a
    a = network.plain(a, call.name)
    if b.shape != a.shape:
        need(b.shape[0] == a.shape[0] == product(b.shape),
             "of different shapes, %s and %s" % (a.shape, b.shape))
        b = network.flat(b, call.name)
    else:
        b = network.plain(b, call.name)
    return network.add(call.name, "multiply", [a, b], a.dims)


def concat(network, call):
    parts = [network.plain(v, call.name) for v in call.get(0, "tensors")]
    axis = call.get(1, "dim", 0)
    rank = len(call.shape) + 1
    need(axis % rank == 1, "along axis %d" % axis)
    return network.add(call.name, "concat", parts, call.shape)


def reshape(network, call):
    """Nothing moves: the same memory with other sizes."""
    x = call.x
    need(call.shape is not None and product(call.shape) == product(x.shape), "across samples")
    if len(call.shape) == 1 and x.shape != call.shape:
        return network.flat(x, call.name)
    return Value(x.layer, x.dims, call.shape)


def permute(network, call):
    """[channels, positions] into [positions, channels]."""
    x = call.x
    wanted = [product(x.dims[1:]), x.dims[0]]
    last = x.shape[0] == x.dims[0] and len(x.shape) == 2
    need(last and call.shape == wanted, "of axes")
    return network.add(call.name, "sequence", [Value(x.layer, x.dims)], wanted)


def upsample(network, call):
    # the function's arguments: input, size, scale_factor, mode, align_corners
    mode = call.setting(3, "mode", "nearest")
    need(mode in ("linear", "bilinear", "trilinear"), "mode %s" % mode)
    need(not call.setting(4, "align_corners"), "align_corners")
    x = network.plain(call.x, call.name)
    return network.add(call.name, "upsample", [x], call.shape, output=call.shape[1:])


def softmax(network, call):
    need(call.last, "that is not the last: dtsim's loss contains it")
    return call.x


MODULES = {
    nn.AdaptiveAvgPool1d: adaptive, nn.AdaptiveAvgPool2d: adaptive, nn.AdaptiveAvgPool3d: adaptive,
    nn.AvgPool1d: pool("avg_pool"), nn.AvgPool2d: pool("avg_pool"), nn.AvgPool3d: pool("avg_pool"),
    nn.BatchNorm1d: batch_norm, nn.BatchNorm2d: batch_norm, nn.BatchNorm3d: batch_norm,
    nn.SyncBatchNorm: batch_norm,
    nn.Conv2d: conv, nn.Conv3d: conv,
    nn.Dropout: same("dropout", rate=(1, "p")),
    nn.Embedding: embedding,
    nn.Flatten: reshape,
    nn.GELU: gelu,
    nn.Identity: nothing,
    nn.LSTM: lstm,
    nn.LayerNorm: layer_norm,
    nn.LeakyReLU: same("leaky_relu", slope=(1, "negative_slope")),
    nn.Linear: linear,
    nn.LogSoftmax: softmax,
    nn.MaxPool1d: pool("max_pool"), nn.MaxPool2d: pool("max_pool"), nn.MaxPool3d: pool("max_pool"),
    nn.MultiheadAttention: attention,
    nn.ReLU: same("relu"),
    nn.SiLU: same("silu"),
    nn.Sigmoid: same("sigmoid"),
    nn.Tanh: same("tanh"),
    nn.TransformerEncoder: encoder,
    nn.TransformerEncoderLayer: encoder_layer,
    nn.Upsample: upsample,
}

FUNCTIONS = {
    F.adaptive_avg_pool2d: adaptive, F.adaptive_avg_pool3d: adaptive,
    F.avg_pool2d: pool("avg_pool"), F.avg_pool3d: pool("avg_pool"),
    F.dropout: same("dropout", rate=(1, "p")),
    F.gelu: gelu,
    F.interpolate: upsample,
    F.leaky_relu: same("leaky_relu", slope=(1, "negative_slope")),
    F.log_softmax: softmax,
    F.max_pool2d: pool("max_pool"), F.max_pool3d: pool("max_pool"),
    torch.max_pool2d: pool("max_pool"),
    F.relu: same("relu"), torch.relu: same("relu"),
    F.sigmoid: same("sigmoid"), torch.sigmoid: same("sigmoid"),
    F.silu: same("silu"),
    F.tanh: same("tanh"), torch.tanh: same("tanh"),
    operator.add: add, operator.iadd: add, torch.add: add,
    operator.mul: multiply, operator.imul: multiply, torch.mul: multiply,
    torch.cat: concat,
    torch.flatten: reshape, torch.reshape: reshape, torch.squeeze: reshape, torch.unsqueeze: reshape,
    torch.log_softmax: softmax,
    torch.mean: mean,
    torch.permute: permute, torch.transpose: permute,
}

METHODS = {
    "add": add, "add_": add, "mul": multiply, "mul_": multiply,
    "contiguous": nothing, "clone": nothing, "float": nothing,
    "flatten": reshape, "reshape": reshape, "squeeze": reshape, "unsqueeze": reshape, "view": reshape,
    "log_softmax": softmax, "mean": mean, "permute": permute, "transpose": permute,
    "relu": same("relu"), "relu_": same("relu"), "sigmoid": same("sigmoid"), "tanh": same("tanh"),
}
