"""spelled_nets.py -- layers that dtsim has, written in other ways than by PyTorch's modules, for
tests/tools/test_import_spelling.py."""
import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils import spectral_norm, weight_norm


class Does(nn.Module):
    """What `does` does with the input and these modules and parameters."""

    def __init__(self, does, **parts):
        super().__init__()
        self.does = does
        for name, part in parts.items():
            setattr(self, name, part)

    def forward(self, x):
        return self.does(self, x)


def made(*sizes):
    return nn.Parameter(torch.zeros(*sizes))


class OwnNorm(nn.BatchNorm2d):
    """Another name, and nothing else."""


class OwnTable(nn.Embedding):
    def reset_parameters(self):
        nn.init.zeros_(self.weight)


class ByFunction(nn.Linear):
    def forward(self, x):
        return F.linear(x, self.weight, self.bias)


class Padded(nn.Conv2d):
    """As it stands, behind something else."""

    def forward(self, x):
        return super().forward(torch.relu(x))


class NormThenReLU(nn.BatchNorm2d):
    """As in timm: the function, and what the module has to say."""

    def forward(self, x):
        self._check_input_dim(x)
        if self.training and self.track_running_stats:
            self.num_batches_tracked.add_(1)
        x = F.batch_norm(x, self.running_mean, self.running_var, self.weight, self.bias,
                         self.training or not self.track_running_stats, 0.1, self.eps)
        return F.relu(x)


class Standardized(nn.Conv2d):
    """Weights of mean 0 and variance 1, anew in each step."""

    def forward(self, x):
        weight = self.weight
        weight = weight - weight.mean(dim=(1, 2, 3), keepdim=True)
        weight = weight / (weight.flatten(1).std(dim=1).view(-1, 1, 1, 1) + 1e-5)
        return F.conv2d(x, weight, self.bias, self.stride, self.padding, self.dilation, self.groups)


class StandardizedByNorm(nn.Conv2d):
    def forward(self, x):
        flat = F.batch_norm(self.weight.reshape(1, self.out_channels, -1), None, None, training=True, eps=1e-6)
        return F.conv2d(x, flat.reshape_as(self.weight), self.bias, self.stride, self.padding)


class AddMM(nn.Module):
    """As Hugging Face's Conv1D."""

    def __init__(self, inputs, outputs):
        super().__init__()
        self.outputs, self.weight, self.bias = outputs, made(inputs, outputs), made(outputs)

    def forward(self, x):
        sizes = x.size()[:-1] + (self.outputs,)
        return torch.addmm(self.bias, x.view(-1, x.size(-1)), self.weight).view(sizes)


class DropPath(nn.Module):
    """As in timm."""

    def __init__(self, rate):
        super().__init__()
        self.drop_prob = rate

    def forward(self, x):
        if self.drop_prob == 0.0 or not self.training:
            return x
        kept = x.new_empty((x.shape[0],) + (1,) * (x.ndim - 1)).bernoulli_(1 - self.drop_prob)
        return x * kept.div_(1 - self.drop_prob)


def three_of_one(m, x):
    """Rows of one matrix for queries, keys and values."""
    q, k, v = (F.linear(x, m.w[first:first + 8], m.b[first:first + 8]) for first in (0, 8, 16))
    return (q @ k.transpose(1, 2) / 8 ** 0.5).softmax(-1) @ v


def by_einsum(m, x):
    """Heads last but one, never moved."""
    q, k, v = (part(x).view(x.shape[0], -1, 2, 4) for part in m.parts)
    scores = torch.einsum("bthd,bshd->bhts", q, k) / 2
    return m.out(torch.einsum("bhts,bshd->bthd", scores.softmax(-1), v).flatten(2))


def attention_by_einsum():
    return Does(by_einsum, parts=nn.ModuleList(nn.Linear(8, 8) for _ in range(3)), out=nn.Linear(8, 5))


def new_weight_norm():
    from torch.nn.utils import parametrizations

    return parametrizations.weight_norm(nn.Linear(8, 5)) if hasattr(parametrizations, "weight_norm") else \
        weight_norm(nn.Linear(8, 5))


CONV = [("conv2d", 3 * 8 * 9 + 8)]
LINEAR = [("linear", 45)]

