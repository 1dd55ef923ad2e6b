#!/usr/bin/env python3
"""one_step.py -- a training step of dtsim against PyTorch's, from the same weights and batch.

    tests/oracle/one_step.py PROGRAM IN_DOUBLE            small networks, every optimizer that PyTorch has
    tests/oracle/one_step.py PROGRAM IN_DOUBLE --large    ResNet-50, GPT-2 small, the LSTM: minutes, 6 GB

PROGRAM is build/tests/one_step, IN_DOUBLE build/tests/in_double. For each parameter tensor: the norm of
the difference between the weights of both after the step, over the norm of what the step changed.
PyTorch computes in float64; beside it the same distance of PyTorch's own float32. Weights are floats, so
a step must be large enough not to drown in their rounding: rates are. Left out are values whose gradient
is zero but for rounding (VOID of the tensor's largest): a bias before batch normalization, the bias of
attention's keys. Adam would make a whole step of that noise. A tensor moves as PyTorch's where the
distance is at most LIMIT, and the losses must be as near. Of --large, ResNet-50 with its ReLUs in float32 is
told and not judged: where a value lies so near zero that rounding decides which way a ReLU lets its
gradient, nobody's float32 agrees. Where PyTorch's ReLUs let pass what ours do it is judged. A step by our definitions in double precision has no such excuse: at most
EXACT from PyTorch's float64. Exit status 1 where a tensor is further away, 77 without PyTorch. Narrow forms
of all networks: networks.py.
"""
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile

try:
    import torch
except ImportError as error:
    print("SKIPPED: %s (Debian: python3-torch)" % error)
    sys.exit(77)

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import torch_model

MODELS = os.path.join(os.path.dirname(os.path.dirname(HERE)), "models")
LIMIT = 1e-3  # of the norm of the update, per tensor
VOID = 1e-10
TURNED = 1e-5  # of all values of ReLUs, those that rounding puts on the other side of zero
EXACT = 1e-9  # the same of both in double precision
WHOLE = ("linear_regression", "mlp", "small_cnn", "resnet8")  # networks of models/ that are small as they are
KINKS = {"relu", "leaky_relu"}

OPTIMIZERS = {
    "sgd": lambda p, rate, decay: torch.optim.SGD(p, rate, weight_decay=decay),
    "momentum": lambda p, rate, decay: torch.optim.SGD(p, rate, momentum=0.9, weight_decay=decay),
    "nesterov": lambda p, rate, decay: torch.optim.SGD(p, rate, momentum=0.9, weight_decay=decay,
                                                       nesterov=True),
    "rmsprop": lambda p, rate, decay: torch.optim.RMSprop(p, rate, weight_decay=decay),
    "adam": lambda p, rate, decay: torch.optim.Adam(p, rate, weight_decay=decay),
    "adamw": lambda p, rate, decay: torch.optim.AdamW(p, rate, weight_decay=decay),
}


class LazyMomentum:
    """SGD with momentum that leaves alone what has no gradient; PyTorch's lets all of a sparse
    gradient's past go on."""

    def __init__(self, parameters, rate):
        self.parameters, self.rate = parameters, rate
        self.moving = [torch.zeros_like(p) for p in parameters]

    @torch.no_grad()
    def step(self):
        for p, v in zip(self.parameters, self.moving):
            if p.grad.is_sparse:
                g = p.grad.coalesce()
                rows, values = g.indices()[0], g.values()
                v[rows] = 0.9 * v[rows] + values
                p[rows] -= self.rate * v[rows]
            else:
                v.mul_(0.9).add_(p.grad)
                p -= self.rate * v


class Several:
    """Rules that each have some of the parameters."""

    def __init__(self, *rules):
        self.rules = rules

    def step(self):
        for rule in self.rules:
            rule.step()


def sparse_adam(p, rate):
    """The first tensor is the table. SparseAdam adds its epsilon before the root is corrected by
    sqrt(1 - 0.999^t), Adam after: the same in the first step."""
    table = torch.optim.SparseAdam(p[:1], rate, eps=1e-8 * (1 - 0.999) ** 0.5)
    return Several(table, torch.optim.Adam(p[1:], rate))


# for networks with a sparse table, which is their first tensor
SPARSE = {
    "sgd": lambda p, rate, decay: torch.optim.SGD(p, rate),
    "momentum": lambda p, rate, decay: LazyMomentum(p, rate),
    "adam": lambda p, rate, decay: sparse_adam(p, rate),
}


