"""torch_model.py -- a model file of dtsim as PyTorch computes it: an independent reading of the
format (docs/models.md), built of PyTorch's own functions."""
import math

import torch
import torch.nn.functional as F


class Layer:
    def __init__(self, name, keys, inputs, tied):
        self.name, self.keys, self.inputs, self.tied = name, keys, inputs, tied
        self.parameters = []


def read(model):
    """The layers in order, with the numbers of those that they take in; -1: the model's input."""
    layers, names = [], {}

    def look_up(name, prefixes, entries):
        if name == "entry":
            return entries[-1]
        for prefix in reversed(prefixes):
            if prefix + name in names:
                return names[prefix + name]
        raise KeyError(name)

    def go(items, prefixes, entries, last):
        for place, item in enumerate(items):
            given = item.get("input")
            listed = [given] if isinstance(given, str) else given
            inputs = [look_up(n, prefixes, entries) for n in listed] if listed else [last]
            name = item.get("name", "%s_%d" % (item.get("kind", "group"), place))
            full = prefixes[-1] + name
            if "layers" in item:
                if item.get("shared", False):
                    raise ValueError(full + ": rounds that share weights are not known here")
                for i in range(item.get("repeat", 1)):
                    deep = "%s.%d." % (full, i) if "repeat" in item else full + "."
                    inputs = [go(item["layers"], prefixes + [deep], entries + inputs, inputs[0])]
                    names[deep[:-1]] = inputs[0]
                last = names[full] = inputs[0]
                continue
            tied = look_up(item["tied"], prefixes, entries) if "tied" in item else None
            layers.append(Layer(full, item, inputs, tied))
            last = names[full] = len(layers) - 1
        return last

    go(model["layers"], [""], [-1], -1)
    return layers


def axes_of(value, count):
    return [value] * count if isinstance(value, int) else list(value)


