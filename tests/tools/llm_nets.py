"""llm_nets.py -- a language model of today's kind (root mean squares, rotary positions, heads that share keys, a gated
middle), each part as several people write it, for tests/tools/test_import_llm.py."""
import math

import torch
import torch.nn.functional as F
from torch import nn

WORDS, WIDTH, HEADS, SHARED, INNER, POSITIONS = 40, 32, 4, 2, 48, 9
EACH = WIDTH // HEADS


class Norm(nn.Module):
    """`write` says how."""

    def __init__(self, write):
        super().__init__()
        self.write, self.weight, self.eps = write, nn.Parameter(torch.ones(WIDTH)), 1e-6

    def forward(self, x):
        return self.write(self, x)


def in_floats(m, x):
    kind = x.dtype
    x = x.to(torch.float32)
    power = x.pow(2).mean(-1, keepdim=True)
    return m.weight * (x * torch.rsqrt(power + m.eps)).to(kind)


NORMS = {
    "by pow": lambda m, x: m.weight * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + m.eps)),
    "by a product": lambda m, x: x * torch.rsqrt((x * x).mean(dim=-1, keepdim=True) + m.eps) * m.weight,
    "by a root": lambda m, x: x / torch.sqrt(torch.mean(x ** 2, dim=2, keepdim=True) + m.eps) * m.weight,
    "by a square": lambda m, x: (x.float() * (m.eps + x.float().square().mean(-1,
                                                                              True)).rsqrt()).type_as(x) * m.weight,
    "by powers": lambda m, x: x * (x.pow(2).mean(-1, keepdim=True) + m.eps).pow(-0.5) * m.weight,
    "by one over": lambda m, x: x * (1 / torch.sqrt(x.pow(2).mean(-1, keepdim=True) + m.eps)) * m.weight,
    "in floats": in_floats,
    "with one added": lambda m, x: x * torch.rsqrt(x.pow(2).mean(-1,
                                                                 keepdim=True) + m.eps) * (1.0 + m.weight.float()),
}

if hasattr(F, "rms_norm"):  # since PyTorch 2.4
    NORMS["by the function"] = lambda m, x: F.rms_norm(x, (WIDTH,), m.weight, m.eps)


def of_length_one(m, x):
    """Its epsilon bounds a length."""
    return F.normalize(x, dim=-1, eps=m.eps) * math.sqrt(WIDTH) * m.weight


NORMS["of length one"] = of_length_one


def halves(x):
    half = x.shape[-1] // 2
    return torch.cat((-x[..., half:], x[..., :half]), -1)


def halves_by_chunk(x):
    a, b = x.chunk(2, dim=-1)
    return torch.cat([-b, a], dim=-1)


def angles(positions, features, twice):
    speeds = 1.0 / (10000 ** (torch.arange(0, features, 2).float() / features))
    made = torch.outer(torch.arange(positions).float(), speeds)
    made = torch.cat((made, made), -1) if twice else made
    return made.cos(), made.sin()


def by_halves(turn):
    """[batch, heads, positions, features]."""
    def turned(x):
        cos, sin = angles(x.shape[2], EACH, True)
        return x * cos + turn(x) * sin

    return turned


def by_neighbours(x):
    cos, sin = angles(x.shape[2], EACH, False)
    a, b = x[..., ::2], x[..., 1::2]
    return torch.stack((a * cos - b * sin, a * sin + b * cos), dim=-1).flatten(3)


def by_pairs(x):
    cos, sin = angles(x.shape[2], EACH, False)
    pairs = x.float().reshape(*x.shape[:-1], -1, 2)
    made = torch.stack([pairs[..., 0] * cos - pairs[..., 1] * sin, pairs[..., 1] * cos + pairs[..., 0] * sin], -1)
    return made.flatten(3).type_as(x)


