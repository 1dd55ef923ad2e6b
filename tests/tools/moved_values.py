"""moved_values.py -- ways to move and cut values in PyTorch, and what a model file's layers make of them, worked out,
for tests/tools/test_import_spelling.py."""
import torch
import torch.nn.functional as F

from spelled_nets import Does

IMAGE, SEQUENCE = [8, 5, 6], [6, 24]

# name: what moves them, and the shape of a sample
WAYS = {
    "a shuffle": (lambda x: x.view(2, 2, 4, 5, 6).transpose(1, 2).reshape(2, 8, 5, 6), IMAGE),
    "half of a shuffle": (lambda x: x.view(2, 2, 4, 5, 6).transpose(1, 2).reshape(2, 8, 5, 6).chunk(2, 1)[1], IMAGE),
    "channels last": (lambda x: x.permute(0, 2, 3, 1), IMAGE),
    "channels first, some": (lambda x: x.permute(0, 3, 1, 2)[:, 2:5], IMAGE),
    "a part of an image": (lambda x: x[:, :, 1:4, 2:], IMAGE),
    "the last position": (lambda x: x[:, -1], SEQUENCE),
    "all but the last": (lambda x: x[:, :-2], SEQUENCE),
    "some turned": (lambda x: x[:, 2:6].transpose(1, 2), IMAGE),
    "keys of heads": (lambda x: x.view(2, 6, 3, 2, 4).permute(2, 0, 3, 1, 4)[1].reshape(2, 2, 24), SEQUENCE),
    "windows": (lambda x: x.view(2, 4, 2, 3, 2, 5).permute(0, 1, 3, 2, 4, 5).reshape(2, 12, 4, 5), [8, 6, 5]),
    "one of many": (lambda x: x.unbind(1)[3], IMAGE),
    "less than it was": (lambda x: F.pad(x, (-1, 0, 0, -2)), IMAGE),
    "two parts, the other way round": (lambda x: torch.cat([x[:, 5:], x[:, :5]], 1), IMAGE),
}


def net(name):
    return Does(lambda m, x: torch.relu(WAYS[name][0](x)))  # whose input is what is above 0


DOES = {
    "slice": lambda layer, x: x.narrow(layer.get("axis", 0) + 1, layer.get("offset", 0), layer["count"]),
    "permute": lambda layer, x: x.permute([0] + [axis + 1 for axis in layer["axes"]]),
    "reshape": lambda layer, x: x.reshape([len(x)] + layer["output"]),
    "flatten": lambda layer, x: x.flatten(1),
    "sequence": lambda layer, x: x.flatten(2).transpose(1, 2),
    "concat": lambda layer, *parts: torch.cat(parts, 1),
    "relu": lambda layer, x: x,
}


def worked_out(layers, x):
    """What the layers of a model file make of a batch."""
    values, last = {"entry": x}, "entry"
    for layer in layers:
        names = layer.get("input", last)
        taken = [values[name] for name in (names if isinstance(names, list) else [names])]
        last = layer["name"]
        values[last] = DOES[layer["kind"]](layer, *taken)
    return values[last]
