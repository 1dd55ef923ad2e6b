"""import_layers.py -- layers of a model file out of calls, wherever the calls come from.

Each takes (network, call) and returns the output's Value; what dtsim has no layer for it says by
Unsupported. A call has a module, with attributes by PyTorch's names, or arguments in PyTorch's
order: torch_trace.py has them from PyTorch, onnx_layers.py makes them from an ONNX file's nodes.
"""
from import_network import (MOST_INPUTS, NO_TENSOR, Fixed, Unsupported, Value, epsilon_of, guess, need,
                            product)
from import_views import Origin, View, each_position, is_told, natural, settled, simplest, takes_views, view_of


def same(kind, **settings):
    """A layer whose output has its input's shape; settings: key of ours = (position, theirs)."""

    def convert(network, call):
        keys = {key: call.setting(*where) for key, where in settings.items()}
        x = call.x
        # the shape does not matter: values are changed one by one
        out = network.add(call.name, kind, [Value(x.layer, x.dims)], x.dims, **keys)
        return Value(out.layer, out.dims, x.shape)

    return convert


@takes_views
def nothing(network, call):
    return call.x


def sizes(value, axes):
    """One number where all axes have it, else a list."""
    listed = [value] * axes if isinstance(value, int) else list(value)
    return listed[0] if len(set(listed)) == 1 else listed


def conv(network, call, more_padding=None):
    """more_padding: zeros before and behind, along each axis, beside its own."""
    m = call.module
    axes = len(m.kernel_size)
    need(m.padding_mode == "zeros", "padding_mode %s" % m.padding_mode)
    need(not isinstance(m.padding, str) or m.padding == "valid" or set(m.stride) == {1},
         "padding same with a stride")
    padding = 0 if m.padding == "valid" else m.padding
    padding = padding if isinstance(padding, str) else sizes(padding, axes)
    if more_padding:
        need(not isinstance(padding, str) and not m.transposed, "behind other padding")
        padding = together([padding] * axes if isinstance(padding, int) else padding, more_padding)
    x = network.plain(call.x, call.name)
    kind, more = "conv%dd" % axes, {}
    if m.transposed:
        kind, more = "conv_transpose%dd" % axes, {"output_padding": output_padding(m, call, x, axes)}
    return network.add(
        call.name, kind, [x], call.shape,
        [m.weight] + ([m.bias] if m.bias is not None else []),
        channels=m.out_channels, kernel=sizes(m.kernel_size, axes),
        stride=other(sizes(m.stride, axes), 1), padding=other(padding, 0),
        dilation=other(sizes(m.dilation, axes), 1), groups=other(m.groups, 1),
        bias=None if m.bias is not None else False, **more)


def together(padding, pairs):
    """As a model file has it: by pairs only where it must."""
    pairs = [[own + before, own + behind] for own, (before, behind) in zip(padding, pairs)]
    even = all(before == behind for before, behind in pairs)
    return sizes([before for before, _ in pairs], len(pairs)) if even else pairs


def output_padding(m, call, x, axes):
    """What a transposed convolution's output has more behind: as it is told, or so that it has the size it has."""
    stride, padding, dilation, kernel = (
        [value] * axes if isinstance(value, int) else list(value)
        for value in (m.stride, m.padding, m.dilation, m.kernel_size))
    found = [call.shape[i + 1] - ((x.dims[i + 1] - 1) * stride[i] - 2 * padding[i] + dilation[i] * (kernel[i] - 1) + 1)
             for i in range(axes)]
    return other(sizes(found, axes), 0)


def other(value, default):
    return None if value == default else value