def by_parts(x):
    cos, sin = angles(x.shape[2], EACH, False)
    a, b = x[..., :EACH // 2], x[..., EACH // 2:]
    return torch.cat([a * cos - b * sin, b * cos + a * sin], -1)


def as_complex(x):
    cos, sin = angles(x.shape[2], EACH, False)
    pairs = torch.view_as_complex(x.float().reshape(*x.shape[:-1], -1, 2))
    return torch.view_as_real(pairs * torch.complex(cos, sin)).flatten(3).type_as(x)


def half_of_them(x):
    """The others stay as they are."""
    cos, sin = angles(x.shape[2], EACH // 2, True)
    a, rest = x[..., :EACH // 2], x[..., EACH // 2:]
    return torch.cat((a * cos + halves(a) * sin, rest), dim=-1)


TURNS = {
    "by halves": by_halves(halves), "by halves of chunk": by_halves(halves_by_chunk), "by neighbours": by_neighbours,
    "by pairs": by_pairs, "by parts": by_parts, "as complex numbers": as_complex, "half of them": half_of_them,
}


def expanded(x, count):
    batch, heads, positions, features = x.shape
    x = x[:, :, None, :, :].expand(batch, heads, count, positions, features)
    return x.reshape(batch, heads * count, positions, features)


SHARES = {
    "interleaved": lambda x, count: x.repeat_interleave(count, dim=1),
    "by the function": lambda x, count: torch.repeat_interleave(x, count, 1),
    "expanded": expanded,
}


class Attention(nn.Module):
    def __init__(self, turn, share, together=False, shared=SHARED, fused=False):
        super().__init__()
        self.turn, self.share, self.shared, self.fused = turn, share, shared, fused
        widths = [WIDTH, shared * EACH, shared * EACH]
        self.widths = widths if together else None
        self.parts = nn.ModuleList(nn.Linear(WIDTH, width, bias=False)
                                   for width in ([sum(widths)] if together else widths))
        self.out = nn.Linear(WIDTH, WIDTH, bias=False)

    def forward(self, x):
        batch, positions, _ = x.shape
        made = self.parts[0](x).split(self.widths, dim=-1) if self.widths else [part(x) for part in self.parts]
        q, k, v = [part.view(batch, positions, -1, EACH).transpose(1, 2) for part in made]
        if self.turn:
            q, k = self.turn(q), self.turn(k)
        if self.share and self.shared < HEADS:
            k, v = self.share(k, HEADS // self.shared), self.share(v, HEADS // self.shared)
        if self.fused:
            y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        else:
            hidden = torch.full((positions, positions), float("-inf")).triu(1)
            scores = q @ k.transpose(2, 3) / math.sqrt(EACH) + hidden
            y = torch.softmax(scores, dim=-1, dtype=torch.float32).to(q.dtype) @ v
        return self.out(y.transpose(1, 2).reshape(batch, positions, WIDTH))


class Gated(nn.Module):
    def __init__(self, together=False):
        super().__init__()
        self.together = together
        self.up = nn.ModuleList(nn.Linear(WIDTH, INNER * (1 + together), bias=False) for _ in range(2 - together))
        self.down = nn.Linear(INNER, WIDTH, bias=False)

    def forward(self, x):
        gate, up = self.up[0](x).chunk(2, dim=-1) if self.together else (self.up[0](x), self.up[1](x))
        return self.down(F.silu(gate) * up)


class Model(nn.Module):
    """One block."""

    def __init__(self, norm="by pow", turn="by halves", share="interleaved", shared=SHARED, together=False,
                 fused=False, scale=None):
        super().__init__()
        self.scale = scale
        self.table = nn.Embedding(WORDS, WIDTH)
        self.norms = nn.ModuleList(Norm(NORMS[norm]) for _ in range(3))
        self.attention = Attention(TURNS.get(turn), SHARES.get(share), together, shared, fused)
        self.gated = Gated(together)
        self.head = nn.Linear(WIDTH, WORDS, bias=False)

    def forward(self, x):
        x = self.table(x) * self.scale if self.scale else self.table(x)
        x = x + self.attention(self.norms[0](x))
        x = x + self.gated(self.norms[1](x))
        return self.head(self.norms[2](x))


def model_of(shared=SHARED, fused=None):
    """The layers of a model file that it is."""
    norm = {"kind": "rms_norm", "epsilon": 1e-6}

    def linear(name, outputs, source):
        return {"name": name, "kind": "linear", "outputs": outputs, "bias": False, "input": source}

    return [
        {"name": "table", "kind": "embedding", "vocabulary": WORDS, "features": WIDTH}, dict(norm, name="first"),
        linear("q", WIDTH, "first"), linear("k", shared * EACH, "first"), linear("v", shared * EACH, "first"),
        {"name": "attend", "kind": "attention", "heads": HEADS, "causal": True, "input": ["q", "k", "v"],
         "fused": bool(fused)},
        linear("out", WIDTH, "attend"), {"name": "sum", "kind": "add", "input": ["out", "table"]},
        dict(norm, name="second"), linear("gate", INNER, "second"), {"name": "silu", "kind": "silu"},
        linear("up", INNER, "second"), {"name": "product", "kind": "multiply", "input": ["silu", "up"]},
        linear("down", WIDTH, "product"), {"name": "total", "kind": "add", "input": ["down", "sum"]},
        dict(norm, name="last"), linear("head", WORDS, "last"), {"name": "loss", "kind": "softmax_cross_entropy"}]


def parameters(shared=SHARED):
    return 2 * WORDS * WIDTH + 3 * WIDTH + 2 * WIDTH ** 2 + 2 * WIDTH * shared * EACH + 3 * WIDTH * INNER


class Written(nn.Module):
    """LayerNorm, by hand: `write` says how."""

    def __init__(self, write):
        super().__init__()
        self.write = LAYER_NORMS[write]
        self.weight, self.bias, self.eps = nn.Parameter(torch.ones(8)), nn.Parameter(torch.zeros(8)), 1e-6
        self.head = nn.Linear(8, 5)

    def forward(self, x):
        return self.head(self.write(self, x))


def by_variance(m, x):
    mean, power = x.mean(-1, keepdim=True), x.var(-1, unbiased=False, keepdim=True)
    return (x - mean) / torch.sqrt(power + m.eps) * m.weight + m.bias


def by_squares(m, x):
    away = x - x.mean(-1, keepdim=True)
    return m.weight * (away * torch.rsqrt(away.pow(2).mean(-1, keepdim=True) + m.eps)) + m.bias


def by_deviation(m, x):
    return m.weight * (x - x.mean(-1, keepdim=True)) / (x.std(-1, keepdim=True) + m.eps) + m.bias


LAYER_NORMS = {"by variance": by_variance, "by squares": by_squares, "by deviation": by_deviation}


class Does(nn.Module):
    """What is no norm or no turn: `does` says what."""

    def __init__(self, does):
        super().__init__()
        self.does, self.fc, self.other = OTHERS[does][0], nn.Linear(8, 8), nn.Linear(8, 8)

    def forward(self, x):
        return self.does(self, self.fc(x))


# name: what it does with [6, 8], and the lines that name what is missing
OTHERS = {
    "a norm without a weight": (lambda m, x: m.other(x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6)),
                                "mul: that is no normalization's, in the network itself"),
    "a root of another": (lambda m, x: m.other(x * torch.rsqrt(torch.relu(x).pow(2).mean(-1, keepdim=True) + 1e-6)),
                          "rsqrt: that is no normalization's, in the network itself"),
    "a mean square": (lambda m, x: x.pow(2).mean(-1, keepdim=True),
                      "mean: that is no normalization's, in the network itself"),
    "one product with a table": (lambda m, x: x * torch.rand(6, 8),
                                 "mul: by a number or by something fixed, in the network itself"),
    "a sum of two layers' products": (lambda m, x: x * torch.rand(6, 8) + torch.relu(x) * torch.rand(6, 8),
                                      "mul: by a number or by something fixed, in the network itself"),
    "a third power": (lambda m, x: x.pow(3), "pow, in the network itself"),
}
