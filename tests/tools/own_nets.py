"""own_nets.py -- networks as people write them, for tests/tools/test_import_torch.py."""
import torch
import torch.nn.functional as F
from torch import nn


class Encoder(nn.Module):
    """A language model: causal transformer, learned positions, tied output."""

    def __init__(self, words=50, features=12, layers=2):
        super().__init__()
        self.token = nn.Embedding(words, features)
        self.position = nn.Embedding(20, features)
        layer = nn.TransformerEncoderLayer(features, 3, 24, dropout=0.1, activation="gelu",
                                           batch_first=True, norm_first=True)
        self.blocks = nn.TransformerEncoder(layer, layers, norm=nn.LayerNorm(features))
        self.head = nn.Linear(features, words, bias=False)
        self.head.weight = self.token.weight
        self.register_buffer("mask", torch.triu(torch.full((9, 9), float("-inf")), 1))

    def forward(self, x):
        y = self.token(x) + self.position(torch.arange(9))
        return self.head(self.blocks(y, self.mask))


def by_size(x):
    return torch.arange(x.size(1))


def by_shape(x):
    return torch.arange(0, x.shape[1], device=x.device).unsqueeze(0)


def for_each_sample(x):
    samples, positions = x.shape
    return torch.arange(positions, dtype=torch.long).unsqueeze(0).expand(samples, positions)


class Sized(nn.Module):
    """Positions and a causal mask, both made from the size of the input."""

    def __init__(self, positions):
        super().__init__()
        self.positions = globals()[positions]
        self.token = nn.Embedding(50, 12)
        self.position = nn.Embedding(20, 12)
        self.attention = nn.MultiheadAttention(12, 3, batch_first=True)

    def forward(self, x):
        y = self.token(x) + self.position(self.positions(x))
        mask = torch.triu(torch.full((x.size(1), x.size(1)), float("-inf")), 1)
        return self.attention(y, y, y, attn_mask=mask)[0]


class Undropped(nn.Module):
    """One dropout that drops, and two that do nothing."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(8, 8)

    def forward(self, x):
        x = F.dropout(self.fc(x), 0.25)
        return F.dropout(F.dropout(x, 0.5, training=False), 0.5, False)


class Mixed(nn.Module):
    """Features of positions, then positions of features, by two layers, and back."""

    def __init__(self):
        super().__init__()
        self.features, self.back = nn.Linear(6, 6), nn.Linear(9, 9)
        self.left, self.right = nn.Linear(9, 9), nn.Linear(9, 9, bias=False)

    def forward(self, x):
        x = self.features(x).transpose(1, 2)
        return self.back(self.left(x) + self.right(x)).transpose(1, 2)


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(30, 6)
        self.lstm = nn.LSTM(6, 7, num_layers=2, dropout=0.2, batch_first=True)
        self.decoder = nn.Linear(7, 30)

    def forward(self, x, state=None):
        y, state = self.lstm(self.table(x), state)
        return F.log_softmax(self.decoder(y), dim=-1), state


class Branches(nn.Module):
    """Squeeze and excitation, a 3D-free zoo of functions, sizes asked at run time."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3, padding="same", groups=1)
        self.down = nn.Conv2d(8, 2, 1)
        self.up = nn.Conv2d(2, 8, 1)
        self.bn = nn.BatchNorm2d(8)
        self.fc = nn.Linear(16, 5)

    def forward(self, x):
        x = torch.relu(self.bn(self.conv(x)))
        gate = self.up(F.silu(self.down(x.mean([2, 3], keepdim=True)))).sigmoid()
        x = x * gate
        x = torch.cat([x, F.avg_pool2d(x, 3, 1, 1)], 1)
        x = F.dropout(F.adaptive_avg_pool2d(x, 1), 0.3, self.training)
        return self.fc(x.view(x.size(0), -1))


class Strange(nn.Module):
    """Three things that dtsim has no layer for."""

    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(3, 4, 3), nn.Softplus(), nn.CELU())

    def forward(self, x):
        return torch.cumsum(self.body(x), 1).flatten(1)


class DeepLab(nn.Module):
    """models/deeplab_v3_plus.json out of torchvision's parts, and the paper's decoder."""

    def __init__(self):
        super().__init__()
        from torchvision.models.resnet import resnet50
        from torchvision.models.segmentation.deeplabv3 import ASPP

        self.body = resnet50(replace_stride_with_dilation=[False, False, True])
        self.body.fc = nn.Identity()
        self.aspp = ASPP(2048, [6, 12, 18])
        self.low = nn.Sequential(nn.Conv2d(256, 48, 1, bias=False), nn.BatchNorm2d(48), nn.ReLU())
        self.decoder = nn.Sequential(
            nn.Conv2d(304, 256, 3, padding=1, bias=False), nn.BatchNorm2d(256), nn.ReLU(),
            nn.Conv2d(256, 256, 3, padding=1, bias=False), nn.BatchNorm2d(256), nn.ReLU(),
            nn.Conv2d(256, 21, 1))

    def forward(self, x):
        body = self.body
        size = x.shape[-2:]
        low = body.layer1(body.maxpool(body.relu(body.bn1(body.conv1(x)))))
        y = self.aspp(body.layer4(body.layer3(body.layer2(low))))
        y = F.interpolate(y, size=low.shape[-2:], mode="bilinear", align_corners=False)
        y = self.decoder(torch.cat([y, self.low(low)], dim=1))
        return F.interpolate(y, size=size, mode="bilinear", align_corners=False)
