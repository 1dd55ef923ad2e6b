"""onnx_layers.py -- what each of ONNX's operators is in a model file.

To add one: a function that takes (network, at) and returns the output's Value, and a row in LAYERS.
`at` (onnx_trace.py) is the node with its arguments. Most make the call that PyTorch's layer of that
kind would be, for import_layers.py.
"""
from types import SimpleNamespace

import import_layers as layers
import onnx_attention as attention
import onnx_blocks
from import_network import Fixed, Value, need, product
from import_views import View, batch_first, settled, takes_views, view_of
from onnx_fixed import array_of, axes_of, is_zero, looked_at
from onnx_windows import global_pool, halves, pool, window, window_shape

GELU_NOTE = "note: gelu is by tanh in dtsim, by erf in the file"
# An LSTM as dtsim has it. Of other activations more could be said: those are other layers.
LSTM = {"direction": "forward", "activations": ["Sigmoid", "Tanh", "Tanh"], "clip": None, "input_forget": 0}
GRU = {"direction": "forward", "activations": ["Sigmoid", "Tanh"], "clip": None}


def conv(network, at):
    weight, bias = at.weight(1), at.weight(2)
    need(weight is not None, "without weights")
    kernel, groups = list(weight.shape[2:]), at.get("group", 1)
    need(at.get("kernel_shape", kernel) == kernel, "with weights of another shape")
    stride, pads, dilation = window(at, kernel)
    need(groups > 0 and weight.shape[1] * groups == at.x.shape[0], "with weights of another shape")
    shape = window_shape(at.x.shape, weight.shape[0], kernel, stride, pads, dilation)
    module = SimpleNamespace(kernel_size=kernel, transposed=False, padding_mode="zeros", padding=pads,
                             stride=stride, dilation=dilation, groups=groups, weight=weight,
                             bias=at.one_each(bias, weight.shape[0]), out_channels=weight.shape[0])
    return layers.conv(network, at.call(shape, module=module))


def product_with(network, at, weight, bias, inputs, outputs):
    need(at.x.shape[-1] == inputs, "with weights of another shape")
    module = SimpleNamespace(weight=weight, bias=at.one_each(bias, outputs), out_features=outputs)
    return layers.linear(network, at.call(at.x.shape[:-1] + [outputs], module=module))


@takes_views
def gemm(network, at):
    need(at.get("alpha", 1.0) == 1 and at.get("beta", 1.0) == 1 and not at.get("transA", 0),
         "alpha, beta or transA")
    need(len(at.x.shape) == 1, "of %s" % at.x.shape)
    weight = at.matrix(1)
    sizes = weight.shape[::-1] if at.get("transB", 0) else weight.shape
    return product_with(network, at, weight, at.weight(2), *sizes)


@takes_views
def matmul(network, at):
    need(not isinstance(at.args[0], Fixed), "with its weights on the left")
    need(isinstance(at.args[1], Fixed), "of two tensors that depend on the input")
    weight = at.matrix(1)
    bias = at.args[2] if len(at.args) > 2 else None
    if bias is None or product(bias.value.shape) in (1, weight.shape[1]):
        return product_with(network, at, weight, at.weight(2) if bias else None, *weight.shape)
    out = product_with(network, at, weight, None, *weight.shape)  # what is added is no bias: positions, say
    return layers.add(network, at.call(out.shape, args=[settled(network, out), bias]))


def batch_norm(network, at):
    scale, bias = (at.one_each(at.weight(i), at.x.shape[0]) for i in (1, 2))
    module = SimpleNamespace(affine=True, weight=scale, bias=bias, eps=at.epsilon())
    return layers.batch_norm(network, at.call(at.x.shape, module=module))


def layer_norm(network, at):
    rank = len(at.x.shape) + 1
    for inner in at.inner:  # the means that it was written with
        axes = axes_of(inner, [at.of(inner, i) for i in range(len(inner.inputs))])
        need(inner.op != "ReduceMean" or axes in ([-1], [rank - 1]), "over more than the last size")
    need(at.get("axis", -1) in (-1, rank - 1), "over more than the last size")
    scale, bias = (at.one_each(at.weight(i), at.x.shape[-1]) for i in (1, 2))
    need(scale is not None and bias is not None, "without scale and bias")
    module = SimpleNamespace(elementwise_affine=True, normalized_shape=[at.x.shape[-1]], weight=scale,
                             bias=bias, eps=at.epsilon())
    return layers.layer_norm(network, at.call(at.x.shape, module=module))


