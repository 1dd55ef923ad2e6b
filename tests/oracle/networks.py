#!/usr/bin/env python3
"""networks.py -- a training step of every network of models/, made narrow, against PyTorch's.

    tests/oracle/networks.py PROGRAM IN_DOUBLE DESCRIBE [NAME...]

PROGRAM is build/tests/one_step, IN_DOUBLE build/tests/in_double, DESCRIBE build/tests/describe_model; NAMEs:
these networks alone. Networks by numbers are held by a small one of each family (FAMILIES). What is run
is the model file itself, all its layers in their order, with fewer channels, features and words, and where
a row of NETWORKS says so a smaller input. A step is held against PyTorch's float64, as one_step.py does it:

- by the definitions, in double precision: every tensor within EXACT;
- by the fast versions, with silu for relu and leaky_relu: within LIMIT. Groups with such layers stand there
  at most DEEPEST times: what float32 rounds grows with each block behind it, to 5e-4 in 152 layers with
  random weights, PyTorch's as ours;
- of FEW, by the fast versions with relu and leaky_relu: within KINKED. Rounding decides which way a value
  near zero lets its gradient; in deep networks no two float32 agree for that.

A network of models/ that no row names is an error. Exit status 1 where a tensor is further away, 77
without PyTorch.
"""
import glob
import json
import os
import subprocess
import sys
import tempfile

import one_step  # says that PyTorch is missing

import torch

KINKED = 1e-2
FEW = ("fashion_cnn", "alexnet", "vgg16", "cosmoflow", "resnet18")  # networks of at most 17 such layers
DEEPEST = 12
RATE = 16.0  # so that the rounding of the weights is small beside the step
WORDS = 8192  # from here on, a number of outputs is one of words
WIDE = 32  # from here on, one of features or channels

# input (None: the file's), batch, what widths are divided by, and numbers of words; then the numbers of
# single layers that go with the input
NETWORKS = {
    "fashion_cnn": (None, 4, 1, 1),
    "resnet18": ([3, 64, 64], 4, 4, 1),
    "resnet34": ([3, 64, 64], 4, 8, 1),
    "resnet50": ([3, 64, 64], 4, 8, 1),
    "resnet101": ([3, 64, 64], 4, 8, 1),
    "resnet152": ([3, 64, 64], 4, 8, 1),
    "resnet1001": ([3, 8, 8], 4, 4, 1),
    "vgg16": ([3, 64, 64], 2, 8, 1),
    "alexnet": ([3, 128, 128], 2, 8, 1),
    "inception_v3": (None, 4, 16, 1),
    "deeplab_v3_plus": ([3, 289, 289], 3, 16, 1, {"aspp.pool_up": [19, 19], "decoder.up": [73, 73],
                                                  "decoder.image": [289, 289]}),  # 19: what rate 18 needs
    "deepcam": ([16, 304, 304], 3, 16, 1, {"aspp.pool_up": [19, 19]}),
    "cosmoflow": ([4, 32, 32, 32], 2, 4, 1),
    "gpt2": ([24], 2, 16, 64),
    "gpt2_medium": ([24], 2, 16, 64),
    "gpt2_large": ([24], 2, 16, 64),
    "gpt2_xl": ([24], 2, 16, 64),
    "bert_base": ([40], 2, 16, 64),
    "bert_large": ([96], 2, 16, 256),
    "bert_large_128": ([40], 2, 16, 64),
    "bert_large_256": ([48], 2, 16, 128),
    "lstm": (None, 3, 4, 64),
    "lstm_lm1b": (None, 3, 8, 256),
}

# Not held against PyTorch as whole networks: torch_model.py knows no rounds that share weights, no loss of
# boxes beside one of classes, no outputs that are sampled, no tables of values that are no words. Their layers
# are those of other networks; unit.exec_network holds shared rounds.
NOT_HELD = {"albert_base", "dlrm", "gnmt", "gnmt_4_layer", "lstm_lm1b_sampled", "ssd_resnet34"}


