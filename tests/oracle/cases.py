"""cases.py -- the calls whose values operations.py asks PyTorch for: small and odd, every row of
dts_operations[] that has a counterpart."""
import math


def window(op, batch, inputs, output, kernel, stride, before, dilation=None, **more):
    return dict(op=op, batch=batch, inputs=[inputs], output=output, kernel=kernel, stride=stride,
                before=before, dilation=dilation or [1] * len(kernel), **more)


def conv(batch, inputs, output, kernel, stride=None, before=None, dilation=None, groups=1, bias=True, **more):
    axes = len(kernel)
    each = inputs[0] // groups * math.prod(kernel)
    pixels = batch * math.prod(output[1:])
    return window("conv", batch, inputs, output, kernel, stride or [1] * axes, before or [0] * axes,
                  dilation, groups=groups, bias=bias,
                  params=[output[0] * each] + ([output[0]] if bias else []),
                  sums=pixels + each + math.prod(kernel) * output[0], **more)


def transposed(batch, inputs, output, kernel, stride=None, before=None, dilation=None, groups=1, bias=True):
    axes = len(kernel)
    each = output[0] // groups * math.prod(kernel)
    return window("conv_transpose", batch, inputs, output, kernel, stride or [1] * axes,
                  before or [0] * axes, dilation, groups=groups, bias=bias,
                  params=[inputs[0] * each] + ([output[0]] if bias else []),
                  sums=batch * math.prod(output[1:]) + each + math.prod(kernel) * inputs[0])


def alike(op, batch, dims, sums=1, inputs=1, **more):
    return dict(op=op, batch=batch, inputs=[dims] * inputs, output=dims, sums=sums, **more)


def linear(batch, inputs, outputs, bias=True, **more):
    rows = batch * math.prod(inputs[:-1])
    return dict(op="linear", batch=batch, inputs=[inputs], output=inputs[:-1] + [outputs], bias=bias,
                params=[inputs[-1] * outputs] + ([outputs] if bias else []),
                sums=inputs[-1] + outputs + rows, **more)


def attention(batch, queries, features, heads, causal, keys=0, key_features=0):
    if keys:
        inputs = [[queries, features]] + [[keys, key_features]] * 2
    else:
        inputs = [[queries, 3 * features]]
    return dict(op="attention", batch=batch, inputs=inputs, output=[queries, features], heads=heads,
                causal=causal, sums=4 * (features + 4 * (queries + max(keys, queries))))


def lstm(batch, steps, features, outputs, op="lstm", gates=4):
    gates *= outputs
    return dict(op=op, batch=batch, inputs=[[steps, features]], output=[steps, outputs],
                params=[gates * features, gates * outputs, gates, gates],
                sums=steps * (features + outputs + batch) * 8)


def moe(batch, positions, features, experts, chosen, hidden, gated=True, **more):
    each = experts * hidden * features
    return alike("moe", batch, [positions, features], experts=experts, chosen=chosen, sums=4 * features * hidden * positions,
                 params=[experts * features] + [each] * (3 if gated else 2), **more)


def norm(op, batch, dims, channels, parameters, sums, **more):
    return alike(op, batch, dims, sums=sums, params=[channels] * parameters, **more)


def entropy(batch, dims, **more):
    return dict(op="softmax_cross_entropy", batch=batch, inputs=[dims], output=[1], classes=dims[-1],
                targets=math.prod(dims[:-1]), sums=dims[-1], **more)