def linear(network, call):
    """Whatever the order of positions and samples is, it is that of the result, too."""
    m, x = call.module, call.x
    x = Value(x.layer, x.shape) if is_told(x) else x  # its weights may be another thing to be told
    view = x if isinstance(x, View) and each_position(network, x) else None
    x = view.source if view else network.plain(settled(network, x), call.name)
    out = network.add(call.name, "linear", [x], x.dims[:-1] + [m.out_features],
                      [m.weight] + ([m.bias] if m.bias is not None else []),
                      outputs=m.out_features, bias=None if m.bias is not None else False)
    if view is None:
        return out
    return View(out, view.axes[:-1] + natural(out.dims, network.batch)[-1:], view.origin)


linear.takes_views = True


def pool(kind):
    def convert(network, call):
        axes = len(call.x.dims) - 1
        kernel, more = sizes(call.setting(1, "kernel_size"), axes), {}
        stride = call.setting(2, "stride")
        padding = sizes(call.setting(3, "padding", 0), axes)
        if kind == "max_pool":
            ceil = call.setting(5, "ceil_mode", False)
            need(set_of(call.setting(4, "dilation", 1)) == {1}, "dilation")
            need(not call.setting(6, "return_indices", False), "return_indices")
        else:
            ceil = call.setting(4, "ceil_mode", False)
            need(call.setting(6, "divisor_override") is None, "divisor_override")
            ceil = ceil and call.shape != floor_shape(call.x.dims, kernel, stride, padding)
            inside = not call.setting(5, "count_include_pad", True) and padding != 0
            more = {"count_include_pad": False} if inside else {}
            if ceil and not inside:
                network.note("note: a mean counts in dtsim what its window has outside of the input, here it does not")
        return network.add(call.name, kind, [network.plain(call.x, call.name)], call.shape,
                           kernel=kernel, stride=sizes(stride, axes) if stride else None,
                           padding=other(padding, 0), ceil=ceil or None, **more)

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
    if axes and sorted(a % rank for a in axes) == list(range(1, rank - 1)):
        return mean_of_positions(network, call)
    need(axes and sorted(a % rank for a in axes) == list(range(2, rank)), "other than over all positions")
    return global_mean(network, call, call.shape)


def mean_of_positions(network, call):
    """Of [..., features]."""
    x = network.plain(call.x, call.name)
    out = network.add(call.name, "mean", [x], x.dims[-1:])
    return Value(out.layer, out.dims, call.shape)


def batch_norm(network, call):
    m = call.module
    need(m.affine, "affine=False")
    x = network.plain(call.x, call.name)
    return network.add(call.name, "batch_norm", [x], x.dims, [m.weight, m.bias],
                       epsilon=epsilon_of(m))


def group_norm(network, call):
    m = call.module
    x = network.plain(call.x, call.name)
    affine = m.weight is not None
    return network.add(call.name, "group_norm", [x], x.dims, [m.weight, m.bias] if affine else [], groups=m.num_groups,
                       affine=None if affine else False, epsilon=epsilon_of(m))


def layer_norm(network, call):
    m = call.module
    need(m.elementwise_affine, "elementwise_affine=False")
    return norm_of_features(network, call, "layer_norm", [m.weight, m.bias])


def rms_norm(network, call):
    return norm_of_features(network, call, "rms_norm", [call.module.weight])


def norm_of_features(network, call, kind, weights):
    """Over the last size."""
    m, x = call.module, call.x
    need(len(m.normalized_shape) == 1, "over more than the last size")
    one = product(x.shape) == x.shape[-1] == m.normalized_shape[0]  # a pooled image, say, in whatever order
    x = network.flat(x, call.name) if one else network.plain(x, call.name)
    out = network.add(call.name, kind, [x], x.dims, weights, epsilon=epsilon_of(m))
    return Value(out.layer, out.dims, call.shape if one else None)


def embedding(network, call):
    m = call.module
    need(m.max_norm is None, "max_norm")
    x = network.plain(call.x, call.name)
    return network.add(call.name, "embedding", [x], call.shape, [m.weight],
                       vocabulary=m.num_embeddings, features=m.embedding_dim)


