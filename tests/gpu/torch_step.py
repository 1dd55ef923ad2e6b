#!/usr/bin/env python3
"""torch_step.py [--tiny] NETWORK BATCH STEPS OPTIMIZER PRECISION DEVICE -- training steps of models/resnet50.json or
models/gpt2.json as PyTorch's users write them: eager, channels first, made data that lies on the device. Prints as
JSON the median seconds of a step after a warm-up and the peak of memory.

Precisions are those of `dtsim profile`: fp32 without tf32, tf32 in products and convolutions, bf16 by autocast.
--tiny: the same layers, few and narrow, to see that this runs.
"""
import json
import sys
import time

import torch
import torch.nn.functional as F
from torch import nn

WARM_UP = 5


class Block(nn.Module):
    def __init__(self, channels, width, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(channels, width, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.conv2 = nn.Conv2d(width, width, 3, stride, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(width)
        self.conv3 = nn.Conv2d(width, 4 * width, 1, bias=False)
        self.bn3 = nn.BatchNorm2d(4 * width)
        self.project = None
        if stride > 1 or channels != 4 * width:
            self.project = nn.Sequential(nn.Conv2d(channels, 4 * width, 1, stride, bias=False),
                                         nn.BatchNorm2d(4 * width))

    def forward(self, x):
        y = F.relu(self.bn1(self.conv1(x)), inplace=True)
        y = F.relu(self.bn2(self.conv2(y)), inplace=True)
        y = self.bn3(self.conv3(y))
        return F.relu(y + (self.project(x) if self.project else x), inplace=True)


class ResNet50(nn.Module):
    def __init__(self, tiny):
        super().__init__()
        self.side, self.classes = (32, 10) if tiny else (224, 1000)
        width = 8 if tiny else 64
        layers = [nn.Conv2d(3, width, 7, 2, 3, bias=False), nn.BatchNorm2d(width), nn.ReLU(inplace=True),
                  nn.MaxPool2d(3, 2, 1)]
        channels = width
        for stage, count in enumerate([1, 1, 1, 1] if tiny else [3, 4, 6, 3]):
            for i in range(count):
                layers.append(Block(channels, width << stage, 2 if stage > 0 and i == 0 else 1))
                channels = 4 * (width << stage)
        self.layers = nn.Sequential(*layers)
        self.fc = nn.Linear(channels, self.classes)

    def forward(self, x):
        return self.fc(self.layers(x).mean((2, 3)))

    def data(self, batch, device):
        return torch.randn(batch, 3, self.side, self.side, device=device), torch.randint(
            self.classes, (batch,), device=device)

    def loss(self, x, target):
        return F.cross_entropy(self(x), target)


class Layer(nn.Module):
    def __init__(self, features, heads):
        super().__init__()
        self.heads = heads
        self.ln_1, self.ln_2 = nn.LayerNorm(features), nn.LayerNorm(features)
        self.qkv, self.proj = nn.Linear(features, 3 * features), nn.Linear(features, features)
        self.fc, self.fc_proj = nn.Linear(features, 4 * features), nn.Linear(4 * features, features)

    def attention(self, x):
        batch, length, features = x.shape
        q, k, v = (t.view(batch, length, self.heads, -1).transpose(1, 2) for t in self.qkv(x).split(features, 2))
        if hasattr(F, "scaled_dot_product_attention"):
            y = F.scaled_dot_product_attention(q, k, v, dropout_p=0.1, is_causal=True)
        else:
            unseen = torch.ones(length, length, dtype=torch.bool, device=x.device).triu(1)
            scores = (q @ k.transpose(2, 3) / q.shape[3]**0.5).masked_fill(unseen, float("-inf"))
            y = F.dropout(scores.softmax(3), 0.1) @ v
        return y.transpose(1, 2).reshape(batch, length, features)

    def forward(self, x):
        x = x + F.dropout(self.proj(self.attention(self.ln_1(x))), 0.1)
        return x + F.dropout(self.fc_proj(F.gelu(self.fc(self.ln_2(x)), approximate="tanh")), 0.1)


class GPT2(nn.Module):
    def __init__(self, tiny):
        super().__init__()
        self.tokens, self.length = (101, 16) if tiny else (50257, 1024)
        features, count, heads = (24, 2, 3) if tiny else (768, 12, 12)
        self.token, self.position = nn.Embedding(self.tokens, features), nn.Embedding(self.length, features)
        self.layers = nn.Sequential(*[Layer(features, heads) for _ in range(count)])
        self.ln_f = nn.LayerNorm(features)
        self.head = nn.Linear(features, self.tokens, bias=False)
        self.head.weight = self.token.weight

    def forward(self, x):
        y = F.dropout(self.token(x) + self.position.weight, 0.1)
        return self.head(self.ln_f(self.layers(y)))

    def data(self, batch, device):
        tokens = torch.randint(self.tokens, (batch, self.length + 1), device=device)
        return tokens[:, :-1].contiguous(), tokens[:, 1:].contiguous()

    def loss(self, x, target):
        return F.cross_entropy(self(x).view(-1, self.tokens), target.view(-1))


def wait(device):
    if device == "cuda":
        torch.cuda.synchronize()


def main(words):
    tiny = "--tiny" in words
    network, batch, steps, optimizer, precision, device = [w for w in words if w != "--tiny"]
    torch.manual_seed(1)
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = precision == "tf32"
    torch.backends.cudnn.benchmark = True  # as those do who know the size of their images
    model = {"resnet50": ResNet50, "gpt2": GPT2}[network](tiny).to(device).train()
    update = {"momentum": lambda p: torch.optim.SGD(p, 1e-4, momentum=0.9),
              "adamw": lambda p: torch.optim.AdamW(p, 1e-4)}[optimizer](model.parameters())
    x, target = model.data(int(batch), device)
    seconds, losses = [], []
    for _ in range(WARM_UP + int(steps)):
        wait(device)
        begin = time.perf_counter()
        update.zero_grad(set_to_none=True)
        with torch.autocast(device, torch.bfloat16, enabled=precision == "bf16"):
            loss = model.loss(x, target)
        loss.backward()
        update.step()
        wait(device)
        seconds.append(time.perf_counter() - begin)
        losses.append(loss.item())
    counted = sorted(seconds[WARM_UP:])
    peak, reserved = (torch.cuda.max_memory_allocated(), torch.cuda.max_memory_reserved()) if device == "cuda" else (0, 0)
    print(json.dumps({
        "model": network, "batch": int(batch), "precision": precision, "torch": torch.__version__,
        "parameters": sum(p.numel() for p in model.parameters()), "step_s": counted[len(counted) // 2],
        "least_s": counted[0], "peak_bytes": peak, "reserved_bytes": reserved, "first_loss": losses[0],
        "last_loss": losses[-1]}, indent=2))


main(sys.argv[1:])