def rms_norm(network, at):
    need(at.get("axis", -1) in (-1, len(at.x.shape)), "over more than the last size")
    scale = at.one_each(at.weight(1), at.x.shape[-1])
    need(scale is not None, "without scale")
    module = SimpleNamespace(normalized_shape=[at.x.shape[-1]], weight=scale, eps=at.epsilon())
    return layers.rms_norm(network, at.call(at.x.shape, module=module))


def mean(network, at):
    rank = len(at.x.shape) + 1
    axes = sorted(axis % rank for axis in axes_of(at.node, at.args) or range(rank))
    if rank > 2 and axes == list(range(1, rank - 1)):
        return layers.mean_of_positions(network, at.call([1] * len(axes) * at.get("keepdims", 1) + at.x.shape[-1:]))
    need(axes == list(range(2, rank)) and axes, "other than over all positions")
    shape = at.x.shape[:1] + [1] * len(axes) if at.get("keepdims", 1) else at.x.shape[:1]
    return layers.global_mean(network, at.call(shape), shape)


def same(kind, **settings):
    """settings: key of ours = (attribute, its default)."""

    def convert(network, at):
        keys = {key: at.get(*where) for key, where in settings.items()}
        call = at.call(at.x.shape, args=[at.x] + list(keys.values()))
        return layers.same(kind, **{key: (i + 1, key) for i, key in enumerate(keys)})(network, call)

    return convert


def gelu(network, at):
    if at.get("approximate", "none") == "none" and at.word != "GeluTanh":
        network.note(GELU_NOTE)
    return same("gelu")(network, at)


def clip(network, at):
    low = at.args[1] if len(at.args) > 1 else None
    high = at.args[2] if len(at.args) > 2 else None
    least = array_of(low).item() if low is not None else at.get("min")
    most = array_of(high).item() if high is not None else at.get("max")
    need(least == 0 and most in (None, 6), "that is no ReLU")
    return same("relu" if most is None else "relu6")(network, at)


def hardsigmoid(network, at):
    """As PyTorch's is; ONNX's own slope is another."""
    slope, middle = at.get("alpha", 0.2), at.get("beta", 0.5)
    need(abs(slope - 1 / 6) < 1e-6 and middle == 0.5, "with a slope of %g, not 1/6" % slope)
    return same("hardsigmoid")(network, at)


def transposed_conv(network, at):
    weight, bias = at.weight(1), at.weight(2)
    need(weight is not None, "without weights")
    kernel, groups, axes = list(weight.shape[2:]), at.get("group", 1), len(weight.shape) - 2
    need(at.get("auto_pad", "NOTSET") == "NOTSET" and not at.get("output_shape"), "with sizes of its output")
    stride, dilation, more = (at.get(name) or [usual] * axes for name, usual in (
        ("strides", 1), ("dilations", 1), ("output_padding", 0)))
    pads = halves(at.get("pads") or [0] * (2 * axes))
    need(groups > 0 and weight.shape[0] == at.x.shape[0], "with weights of another shape")
    need(len(at.x.shape) == 1 + axes == 1 + len(pads) == 1 + len(stride) == 1 + len(dilation) == 1 + len(more),
         "with sizes for other axes than it has")
    shape = [weight.shape[1] * groups] + [
        (size - 1) * stride[i] - 2 * pads[i] + dilation[i] * (kernel[i] - 1) + 1 + more[i]
        for i, size in enumerate(at.x.shape[1:])]
    need(min(shape + stride + dilation) > 0, "with sizes below 1")
    module = SimpleNamespace(kernel_size=kernel, transposed=True, padding_mode="zeros", padding=pads, stride=stride,
                             dilation=dilation, groups=groups, weight=weight, out_channels=shape[0],
                             bias=at.one_each(bias, shape[0]))
    return layers.conv(network, at.call(shape, module=module))


