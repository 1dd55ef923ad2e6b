#!/usr/bin/env python3
"""mixed.py -- a step of dtsim in bf16 beside one of PyTorch's autocast in bf16.

    tests/oracle/mixed.py PROGRAM

PROGRAM is build/tests/one_step. Both take a step of SGD from the same weights on the same batch; the
change of all weights is held against PyTorch's in float64: the norm of the difference over the norm of
the change. What dtsim is away by may be at most FACTOR of what PyTorch's autocast is away by: both round
to 8 bits of significand, at other places (autocast keeps the outputs of normalizations in float32 and
rounds the gradients of weights; dtsim does neither). Exit status 1 where it is more, 77 without PyTorch.
"""
import sys

import one_step  # says that PyTorch is missing

import torch
import torch_model

FACTOR = 1.5


def autocast(network, start, x, target, rate):
    """PyTorch's weights after the step: float32, its products in bf16."""
    weights = [p.detach().float().clone().requires_grad_() for p in start]
    network.use(weights)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        loss = network.run(x, target)
    loss.backward()
    return [(w - rate * w.grad).detach() for w in weights]


def away(got, want, start):
    """|got - want| / |want - start|, over all tensors."""
    difference = sum((g.double() - w).square().sum().item() for g, w in zip(got, want))
    change = sum((w - s.double()).square().sum().item() for w, s in zip(want, start))
    return (difference / change) ** 0.5


def compare(program, label, model, batch, rate=1.0, seed=3):
    network = torch_model.Network(model)
    x, target, targets = one_step.batch_of(model, batch, seed)
    with torch.no_grad():
        network.run(x, target, make=True)
    start = network.parameters()
    mine, _ = one_step.ours(program, model, start, x, targets, batch, "sgd", rate, 0.0, 1, "bf16")
    want, _, _ = one_step.theirs(network, start, x, target, torch.float64, "sgd", rate, 0.0, 1)
    found, theirs = away(mine, want, start), away(autocast(network, start, x, target, rate), want, start)
    print("%-22s away by %.2e, PyTorch's autocast by %.2e: ratio %.2f"
          % (label, found, theirs, found / theirs), flush=True)
    return 1e-4 < found <= FACTOR * theirs


def main(program):
    good = True
    for name in ("mlp", "small_cnn", "resnet8"):
        model = one_step.load(name, {})
        good &= compare(program, name, model, 16)
        model["layers"] = one_step.smooth(model["layers"])
        good &= compare(program, name + " by silu", model, 16)
    good &= compare(program, "gpt of 24 features", one_step.load("gpt2", {"input": [13], "layers": one_step.GPT}), 6)
    good &= compare(program, "lstm of 10 and 9", one_step.load("lstm", {"input": [11], "layers": one_step.LSTM}), 6)
    good &= compare(program, "three losses",
                    one_step.load("small_cnn", {"input": [3, 8, 9], "layers": one_step.HEADS}), 6)
    good &= compare(program, "segmentation of 20x23",
                    one_step.load("small_cnn", {"input": [3, 20, 23], "layers": one_step.PIXELS}), 6)
    return good


if __name__ == "__main__":
    torch.set_num_threads(2)
    sys.exit(0 if main(sys.argv[1]) else 1)