def load(name, changes):
    with open(os.path.join(MODELS, name + ".json"), encoding="utf-8") as file:
        model = json.load(file)
    model.update(changes)
    # what is dropped is drawn in another way by each
    model["layers"] = torch_model.set_dropout(model["layers"], 0)
    return model


def batch_of(model, batch, seed):
    """Input and a function that makes targets, from a seed."""
    generator = torch.Generator().manual_seed(seed)
    layers = torch_model.read(model)
    tables = [layer.keys for layer in layers if layer.keys["kind"] == "embedding"]
    shape = [batch] + model["input"]
    if tables:
        # of a sparse table few rows, each several times, and a token that is beyond the table
        first = max(tables, key=lambda keys: keys["vocabulary"])
        most = first["vocabulary"] // 4 if first.get("sparse") else first["vocabulary"]
        x = torch.randint(0, most, shape, generator=generator)
        if first.get("sparse"):
            x[0, 0] = first["vocabulary"] + 1
    else:
        x = torch.randn(shape, generator=generator)
    kinds = {}

    def target(number, y):
        keys = layers[number].keys
        if number not in kinds and keys["kind"] == "mean_squared_error":
            kinds[number] = torch.randn(y.shape, generator=generator)
        elif number not in kinds:
            kinds[number] = torch.randint(0, y.shape[-1], y.shape[:-1], generator=generator)
            if keys.get("ignored"):  # as many in each sample, see docs/ops.md
                kinds[number][:, ::7] = keys["ignored"]
        found = kinds[number]
        return found.to(y.dtype) if found.is_floating_point() else found

    return x, target, kinds


def theirs(network, start, x, target, real, optimizer, rate, decay, steps):
    """PyTorch's weights after the steps, computed in `real`, and the losses."""
    weights = [p.detach().to(real).clone().requires_grad_() for p in start]
    network.use(weights)
    sparse = network.layers[0].keys.get("sparse")
    rule = (SPARSE if sparse else OPTIMIZERS)[optimizer](weights, rate, decay)
    x = x.to(real) if x.is_floating_point() else x
    losses, gradients = [], None
    for _ in range(steps):
        for w in weights:
            w.grad = None
        loss = network.run(x, target)
        loss.backward()
        gradients = gradients or [w.grad.to_dense() if w.grad.is_sparse else w.grad.clone()
                                  for w in weights]
        rule.step()
        losses.append(loss.item())
    return [w.detach() for w in weights], losses, gradients


def run_ours(program, words, model, start, x, targets, batch, more=(), real=torch.float32):
    """Our weights, and the losses; `words` of the command line stand behind model and batch."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, name) for name in ("model.json", "in", "out")]
        with open(paths[0], "w", encoding="utf-8") as file:
            json.dump(model, file)
        with open(paths[1], "wb") as file:
            for values in [*start, x] + [targets[number] for number in sorted(targets)]:
                whole = torch.float32 if values.is_floating_point() else torch.int32
                file.write(values.detach().to(whole).contiguous().numpy().tobytes())
        done = subprocess.run([program, paths[0], str(batch), *words, *paths[1:], *more], check=True,
                              capture_output=True, text=True)
        with open(paths[2], "rb") as file:
            values = torch.frombuffer(bytearray(file.read()), dtype=real)
    parts = values.split([w.numel() for w in start])
    weights = [part.reshape(w.shape) for part, w in zip(parts, start)]
    return weights, [float(v) for v in done.stdout.split()]


def ours(program, model, start, x, targets, batch, optimizer, rate, decay, steps, precision="fp32", more=()):
    return run_ours(program, ["2", optimizer, repr(rate), repr(decay), str(steps)], model, start, x, targets, batch,
                    [precision, *more])


def gates_of(network, path):
    """What our ReLUs let pass in one step, for PyTorch's."""
    relus = [number for number, layer in enumerate(network.layers) if layer.keys["kind"] == "relu"]
    with open(path, "rb") as file:
        values = torch.frombuffer(bytearray(file.read()), dtype=torch.uint8)
    return dict(zip(relus, values.split([network.counts[number] for number in relus])))