# name: the network, the shape of a sample, and the layers that there are with their parameters
TAKEN = {
    "F.batch_norm": (lambda: Does(
        lambda m, x: F.batch_norm(x, m.b.running_mean, m.b.running_var, m.b.weight, m.b.bias, True, 0.1, m.b.eps),
        b=nn.BatchNorm2d(3)), "3,8,8", [("batch_norm", 6)]),
    "a class of BatchNorm2d": (lambda: OwnNorm(3), "3,8,8", [("batch_norm", 6)]),
    "a norm and more": (lambda: NormThenReLU(3), "3,8,8", [("batch_norm", 6), ("relu", 0)]),
    "F.linear": (lambda: ByFunction(8, 5), "8", LINEAR),
    "F.linear of positions": (lambda: ByFunction(8, 5), "6,8", LINEAR),
    "F.linear without a bias": (lambda: Does(lambda m, x: F.linear(x, m.w), w=made(5, 8)), "6,8", [("linear", 40)]),
    "F.conv2d": (lambda: Does(lambda m, x: F.conv2d(x, m.c.weight, m.c.bias, padding=1), c=nn.Conv2d(3, 8, 3)),
                 "3,8,8", CONV),
    "torch.conv2d and a bias": (lambda: Does(lambda m, x: torch.conv2d(x, m.w) + m.b.view(1, -1, 1, 1), w=made(8, 3,
                                                                                                               3, 3),
                                             b=made(8)), "3,8,8", CONV),
    "a convolution behind more": (lambda: Padded(3, 8, 3), "3,8,8", [("relu", 0)] + CONV),
    "F.layer_norm": (lambda: Does(lambda m, x: F.layer_norm(x, (8,), m.n.weight, m.n.bias), n=nn.LayerNorm(8)), "6,8",
                     [("layer_norm", 16)]),
    "F.embedding": (lambda: Does(lambda m, x: F.embedding(x, m.e.weight), e=nn.Embedding(30, 8)), "6",
                    [("embedding", 240)]),
    "a class of Embedding": (lambda: OwnTable(30, 8), "6", [("embedding", 240)]),
    "rows of a parameter": (lambda: Does(lambda m, x: m.w[x], w=made(30, 8)), "6", [("embedding", 240)]),
    "a product and a sum": (lambda: Does(lambda m, x: x @ m.w + m.b, w=made(8, 5), b=made(5)), "8", LINEAR),
    "a product with it turned": (lambda: Does(lambda m, x: torch.matmul(x, m.w.t()) + m.b, w=made(5, 8), b=made(5)),
                                 "6,8",
                                 LINEAR),
    "torch.addmm": (lambda: Does(lambda m, x: torch.addmm(m.b, x, m.w), w=made(8, 5), b=made(5)), "8", LINEAR),
    "torch.addmm of positions": (lambda: AddMM(8, 5), "6,8", LINEAR),
    "torch.mm": (lambda: Does(lambda m, x: x.mm(m.w), w=made(8, 5)), "8", [("linear", 40)]),
    "einsum with weights": (lambda: Does(lambda m, x: torch.einsum("btd,df->btf", x, m.w) + m.b, w=made(8, 5),
                                         b=made(5)),
                            "6,8", LINEAR),
    "einsum with weights, outputs first": (lambda: Does(lambda m, x: torch.einsum("btd,fd->btf", x, m.w), w=made(5,
                                                                                                                 8)),
                                           "6,8", [("linear", 40)]),
    "attention by einsum": (attention_by_einsum, "6,8", [("linear", 72)] * 3 + [("attention", 0)] + LINEAR),
    "standardized": (lambda: Standardized(3, 8, 3), "3,8,8", CONV),
    "standardized by a norm": (lambda: StandardizedByNorm(3, 8, 3), "3,8,8", CONV),
    "weight norm": (lambda: weight_norm(nn.Conv2d(3, 8, 3)), "3,8,8", CONV),
    "weight norm by a property": (new_weight_norm, "8", LINEAR),
    "spectral norm": (lambda: spectral_norm(nn.Linear(8, 5)), "8", LINEAR),
    "two small matrices more": (lambda: Does(lambda m, x: F.linear(x, m.l.weight + m.b @ m.a, m.l.bias),
                                             l=nn.Linear(8, 5),
                                             a=made(2, 8), b=made(5, 2)), "8", LINEAR),
    "rows of one matrix": (lambda: Does(three_of_one, w=made(24, 8), b=made(24)), "6,8",
                           [("linear", 72)] * 3 + [("attention", 0)]),
    "tied": (lambda: Does(lambda m, x: F.linear(m.e(x), m.e.weight), e=nn.Embedding(30, 8)), "6",
             [("embedding", 240), ("linear", 0)]),
    "lists in lists": (lambda: nn.Sequential(nn.Sequential(nn.Sequential(nn.Linear(8, 5)), nn.Identity())), "8",
                       LINEAR),
    "positions that are a parameter's": (lambda: Does(lambda m, x: x + m.p[:, :x.shape[1]], p=made(1, 9, 8)), "6,8",
                                         [("positional_embedding", 72)]),
    "a path that is never dropped": (lambda: nn.Sequential(nn.Linear(8, 5), DropPath(0.0)), "8", LINEAR),
    "a path that is dropped": (lambda: nn.Sequential(nn.Linear(8, 5), DropPath(0.1)), "8",
                               LINEAR + [("stochastic_depth", 0)]),
    "channels that are dropped": (lambda: nn.Sequential(nn.Conv2d(3, 8, 3), nn.Dropout2d(0.1)), "3,8,8",
                                  CONV + [("dropout", 0)]),
    "another dropout, of nothing": (lambda: nn.Sequential(nn.Linear(8, 5), nn.AlphaDropout(0.0)), "8", LINEAR),
    "a factor for each channel": (lambda: Does(lambda m, x: m.s * m.c(x), c=nn.Conv2d(3, 8, 3), s=made(8, 1, 1)),
                                  "3,8,8",
                                  CONV + [("layer_scale", 8)]),
    "a mean over positions": (lambda: Does(lambda m, x: m.l(x.mean(dim=1)), l=nn.Linear(8, 5)), "6,8",
                              [("mean", 0)] + LINEAR),
    "a number": (lambda: Does(lambda m, x: m.l(x) * 0.5, l=nn.Linear(8, 5)), "8", LINEAR),
    "a product with itself": (lambda: Does(lambda m, x: m.l(x) ** 2, l=nn.Linear(8, 5)), "8", LINEAR + [("multiply",
                                                                                                         0)]),
    "means without what is outside": (lambda: nn.AvgPool2d(3, 1, 1, count_include_pad=False), "3,8,8", [("avg_pool",
                                                                                                         0)]),
}

