"""torch_layers.py -- what each of PyTorch's modules and functions is in a model file.

To add one: a function that takes (network, call) and returns the output's Value, here or in
import_layers.py, and a row in MODULES, FUNCTIONS or METHODS.
"""
import operator

import torch
import torch.nn.functional as F
from torch import nn

import import_layers
import torch_blocks
import torch_weights as given
from import_layers import (adaptive, batch_norm, group_norm, layer_norm, linear, nothing, pool,
                           reshape, same, softmax, upsample)
from import_network import Fixed, need
from import_padding import conv, pad
from import_views import converted, takes_views
from torch_attention import (add, chunk, divide, dropout, masked_fill, matmul, multiply, negative, split, subtract,
                             unbind, where, scaled_dot_product_attention)
from torch_attention import softmax as probabilities
from torch_sequences import attention, encoder, encoder_layer, gru, lstm


def instance_norm(network, call):
    """A group for each channel."""
    m = call.module
    need(not m.track_running_stats, "with running statistics")
    return given.by_module(network, call, group_norm, call.x, weight=m.weight, bias=m.bias, eps=m.eps,
                           num_groups=call.shape[0])


def gelu(network, call):
    if call.setting(1, "approximate", "none") == "none":
        network.note("note: gelu is by tanh in dtsim, by erf in PyTorch")
    return same("gelu")(network, call)


def embedding(network, call):
    m, x = call.module, call.get(0, "input")
    if isinstance(x, Fixed):  # positions: 0, 1, 2, ... for every sample
        count = x.value.shape[-1] if x.value.dim() > 0 else 0
        need(count > 0 and torch.equal(x.value, torch.arange(count).expand_as(x.value)),
             "of numbers other than 0, 1, 2, ...")
        return Fixed(None, owner=m.weight, table=[count, m.embedding_dim, m.num_embeddings])
    return import_layers.embedding(network, call)


def dropout_of(what):
    """A layer that zeroes more than single values: dtsim's does what takes the same time, and says so."""

    @takes_views
    def convert(network, call):
        rate = call.setting(1, "p", 0.5)
        if rate in (0, None) or call.setting(2, "training", True) is False:
            return call.x
        network.note("note: %s is in dtsim a dropout of single values" % what)
        return dropout(network, call)

    return convert


@takes_views
def drop_path(network, call):
    """Stochastic depth, by a module."""
    rate = getattr(call.module, "drop_prob", getattr(call.module, "p", None))
    if not rate:
        return call.x
    if getattr(call.module, "mode", "row") != "row":
        network.note("note: stochastic depth of whole batches is in dtsim one of samples")
    call.module, call.args, call.kwargs = None, [call.x, rate], {}
    return converted(network, same("stochastic_depth", rate=(1, "p")), call)


@takes_views
def clamp(network, call):
    """Between 0 and 6, or above 0."""
    least, most = call.setting(1, "min_val", call.kwargs.get("min")), call.setting(2, "max_val", call.kwargs.get("max"))
    need(least == 0 and most in (6, None), "between %s and %s" % (least, most))
    return converted(network, same("relu" if most is None else "relu6"), call)


@takes_views
def nothing_of_zero(network, call):
    """A dropout that dtsim has no layer for, where it drops nothing."""
    need(call.setting(1, "p", 0.5) == 0 or call.setting(2, "training", True) is False, "")
    return call.x


by_index = given.embedding_of(import_layers.embedding, (1, "index"), (0, "table"))


@takes_views
def permute(network, call):
    order = call.get(1, "dims")
    order = list(order if isinstance(order, (list, tuple)) else call.args[1:])
    rank = len(call.x.shape) + 1
    return import_layers.permute(network, call, [axis % rank for axis in order])


@takes_views
def transpose(network, call):
    order = list(range(len(call.x.shape) + 1))
    a, b = call.get(1, "dim0"), call.get(2, "dim1")
    order[a], order[b] = order[b], order[a]
    return import_layers.permute(network, call, order)


MODULES = {
    nn.AdaptiveAvgPool1d: adaptive, nn.AdaptiveAvgPool2d: adaptive, nn.AdaptiveAvgPool3d: adaptive,
    nn.AvgPool1d: pool("avg_pool"), nn.AvgPool2d: pool("avg_pool"), nn.AvgPool3d: pool("avg_pool"),
    nn.BatchNorm1d: batch_norm, nn.BatchNorm2d: batch_norm, nn.BatchNorm3d: batch_norm,
    nn.SyncBatchNorm: batch_norm,
    nn.Conv1d: conv, nn.Conv2d: conv, nn.Conv3d: conv,
    nn.ConvTranspose1d: conv, nn.ConvTranspose2d: conv, nn.ConvTranspose3d: conv,
    nn.AlphaDropout: nothing_of_zero, nn.FeatureAlphaDropout: nothing_of_zero,
    nn.Dropout: dropout,
    nn.Dropout2d: dropout_of("a dropout of channels"), nn.Dropout3d: dropout_of("a dropout of channels"),
    nn.Embedding: embedding,
    nn.Flatten: reshape,
    nn.GELU: gelu,
    nn.GRU: gru,
    nn.GroupNorm: group_norm,
    nn.Hardsigmoid: same("hardsigmoid"), nn.Hardswish: same("hardswish"), nn.Hardtanh: clamp, nn.ReLU6: same("relu6"),
    nn.Identity: nothing,
    nn.InstanceNorm1d: instance_norm, nn.InstanceNorm2d: instance_norm, nn.InstanceNorm3d: instance_norm,
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
    nn.Softmax: probabilities,
    nn.Tanh: same("tanh"),
    nn.TransformerEncoder: encoder,
    nn.TransformerEncoderLayer: encoder_layer,
    nn.ConstantPad1d: pad, nn.ConstantPad2d: pad, nn.ConstantPad3d: pad, nn.ZeroPad2d: pad,
    nn.Upsample: upsample, nn.UpsamplingNearest2d: upsample,
}

