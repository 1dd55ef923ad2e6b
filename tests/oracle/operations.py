#!/usr/bin/env python3
"""operations.py -- PyTorch's forward and backward values of operations, for test_op_oracle.c.

    tests/oracle/operations.py            writes operations.json beside this file
    tests/oracle/operations.py --check    computes them again and compares; 77: no PyTorch here

Inputs are not stored: both sides make them from counters (`word`, which test_op_oracle.c repeats).
Everything is computed in float64, gradients by PyTorch's autograd: nothing of dtsim is used. For a
loss the gradients are those of its mean over the batch, else of the sum of y dy. A case says its
shapes as struct dts_op_call has them; `sums` is the length of the longest sum, for tolerances. Of
a large case every n-th value is kept, where it says `every`.
"""
import json
import math
import os
import sys

try:
    import torch
    import torch.nn.functional as F
except ImportError as error:
    print("SKIPPED: %s (Debian: python3-torch)" % error)
    sys.exit(77)

FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "operations.json")
DIGITS = 12  # of a stored value
X, W, DY, TARGET = 0, 20, 50, 60  # streams of random numbers; input i is X + i, parameter i W + i


def word(stream, i):
    """32 random bits from two counters: a multiplicative hash, mixed as in splitmix."""
    mask = 0xFFFFFFFF
    h = (i * 0x9E3779B1 + stream * 0x85EBCA77 + 0xC2B2AE3D) & mask
    h = ((h ^ h >> 16) * 0x7FEB352D) & mask
    h = ((h ^ h >> 15) * 0x846CA68B) & mask
    return h ^ h >> 16


def reals(stream, shape):
    """From -2 to 2, such that a float holds them exactly."""
    values = [(word(stream, i) >> 8) * 2.0 ** -22 - 2 for i in range(math.prod(shape))]
    return torch.tensor(values, dtype=torch.float64).reshape(shape)


def integers(stream, shape, most):
    return torch.tensor([word(stream, i) % most for i in range(math.prod(shape))]).reshape(shape)


def rectified(y, case):
    return torch.relu(y) if case.get("relu") else y