def few_turned(network):
    """Whether our ReLUs and those of PyTorch's float64, by the sign, differ by rounding alone."""
    count = sum(len(gate) for gate in network.gates.values())
    print("%d of %d ReLUs are on the other side of zero in float64" % (network.turned, count), flush=True)
    return network.turned <= TURNED * count


def distances(got, want, start, gradients, rounded):
    """Per tensor |got - want| / |want - start|; gradients: the first of the step, in float64; rounded: in
    float32, where what is zero by chance in one need not be so in the other."""
    whole = max(g.abs().max().item() for g in gradients)
    for g, w, s, gradient, single in zip(got, want, start, gradients, rounded):
        size = gradient.abs()
        void = (size < VOID * max(size.max().item(), VOID * whole)) & ((size > 0) | (single != 0))
        if size.max().item() < VOID * whole:
            yield 0.0
            continue
        change = (w - s.double()).masked_fill(void, 0).norm().item()
        away = (g.double() - w).masked_fill(void, 0).norm().item()
        yield away / change if change > 0 else away


def agree(found, losses, wanted, limit):
    """Whether all distances are within the limit, and the losses as near to one another; NaN is in none."""
    good = (len(losses) == len(wanted) and all(distance <= limit for distance in found)
            and all(abs(loss - want) <= limit * max(1, abs(want)) for loss, want in zip(losses, wanted)))
    if not good:
        print("FAIL: a tensor or the loss is further than %g from PyTorch's" % limit, flush=True)
    return good


def names(network):
    return ["%s[%d]" % (layer.name, i) for layer in network.layers
            for i in range(len(layer.parameters))]


def prepare(model, batch, starts, seed):
    """PyTorch's network, the batch, and the weights to start from."""
    network = torch_model.Network(model)
    x, target, targets = batch_of(model, batch, seed)
    with torch.no_grad():
        network.run(x, target, make=True)
    return network, x, target, targets, network.parameters() if starts is None else starts


def compare(program, label, model, batch, optimizer, rate, decay=0.0, steps=1, starts=None, seed=3, limit=LIMIT,
            gated=False):
    """Prints a line; returns whether every tensor moved as PyTorch's; gated: whose ReLUs let pass, in one step, what
    ours do."""
    network, x, target, targets, start = prepare(model, batch, starts, seed)
    with tempfile.TemporaryDirectory() as folder:
        more = [os.path.join(folder, "gates")] if gated else []
        mine, mine_losses = ours(program, model, start, x, targets, batch, optimizer, rate, decay, steps, more=more)
        network.gates = gates_of(network, *more) if gated else None
    want, want_losses, gradients = theirs(network, start, x, target, torch.float64, optimizer, rate, decay, steps)
    good = few_turned(network) if gated else True
    single, _, rounded = theirs(network, start, x, target, torch.float32, optimizer, rate, decay, steps)
    found = list(distances(mine, want, start, gradients, rounded))
    single = list(distances(single, want, start, gradients, rounded))
    worst = max(range(len(found)), key=found.__getitem__)
    beyond = sum(d > LIMIT for d in found)
    print("%-26s %-9s loss %.6f (PyTorch %.6f) | %d tensors, %d above %g, median %.1e, worst %.1e at %s"
          " | PyTorch's float32 %d above, median %.1e, worst %.1e, there %.1e"
          % (label, optimizer, mine_losses[-1], want_losses[-1], len(found), beyond, LIMIT,
             statistics.median(found), found[worst], names(network)[worst],
             sum(d > LIMIT for d in single), statistics.median(single), max(single), single[worst]),
          flush=True)
    return agree(found, mine_losses, want_losses, limit) and good


def compare_in_double(program, label, model, batch, rate, starts=None, seed=3):
    """The same for a step of plain SGD by the definitions."""
    network, x, target, targets, start = prepare(model, batch, starts, seed)
    mine, losses = run_ours(program, [repr(rate)], model, start, x, targets, batch, real=torch.float64)
    want, want_losses, gradients = theirs(network, start, x, target, torch.float64, "sgd", rate, 0.0, 1)
    found = list(distances(mine, want, start, gradients, gradients))
    worst = max(range(len(found)), key=found.__getitem__)
    print("%-26s in double loss %.12g (PyTorch %.12g) | %d tensors, median %.1e, worst %.1e at %s"
          % (label, losses[0], want_losses[0], len(found), statistics.median(found), found[worst],
             names(network)[worst]), flush=True)
    return agree(found, losses, want_losses, EXACT)