FUNCTIONS = {
    F.adaptive_avg_pool2d: adaptive, F.adaptive_avg_pool3d: adaptive,
    F.avg_pool2d: pool("avg_pool"), F.avg_pool3d: pool("avg_pool"),
    F.dropout: dropout, torch.dropout: dropout,
    F.dropout2d: dropout_of("a dropout of channels"), F.dropout3d: dropout_of("a dropout of channels"),
    F.gelu: gelu,
    F.batch_norm: given.batch_norm(3, 5), torch.batch_norm: given.batch_norm(1, 5),
    F.conv2d: given.conv(2), F.conv3d: given.conv(3), F.conv1d: given.conv(1),
    F.conv_transpose1d: given.conv_transpose(1), F.conv_transpose2d: given.conv_transpose(2),
    F.conv_transpose3d: given.conv_transpose(3), F.group_norm: given.group_norm,
    F.embedding: given.embedding_of(embedding, (0, "input"), (1, "weight"), more=True),
    torch.embedding: given.embedding_of(embedding, (1, "indices"), (0, "weight")),
    F.layer_norm: given.layer_norm, torch.layer_norm: given.layer_norm,
    F.linear: given.linear,
    F.hardsigmoid: same("hardsigmoid"), F.hardswish: same("hardswish"), F.hardtanh: clamp, F.relu6: same("relu6"),
    torch.clamp: clamp, torch.clip: clamp,
    F.interpolate: upsample,
    F.leaky_relu: same("leaky_relu", slope=(1, "negative_slope")),
    F.log_softmax: softmax,
    F.max_pool2d: pool("max_pool"), F.max_pool3d: pool("max_pool"),
    torch.max_pool2d: pool("max_pool"),
    F.pad: pad,
    F.relu: same("relu"), torch.relu: same("relu"),
    F.sigmoid: same("sigmoid"), torch.sigmoid: same("sigmoid"),
    F.silu: same("silu"),
    F.tanh: same("tanh"), torch.tanh: same("tanh"),
    F.softmax: probabilities, torch.softmax: probabilities,
    operator.add: add, operator.iadd: add, torch.add: add,
    operator.mul: multiply, operator.imul: multiply, torch.mul: multiply,
    operator.truediv: divide, operator.itruediv: divide, torch.div: divide, torch.true_divide: divide,
    operator.matmul: matmul, torch.matmul: matmul, torch.bmm: matmul, torch.mm: matmul, torch.addmm: given.addmm,
    operator.sub: subtract, operator.isub: subtract, torch.sub: subtract, operator.neg: negative, torch.neg: negative,
    operator.pow: torch_blocks.raised(),
    torch.chunk: chunk, torch.split: split, torch.unbind: unbind,
    torch.masked_fill: masked_fill, torch.where: where,
    torch.flatten: reshape, torch.reshape: reshape, torch.squeeze: reshape, torch.unsqueeze: reshape,
    torch.log_softmax: softmax,
    torch.permute: permute, torch.transpose: transpose,
}

if hasattr(F, "scaled_dot_product_attention"):  # since 2.0
    FUNCTIONS[F.scaled_dot_product_attention] = scaled_dot_product_attention
if hasattr(nn, "RMSNorm"):  # since 2.4
    FUNCTIONS[F.rms_norm] = MODULES[nn.RMSNorm] = given.rms_norm

METHODS = {
    "add": add, "add_": add, "mul": multiply, "mul_": multiply, "div": divide, "div_": divide,
    "matmul": matmul, "bmm": matmul, "mm": matmul, "addmm": given.addmm, "chunk": chunk, "split": split,
    "unbind": unbind,
    "masked_fill": masked_fill, "masked_fill_": masked_fill, "softmax": probabilities,
    "clamp": clamp, "clamp_": clamp, "clip": clamp,
    "contiguous": nothing, "clone": nothing, "float": nothing, "half": nothing, "bfloat16": nothing, "to": nothing,
    "type": nothing, "type_as": nothing, "long": nothing,
    "flatten": reshape, "reshape": reshape, "squeeze": reshape, "unsqueeze": reshape, "view": reshape,
    "reshape_as": reshape, "view_as": reshape,
    "log_softmax": softmax, "neg": negative, "sub": subtract, "permute": permute, "transpose": transpose,
    "relu": same("relu"), "relu_": same("relu"), "sigmoid": same("sigmoid"), "tanh": same("tanh"),
}
FUNCTIONS.update(torch_blocks.FUNCTIONS)
METHODS.update(torch_blocks.METHODS)