def conv(case, x, w, target):
    axes = len(case["inputs"][0]) - 1
    shape = [case["output"][0], case["inputs"][0][0] // case["groups"]] + case["kernel"]
    pads = []
    for i in reversed(range(axes)):
        reach = case["dilation"][i] * (case["kernel"][i] - 1) + 1
        behind = (case["output"][i + 1] - 1) * case["stride"][i] + reach
        pads += [case["before"][i], behind - case["before"][i] - case["inputs"][0][i + 1]]
    return getattr(F, "conv%dd" % axes)(
        F.pad(x[0], pads), w[0].reshape(shape), w[1] if case["bias"] else None,
        case["stride"], 0, case["dilation"], case["groups"])


def conv_transpose(case, x, w, target):
    axes = len(case["kernel"])
    shape = [case["inputs"][0][0], case["output"][0] // case["groups"]] + case["kernel"]
    extra = []
    for i in range(axes):
        least = ((case["inputs"][0][i + 1] - 1) * case["stride"][i] - 2 * case["before"][i]
                 + case["dilation"][i] * (case["kernel"][i] - 1) + 1)
        extra.append(case["output"][i + 1] - least)
    return getattr(F, "conv_transpose%dd" % axes)(
        x[0], w[0].reshape(shape), w[1] if case["bias"] else None, case["stride"], case["before"],
        extra, case["groups"], case["dilation"])


def linear(case, x, w, target):
    return F.linear(x[0], w[0].reshape(case["output"][-1], -1), w[1] if case["bias"] else None)


def attention(case, x, w, target):
    heads = case["heads"]
    q, k, v = x if len(x) == 3 else x[0].chunk(3, dim=-1)
    size = q.shape[-1] // heads

    def split(t):
        t = t.reshape(t.shape[0], t.shape[1], -1, size).transpose(1, 2)
        return t.repeat_interleave(heads // t.shape[1], dim=1)

    q, k, v = split(q), split(k), split(v)
    scores = q @ k.transpose(-1, -2) / math.sqrt(size)
    if case.get("causal"):
        hidden = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
        scores = scores.masked_fill(hidden, -math.inf)
    y = torch.softmax(scores, dim=-1) @ v
    return y.transpose(1, 2).flatten(2)


def lstm(case, x, w, target):
    features, outputs = case["inputs"][0][1], case["output"][1]
    own = [w[0].reshape(-1, features), w[1].reshape(-1, outputs), w[2], w[3]]
    zeros = torch.zeros([1, case["batch"], outputs]).double()
    return torch.lstm(x[0], (zeros, zeros), own, True, 1, 0.0, True, False, True)[0]


def gru(case, x, w, target):
    features, outputs = case["inputs"][0][1], case["output"][1]
    own = [w[0].reshape(-1, features), w[1].reshape(-1, outputs), w[2], w[3]]
    zeros = torch.zeros([1, case["batch"], outputs]).double()
    return torch.gru(x[0], zeros, own, True, 1, 0.0, True, False, True)[0]


def pool(function):
    def run(case, x, w, target):
        axes = len(case["inputs"][0]) - 1
        name = "%s_pool%dd" % (function, axes)
        more = {"count_include_pad": False} if case.get("inside") else {}
        return getattr(F, name)(x[0], case["kernel"], case["stride"], case["before"],
                                ceil_mode=case.get("ceil", False), **more)

    return run


def adaptive_pool(case, x, w, target):
    return getattr(F, "adaptive_avg_pool%dd" % (len(case["output"]) - 1))(x[0], case["output"][1:])


def batch_norm(case, x, w, target):
    mean, variance = torch.zeros(w[0].shape).double(), torch.ones(w[0].shape).double()
    y = F.batch_norm(x[0], mean, variance, w[0], w[1], training=True, eps=case.get("epsilon", 1e-5))
    case["state"] = torch.cat([mean, variance])
    return rectified(y, case)


def rms_norm(case, x, w, target):
    return x[0] * torch.rsqrt(x[0].pow(2).mean(-1, keepdim=True) + case.get("epsilon", 1e-5)) * w[0]


def multiply(case, x, w, target):
    factor = x[1]
    while factor.dim() < x[0].dim():
        factor = factor.unsqueeze(-1)
    return x[0] * factor


def rotary(case, x, w, target):
    """By complex numbers, as Llama's first published code, on halves as its weights are stored today."""
    heads, (positions, features) = case["heads"], case["output"]
    pairs = features // heads // 2
    speeds = case["base"] ** (-torch.arange(pairs).double() / pairs)
    turns = torch.polar(torch.ones(positions, pairs).double(), torch.outer(torch.arange(positions).double(), speeds))
    parts = x[0].reshape(-1, positions, heads, 2, pairs)
    y = torch.complex(parts[..., 0, :], parts[..., 1, :]) * turns[:, None]
    return torch.stack([y.real, y.imag], dim=-2).reshape(x[0].shape)


def moe(case, x, w, target):
    experts, chosen, features = case["experts"], case["chosen"], case["output"][1]
    positions, hidden = case["output"][0], len(w[1]) // experts // features
    first, down, up = (m.reshape(experts, -1, features if i != 1 else hidden) for i, m in
                       enumerate((w[1], w[2], w[-1])))
    probabilities = (x[0] @ w[0].reshape(experts, features).T).softmax(-1)
    largest, order = probabilities.sort(-1, descending=True)
    y = []
    for sample in range(case["batch"]):
        taken, rows = [0] * experts, []
        room = math.ceil(case["capacity"] * positions * chosen / experts) if case.get("capacity") else positions
        for p in range(positions):
            row, total = torch.zeros(features).double(), largest[sample, p, :chosen].sum()
            for j in range(chosen):
                e = int(order[sample, p, j])
                taken[e] += 1
                if taken[e] > room:
                    continue
                inner = first[e] @ x[0][sample, p]
                inner = F.silu(inner) * (up[e] @ x[0][sample, p]) if len(w) > 3 else F.gelu(inner, approximate="tanh")
                row = row + largest[sample, p, j] / (total if case["normalized"] else 1) * (down[e] @ inner)
            rows.append(row)
        y.append(torch.stack(rows))
    return torch.stack(y)


def cross_entropy(case, x, w, target):
    ignored = case.get("ignored") or -100
    return torch.stack([F.cross_entropy(row.reshape(-1, row.shape[-1]), t.flatten(), ignore_index=ignored)
                        for row, t in zip(x[0], target)])


def upsample(case, x, w, target):
    mode = ["linear", "bilinear", "trilinear"][x[0].dim() - 3]
    return F.interpolate(x[0], size=case["output"][1:], mode=mode, align_corners=False)


def positions(case, x, w, target):
    return x[0] + w[0].reshape(-1, x[0].shape[-1])[:x[0].shape[1]]


def class_token(case, x, w, target):
    rows = w[0].reshape(1, -1, x[0].shape[-1]).expand(case["batch"], -1, -1)
    return torch.cat([rows, x[0]], dim=1)


def slice_of(case, x, w, target):
    y, offset = x[0], case["offset"]
    for axis, (size, kept) in enumerate(zip(case["inputs"][0], case["output"])):
        if size != kept:
            y = y.narrow(axis + 1, offset, kept)
    return y


# what PyTorch computes for each row of dts_operations[]
ROWS = {
    "adaptive_pool": adaptive_pool,
    "add": lambda case, x, w, target: rectified(sum(x), case),
    "attention": attention,
    "avg_pool": pool("avg"),
    "batch_norm": batch_norm,
    "class_token": class_token,
    "concat": lambda case, x, w, target: torch.cat(x, dim=1),
    "conv": conv,
    "conv_transpose": conv_transpose,
    "embedding": lambda case, x, w, target: F.embedding(x[0], w[0].reshape(case["tokens"], -1)),
    "gelu": lambda case, x, w, target: F.gelu(x[0], approximate="tanh"),
    "global_pool": lambda case, x, w, target: x[0].flatten(2).mean(-1),
    # F.hardsigmoid's gradient has 1/6 in float, whatever the precision (PyTorch 1.13)
    "gru": gru,
    "hardsigmoid": lambda case, x, w, target: F.relu6(x[0] + 3) / 6,
    "hardswish": lambda case, x, w, target: F.hardswish(x[0]),
    "group_norm": lambda case, x, w, target: F.group_norm(x[0], case["groups"], *(w or [None, None]),
                                                         case.get("epsilon", 1e-5)),
    "layer_norm": lambda case, x, w, target: F.layer_norm(x[0], x[0].shape[-1:], w[0], w[1],
                                                         case.get("epsilon", 1e-5)),
    "layer_scale": lambda case, x, w, target: x[0] * (w[0] if case.get("last") else w[0].reshape(-1, 1, 1)),
    "leaky_relu": lambda case, x, w, target: F.leaky_relu(x[0], case["slope"]),
    "linear": linear,
    "lstm": lstm,
    "max_pool": pool("max"),
    "mean": lambda case, x, w, target: x[0].flatten(1, -2).mean(1),
    "mean_squared_error": lambda case, x, w, target: (x[0] - target).pow(2).flatten(1).mean(-1),
    "moe": moe,
    "multiply": multiply,
    "permute": lambda case, x, w, target: x[0].permute(0, *(axis + 1 for axis in case["axes"])),
    "positional_embedding": positions,
    "relu": lambda case, x, w, target: torch.relu(x[0]),
    "relu6": lambda case, x, w, target: F.relu6(x[0]),
    "rms_norm": rms_norm,
    "rotary": rotary,
    "select": lambda case, x, w, target: x[0][:, :case["select"]],
    "sequence": lambda case, x, w, target: x[0].flatten(2).transpose(1, 2),
    "sigmoid": lambda case, x, w, target: torch.sigmoid(x[0]),
    "silu": lambda case, x, w, target: F.silu(x[0]),
    "slice": slice_of,
    "softmax_cross_entropy": cross_entropy,
    "tanh": lambda case, x, w, target: torch.tanh(x[0]),
    "upsample": upsample,
    "upsample_nearest": lambda case, x, w, target: F.interpolate(x[0], size=case["output"][1:]),
}


def answer(case):
    """Fill in what PyTorch says: y, dx, dw."""
    batch = case["batch"]
    tokens = case.get("tokens", 0)
    x = [integers(X, [batch] + s, tokens) if tokens and i == 0 else reals(X + i, [batch] + s).requires_grad_()
         for i, s in enumerate(case["inputs"])]
    w = [reals(W + i, [count]).requires_grad_() for i, count in enumerate(case.get("params", []))]
    target = None
    if case.get("classes"):
        target = integers(TARGET, [batch] + case["inputs"][0][:-1], case["classes"])
    elif case["op"] == "mean_squared_error":
        target = reals(TARGET, [batch] + case["inputs"][0])
    y = case.get("weight", 1) * ROWS[case["op"]](case, x, w, target)
    loss = case["op"] in ("softmax_cross_entropy", "mean_squared_error")
    if list(y.shape) != ([batch] if loss else [batch] + case["output"]):
        raise SystemExit("%s: y is %s, not %s" % (case["op"], list(y.shape), case["output"]))
    (y.mean() if loss else (y * reals(DY, y.shape)).sum()).backward()
    every = case.get("every", 1)
    case["y"] = y.flatten()[::every]
    case["dx"] = [v.grad.flatten()[::every] if v.requires_grad else None for v in x]
    case["dw"] = [v.grad.flatten()[::every] for v in w]


def plain(value):
    """Tensors as rounded lists."""
    if isinstance(value, torch.Tensor):
        return [float("%.*g" % (DIGITS, v)) for v in value.detach().flatten().tolist()]
    if isinstance(value, list):
        return [plain(v) for v in value]
    return value


def differences(got, want, where):
    """Where two documents differ, numbers by more than their last digits."""
    if isinstance(got, float) or isinstance(want, float):
        if abs(got - want) > 1e-10 * (1 + abs(want)):
            yield "%s: %r, in the file %r" % (where, got, want)
    elif isinstance(got, (list, dict)) and type(got) is type(want) and len(got) == len(want):
        for key in got if isinstance(got, dict) else range(len(got)):
            if isinstance(got, dict) and key not in want:
                yield "%s: %s is not in the file" % (where, key)
            else:
                yield from differences(got[key], want[key], "%s[%s]" % (where, key))
    elif got != want:
        yield "%s: %r, in the file %r" % (where, got, want)


def verdict(found, good):
    """Tell the differences, the first of them, or that all is good; the exit status."""
    print("\n".join(found[:20]) or good)
    return 1 if found else 0


def main():
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    from cases import CASES

    torch.set_num_threads(1)
    for case in CASES:
        answer(case)
    cases = [{key: plain(value) for key, value in case.items() if key != "ceil"} for case in CASES]
    if sys.argv[1:] == ["--check"]:
        with open(FILE) as stored:
            found = list(differences(cases, json.load(stored)["cases"], "cases"))
        return verdict(found, "ok   %d cases are as PyTorch %s has them" % (len(cases), torch.__version__))
    with open(FILE, "w") as out:
        out.write('{\n"source": "PyTorch %s in float64, by tests/oracle/operations.py",\n"cases": [\n'
                  % torch.__version__)
        out.write(",\n".join(json.dumps(case, separators=(",", ":")) for case in cases))
        out.write("\n]\n}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