def add(network, call):
    a, b = call.get(0, "input"), call.get(1, "other")
    need(call.get(2, "alpha", 1) == 1, "alpha")
    if isinstance(a, Fixed):
        a, b = b, a
    if isinstance(b, Fixed):
        return biased(network, call, a, b) or positions(network, call, a, b)
    need(isinstance(a, Value) and isinstance(b, Value), "of a number")
    need(a.shape == b.shape, "of different shapes, %s and %s" % (a.shape, b.shape))
    a, b = network.plain(a, call.name), network.plain(b, call.name)
    return network.add(call.name, "add", [a, b], a.dims)


def features_axis(x, shape):
    """Along which axis of a sample a fixed tensor of this shape has its values: all of them along one, else None."""
    rank = len(x.shape)
    whole = [1] * (rank + 1 - len(shape)) + list(shape)
    long = [axis for axis, size in enumerate(whole) if size != 1]
    fits = len(whole) == rank + 1 and len(long) == 1 and long[0] > 0
    return long[0] - 1 if fits and whole[long[0]] == x.shape[long[0] - 1] else None


def biased(network, call, x, bias):
    """A bias that is added behind the product with the weights; None: it is something else."""
    if not isinstance(x, Value) or bias.value is None:
        return None
    axis = features_axis(x, bias.value.shape)
    if axis is None or (isinstance(x, View) and axis != len(x.shape) - 1):
        return None
    try:
        weight = call.weight_of(bias)
    except Unsupported:
        return None
    return x if network.give_bias(x, weight, axis) else None


def rows_of(network, call, rows):
    """A parameter with a row for each position, or its first rows."""
    of = rows.sources[0] if rows.owner is None and len(rows.sources) == 1 else rows.owner
    need(of is not None, "of something fixed")
    used, there = ([size for size in shape if size != 1] for shape in (rows.value.shape, of.shape))
    need(len(used) == len(there) == 2 and used[0] <= there[0], "of something fixed")
    rows.owner, rows.table = of, used + there[:1]


def positions(network, call, x, rows):
    """A learned row for each position: rows of an embedding, or a parameter of their shape."""
    x = network.plain(x, call.name)
    if rows.table is None:
        rows_of(network, call, rows)
    need(rows.table[:2] == x.dims, "of rows for positions of other shape")
    return network.add(call.name, "positional_embedding", [x], x.dims, [rows.owner],
                       positions=rows.table[2])


def begin_of(values):
    """The one number that factors begin with; None: they differ, or nobody knows."""
    listed = set(values.flatten().tolist()) if hasattr(values, "tolist") else ()
    begin = listed.pop() if len(listed) == 1 else None
    return float("%.6g" % begin) if begin is not None and 0 <= begin <= 1000 else None


def scaled_channels(network, call, x, scale):
    """A learned factor for each channel or feature; None: it is something else."""
    if not isinstance(x, Value) or not isinstance(scale, Fixed) or scale.value is None:
        return None
    axis = features_axis(x, scale.value.shape)
    if axis not in (0, len(x.shape) - 1):
        return None
    try:
        weight = call.weight_of(scale)
    except Unsupported:
        return None
    x = network.plain(x, call.name)
    return network.add(call.name, "layer_scale", [x], x.dims, [weight], last=axis > 0 or None,
                       init=begin_of(scale.value))


def multiply(network, call):
    a, b = call.get(0, "input"), call.get(1, "other")
    scaled = scaled_channels(network, call, a, b) or scaled_channels(network, call, b, a)
    if scaled is not None:
        return scaled
    need(isinstance(a, Value) and isinstance(b, Value), "by a number or by something fixed")
    if product(a.shape) < product(b.shape):
        a, b = b, a
    a = network.plain(a, call.name)
    if b.shape != a.shape:
        need(b.shape[:1] == a.shape[:1] == [product(b.shape)],
             "of different shapes, %s and %s" % (a.shape, b.shape))
        b = network.flat(b, call.name)
    else:
        b = network.plain(b, call.name)
    return network.add(call.name, "multiply", [a, b], a.dims)


