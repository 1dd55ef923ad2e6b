"""first_weights.py -- how the weights of our networks begin against torchvision's, and of one that comes
from Keras against Keras's default as PyTorch draws it.

    first_weights.py DESCRIBE_MODEL     exit status 77: there is no PyTorch, nothing was tested

Of each parameter tensor values are drawn, and their mean and deviation are held against those that the
model file means, as near as the number of values allows.
"""
import math
import os
import subprocess
import sys
import warnings

try:
    import torch
    import torchvision
except ImportError as error:
    print("SKIPPED: %s (Debian: python3-torch python3-torchvision)" % error)
    sys.exit(77)

MODELS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "models")
NETWORKS = ("alexnet", "vgg16", "resnet18", "resnet50", "inception_v3", "cosmoflow")
# torchvision leaves these biases as nn.Linear draws them, up to 0.04; ours begin at zero
OTHER = {("inception_v3", "AuxLogits.fc.bias"), ("inception_v3", "fc.bias")}


def stated(name):
    """Count, mean and deviation of each parameter tensor, in order."""
    words = [sys.argv[1], "--begin", os.path.join(MODELS, name + ".json")]
    lines = subprocess.run(words, check=True, capture_output=True, text=True).stdout.splitlines()
    return [[float(word) for word in line.split()] for line in lines]


def cosmoflow():
    """In Keras: Glorot's uniform weights and no bias, as its Conv3D and Dense begin by default."""
    sizes = [4, 32, 64, 128, 256, 512]
    layers = [torch.nn.Conv3d(a, b, 3) for a, b in zip(sizes, sizes[1:])]
    layers += [torch.nn.Linear(a, b) for a, b in ((512 * 4 ** 3, 128), (128, 64), (64, 4))]
    for layer in layers:
        torch.nn.init.xavier_uniform_(layer.weight)
        torch.nn.init.zeros_(layer.bias)
    return torch.nn.Sequential(*layers)


def compare(name):
    torch.manual_seed(1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        make = cosmoflow if name == "cosmoflow" else getattr(torchvision.models, name)
        drawn = list(make().named_parameters())
    wanted, good = stated(name), True
    if len(drawn) != len(wanted):
        print("FAIL %s: %d tensors, PyTorch has %d" % (name, len(wanted), len(drawn)))
        return False
    for (tensor, values), (count, mean, deviation) in zip(drawn, wanted):
        if (name, tensor) in OTHER:
            continue
        found = values.mean().item(), math.sqrt(((values - values.mean()) ** 2).mean().item())
        room = 6 * deviation / math.sqrt(count)  # six standard errors
        if values.numel() != count or abs(found[0] - mean) > room or abs(found[1] - deviation) > room:
            print("  %s: %s: %d values, mean %.3g, deviation %.3g; PyTorch %d, %.3g, %.3g"
                  % (name, tensor, count, mean, deviation, values.numel(), *found))
            good = False
    print("%s %s: %d tensors" % ("ok  " if good else "FAIL", name, len(drawn)))
    return good


sys.exit(0 if all([compare(name) for name in NETWORKS]) else 1)