GPT = [
    {"name": "token_embedding", "kind": "embedding", "vocabulary": 61, "features": 24},
    {"name": "position_embedding", "kind": "positional_embedding", "positions": 16},
    {"name": "h", "repeat": 2, "layers": [
        {"name": "ln_1", "kind": "layer_norm"},
        {"name": "qkv", "kind": "linear", "outputs": 72},
        {"name": "attention", "kind": "attention", "heads": 3, "causal": True},
        {"name": "proj", "kind": "linear", "outputs": 24},
        {"name": "add_1", "kind": "add", "input": ["proj", "entry"]},
        {"name": "ln_2", "kind": "layer_norm"},
        {"name": "fc", "kind": "linear", "outputs": 96},
        {"name": "gelu", "kind": "gelu"},
        {"name": "fc_proj", "kind": "linear", "outputs": 24},
        {"name": "add_2", "kind": "add", "input": ["fc_proj", "add_1"]}]},
    {"name": "ln_f", "kind": "layer_norm"},
    {"name": "lm_head", "kind": "linear", "tied": "token_embedding", "outputs": 61, "bias": False},
    {"name": "loss", "kind": "softmax_cross_entropy"}]
# Llama's block: keys that heads share, rotary positions, a gated product
LLAMA = [
    {"name": "token_embedding", "kind": "embedding", "vocabulary": 61, "features": 24},
    {"name": "h", "repeat": 2, "layers": [
        {"name": "norm_1", "kind": "rms_norm"},
        {"name": "query", "kind": "linear", "input": "norm_1", "outputs": 24, "bias": False},
        {"name": "key", "kind": "linear", "input": "norm_1", "outputs": 12, "bias": False},
        {"name": "value", "kind": "linear", "input": "norm_1", "outputs": 12, "bias": False},
        {"name": "query_turned", "kind": "rotary", "input": "query", "heads": 4, "base": 500},
        {"name": "key_turned", "kind": "rotary", "input": "key", "heads": 2, "base": 500},
        {"name": "attention", "kind": "attention", "input": ["query_turned", "key_turned", "value"],
         "heads": 4, "causal": True, "fused": True},
        {"name": "proj", "kind": "linear", "outputs": 24, "bias": False},
        {"name": "add_1", "kind": "add", "input": ["proj", "entry"]},
        {"name": "norm_2", "kind": "rms_norm"},
        {"name": "gate", "kind": "linear", "outputs": 40, "bias": False},
        {"name": "silu", "kind": "silu"},
        {"name": "up", "kind": "linear", "input": "norm_2", "outputs": 40, "bias": False},
        {"name": "gated", "kind": "multiply", "input": ["silu", "up"]},
        {"name": "down", "kind": "linear", "outputs": 24, "bias": False},
        {"name": "add_2", "kind": "add", "input": ["down", "add_1"]}]},
    {"name": "norm_f", "kind": "rms_norm"},
    {"name": "lm_head", "kind": "linear", "outputs": 61, "bias": False},
    {"name": "loss", "kind": "softmax_cross_entropy"}]
# what segmentation networks have: dilation, a pyramid, interpolation, a loss for each pixel
PIXELS = [
    {"name": "stem", "kind": "conv2d", "channels": 6, "kernel": 3, "stride": 2, "padding": 1, "bias": False},
    {"name": "norm", "kind": "batch_norm", "epsilon": 0.01},
    {"name": "low", "kind": "silu"},
    {"name": "deep", "kind": "conv2d", "channels": 8, "kernel": 3, "padding": 2, "dilation": 2,
     "groups": 2},
    {"name": "act", "kind": "sigmoid"},
    {"name": "pool", "kind": "adaptive_pool", "output": [1, 1]},
    {"name": "pool_up", "kind": "upsample", "output": [5, 6]},
    {"name": "small", "kind": "avg_pool", "input": "act", "kernel": 2},
    {"name": "gate", "kind": "multiply", "input": ["small", "pool_up"]},
    {"name": "up", "kind": "upsample", "factor": 2},
    {"name": "join", "kind": "concat", "input": ["up", "low"]},
    {"name": "classes", "kind": "conv2d", "channels": 4, "kernel": 1},
    {"name": "image", "kind": "upsample", "output": [20, 23]},
    {"name": "pixels", "kind": "sequence"},
    {"name": "loss", "kind": "softmax_cross_entropy"}]