# name: the network, the shape of a sample, and all lines that name what is missing
MISSING = {
    "a buffer": (lambda: Does(lambda m, x: F.linear(x, m.t), t=torch.zeros(5, 8)), "8",
                 ["linear: with weights that are no parameters, in the network itself"]),
    "weights on the left": (lambda: Does(lambda m, x: m.w @ x, w=made(6, 6)), "6,8",
                            ["matmul: with its weights on the left, in the network itself"]),
    "an einsum of three": (lambda: Does(lambda m, x: torch.einsum("td,td,td->td", x, x, x)), "8",
                           ["einsum: that is no product of matrices, in the network itself"]),
    "no training": (lambda: Does(lambda m, x: F.batch_norm(x, m.b.running_mean, m.b.running_var, m.b.weight,
                                                           m.b.bias),
                                 b=nn.BatchNorm2d(3)), "3,8,8",
                                 ["batch_norm: that does not train, in the network itself"]),
    "what follows from a sum": (lambda: Does(lambda m, x: m.l(torch.cumsum(x, 0).sum(0).view(1, 8)), l=nn.Linear(8,
                                                                                                                 5)),
                                "8", ["cumsum, in the network itself", "sum, in the network itself"]),
    "what follows from top values": (
        lambda: Does(lambda m, x: m.l(x.topk(4, 1)[0].flatten(1)) + m.l(x.topk(4, 1)[0].flatten(1)).exp(),
                     l=nn.Linear(32, 5)), "6,8",
        ["topk, in the network itself, 1 more times",
         "Linear: a weight or bias that is shared and not the first of its "
         "layer, in l", "exp, in the network itself"]),
    "weights that something makes": (lambda: Does(lambda m, x: F.linear(x, x.sum(0).view(1, 8)), ), "8",
                                     ["sum, in the network itself"]),
}


def taken(name):
    return TAKEN[name][0]()


def missing(name):
    return MISSING[name][0]()