def instance_norm(network, at):
    """A group for each channel."""
    channels = at.x.shape[0]
    scale, bias = (at.one_each(at.weight(i), channels) for i in (1, 2))
    need(scale is not None and bias is not None, "without scale and bias")
    module = SimpleNamespace(num_groups=channels, weight=scale, bias=bias, eps=at.epsilon())
    return layers.group_norm(network, at.call(at.x.shape, module=module))


def rate_of(at):
    ratio = at.args[1] if len(at.args) > 1 else None
    return round(float(array_of(ratio).item()) if ratio is not None else at.get("ratio", 0.5), 6)


def dropout(network, at):
    call = at.call(at.x.shape, args=[at.x, rate_of(at)])
    return layers.same("dropout", rate=(1, "p"))(network, call)


def add(network, at):
    """Add, and Sum of any number."""
    values = [arg for arg in at.args if isinstance(arg, Value)]
    need(len(values) == len(at.args) or len(at.args) == 2, "of several fixed tensors")
    if len(at.args) < 3:
        need(len(at.args) == 2, "of one tensor")
        return layers.add(network, at.call(at.x.shape, args=at.args))
    need(all(value.shape == values[0].shape for value in values), "of different shapes")
    return layers.joined(network, at.name, "add", [network.plain(v, at.name) for v in values],
                         lambda some: some[0].dims)


def multiply(network, at):
    need(len(at.args) == 2, "of one tensor")
    fixed = [arg for arg in at.args if isinstance(arg, Fixed)]
    scaled = layers.scaled_channels(network, at.call(at.x.shape), at.x, fixed[0]) if fixed else None
    if scaled is not None:
        return scaled
    need(all(isinstance(arg, Value) for arg in at.args), "by a number or by something fixed")
    return layers.multiply(network, at.call(at.x.shape, args=at.args))


def concat(network, at):
    need(all(isinstance(arg, Value) for arg in at.args), "of something fixed")
    shape = list(at.x.shape)
    need(all(arg.shape[1:] == shape[1:] for arg in at.args), "of different shapes")
    shape[0] = sum(arg.shape[0] for arg in at.args)
    return layers.concat(network, at.call(shape, args=[at.args, at.get("axis", 1)]))


@takes_views
def look(network, at):
    sizes = looked_at(at.node, at.args, at.sizes(at.x))
    need(sizes, "to nothing")
    shape = sizes[1:] if sizes[0] == at.batch else None
    return layers.reshape(network, at.call(shape, sizes=sizes))


@takes_views
def transpose(network, at):
    order = at.get("perm") or list(range(len(at.x.shape) + 1))[::-1]
    return layers.permute(network, at.call(None), order)


def steps(network, at):
    """What an LSTM goes through: positions x features of each sample."""
    x = view_of(network, at.args[0])
    need(len(x.axes) == 3, "of a tensor of shape %s" % x.sizes)
    if not at.get("layout", 0):
        need(not batch_first(network, x, [1], [2]), "along the samples (batch_first=False)")
        x = x.moved([1, 0, 2], x.origin)
    return network.plain(settled(network, x), at.name)


@takes_views
def lstm(network, at):
    return recurrent(network, at, "lstm", LSTM, 4)


@takes_views
def gru(network, at):
    need(at.get("linear_before_reset", 0) == 1, "whose state is reset before its product")
    return recurrent(network, at, "gru", GRU, 3)


def recurrent(network, at, kind, usually, gates):
    """One layer in one direction, from a state of zeros. Its last state is no value of ours."""
    for name, usual in usually.items():
        need(at.get(name, usual) == usual, "%s %s" % (name, at.get(name)))
    inputs = at.args + [None] * (8 - len(at.args))
    need(inputs[3] is not None, "without biases")
    need(inputs[4] is None, "with lengths of sequences")
    need(all(state is None or is_zero(state) for state in inputs[5:7]), "from a state other than zeros")
    need(inputs[7] is None, "with peepholes")
    x, outputs = steps(network, at), at.get("hidden_size")
    weights = [part for i in (1, 2, 3) for part in at.weights(i)]
    shapes = [[1, gates * outputs, x.dims[1]], [1, gates * outputs, outputs], [1, 2 * gates * outputs]]
    need([part.value.shape for part in inputs[1:4]] == shapes, "with weights of another shape")
    out = network.add(at.name, kind, [x], [x.dims[0], outputs], weights, outputs=outputs)
    out = view_of(network, out).reshaped([at.batch, x.dims[0], 1, outputs], None)
    order = [0, 1, 2, 3] if at.get("layout", 0) else [1, 2, 0, 3]
    return out.moved(order, layers.origin(at.call(None), "in an order other than its input's"))