def joined(network, name, kind, parts, shape_of):
    """A concat or an add of any number of inputs: where dtsim's takes fewer, some of them become one
    before. Each is copied as seldom as that allows."""
    first = 0
    while len(parts) > MOST_INPUTS:
        behind = first + min(MOST_INPUTS, len(parts) - MOST_INPUTS + 1)
        some = parts[first:behind]
        one = network.add(name + "_part", kind, some, shape_of(some))
        parts = parts[:first] + [one] + parts[behind:]
        first = (first + 1) % MOST_INPUTS
    return network.add(name, kind, parts, shape_of(parts))


def class_tokens(network, call, parts, axis):
    """Parameters in front of a sequence, the same for each sample; None: it is something else."""
    x = parts[-1]
    fixed = parts[:-1]
    if not isinstance(x, Value) or len(x.shape) != 2 or axis not in (1, -2) or not fixed or \
            not all(isinstance(part, Fixed) and len(getattr(part.value, "shape", ())) == 3 for part in fixed):
        return None
    x = network.plain(x, call.name)
    for part in reversed(fixed):
        count, features = part.value.shape[1:]
        of = part.owner if part.owner is not None else part.sources[0] if len(part.sources) == 1 else None
        if of is None or product(of.shape) != count * features or features != x.dims[1]:
            return None
        x = network.add(call.name, "class_token", [x], [x.dims[0] + count, features], [of], tokens=other(count, 1))
    return x


def concat(network, call):
    parts = call.get(0, "tensors")
    made = class_tokens(network, call, parts, call.get(1, "dim", 0))
    if made is not None:
        return made
    need(not any(isinstance(part, Fixed) for part in parts), NO_TENSOR + " (a class token, say)")
    parts = [network.plain(part, call.name) for part in parts]
    axis = call.get(1, "dim", 0)
    need(axis % (len(parts[0].shape) + 1) == 1, "along axis %d" % axis)
    if len(parts) == 1:
        return parts[0]
    return joined(network, call.name, "concat", parts,
                  lambda some: [sum(v.dims[0] for v in some)] + some[0].dims[1:])


@takes_views
def reshape(network, call):
    """Nothing moves: the same memory with other sizes."""
    x, sizes = call.x, call.sizes
    if x.guessed and call.shape is not None:
        return guess(x.layer, call.shape)
    if isinstance(x, View) or call.shape is None or product(call.shape) != product(x.shape):
        need(sizes is not None, "across samples")
        x = simplest(network, view_of(network, x).reshaped(sizes, origin(call, "across samples")))
    else:
        x = Value(x.layer, x.dims, call.shape)
    plain = isinstance(x, View) or len(x.shape) > 1 or len(x.dims) == 1
    return x if plain else network.flat(x, call.name)


@takes_views
def permute(network, call, order):
    """Axes in another order; the batch is one of them."""
    why = "of axes" if order[:1] == [0] else "across samples"
    return simplest(network, view_of(network, call.x).moved(order, origin(call, why)))


def origin(call, why=""):
    return Origin(call.name, call.word + (": %s" % why if why else ""), call.place)


def upsample(network, call):
    # the function's arguments: input, size, scale_factor, mode, align_corners
    mode = call.setting(3, "mode", "nearest")
    need(mode in ("nearest", "nearest-exact", "linear", "bilinear", "trilinear"), "mode %s" % mode)
    need(not call.setting(4, "align_corners"), "align_corners")
    x = network.plain(call.x, call.name)
    kind = "upsample_nearest" if mode.startswith("nearest") else "upsample"
    return network.add(call.name, kind, [x], call.shape, output=call.shape[1:])


def softmax(network, call):
    need(call.last, "that is not the last: dtsim's loss contains it")
    return call.x
