"""onnx_nets.py -- networks that PyTorch can export to ONNX, for tests/tools/test_import_onnx.py."""
import torch
import torch.nn.functional as F
from torch import nn


class Separable(nn.Module):
    """As mobile networks are: depthwise and pointwise convolutions, with what ours have no name for
    left out; a shortcut; an upsampled map."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 8, 3, 2, 1, bias=False), nn.BatchNorm2d(8), nn.ReLU())
        self.body = nn.Sequential(
            nn.Conv2d(8, 24, 1, bias=False), nn.BatchNorm2d(24), nn.LeakyReLU(0.1),
            nn.Conv2d(24, 24, 3, 1, 1, groups=24, bias=False), nn.BatchNorm2d(24, eps=1e-3), nn.SiLU(),
            nn.Conv2d(24, 8, 1, bias=False), nn.BatchNorm2d(8))
        self.gate = nn.Sequential(nn.Conv2d(8, 4, 1), nn.ReLU(), nn.Conv2d(4, 8, 1), nn.Sigmoid())
        self.head = nn.Sequential(nn.Dropout(0.2), nn.Linear(16, 5))

    def forward(self, x):
        x = self.stem(x)
        y = self.body(x)
        x = x + y * self.gate(F.adaptive_avg_pool2d(y, 1))
        y = F.interpolate(F.max_pool2d(x, 2), scale_factor=2, mode="bilinear", align_corners=False)
        y = torch.cat([torch.tanh(x), F.avg_pool2d(y, 3, 1, 1)], 1)
        return self.head(torch.flatten(F.adaptive_avg_pool2d(y, 1), 1))


class Mixer(nn.Module):
    """Tokens, rows for positions, layer normalization, GELU, output tied to the table."""

    def __init__(self, words=40, features=12):
        super().__init__()
        self.token = nn.Embedding(words, features)
        self.position = nn.Embedding(20, features)
        self.norm = nn.LayerNorm(features, eps=1e-6)
        self.up = nn.Linear(features, 24)
        self.down = nn.Linear(24, features, bias=False)
        self.last = nn.LayerNorm(features)
        self.head = nn.Linear(features, words, bias=False)
        self.head.weight = self.token.weight

    def forward(self, x):
        x = self.token(x) + self.position(torch.arange(9))
        x = x + self.down(F.gelu(self.up(self.norm(x))))
        return F.log_softmax(self.head(self.last(x)), dim=-1)


class Strange(nn.Module):
    """Two things that dtsim has no layer for."""

    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(3, 4, 3), nn.Hardtanh(), nn.Conv2d(4, 4, 3), nn.Hardtanh())

    def forward(self, x):
        return torch.cumsum(self.body(x), 1).flatten(1)


class Recurrent(nn.Module):
    """A small language model."""

    def __init__(self, layers=1, batch_first=True, features=7):
        super().__init__()
        self.table = nn.Embedding(30, 6)
        self.lstm = nn.LSTM(6, features, layers, batch_first=batch_first)
        self.decoder = nn.Linear(features, 30)

    def forward(self, x):
        return self.decoder(self.lstm(self.table(x))[0])


class Turned(Recurrent):
    """The same by an LSTM whose positions come first."""

    def forward(self, x):
        y = self.lstm(self.table(x).transpose(0, 1))[0]
        return self.decoder(y.transpose(0, 1))


class Begun(Recurrent):
    """From a state that is made beside it."""

    def __init__(self, state):
        super().__init__()
        self.state = state

    def forward(self, x):
        state = torch.full((1, x.shape[0], 7), self.state)
        return self.decoder(self.lstm(self.table(x), (state, state))[0])


class Last(Recurrent):
    """The state behind the last position, which says what the sequence is."""

    def forward(self, x):
        return self.decoder(self.lstm(self.table(x))[1][0].squeeze(0))