LSTM = [
    {"name": "encoder", "kind": "embedding", "vocabulary": 61, "features": 12},
    {"name": "lstm1", "kind": "lstm", "outputs": 10},
    {"name": "lstm2", "kind": "lstm", "outputs": 9},
    {"name": "decoder", "kind": "linear", "outputs": 61},
    {"name": "loss", "kind": "softmax_cross_entropy"}]
# what vision nets are made of beside convolutions: groups, channels last, splits and shuffles, tokens
MIXED = [
    {"name": "stem", "kind": "conv2d", "channels": 8, "kernel": 3, "stride": 2, "padding": [[0, 1], [2, 1]]},
    {"name": "groups", "kind": "group_norm", "groups": 4},
    {"name": "act", "kind": "hardswish"},
    {"name": "last", "kind": "permute", "axes": [1, 2, 0]},
    {"name": "norm", "kind": "layer_norm"},
    {"name": "first", "kind": "permute", "axes": [2, 0, 1]},
    {"name": "half", "kind": "slice", "offset": 1, "count": 6},
    {"name": "split", "kind": "reshape", "output": [2, 3, 6, 6]},
    {"name": "shuffle", "kind": "permute", "axes": [1, 0, 2, 3]},
    {"name": "joined", "kind": "reshape", "output": [6, 6, 6]},
    {"name": "scale", "kind": "layer_scale"},
    {"name": "drop", "kind": "stochastic_depth", "rate": 0.2},
    {"name": "sum", "kind": "add", "input": ["drop", "half"]},
    {"name": "up", "kind": "conv_transpose2d", "channels": 4, "kernel": 3, "stride": 2, "padding": 1,
     "output_padding": 1, "groups": 2},
    {"name": "more", "kind": "upsample_nearest", "output": [15, 13]},
    {"name": "style", "kind": "group_norm", "groups": 4, "affine": False},
    {"name": "pool", "kind": "avg_pool", "kernel": 3, "stride": 2, "padding": 1, "count_include_pad": False},
    {"name": "tokens", "kind": "sequence"},
    {"name": "embed", "kind": "linear", "outputs": 6},
    {"name": "class", "kind": "class_token", "tokens": 2},
    {"name": "scales", "kind": "layer_scale", "last": True},
    {"name": "gate", "kind": "hardsigmoid"},
    {"name": "mean", "kind": "mean"},
    {"name": "hidden", "kind": "linear", "outputs": 9},
    {"name": "act6", "kind": "relu6"},
    {"name": "fc", "kind": "linear", "outputs": 5},
    {"name": "loss", "kind": "softmax_cross_entropy"}]
# as of speech: lines of a spectrum, then steps
LINES = [
    {"name": "conv", "kind": "conv1d", "channels": 6, "kernel": 3, "padding": 1, "stride": 2},
    {"name": "act", "kind": "silu"},
    {"name": "up", "kind": "conv_transpose1d", "channels": 5, "kernel": 4, "stride": 2},
    {"name": "steps", "kind": "permute", "axes": [1, 0]},
    {"name": "gru1", "kind": "gru", "outputs": 7},
    {"name": "gru2", "kind": "gru", "outputs": 4},
    {"name": "loss", "kind": "softmax_cross_entropy"}]
# an auxiliary classifier and a regression, which count less than the last loss
HEADS = [
    {"name": "conv", "kind": "conv2d", "channels": 6, "kernel": 3},
    {"name": "act", "kind": "silu"},
    {"name": "aux", "layers": [
        {"name": "pool", "kind": "global_pool"},
        {"name": "fc", "kind": "linear", "outputs": 5},
        {"name": "loss", "kind": "softmax_cross_entropy", "weight": 0.4}]},
    {"name": "flat", "kind": "flatten", "input": "act"},
    {"name": "where", "layers": [
        {"name": "fc", "kind": "linear", "outputs": 4},
        {"name": "loss", "kind": "mean_squared_error", "weight": 2.5}]},
    {"name": "fc", "kind": "linear", "input": "flat", "outputs": 5},
    {"name": "loss", "kind": "softmax_cross_entropy"}]


