"""odd_nets.py -- small networks that are not imported as they stand, for tests/tools/test_import_torch.py."""
import torch
import torch.nn.functional as F
from torch import nn


class Does(nn.Module):
    """What `does` does with the input and these modules."""

    def __init__(self, does, **modules):
        super().__init__()
        self.does = does
        for name, module in modules.items():
            setattr(self, name, module)

    def forward(self, x):
        return self.does(self, x)


def without_bias(norm):
    """As PyTorch 2.1 makes it where bias=False."""
    norm.register_parameter("bias", None)
    return norm


class Other(nn.TransformerEncoderLayer):
    def forward(self, x, **masks):
        return super().forward(torch.tanh(x))


def encoder(**edit):
    layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
    for name, module in edit.items():
        setattr(layer, name, module)
    return layer


def crossed(**more):
    """One attention used twice, by others than its own queries."""
    def twice(m, x):
        y = torch.tanh(x)
        return m.attention(x, y, y)[0] + m.attention(y, x, x)[0]

    return Does(twice, attention=nn.MultiheadAttention(8, 2, batch_first=True, **more))


def attended(m, x):
    q, k, v = m.three(x).chunk(3, -1)
    return m.head((q @ k.transpose(-2, -1)).softmax(-1) @ v)


def shifted(m, x):
    return m.table(torch.arange(x.size(1)) + 1) + x


