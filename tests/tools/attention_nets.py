"""attention_nets.py -- attention written out of matrix products, as people write it, for
tests/tools/test_import_attention.py."""
import math

import torch
import torch.nn.functional as F
from torch import nn


class Norm(nn.Module):
    """By the function."""

    def __init__(self, features):
        super().__init__()
        self.weight, self.bias = nn.Parameter(torch.ones(features)), nn.Parameter(torch.zeros(features))

    def forward(self, x):
        return F.layer_norm(x, self.weight.shape, self.weight, self.bias, 1e-5)


class Block(nn.Module):
    """As in a hand-written GPT: one layer for queries, keys and values, a buffer for the causal mask."""

    def __init__(self, features, heads, positions, dropout, fused):
        super().__init__()
        self.heads, self.rate, self.fused = heads, dropout, fused
        self.ln_1, self.ln_2 = Norm(features), Norm(features)
        self.c_attn = nn.Linear(features, 3 * features)
        self.c_proj = nn.Linear(features, features)
        self.attn_dropout, self.drop_1, self.drop_2 = (nn.Dropout(dropout) for _ in range(3))
        inner = 4 * features
        self.mlp = nn.Sequential(nn.Linear(features, inner), nn.GELU(), nn.Linear(inner, features))
        if not fused:
            self.register_buffer("bias", torch.ones(1, 1, positions, positions).tril())

    def attend(self, x):
        B, T, C = x.size()
        q, k, v = self.c_attn(x).split(C, dim=2)
        k = k.view(B, T, self.heads, C // self.heads).transpose(1, 2)
        q = q.view(B, T, self.heads, C // self.heads).transpose(1, 2)
        v = v.view(B, T, self.heads, C // self.heads).transpose(1, 2)
        if self.fused:
            y = F.scaled_dot_product_attention(q, k, v, attn_mask=None, is_causal=True,
                                               dropout_p=self.rate if self.training else 0)
        else:
            att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
            att = att.masked_fill(self.bias[:, :, :T, :T] == 0, float("-inf"))
            y = self.attn_dropout(F.softmax(att, dim=-1)) @ v
        return self.drop_1(self.c_proj(y.transpose(1, 2).contiguous().view(B, T, C)))

    def forward(self, x):
        x = x + self.attend(self.ln_1(x))
        return x + self.drop_2(self.mlp(self.ln_2(x)))


class GPT(nn.Module):
    def __init__(self, words=40, features=12, heads=3, layers=2, positions=9, dropout=0.1, fused=False):
        super().__init__()
        self.positions = positions
        self.wte, self.wpe = nn.Embedding(words, features), nn.Embedding(positions, features)
        self.drop = nn.Dropout(dropout)
        self.h = nn.ModuleList(Block(features, heads, positions, dropout, fused) for _ in range(layers))
        self.ln_f = Norm(features)
        self.lm_head = nn.Linear(features, words, bias=False)
        self.lm_head.weight = self.wte.weight

    def forward(self, tokens, targets=None):
        b, t = tokens.size()
        assert t <= self.positions, "a longer sequence than there are positions"
        places = torch.arange(0, t, dtype=torch.long, device=tokens.device).unsqueeze(0)
        x = self.drop(self.wte(tokens) + self.wpe(places))
        for block in self.h:
            x = block(x)
        return self.lm_head(self.ln_f(x)), targets


class Encoder(nn.Module):
    """PyTorch's own, which writes positions before samples."""

    def __init__(self):
        super().__init__()
        self.body = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), 2)
        self.head = nn.Linear(8, 5)

    def forward(self, x):
        return self.head(self.body(x))


class Crossed(nn.Module):
    """PyTorch's attention of queries apart from keys and values, which have `wide` features."""

    def __init__(self, wide=None):
        super().__init__()
        self.a, self.b = nn.Linear(8, 8), nn.Linear(8, wide or 8)
        self.attention = nn.MultiheadAttention(8, 2, batch_first=True, kdim=wide, vdim=wide)
        self.head = nn.Linear(8, 5)

    def forward(self, x):
        keys = self.b(x)
        return self.head(self.attention(self.a(x), keys, keys, need_weights=False)[0])


def crossed_wide():
    return Crossed(6)


class OfTwo(nn.Module):
    """A layer for queries, one for keys and values; `more` takes what these make, too: a layer before or behind
    the attention, or another attention, of halves as large."""

    def __init__(self, more=None):
        super().__init__()
        self.more, self.q, self.kv = more, nn.Linear(8, 8), nn.Linear(8, 16)
        self.drop, self.proj, self.rest = nn.Dropout(0.25), nn.Linear(8, 5), nn.Linear(16, 5)
        self.small = nn.Linear(4, 5)

    def forward(self, x):
        q, kv = self.q(x), self.kv(x)
        before = self.rest(kv) if self.more == "before" else None
        k, v = kv.chunk(2, -1)
        y = self.drop((heads(q) @ heads(k).transpose(2, 3) / 2).softmax(-1)) @ heads(v)
        more = self.rest(kv) if self.more == "behind" else before
        if self.more == "halves":
            q, k, v = kv[..., 4:8], kv[..., 8:12], kv[..., 12:]
            more = self.small((q @ k.transpose(1, 2) / 2).softmax(-1) @ v)
        return self.proj(joined(y)) if more is None else self.proj(joined(y)) + more


class Attention(nn.Module):
    """`attend` writes it, with layers for queries, keys and values in one or three; 2 heads of 4 features."""

    def __init__(self, attend, layers=3, **buffers):
        super().__init__()
        self.attend = attend
        self.layers = nn.ModuleList(nn.Linear(8, 24 // layers) for _ in range(layers))
        self.drop, self.soft, self.proj = nn.Dropout(0.25), nn.Softmax(dim=-1), nn.Linear(8, 5)
        for name, value in buffers.items():
            self.register_buffer(name, value)

    def three(self, x):
        return [layer(x) for layer in self.layers]

    def forward(self, x):
        y = self.attend(self, x)
        return (self.proj(y[0]), y[1]) if isinstance(y, tuple) else self.proj(y)


def attention_of(layers, keys):
    """The model file that Attention is."""
    made = [{"name": "part_%d" % i, "kind": "linear", "outputs": 24 // layers, "input": "entry"}
            for i in range(layers)]
    attend = dict({"name": "attend", "kind": "attention", "heads": 2}, **keys)
    if layers > 1:
        attend["input"] = [layer["name"] for layer in made]
    return made + [attend, {"name": "proj", "kind": "linear", "outputs": 5},
                   {"name": "loss", "kind": "softmax_cross_entropy"}]


def heads(x):
    return x.view(x.size(0), -1, 2, 4).transpose(1, 2)


def joined(y):
    return y.transpose(1, 2).flatten(2)


def scores_of(m, x):
    """Scaled, and the values."""
    q, k, v = (heads(t) for t in m.three(x))
    return q @ k.transpose(-1, -2) / 4 ** 0.5, v


def by_permutation(m, x):
    """As BERT does, with a mask of a batch without padding."""
    q, k, v = (t.view(t.size()[:-1] + (2, 4)).permute(0, 2, 1, 3) for t in m.three(x))
    scores = torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(4) + m.mask
    return torch.matmul(m.drop(m.soft(scores)), v).permute(0, 2, 1, 3).contiguous().view(x.size(0), 6, 8)


def by_batches_of_heads(m, x):
    """Positions first, heads beside samples, queries scaled before."""
    x = x.transpose(0, 1)
    q, k, v = (t.contiguous().view(6, x.size(1) * 2, 4).transpose(0, 1) for t in m.three(x))
    scores = torch.bmm(q * 4 ** -0.5, k.transpose(1, 2)).view(x.size(1), 2, 6, 6) + m.mask
    y = torch.bmm(m.drop(torch.softmax(scores, -1)).view(x.size(1) * 2, 6, 6), v)
    return y.transpose(0, 1).contiguous().view(6, x.size(1), 8).transpose(0, 1)


def by_parts(m, x):
    """As vision transformers do: one layer, an axis for what it is; a scale for each of both."""
    q, k, v = m.layers[0](x).reshape(x.size(0), -1, 3, 2, 4).permute(2, 0, 3, 1, 4).unbind(0)
    scores = (q * 4 ** -0.25) @ (k * 4 ** -0.25).transpose(-2, -1)
    scores = torch.where(torch.ones(6, 6, dtype=torch.bool).tril(), scores, -1e9)
    return joined(F.dropout(scores.softmax(-1), 0.25, m.training) @ v)


def by_items(m, x):
    whole = m.layers[0](x).view(x.size(0), -1, 3, 2, 4).transpose(1, 3)
    q, k, v = whole[:, :, 0], whole[:, :, 1], whole[..., 2, :, :]
    scores = (0.5 * torch.matmul(q, k.transpose(3, 2))).masked_fill(m.later, float("-inf"))
    return joined(m.drop(F.softmax(scores, dim=3)).matmul(v))


def of_one_head(m, x):
    """Without an axis for it."""
    q, k, v = torch.chunk(m.layers[0](x), 3, dim=-1)
    return m.drop(((q @ k.transpose(1, 2)).div(8 ** 0.5)).softmax(2)) @ v


def by_slices(m, x):
    whole = m.layers[0](x)
    q, k, v = (heads(whole[:, :, first:first + 8]) for first in (0, 8, 16))
    return joined(F.scaled_dot_product_attention(q, k, v, is_causal=True, dropout_p=0.25))


def of_a_mask(m, x):
    q, k, v = (heads(t) for t in m.three(x))
    return joined(F.scaled_dot_product_attention(q, k, v, attn_mask=m.mask))


def in_another_order(m, x):
    k, q, v = m.layers[0](x).split(8, 2)
    k, q, v = heads(k), heads(q), heads(v)
    return joined(m.drop((q @ k.transpose(-1, -2) / 2).softmax(-1)) @ v)


LATER = torch.ones(6, 6, dtype=torch.bool).triu(1)
ABOVE = torch.full((6, 6), float("-inf")).triu(1)

# name: the network, how many layers make queries, keys and values, and the attention's keys in a model file
TAKEN = {
    "by permutation": (lambda: Attention(by_permutation, mask=torch.zeros(1, 1, 1, 6)), 3, {"dropout": 0.25}),
    "by batches of heads": (lambda: Attention(by_batches_of_heads, mask=ABOVE), 3,
                            {"dropout": 0.25, "causal": True}),
    "by parts": (lambda: Attention(by_parts, 1), 1, {"dropout": 0.25, "causal": True}),
    "by items": (lambda: Attention(by_items, 1, later=LATER.view(1, 1, 6, 6)), 1,
                 {"dropout": 0.25, "causal": True}),
    "of one head": (lambda: Attention(of_one_head, 1), 1, {"dropout": 0.25, "heads": 1}),
    "by slices": (lambda: Attention(by_slices, 1), 1, {"dropout": 0.25, "causal": True, "fused": True}),
    "in another order": (lambda: Attention(in_another_order, 1), 3, {"dropout": 0.25}),
    "keys and values in one": (OfTwo, 3, {"dropout": 0.25}),
    "of a mask": (lambda: Attention(of_a_mask, mask=~LATER), 3, {"causal": True, "fused": True}),
    "of a mask to add": (lambda: Attention(of_a_mask, mask=ABOVE), 3, {"causal": True, "fused": True}),
}


def soft(change):
    """Of scores that `change` changes before the softmax."""
    def attend(m, x):
        scores, v = scores_of(m, x)
        return joined(change(m, scores, x).softmax(-1) @ v)

    return attend


def probable(change):
    """Of probabilities and values that `change` multiplies, or does something else with."""
    def attend(m, x):
        scores, v = scores_of(m, x)
        return change(m, scores.softmax(-1), v)

    return attend


def of_unequal_parts(m, x):
    """Of 8 features each, that begin at 0, 4 and 16."""
    whole = m.layers[0](x)
    q, k, v = (heads(whole[..., first:first + 8]) for first in (0, 4, 16))
    return joined((q @ k.transpose(-1, -2) / 2).softmax(-1) @ v)


def of_another_sample(which):
    """Of which there are as many as heads."""
    def attend(m, x):
        q, k, v = (heads(t) for t in m.three(x))
        k, v = (k.transpose(0, 1), v) if which == "k" else (k, v.transpose(0, 1))
        return joined((q @ k.transpose(-1, -2) / 2).softmax(-1) @ v)

    return attend


def of_shared_keys(m, x):
    q, k, v = m.three(x)
    k = k.view(-1, 6, 2, 4)[:, :, :1].expand(-1, 6, 2, 4).transpose(1, 2)
    return joined((heads(q) @ k.transpose(-1, -2) / 2).softmax(-1) @ heads(v))


def of_positions(m, x):
    """Two groups of three."""
    q, k, v = (t.view(-1, 2, 3, 8) for t in m.three(x))
    return ((q @ k.transpose(-1, -2) / 8 ** 0.5).softmax(-1) @ v).view(-1, 6, 8)


def fused(**how):
    def attend(m, x):
        q, k, v = (heads(t) for t in m.three(x))
        return joined(F.scaled_dot_product_attention(q, k, v, **how))

    return attend


SCALE = "of scores times 1, not 1 / sqrt(4), the features of a head"
TWO = "matmul: of two tensors that depend on the input, which is no attention"
PART = "getitem: of a part of a tensor other than the first position"
MASK = "masked_fill: with a mask that is not "
OTHER = "Dropout: of scores, other than once behind the softmax"

# name: the network, and how the lines begin that name what is missing
REFUSED = {
    "another scale": (soft(lambda m, s, x: s * 2), "softmax: " + SCALE),
    "a scale that is learned": (soft(lambda m, s, x: s * m.layers[0].bias[:6]), TWO,
                                "softmax: that is no attention's"),
    "a mask of a window": (soft(lambda m, s, x: s.masked_fill(LATER | LATER.T.tril(-3), float("-inf"))),
                           MASK + "causal"),
    "a mask of what came before": (soft(lambda m, s, x: s.masked_fill(~LATER, float("-inf"))), MASK + "causal"),
    "a mask for each head": (soft(lambda m, s, x: s.masked_fill(torch.stack([LATER, ~LATER]), -1e9)),
                             MASK + "the same for all heads and samples"),
    "a mask that hides little": (soft(lambda m, s, x: s.masked_fill(LATER, -2.0)),
                                 "masked_fill: of scores with -2, above -10000"),
    "a mask of the input": (soft(lambda m, s, x: s + x[:, :, :1].transpose(1, 2).unsqueeze(1)),
                            "add: of scores and a mask that depends on the input"),
    "a padding mask": (soft(lambda m, s, x: s.masked_fill((x[:, :, 0] > 0).unsqueeze(1).unsqueeze(1), -1e9)),
                       "gt, in the network", "masked_fill: of scores and a mask that depends on the input"),
    "a mask behind the softmax": (probable(lambda m, p, v: joined(p.masked_fill(LATER, -1e9) @ v)),
                                  "masked_fill: of probabilities"),
    "a bias of distances": (soft(lambda m, s, x: s + torch.arange(6.0)),
                            "add: of scores and a mask that is more than zeros and values up to -10000"),
    "a bias that is learned": (soft(lambda m, s, x: s + m.layers[0].bias[:6]),
                               "add: of scores and a mask that is more than"),
    "a bias that begins with zeros": (soft(lambda m, s, x: s + m.zeros),
                                      "add: of scores and a mask that depends on the input or is a parameter"),
    "dropout of scores": (soft(lambda m, s, x: m.drop(s)), OTHER),
    "dropout twice": (probable(lambda m, p, v: joined(m.drop(m.drop(p)) @ v)), OTHER),
    "two softmaxes": (soft(lambda m, s, x: s.softmax(-1)), "softmax: of scores, other than over the keys"),
    "a softmax over queries": (lambda m, x: joined(scores_of(m, x)[0].softmax(-2) @ scores_of(m, x)[1]),
                               "softmax: of scores, other than over the keys"),
    "no softmax": (lambda m, x: joined(scores_of(m, x)[0] @ scores_of(m, x)[1]),
                   "matmul: of scores that are no probabilities"),
    "scores that are bounded": (soft(lambda m, s, x: torch.tanh(s)), TWO, "softmax: that is no attention's"),
    "probabilities times a number": (probable(lambda m, p, v: joined((p * 2) @ v)),
                                     "matmul: of scores that are no probabilities"),
    "probabilities of two": (probable(lambda m, p, v: joined(p @ v) + joined(p @ v)),
                             "matmul: of scores that something else has taken"),
    "probabilities that are bounded": (probable(lambda m, p, v: joined(torch.relu(p) @ v)), TWO),
    "probabilities that come out": (probable(lambda m, p, v: (joined(p @ v), p)), TWO),
    "values times a number": (probable(lambda m, p, v: joined(p @ (v * 2))), TWO),
    "a product of features": (lambda m, x: joined(heads(x) @ (heads(x).transpose(2, 3) @ heads(x))), TWO),
    "keys of another sample": (of_another_sample("k"), TWO),
    "values of another sample": (of_another_sample("v"), TWO),
    "parts that are not equal": (of_unequal_parts, "matmul: of queries, keys and values that are not"),
    "heads out of positions": (of_positions, TWO),
    "keys that heads share": (of_shared_keys,
                              "matmul: of keys and values that have different numbers of heads"),
    "a part of the queries": (
        lambda m, x: (m.layers[0](x)[:, 1:3] @ x.transpose(1, 2) / 8 ** 0.5).softmax(-1) @ x, TWO),
    "every other position": (lambda m, x: x[:, ::2], PART),
    "one kernel, another scale": (fused(scale=1.0), "scaled_dot_product_attention: " + SCALE),
    "one kernel, a window": (fused(attn_mask=LATER),
                             "scaled_dot_product_attention: with a mask that is not causal"),
}
ONE_LAYER = ("parts that are not equal",)


def taken(name):
    return TAKEN[name][0]()


def refused(name):
    made = Attention(REFUSED[name][0], 1 if name in ONE_LAYER else 3)
    made.zeros = nn.Parameter(torch.zeros(6, 6))
    return made