CASES = [
    conv(2, [3, 7, 9], [4, 4, 5], [3, 3], stride=[2, 2], before=[1, 1]),
    conv(1, [4, 6, 5], [6, 6, 5], [3, 3], before=[1, 1], groups=2, bias=False),
    conv(2, [5, 4, 7], [3, 4, 7], [1, 1]),
    conv(1, [3, 9, 8], [2, 5, 8], [3, 2], before=[0, 0], dilation=[2, 1]),  # "same" for an even window
    conv(1, [6, 5, 5], [6, 5, 5], [3, 3], before=[1, 1], groups=6),
    # Winograd's way begins with 32 tiles of 4 x 4: here are 36, of x and of y
    conv(3, [17, 13, 11], [16, 13, 11], [3, 3], before=[1, 1], every=7),
    conv(2, [2, 3, 4, 5], [3, 2, 3, 3], [2, 2, 3], before=[0, 0, 1], stride=[1, 1, 2]),
    conv(1, [2, 5, 3, 4], [3, 3, 3, 2], [2, 2, 2], before=[0, 1, 0], dilation=[2, 1, 2]),
    conv(1, [4, 3, 2, 4], [6, 3, 1, 4], [3, 2, 1], before=[1, 0, 0], groups=2),
    conv(2, [4, 4, 5, 3], [2, 4, 3, 2], [2, 3, 2], before=[1, 1, 1], stride=[1, 2, 2],
         dilation=[2, 1, 2], groups=2),
    conv(2, [3, 11], [4, 6], [3], stride=[2], before=[1]),
    transposed(2, [3, 4, 5], [5, 8, 10], [2, 2], stride=[2, 2]),
    transposed(1, [4, 5, 4], [6, 10, 7], [3, 3], stride=[2, 2], before=[1, 1], groups=2),
    transposed(2, [3, 4], [2, 9], [3], stride=[2], bias=False),
    transposed(1, [2, 2, 3, 2], [3, 4, 6, 4], [3, 2, 3], before=[0, 0, 0], stride=[1, 2, 1]),
    transposed(1, [2, 4, 4], [2, 6, 6], [2, 2], dilation=[2, 2], groups=2),
    linear(3, [7], 5),
    linear(2, [3, 6], 9, bias=False),
    attention(2, 5, 6, 2, False),
    attention(1, 7, 6, 3, True),
    attention(2, 4, 8, 4, False, keys=6, key_features=4),
    lstm(3, 5, 4, 3),
    lstm(1, 2, 3, 7),
    lstm(3, 5, 4, 3, "gru", 3),
    lstm(1, 2, 3, 7, "gru", 3),
    window("max_pool", 2, [3, 7, 9], [3, 4, 5], [3, 3], [2, 2], [1, 1], sums=9),
    window("max_pool", 1, [2, 6, 8], [2, 3, 4], [3, 3], [2, 2], [0, 0], sums=9, ceil=True),
    window("max_pool", 1, [2, 4, 5, 3], [2, 2, 2, 2], [2, 3, 2], [2, 2, 1], [0, 0, 0], sums=12),
    window("avg_pool", 2, [3, 7, 5], [3, 7, 5], [3, 3], [1, 1], [1, 1], sums=9),
    window("avg_pool", 1, [2, 7, 6], [2, 3, 2], [3, 2], [2, 3], [0, 0], sums=6),
    window("avg_pool", 1, [2, 6, 8], [2, 3, 4], [3, 3], [2, 2], [0, 0], sums=9, ceil=True),
    window("avg_pool", 2, [3, 7, 5], [3, 4, 3], [3, 3], [2, 2], [1, 1], sums=9, inside=True),
    window("avg_pool", 1, [2, 9], [2, 5], [4], [2], [1], sums=4, ceil=True, inside=True),
    dict(op="adaptive_pool", batch=2, inputs=[[3, 7, 5]], output=[3, 3, 4], sums=12),
    dict(op="adaptive_pool", batch=1, inputs=[[2, 3, 2]], output=[2, 5, 3], sums=4),
    dict(op="global_pool", batch=2, inputs=[[5, 4, 3]], output=[5], sums=12),
    norm("batch_norm", 3, [4, 5, 3], 4, 2, 64),
    norm("batch_norm", 2, [3, 2, 5], 3, 2, 64, relu=True),
    norm("batch_norm", 7, [5], 5, 2, 64),
    norm("group_norm", 2, [6, 3, 2], 6, 2, 64, groups=3, bias=True),
    norm("group_norm", 2, [3, 2, 3], 3, 0, 64, groups=3),
    norm("group_norm", 2, [4, 5], 4, 2, 64, groups=1, bias=True, epsilon=0.5),
    norm("layer_norm", 2, [3, 10], 10, 2, 64),
    norm("layer_norm", 3, [7], 7, 2, 64),
    norm("rms_norm", 2, [3, 9], 9, 1, 64),
    norm("batch_norm", 2, [3, 3, 2], 3, 2, 64, epsilon=0.5),
    norm("layer_norm", 2, [7], 7, 2, 64, epsilon=0.5),
    norm("rms_norm", 2, [7], 7, 1, 64, epsilon=0.5),
    alike("gelu", 2, [3, 7]),
    moe(2, 7, 5, 4, 2, 3, normalized=True),
    moe(2, 6, 4, 3, 1, 5, gated=False, normalized=False),
    moe(1, 9, 3, 4, 2, 2, normalized=False, capacity=0.75),
    alike("rotary", 2, [5, 12], heads=3, base=10000),
    alike("rotary", 2, [4, 8], heads=1, base=500),
    alike("layer_scale", 2, [3, 4, 2], sums=16, params=[3]),
    alike("layer_scale", 2, [4, 5], sums=8, params=[5], last=True),
    alike("hardsigmoid", 2, [3, 7]),
    alike("hardswish", 2, [3, 7]),
    alike("leaky_relu", 2, [3, 7], slope=0.125),
    alike("relu", 2, [3, 7]),
    alike("relu6", 2, [3, 7]),
    alike("sigmoid", 2, [3, 7]),
    alike("silu", 2, [3, 7]),
    alike("tanh", 2, [3, 7]),
    alike("add", 2, [3, 5], inputs=3),
    alike("add", 2, [3, 5], inputs=2, relu=True),
    alike("multiply", 2, [4, 3], inputs=2),
    dict(op="multiply", batch=2, inputs=[[4, 3, 5], [4]], output=[4, 3, 5], sums=15),
    dict(op="concat", batch=2, inputs=[[2, 3, 4], [1, 3, 4], [3, 3, 4]], output=[6, 3, 4], sums=1),
    dict(op="permute", batch=2, inputs=[[3, 4, 5]], output=[4, 5, 3], axes=[1, 2, 0], sums=1),
    dict(op="permute", batch=2, inputs=[[2, 3, 4, 2]], output=[3, 2, 4, 2], axes=[1, 0, 2, 3], sums=1),
    dict(op="permute", batch=1, inputs=[[3, 4, 5]], output=[5, 4, 3], axes=[2, 1, 0], sums=1),
    dict(op="slice", batch=2, inputs=[[5, 3, 2]], output=[2, 3, 2], offset=3, sums=1),
    dict(op="slice", batch=2, inputs=[[3, 6]], output=[3, 4], offset=1, sums=1),
    dict(op="select", batch=3, inputs=[[5, 4]], output=[2, 4], select=2, sums=1),
    dict(op="sequence", batch=2, inputs=[[3, 4, 5]], output=[20, 3], sums=1),
    dict(op="upsample", batch=2, inputs=[[3, 4, 5]], output=[3, 8, 15], sums=9),
    dict(op="upsample", batch=1, inputs=[[2, 7, 3]], output=[2, 5, 8], sums=9),
    dict(op="upsample", batch=1, inputs=[[2, 6]], output=[2, 9], sums=3),
    dict(op="upsample", batch=1, inputs=[[2, 2, 3, 4]], output=[2, 5, 4, 7], sums=27),
    dict(op="upsample_nearest", batch=2, inputs=[[3, 4, 5]], output=[3, 8, 15], sums=9),
    dict(op="upsample_nearest", batch=1, inputs=[[2, 7, 3]], output=[2, 5, 8], sums=9),
    dict(op="upsample_nearest", batch=1, inputs=[[2, 6]], output=[2, 9], sums=3),
    dict(op="upsample_nearest", batch=1, inputs=[[2, 2, 3, 4]], output=[2, 5, 4, 7], sums=27),
    dict(op="embedding", batch=3, inputs=[[7]], output=[7, 5], tokens=11, params=[55], sums=21),
    dict(op="positional_embedding", batch=3, inputs=[[4, 5]], output=[4, 5], params=[35], sums=3),
    dict(op="class_token", batch=3, inputs=[[4, 5]], output=[5, 5], params=[5], sums=3),
    dict(op="class_token", batch=2, inputs=[[3, 4]], output=[5, 4], params=[8], sums=2),
    dict(op="mean", batch=2, inputs=[[5, 7]], output=[7], sums=5),
    dict(op="mean", batch=2, inputs=[[2, 3, 4]], output=[4], sums=6),
    dict(op="mean_squared_error", batch=3, inputs=[[2, 5]], output=[1], targets=10, sums=10),
    dict(op="mean_squared_error", batch=3, inputs=[[7]], output=[1], targets=7, sums=10, weight=2.5),
    entropy(4, [7]),
    entropy(3, [5, 6], ignored=2),
    entropy(3, [2, 4], weight=0.4),
]