# name: the network, the shape of a sample, and how the lines begin that name what is missing
REFUSED = {
    "shared bias": (lambda: Does(lambda m, x: m.fc(torch.relu(m.fc(x))), fc=nn.Linear(8, 8)),
                    "8", ["Linear: a weight or bias that is shared", "in fc"]),
    "shared LSTM": (lambda: Does(lambda m, x: m.lstm(m.lstm(x)[0])[0], lstm=nn.LSTM(8, 8, batch_first=True)),
                    "5,8", ["LSTM: a weight or bias that is shared"]),
    "shared BatchNorm": (lambda: Does(lambda m, x: m.bn(torch.relu(m.bn(x))), bn=nn.BatchNorm1d(8)),
                         "8", ["BatchNorm1d: a weight or bias that is shared"]),
    "shared attention": (crossed, "5,8", ["MultiheadAttention: a weight or bias that is shared"]),
    "shared attention without bias": (lambda: crossed(bias=False), "5,8",
                                      ["MultiheadAttention: a weight or bias that is shared"]),
    "attention without a scale": (lambda: Does(attended, three=nn.Linear(8, 24), head=nn.Linear(8, 8)), "5,8",
              ["softmax: of scores times 1, not 1 / sqrt(8), the features of a head, in the network"]),
    "one of chunk": (lambda: Does(lambda m, x: m.head(m.three(x).chunk(3, -1)[1]), three=nn.Linear(8, 24),
                                  head=nn.Linear(8, 8)), "5,8", ["chunk, in the network"]),
    "mean of all": (lambda: Does(lambda m, x: m.fc(x) * x.mean(), fc=nn.Linear(8, 8)), "8",
                    ["mean: other than over all positions"]),
    "product with one value a sample": (lambda: Does(lambda m, x: m.fc(x) * x.sum(1), fc=nn.Linear(8, 2)),
                                        "8", ["sum, in the network", "mul: of different shapes"]),
    "cat of samples": (lambda: Does(lambda m, x: torch.cat([m.fc(x), x], 0), fc=nn.Linear(8, 8)), "8",
                       ["cat: along axis 0"]),
    "cat of sums": (lambda: Does(lambda m, x: torch.cat([x.sum(0), x.sum(0)])), "8",
                    ["sum, in the network itself, 1 more times\n"]),
    "cat of rows": (lambda: Does(lambda m, x: torch.cat([x, m.fc.weight], 1), fc=nn.Linear(8, 2)), "8",
                    ["cat: an input that is no tensor made from"]),
    "attention of rows": (lambda: Does(lambda m, x: m.attention(m.fc.weight.expand(2, 5, 8), x, x)[0],
                                       fc=nn.Linear(8, 5),
                                       attention=nn.MultiheadAttention(8, 2, batch_first=True)), "5,8",
                          ["MultiheadAttention: an input that is no tensor made from"]),
    "sum with a size": (lambda: Does(lambda m, x: m.fc(x) + m.fc.weight.size(0), fc=nn.Linear(8, 8)), "8",
                        ["add: of a number"]),
    "Dropout of all": (lambda: nn.Sequential(nn.Linear(8, 8), nn.Dropout(1.0)), "8",
                       ["Dropout: rate 1, dtsim takes 0 to 0.99, in 1"]),
    "dropout in an LSTM": (lambda: Does(lambda m, x: m.lstm(x)[0],
                                        lstm=nn.LSTM(8, 8, 2, batch_first=True, dropout=1.0)), "5,8",
                           ["LSTM: rate 1, dtsim takes"]),
    "dropout in attention": (lambda: nn.TransformerEncoderLayer(8, 2, 16, dropout=1.0, batch_first=True),
                             "5,8", ["TransformerEncoderLayer: dropout 1, dtsim takes"]),
    "a steep slope": (lambda: nn.Sequential(nn.Linear(8, 8), nn.LeakyReLU(1.5)), "8",
                      ["LeakyReLU: slope 1.5, dtsim takes 0 to 1, in 1"]),
    "a slope downwards": (lambda: Does(lambda m, x: F.leaky_relu(m.fc(x), -0.1), fc=nn.Linear(8, 8)), "8",
                          ["leaky_relu: slope -0.1, dtsim takes"]),
    "no epsilon": (lambda: nn.Sequential(nn.Linear(8, 8), nn.LayerNorm(8, eps=0.0)), "8",
                   ["LayerNorm: epsilon 0, dtsim takes"]),
    "LayerNorm without bias": (lambda: nn.Sequential(nn.Linear(8, 8), without_bias(nn.LayerNorm(8))), "8",
                               ["LayerNorm: without a weight or bias"]),
    "encoder without bias": (lambda: encoder(norm2=without_bias(nn.LayerNorm(8))), "5,8",
                             ["TransformerEncoderLayer: without a weight or bias"]),
    "encoder with another norm": (lambda: nn.TransformerEncoder(encoder(), 1, norm=nn.Identity()), "5,8",
                                  ["TransformerEncoder: a norm other than LayerNorm"]),
    "encoder without weights": (lambda: encoder(norm1=nn.LayerNorm(8, elementwise_affine=False)), "5,8",
                                ["TransformerEncoderLayer: elementwise_affine=False"]),
    "positions from 1": (lambda: Does(shifted, table=nn.Embedding(9, 8)), "5,8",
                         ["Embedding: of numbers other than 0, 1, 2, ..., in table"]),
    "a value": (lambda: Does(lambda m, x: x * x.max().item()), "8", ["max, in", "item, in the network"]),
    "clamps": (lambda: nn.Sequential(nn.Linear(8, 8), nn.Hardtanh()), "8",
               ["Hardtanh: between -1.0 and 1.0, in 1"]),
    "functions that clamp": (lambda: Does(lambda m, x: torch.clamp(x, -1, 6).clamp(0, 1)), "8",
                             ["clamp: between -1 and 6, in the network", "in the network itself"]),
    "encoder of others": (lambda: nn.TransformerEncoder(Other(8, 2, 16, batch_first=True), 1), "5,8",
                          ["TransformerEncoder: of layers other than"]),
}


def refused(name):
    return REFUSED[name][0]()


class Many(nn.Module):
    """One concatenation of many, all different."""

    def __init__(self, inputs=40):
        super().__init__()
        self.make = nn.ModuleList(nn.Linear(3, i + 1) for i in range(inputs))

    def forward(self, x):
        return torch.cat([make(x) for make in self.make], 1)


def vast():
    """4 GiB of weights."""
    return nn.Linear(1 << 16, 1 << 14)


def vast_number():
    """4 GiB that are no tensor."""
    return nn.Linear(3, len(bytearray(4 << 30)) >> 30)


def vast_row():
    """8 GiB that do not depend on the input."""
    return Does(lambda m, x: x + torch.arange(1 << 30, dtype=torch.int64))


def wide():
    """38 GB of activations for each sample of 40,000 x 40,000."""
    return nn.Sequential(nn.Conv2d(3, 6, 1), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(6, 2))


def values_decide():
    """What comes out has a shape that only the input's values tell."""
    return Does(lambda m, x: x[x > 0])