@takes_views
def gather(network, at):
    """Rows of a table for the input's tokens; the first position of a sequence; or one of queries, keys, values."""
    data, index = at.args[0], settled(network, at.args[1])
    if isinstance(data, Fixed):
        table = at.matrix(0)
        need(at.get("axis", 0) == 0, "along axis %d" % at.get("axis", 0))
        shape = index.shape + [table.shape[1]]
        module = SimpleNamespace(max_norm=None, weight=table, num_embeddings=table.shape[0],
                                 embedding_dim=table.shape[1])
        return layers.embedding(network, at.call(shape, module=module, args=[index]))
    first = isinstance(index, Fixed) and not index.value.shape and array_of(index).item() == 0
    plain = not isinstance(data, View) and len(data.shape) == 2 and data.shape == data.dims
    if first and plain and at.get("axis", 0) == 1:
        out = network.add(at.name, "select", [data], [1, data.dims[1]], positions=1)
        return network.flat(out, at.name)
    return attention.one(network, at)


def resize(network, at):
    mode, how = at.get("mode", "nearest"), at.get("coordinate_transformation_mode", "half_pixel")
    need(mode in ("linear", "nearest"), "mode %s" % mode)
    need(mode == "nearest" or how in ("half_pixel", "pytorch_half_pixel"), how)
    shape = [at.batch] + at.x.shape
    given = [arg for arg in at.args[1:] if arg is not None and product(arg.value.shape) > 0]
    need(given, "without sizes")
    wanted = array_of(given[-1]).flatten().tolist()
    if not (len(at.args) > 3 and given[-1] is at.args[3]):  # factors
        wanted = [int(size * factor) for size, factor in zip(shape, wanted)]
    need(len(wanted) == len(shape) and wanted[:2] == shape[:2], "of other axes")
    return layers.upsample(network, at.call(wanted[2:] and shape[1:2] + wanted[2:],
                                            args=[at.x, None, None, mode]))


def softmax(network, at):
    return layers.softmax(network, at.call(at.x.shape))


LAYERS = {
    "Add": attention.of_scores(attention.add, add), "Sum": add, "Concat": concat,
    "Mul": attention.multiply(multiply), "Div": attention.divide,
    "AveragePool": pool("avg_pool"), "MaxPool": pool("max_pool"),
    "GlobalAveragePool": global_pool, "ReduceMean": mean,
    "BatchNormalization": batch_norm, "LayerNormalization": layer_norm,
    "Conv": conv, "Gemm": gemm, "MatMul": attention.matmul(matmul), "Linear": matmul,
    "Dropout": attention.of_scores(attention.dropped(rate_of), dropout), "Clip": clip, "Gelu": gelu, "GeluTanh": gelu,
    "LeakyRelu": same("leaky_relu", slope=("alpha", 0.01)),
    "Relu": same("relu"), "Sigmoid": same("sigmoid"), "Silu": same("silu"), "Tanh": same("tanh"),
    "Flatten": look, "Reshape": look, "Squeeze": look, "Unsqueeze": look, "Identity": look,
    "Cast": look, "CastLike": look, "Transpose": transpose,
    "ConvTranspose": transposed_conv, "HardSigmoid": hardsigmoid, "HardSwish": same("hardswish"),
    "InstanceNormalization": instance_norm,
    "Gather": gather, "GRU": gru, "LSTM": lstm, "Resize": resize,
    "Softmax": attention.of_scores(attention.softmax, softmax), "LogSoftmax": softmax,
    "Split": attention.split, "Slice": attention.part, "Where": attention.where,
}
LAYERS.update(onnx_blocks.rows(LAYERS))