def small(program, in_double):
    good = True
    for name in WHOLE:
        good &= compare(program, name, load(name, {}), 5, "momentum", 1.0, 1e-4)
        good &= compare_in_double(in_double, name, load(name, {}), 5, 1.0)
    good &= compare(program, "resnet8, the same ReLUs", load("resnet8", {}), 5, "momentum", 1.0, 1e-4, gated=True)
    gpt = load("gpt2", {"input": [13], "layers": GPT})
    llama = load("gpt2", {"input": [13], "layers": LLAMA})
    lstm = load("lstm", {"input": [11], "layers": LSTM})
    words = load("lstm", {"input": [11], "layers": [{**LSTM[0], "sparse": True}] + LSTM[1:]})
    pixels = load("small_cnn", {"input": [3, 20, 23], "layers": PIXELS})
    heads = load("small_cnn", {"input": [3, 8, 9], "layers": HEADS})
    mixed = load("small_cnn", {"input": [4, 12, 10], "layers": MIXED})
    lines = load("small_cnn", {"input": [4, 11], "layers": LINES})
    good &= compare(program, "segmentation of 20x23", pixels, 3, "momentum", 1.0)
    good &= compare(program, "vision, many layers", mixed, 3, "momentum", 1.0)
    good &= compare(program, "lines and steps", lines, 3, "momentum", 1.0)
    good &= compare(program, "three losses", heads, 3, "momentum", 0.1)
    good &= compare(program, "llama of 24 features", llama, 3, "momentum", 0.5, 1e-2, steps=3)
    for label, model in (("segmentation of 20x23", pixels), ("three losses", heads), ("gpt of 24 features", gpt),
                         ("llama of 24 features", llama), ("lstm of 10 and 9", lstm), ("vision, many layers", mixed), ("lines and steps", lines)):
        good &= compare_in_double(in_double, label, model, 3, 1.0)
    for optimizer in OPTIMIZERS:
        rate = 0.5 if optimizer in ("sgd", "momentum", "nesterov") else 0.003
        good &= compare(program, "gpt of 24 features", gpt, 3, optimizer, rate, 1e-2, steps=3)
        good &= compare(program, "lstm of 10 and 9", lstm, 3, optimizer, rate, 1e-2, steps=3)
        if optimizer in SPARSE:
            good &= compare(program, "lstm, a sparse table", words, 3, optimizer, rate, steps=3)
    return good


def smooth(items):
    """Layers with silu for relu: without a kink, so that rounding moves gradients only a little."""
    def one(item):
        if "layers" in item:
            return {**item, "layers": smooth(item["layers"])}
        if item["kind"] in KINKS:
            return {key: value for key, value in {**item, "kind": "silu"}.items() if key != "slope"}
        return item

    return [one(item) for item in items]


def large(program, in_double):
    import torchvision

    torch.manual_seed(3)
    resnet = [p.detach() for p in torchvision.models.resnet50().parameters()]
    model = load("resnet50", {})
    good = compare_in_double(in_double, "resnet50, batch 2", model, 2, 0.1, starts=resnet)
    compare(program, "resnet50, batch 2", model, 2, "momentum", 0.1, starts=resnet, limit=math.inf)  # told alone
    good &= compare(program, "resnet50, the same ReLUs", model, 2, "momentum", 0.1, starts=resnet, gated=True)
    model["layers"] = smooth(model["layers"])
    good &= compare(program, "resnet50 by silu, batch 2", model, 2, "momentum", 0.1, starts=resnet)
    good &= compare_in_double(in_double, "lstm, batch 4", load("lstm", {}), 4, 1.0)
    good &= compare(program, "lstm, batch 4", load("lstm", {}), 4, "sgd", 1.0)
    good &= compare(program, "lstm, batch 4", load("lstm", {}), 4, "adam", 0.001)
    gpt = load("gpt2", {"input": [64]})
    good &= compare_in_double(in_double, "gpt2, 64 tokens, batch 1", gpt, 1, 0.1)
    good &= compare(program, "gpt2, 64 tokens, batch 1", gpt, 1, "momentum", 0.1)
    good &= compare(program, "gpt2, 64 tokens, batch 1", gpt, 1, "adamw", 1e-4, 0.01)
    return good


if __name__ == "__main__":
    torch.set_num_threads(2)
    sys.exit(0 if (large if "--large" in sys.argv else small)(*sys.argv[1:3]) else 1)