def make_conv(keys, x):
    axes = x.dim() - 2
    shape = [keys["channels"], x.shape[1] // keys.get("groups", 1)] + axes_of(keys["kernel"], axes)
    spread = math.sqrt(2 / (shape[0] / keys.get("groups", 1) * math.prod(shape[2:])))
    return [(shape, spread)] + ([([shape[0]], 0.1)] if keys.get("bias", True) else [])


def make_transposed(keys, x):
    channels = x.shape[1]
    kernel = axes_of(keys["kernel"], x.dim() - 2)
    shape = [channels, keys["channels"] // keys.get("groups", 1)] + kernel
    spread = math.sqrt(2 / (channels / keys.get("groups", 1) * math.prod(kernel)))
    return [(shape, spread)] + ([([keys["channels"]], 0.1)] if keys.get("bias", True) else [])


def make_linear(keys, x):
    features = x.shape[-1]
    spread = 1 / math.sqrt(3 * features)
    return [([keys["outputs"], features], spread)] + (
        [([keys["outputs"]], spread)] if keys.get("bias", True) else [])


def make_recurrent(gates):
    def make(keys, x):
        f, h = x.shape[-1], keys["outputs"]
        n = gates * h
        return [(shape, 1 / math.sqrt(3 * h)) for shape in ([n, f], [n, h], [n], [n])]

    return make


# parameter tensors of a kind: their shapes, and the spread of what they begin with, around `mean`
SHAPES = {
    "conv1d": make_conv,
    "conv2d": make_conv,
    "conv3d": make_conv,
    **{"conv_transpose%dd" % axes: make_transposed for axes in (1, 2, 3)},
    "linear": make_linear,
    "lstm": make_recurrent(4),
    "gru": make_recurrent(3),
    "batch_norm": lambda keys, x: [([x.shape[1]], 0.1), ([x.shape[1]], 0.1)],
    "group_norm": lambda keys, x: [([x.shape[1]], 0.1)] * 2 if keys.get("affine", True) else [],
    "layer_norm": lambda keys, x: [([x.shape[-1]], 0.1), ([x.shape[-1]], 0.1)],
    "layer_scale": lambda keys, x: [([x.shape[-1 if keys.get("last") else 1]], 0.1)],
    "moe": lambda keys, x: [([keys["experts"], x.shape[-1]], 0.1)] + [
        ([keys["experts"]] + sizes, 0.1) for sizes in ([keys["ffn"], x.shape[-1]], [x.shape[-1], keys["ffn"]],
                                                       [keys["ffn"], x.shape[-1]])[:3 if keys.get("gated", True) else 2]],
    "rms_norm": lambda keys, x: [([x.shape[-1]], 0.1)],
    "embedding": lambda keys, x: [([keys["vocabulary"], keys["features"]], 0.02)],
    "positional_embedding": lambda keys, x: [([keys["positions"], x.shape[-1]], 0.02)],
    "class_token": lambda keys, x: [([keys.get("tokens", 1), x.shape[-1]], 0.02)],
}
AROUND_ONE = ("batch_norm", "group_norm", "layer_scale", "layer_norm", "rms_norm")  # their first parameter


def padded(keys, x):
    """The input and what is left to pad alike on both sides."""
    padding = keys.get("padding", 0)
    if not isinstance(padding, list) or not any(isinstance(sides, list) for sides in padding):
        return x, padding
    pads = [axes_of(sides, 2) for sides in reversed(padding)]
    return F.pad(x, sum(pads, [])), 0


def conv(keys, x, w):
    axes = x[0].dim() - 2
    entry, padding = padded(keys, x[0])
    return getattr(F, "conv%dd" % axes)(
        entry, w[0], w[1] if len(w) > 1 else None, keys.get("stride", 1), padding,
        keys.get("dilation", 1), keys.get("groups", 1))


def conv_transpose(keys, x, w):
    return getattr(F, "conv_transpose%dd" % (x[0].dim() - 2))(
        x[0], w[0], w[1] if len(w) > 1 else None, keys.get("stride", 1), keys.get("padding", 0),
        keys.get("output_padding", 0), keys.get("groups", 1), keys.get("dilation", 1))


def pool(function):
    def run(keys, x, w):
        name = "%s_pool%dd" % (function, x[0].dim() - 2)
        more = {} if keys.get("count_include_pad", True) else {"count_include_pad": False}
        return getattr(F, name)(x[0], keys["kernel"], keys.get("stride") or keys["kernel"],
                                keys.get("padding", 0), ceil_mode=keys.get("ceil", False), **more)

    return run


def attention(keys, x, w):
    heads = keys["heads"]
    q, k, v = x if len(x) == 3 else x[0].chunk(3, dim=-1)
    head = q.shape[-1] // heads
    q, k, v = (t.unflatten(-1, (-1, head)).transpose(1, 2) for t in (q, k, v))
    k, v = (t.repeat_interleave(heads // t.shape[1], dim=1) for t in (k, v))
    scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
    if keys.get("causal"):
        hidden = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
        scores = scores.masked_fill(hidden, -math.inf)
    return (scores.softmax(-1) @ v).transpose(1, 2).flatten(2)


def rotary(keys, x, w):
    """As transformers' apply_rotary_pos_emb: x cos + (-second half, first half) sin."""
    positions, pairs = x[0].shape[1], x[0].shape[-1] // keys["heads"] // 2
    speeds = keys.get("base", 1e4) ** (-torch.arange(pairs, dtype=torch.float64) / pairs)
    angles = torch.outer(torch.arange(positions, dtype=torch.float64), speeds)
    cosines, sines = (t.repeat(1, 2)[:, None].to(x[0].dtype) for t in (angles.cos(), angles.sin()))
    parts = x[0].unflatten(-1, (keys["heads"], -1))
    turned = torch.cat([-parts[..., pairs:], parts[..., :pairs]], -1)
    return (parts * cosines + turned * sines).flatten(-2)


def moe(keys, x, w):
    """Expert by expert, as transformers' MixtralSparseMoeBlock; what is beyond an expert's capacity passes by."""
    positions, k = x[0].shape[1], keys["top_k"]
    shares, experts = (x[0] @ w[0].T).softmax(-1).topk(k, dim=-1)
    if keys.get("normalized", True):
        shares = shares / shares.sum(-1, keepdim=True)
    room = math.ceil(keys.get("capacity", 0) * positions * k / keys["experts"]) or positions
    out = torch.zeros_like(x[0])
    for expert in range(keys["experts"]):
        mine = (experts == expert).flatten(1)
        mine = (mine & (mine.cumsum(1) <= room)).reshape(experts.shape)
        hidden = x[0] @ w[1][expert].T
        hidden = F.silu(hidden) * (x[0] @ w[3][expert].T) if len(w) > 3 else F.gelu(hidden, approximate="tanh")
        out = out + (shares * mine).sum(-1, keepdim=True) * (hidden @ w[2][expert].T)
    return out


def lstm(keys, x, w):
    zeros = torch.zeros([1, x[0].shape[0], keys["outputs"]], dtype=x[0].dtype)
    return torch.lstm(x[0], (zeros, zeros), list(w), True, 1, 0.0, True, False, True)[0]


def gru(keys, x, w):
    zeros = torch.zeros([1, x[0].shape[0], keys["outputs"]], dtype=x[0].dtype)
    return torch.gru(x[0], zeros, list(w), True, 1, 0.0, True, False, True)[0]


def sizes_of(keys, x):
    factor = keys.get("factor", 1)
    return keys.get("output") or [size * factor for size in x[0].shape[2:]]


def upsample(keys, x, w):
    mode = ["linear", "bilinear", "trilinear"][x[0].dim() - 3]
    return F.interpolate(x[0], size=sizes_of(keys, x), mode=mode, align_corners=False)


LOSSES = ("softmax_cross_entropy", "mean_squared_error")
# what a kind computes from its settings, inputs and parameters; losses are in `run`
KINDS = {
    "add": lambda keys, x, w: sum(x),
    "attention": attention,
    "adaptive_pool": lambda keys, x, w: F.adaptive_avg_pool2d(x[0], keys["output"]),
    "avg_pool": pool("avg"),
    "batch_norm": lambda keys, x, w: F.batch_norm(x[0], None, None, w[0], w[1], training=True,
                                                 eps=keys.get("epsilon", 1e-5)),
    "class_token": lambda keys, x, w: torch.cat([w[0].expand(len(x[0]), -1, -1), x[0]], 1),
    "concat": lambda keys, x, w: torch.cat(x, 1),
    "conv1d": conv,
    "conv2d": conv,
    "conv3d": conv,
    **{"conv_transpose%dd" % axes: conv_transpose for axes in (1, 2, 3)},
    "embedding": lambda keys, x, w: F.embedding(x[0] % keys["vocabulary"], w[0],
                                                sparse=keys.get("sparse", False)),
    "flatten": lambda keys, x, w: x[0].flatten(1),
    "gelu": lambda keys, x, w: F.gelu(x[0], approximate="tanh"),
    "global_pool": lambda keys, x, w: x[0].flatten(2).mean(-1),
    "gru": gru,
    "hardsigmoid": lambda keys, x, w: F.relu6(x[0] + 3) / 6,  # not of float's 1/6
    "hardswish": lambda keys, x, w: F.hardswish(x[0]),
    "group_norm": lambda keys, x, w: F.group_norm(x[0], keys["groups"], *(w or [None, None]),
                                                 keys.get("epsilon", 1e-5)),
    "layer_norm": lambda keys, x, w: F.layer_norm(x[0], x[0].shape[-1:], w[0], w[1],
                                                 keys.get("epsilon", 1e-5)),
    "layer_scale": lambda keys, x, w: x[0] * w[0].reshape([-1] + [1] * (0 if keys.get("last") else x[0].dim() - 2)),
    "leaky_relu": lambda keys, x, w: F.leaky_relu(x[0], keys.get("slope", 0.01)),
    "linear": lambda keys, x, w: F.linear(x[0], w[0], w[1] if len(w) > 1 else None),
    "lstm": lstm,
    "max_pool": pool("max"),
    "mean": lambda keys, x, w: x[0].flatten(1, -2).mean(1),
    "moe": moe,
    "multiply": lambda keys, x, w: x[0] * x[1].reshape(x[1].shape + (1,) * (x[0].dim() - x[1].dim())),
    "permute": lambda keys, x, w: x[0].permute(0, *(axis + 1 for axis in keys["axes"])),
    "positional_embedding": lambda keys, x, w: x[0] + w[0][:x[0].shape[1]],
    "relu": lambda keys, x, w: torch.relu(x[0]),
    "relu6": lambda keys, x, w: F.relu6(x[0]),
    "rms_norm": lambda keys, x, w: x[0] * w[0] * torch.rsqrt(x[0].pow(2).mean(-1, keepdim=True)
                                                            + keys.get("epsilon", 1e-5)),
    "rotary": rotary,
    "reshape": lambda keys, x, w: x[0].reshape(-1, *keys["output"]),
    "select": lambda keys, x, w: x[0][:, :keys["positions"]],
    "sequence": lambda keys, x, w: x[0].flatten(2).transpose(1, 2),
    "sigmoid": lambda keys, x, w: torch.sigmoid(x[0]),
    "silu": lambda keys, x, w: F.silu(x[0]),
    "slice": lambda keys, x, w: x[0].narrow(1 + keys.get("axis", 0), keys.get("offset", 0), keys["count"]),
    "upsample": upsample,
    "upsample_nearest": lambda keys, x, w: F.interpolate(x[0], size=sizes_of(keys, x)),
    "tanh": lambda keys, x, w: torch.tanh(x[0]),
}


def set_dropout(items, rate):
    """The model file's layers with another rate of dropout everywhere."""
    out = []
    for item in items:
        item = dict(item)
        if "layers" in item:
            item["layers"] = set_dropout(item["layers"], rate)
        elif item["kind"] in ("dropout", "stochastic_depth"):
            item["rate"] = rate
        elif "dropout" in item:
            item["dropout"] = rate
        out.append(item)
    return out


class Network:
    """A model file with weights. The first call makes them."""

    def __init__(self, model):
        self.model, self.layers = model, read(model)
        self.counts = {}  # values that each layer makes
        self.gates = None  # of each layer that is a ReLU: 1 where it lets pass, whatever the sign; None: by the sign
        self.turned = 0  # values of which gates and signs say different things, since the beginning
        self.generator = torch.Generator().manual_seed(1)

    def parameters(self):
        return [p for layer in self.layers for p in layer.parameters]

    def use(self, parameters):
        left = list(parameters)
        for layer in self.layers:
            count = len(layer.parameters)
            layer.parameters, left = left[:count], left[count:]

    def make(self, layer, x):
        drawn = SHAPES.get(layer.keys["kind"], lambda keys, x: [])(layer.keys, x)
        for i, (shape, spread) in enumerate(drawn[layer.tied is not None:]):
            values = torch.randn(shape, generator=self.generator) * spread
            if i == 0 and layer.keys["kind"] in AROUND_ONE:
                values += 1
            layer.parameters.append(values)

    def run(self, entry, target, make=False):
        """The loss: the sum over the loss layers, each by its weight. target(number of the layer, its input)."""
        values, loss = [], 0
        for number, layer in enumerate(self.layers):
            x = [values[i] if i >= 0 else entry for i in layer.inputs]
            kind = layer.keys["kind"]
            if make:
                self.make(layer, x[0])
            w = list(layer.parameters)
            if layer.tied is not None:
                w.insert(0, self.layers[layer.tied].parameters[0])
            if kind == "softmax_cross_entropy":
                classes = x[0].shape[-1]
                y = F.cross_entropy(x[0].reshape(-1, classes), target(number, x[0]).flatten(),
                                    ignore_index=layer.keys.get("ignored") or -100)
            elif kind == "mean_squared_error":
                y = F.mse_loss(x[0], target(number, x[0]))
            elif kind == "dropout":
                y = F.dropout(x[0], layer.keys.get("rate", 0.5))
            elif kind == "stochastic_depth":  # torchvision's, in mode "row"
                kept = 1 - layer.keys.get("rate", 0.5)
                drawn = torch.empty([len(x[0])] + [1] * (x[0].dim() - 1), dtype=x[0].dtype)
                y = x[0] * drawn.bernoulli_(kept).div_(kept)
            elif kind == "relu" and self.gates is not None:
                gate = self.gates[number].reshape(x[0].shape)
                self.turned += ((x[0] > 0) != (gate > 0)).sum().item()
                y = x[0] * gate
            else:
                y = KINDS[kind](layer.keys, x, w)
            if kind in LOSSES:
                loss = loss + layer.keys.get("weight", 1) * y
            values.append(y)
            self.counts[number] = y.numel()
        return loss
