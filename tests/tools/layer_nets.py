"""layer_nets.py -- small networks, each of a kind of layer that nets of today have and of the kinds that PyTorch spells
otherwise than dtsim, for tests/tools/test_import_spelling.py."""
import torch
import torch.nn.functional as F
from torch import nn

from spelled_nets import CONV, LINEAR, Does, made


def conv(*more):
    """Behind a convolution of 3 channels into 8."""
    return nn.Sequential(nn.Conv2d(3, 8, 3), *more)


def shuffled(m, x, behind=None):
    x = m.c(x)
    b, c, h, w = x.size()
    behind = behind or m.n
    return behind(x.view(b, 2, c // 2, h, w).transpose(1, 2).contiguous().view(b, c, h, w))


def channels_last(m, x):
    return m.n(m.c(x).permute(0, 2, 3, 1)).permute(0, 3, 1, 2) * m.s


def classified(m, x):
    x = torch.cat([m.t.expand(x.shape[0], -1, -1), x], dim=1) + m.p
    return m.l(x[:, 0])


def by_slices(m, x):
    left, right = m.c(x).chunk(2, dim=1)
    return torch.cat([right, left], 1)


def padded_to_size(m, x):
    """As people write U-Nets, for images of any size."""
    y = m.c(x)
    more = y.size()[2] - 6
    return F.pad(y, [more // 2, more - more // 2, 0, more])


def chomped(m, x):
    return m.c(x)[:, :, :-2]


# name: the network, the shape of a sample, and its layers with their parameters
TAKEN = {
    "activations": (lambda: conv(nn.ReLU6(), nn.Hardswish(), nn.Hardsigmoid(), nn.Hardtanh(0, 6)), "3,8,8",
                    CONV + [("relu6", 0), ("hardswish", 0), ("hardsigmoid", 0), ("relu6", 0)]),
    "activations by function": (lambda: Does(lambda m, x: F.hardsigmoid(F.hardswish(F.relu6(m.c(x)))).clamp(0, 6),
                                             c=nn.Conv2d(3, 8, 3)), "3,8,8",
                                CONV + [("relu6", 0), ("hardswish", 0), ("hardsigmoid", 0), ("relu6", 0)]),
    "a channel shuffle": (lambda: Does(shuffled, c=nn.Conv2d(3, 8, 3), n=nn.BatchNorm2d(8)), "3,8,8",
                          CONV + [("reshape", 0), ("permute", 0), ("reshape", 0), ("batch_norm", 16)]),
    "channels last and back": (lambda: Does(channels_last, c=nn.Conv2d(3, 8, 3), n=nn.LayerNorm(8), s=made(8, 1, 1)),
                               "3,8,8", CONV + [("permute", 0), ("layer_norm", 16), ("permute", 0),
                                                ("layer_scale", 8)]),
    "a factor for each feature": (lambda: Does(lambda m, x: m.l(x) * m.s, l=nn.Linear(8, 5), s=made(5)), "6,8",
                                  LINEAR + [("layer_scale", 5)]),
    "two halves of channels": (lambda: Does(by_slices, c=nn.Conv2d(3, 8, 3)), "3,8,8",
                               CONV + [("slice", 0), ("slice", 0), ("concat", 0)]),
    "the last position": (lambda: Does(lambda m, x: m.l(x[:, -1]), l=nn.Linear(8, 5)), "6,8",
                          LINEAR + [("slice", 0)]),
    "a mean of channels last": (lambda: Does(lambda m, x: m.l(x.permute(0, 2, 3, 1)).mean((1, 2)), l=nn.Linear(8, 5)),
                                "8,4,4", LINEAR + [("permute", 0), ("mean", 0)]),
    "a class token": (lambda: Does(classified, t=made(1, 1, 8), p=made(1, 7, 8), l=nn.Linear(8, 5)), "6,8",
                      LINEAR + [("class_token", 8), ("positional_embedding", 56), ("select", 0)]),
    "nearest neighbours": (lambda: conv(nn.Upsample(scale_factor=2)), "3,8,8", CONV + [("upsample_nearest", 0)]),
    "nearest neighbours by function": (lambda: Does(lambda m, x: F.interpolate(m.c(x), size=(9, 7)),
                                                    c=nn.Conv2d(3, 8, 3)), "3,8,8",
                                       CONV + [("upsample_nearest", 0)]),
    "norms of groups": (lambda: conv(nn.GroupNorm(2, 8), nn.InstanceNorm2d(8), nn.InstanceNorm2d(8, affine=True)),
                        "3,8,8", CONV + [("group_norm", 16), ("group_norm", 0), ("group_norm", 16)]),
    "a norm of groups by function": (lambda: Does(lambda m, x: F.group_norm(m.c(x), 2, m.s, m.b),
                                                  c=nn.Conv2d(3, 8, 3), s=made(8), b=made(8)), "3,8,8",
                                     CONV + [("group_norm", 16)]),
    "transposed convolutions": (lambda: conv(nn.ConvTranspose2d(8, 4, 2, 2), nn.ConvTranspose2d(
        4, 6, 3, stride=2, padding=1, output_padding=1, groups=2, bias=False)), "3,8,8",
                                CONV + [("conv_transpose2d", 132), ("conv_transpose2d", 108)]),
    "a transposed convolution by function": (lambda: Does(lambda m, x: F.conv_transpose2d(m.c(x), m.w, m.b, 2),
                                                          c=nn.Conv2d(3, 8, 3), w=made(8, 4, 2, 2), b=made(4)),
                                             "3,8,8", CONV + [("conv_transpose2d", 132)]),
    "a transposed convolution of one axis": (lambda: nn.ConvTranspose1d(8, 4, 4, 2, 1), "8,6",
                                             [("conv_transpose1d", 132)]),
    "convolutions in time": (lambda: Does(chomped, c=nn.Conv1d(8, 5, 3, padding=2)), "8,6",
                             [("conv1d", 125), ("slice", 0)]),
    "a convolution in time by function": (lambda: Does(lambda m, x: F.conv1d(x, m.w), w=made(5, 8, 3)), "8,6",
                                          [("conv1d", 120)]),
    "two layers of three gates": (lambda: Does(lambda m, x: m.g(x)[0][:, -1],
                                               g=nn.GRU(8, 5, num_layers=2, dropout=0.1, batch_first=True)), "6,8",
                                  [("gru", 225), ("dropout", 0), ("gru", 180), ("slice", 0)]),
    "the last state": (lambda: Does(lambda m, x: m.l(m.g(x)[1][-1]), g=nn.GRU(8, 8, batch_first=True),
                                    l=nn.Linear(8, 5)), "6,8", LINEAR + [("gru", 432), ("slice", 0)]),
    "the last state of an LSTM": (lambda: Does(lambda m, x: m.l(m.g(x)[1][0].squeeze(0)),
                                               g=nn.LSTM(8, 8, batch_first=True), l=nn.Linear(8, 5)), "6,8",
                                  LINEAR + [("lstm", 576), ("slice", 0)]),
    "half of what was shuffled": (lambda: Does(lambda m, x: torch.relu(shuffled(m, x, torch.relu).chunk(2, 1)[1]),
                                               c=nn.Conv2d(3, 8, 3)), "3,8,8",
                                  CONV + [("reshape", 0), ("permute", 0), ("reshape", 0), ("slice", 0), ("relu", 0),
                                          ("relu", 0)]),
    "padding of nothing": (lambda: Does(padded_to_size, c=nn.Conv2d(3, 8, 3)), "3,8,8", CONV),
    "zeros behind": (lambda: nn.Sequential(nn.ZeroPad2d((0, 1, 1, 2)), nn.Conv2d(3, 8, 3, stride=2, padding=1)),
                     "3,8,8", CONV),
    "zeros in front, by function": (lambda: Does(lambda m, x: m.c(F.pad(x, (2, 0))), c=nn.Conv1d(8, 5, 3)), "8,6",
                                    [("conv1d", 125)]),
    "a layer whose state goes out, too": (lambda: Does(lambda m, x: m.g(x), g=nn.GRU(8, 8, batch_first=True)), "6,8",
                                          [("gru", 432)]),
    "a layer of three gates": (lambda: Does(lambda m, x: m.l(m.g(x)[0]), g=nn.GRU(8, 8, batch_first=True),
                                            l=nn.Linear(8, 5)), "6,8", LINEAR + [("gru", 432)]),
    "a difference": (lambda: Does(lambda m, x: F.avg_pool2d(x, 3, 1, 1, count_include_pad=False) - x), "3,8,8",
                     [("avg_pool", 0), ("add", 0)]),
}


# Those that ONNX files have, too, as PyTorch 1.13 exports them.
OF_FILES = ("activations", "a channel shuffle", "channels last and back",
            "a factor for each feature", "two halves of channels", "the last position", "a mean of channels last",
            "nearest neighbours", "transposed convolutions", "a transposed convolution of one axis",
            "convolutions in time", "a layer of three gates")


def net(name):
    return TAKEN[name][0]()