# a small network of each family
FAMILIES = {
    "gpt": {"layers": 2, "hidden": 24, "heads": 3, "vocabulary": 61, "sequence": 13, "positions": "none", "dropout": 0,
            "embedding_norm": True},
    "llama": {"layers": 2, "hidden": 24, "heads": 6, "kv_heads": 2, "ffn": 40, "vocabulary": 61, "sequence": 13},
    "nemotron": {"layers": 2, "hidden": 24, "heads": 6, "kv_heads": 2, "ffn": 40, "vocabulary": 61, "sequence": 13},
    "moe": {"layers": 3, "hidden": 24, "heads": 3, "vocabulary": 61, "sequence": 13, "experts": 5, "top_k": 2,
            "expert_ffn": 17, "capacity": 1.1, "dense_layers": 1, "ffn": 40, "shared_experts": 2, "query_rank": 11,
            "key_value_rank": 9, "rotary_head": 4},
    "bert": {"layers": 2, "hidden": 24, "heads": 3, "vocabulary": 61, "sequence": 15, "masked": 4, "positions": 17,
             "dropout": 0},
    "vit": {"layers": 2, "hidden": 24, "heads": 3, "image": 12, "patch": 4, "classes": 5},
}


def narrow(items, by, words, outputs, above=""):
    """The layers of a model file with smaller numbers; outputs: of the layers that have such, by full name."""
    out = []
    for item in items:
        item, name = dict(item), above + item.get("name", "")
        for key in ("channels", "groups", "features", "outputs", "vocabulary"):
            value = item.get(key, 0)
            if value >= WIDE:
                item[key] = -(-value // (words if value >= WORDS else by))
        if name in outputs:
            item["output"] = outputs[name]
        if "layers" in item:
            item["layers"] = narrow(item["layers"], by, words, outputs, name + ".")
        out.append(item)
    return out


def smooth(items):
    """The layers with silu in place of what has a kink, and no group with such layers too often."""
    out = one_step.smooth(items)
    return [{**new, "repeat": min(new["repeat"], DEEPEST)} if new != old and "repeat" in new else new
            for new, old in zip(out, items)]


def hold(program, in_double, name):
    size, batch, by, words, outputs = (*NETWORKS[name], {})[:5]
    model = one_step.load(name, {"input": size} if size else {})
    model["layers"] = narrow(model["layers"], by, words, outputs)
    good = one_step.compare_in_double(in_double, name, model, batch, RATE)
    if name in FEW:
        good &= one_step.compare(program, name, model, batch, "sgd", RATE, limit=KINKED)
    layers = smooth(model["layers"])
    if layers != model["layers"]:
        name, model["layers"] = name + " by silu", layers
    return good & one_step.compare(program, name, model, batch, "sgd", RATE)


def hold_family(program, in_double, describe, family):
    """The layers are dtsim's own; what they compute is PyTorch's."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump({"family": family, **FAMILIES[family]}, file)
        file.flush()
        model = json.loads(subprocess.run([describe, "--layers", file.name], check=True, stdout=subprocess.PIPE).stdout)
    label = "family " + family
    return one_step.compare_in_double(in_double, label, model, 3, 1.0) & one_step.compare(
        program, label, model, 3, "sgd", 1.0)


def every():
    """Networks of models/ that list their layers, and the families of the others."""
    listed, families = set(), set()
    for path in glob.glob(os.path.join(one_step.MODELS, "*.json")):
        with open(path) as file:
            family = json.load(file).get("family")
        name = os.path.basename(path)[:-len(".json")]
        families |= {family} if family else set()
        listed |= {name} if not family and name not in one_step.WHOLE else set()
    return (listed | families) - NOT_HELD


def main(program, in_double, describe, *chosen):
    rows = set(NETWORKS) | (set(FAMILIES) - {"bert"})  # BERT's files list their layers
    if every() != rows:
        print("FAIL: rows and models/ differ in %s" % sorted(every() ^ rows))
        return False
    good = all([hold(program, in_double, name) for name in chosen or NETWORKS if name in NETWORKS])
    return all([hold_family(program, in_double, describe, name)
                for name in chosen or FAMILIES if name in FAMILIES]) and good


if __name__ == "__main__":
    torch.set_num_threads(2)
    sys.exit(0 if main(*sys.argv[1:]) else 1)
