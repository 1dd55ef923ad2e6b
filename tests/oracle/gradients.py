#!/usr/bin/env python3
"""gradients.py -- what becomes of gradients between backward and update, for test_op_gradient_oracle.c:
sums and casts, compressions with error feedback, lists of rows.

    tests/oracle/gradients.py            writes gradients.json beside this file
    tests/oracle/gradients.py --check    computes them again and compares; 77: no PyTorch here

All is PyTorch's, in the precision that it is about; nothing of dtsim is used. Error feedback is written
down here, from tensor.to() and torch.topk. Numbers come from counters, as in operations.py, and results are
bits in hexadecimal: they have to be the same, but that any NaN is like any other.
"""
import json
import os
import struct
import sys

from operations import differences, reals, torch, verdict, word

F = torch.nn.functional
FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "gradients.json")
OUT, X, TOKENS, DY, STEPS = 0, 1, 70, 80, 300  # streams; a batch is TOKENS + i, a step STEPS + t
COUNT, FACTOR, FLOAT_MAX = 257, 0.3, struct.unpack("f", struct.pack("I", 0x7F7FFFFF))[0]
HALVES = {"bf16": torch.bfloat16, "fp16": torch.float16}
INTEGERS = {2: torch.int16, 4: torch.int32, 8: torch.int64}

ENDS = [0.0, -0.0, float("inf"), -float("inf"), float("nan"), 2.0 ** -149, 2.0 ** -24, -2.0 ** -25, 65504.0,
        65520 - 2.0 ** -8, 65520.0, FLOAT_MAX]
RESTS = [0, 0x7FFF, 0x8000, 0x8001]


def odd_float(stream, i):
    """As in tests/odd_values.h."""
    bits = word(stream, i)
    fp16 = (bits & 0x80000000) | ((100 << 23) + bits % (45 << 23))
    if i < len(ENDS):
        return ENDS[(i + stream) % len(ENDS)]
    if i % 4 == 1:
        return (bits >> 8) * 2.0 ** -22 - 2
    odd = [bits, 0, bits & 0xFFFF0000 | RESTS[bits % 4], fp16 & ~0x1FFF | RESTS[bits % 4] >> 3][i % 4]
    return struct.unpack("f", struct.pack("I", odd))[0]


def floats(stream, count):
    return torch.tensor([odd_float(stream, i) for i in range(count)], dtype=torch.float32)


def doubles(stream, count):
    return torch.tensor([odd_float(stream, i) * 2.0 ** (i % 300) for i in range(count)], dtype=torch.float64)


def halves(stream, count, half):
    bits = [(word(stream, i) & 0xFFFF ^ 0x8000) - 0x8000 for i in range(count)]
    return torch.tensor(bits, dtype=torch.int16).view(half)


def bits_of(tensor):
    """A word for each value."""
    size = tensor.element_size()
    integers = (tensor if tensor.dtype in INTEGERS.values() else tensor.view(INTEGERS[size])).tolist()
    nans = torch.isnan(tensor).tolist()
    return " ".join("nan" if nan else "%0*x" % (2 * size, i & (1 << 8 * size) - 1) for i, nan in zip(integers, nans))


# what PyTorch computes for each row of dts_reductions[], from n values
REDUCTIONS = {
    "add": lambda n, half: floats(OUT, n) + floats(X, n),
    "add_doubles": lambda n, half: doubles(OUT, n) + doubles(X, n),
    "add_half": lambda n, half: halves(OUT, n, half) + halves(X, n, half),
    "add_widened": lambda n, half: floats(OUT, n) + halves(X, n, half).float(),
    "scale": lambda n, half: floats(OUT, n) * torch.full([n], FACTOR),
    "finite": lambda n, half: torch.isfinite(floats(X, n)).all().to(torch.int32).reshape(1),
    "narrow": lambda n, half: floats(X, n).to(half),
    "widen": lambda n, half: halves(X, n, half).float(),
    "round": lambda n, half: floats(X, n).to(half).float(),
}
OF_HALVES = ["add_half", "add_widened", "narrow", "widen", "round"]

# `finite` is asked of one value, too, which is
CALLS = [dict(row=row, half=half, count=count) for row in REDUCTIONS
         for half in (HALVES if row in OF_HALVES else ["none"]) for count in ([1, COUNT] if row == "finite" else [COUNT])]

# whole: gradients are whole numbers, many of the same size
COMPRESSIONS = [
    dict(name="bf16", count=37, share=1, scale=1, whole=False),
    dict(name="fp16", count=37, share=1, scale=1, whole=False),
    dict(name="fp16", count=37, share=1, scale=40000, whole=False),  # beyond fp16
    dict(name="top_k", count=37, share=0.2, scale=1, whole=False),
    dict(name="top_k", count=301, share=0.001, scale=1, whole=False),  # at least one
    dict(name="top_k", count=61, share=0.3, scale=1, whole=True),
    dict(name="top_k", count=5, share=1, scale=1, whole=False),
]

LISTS = [
    dict(tokens=29, vocabulary=13, features=5),
    dict(tokens=7, vocabulary=1000, features=3),
    dict(tokens=40, vocabulary=2, features=4),
]


def to_half(half, most):
    def send(case, e):
        said = e.clamp(-most, most).to(half)
        return bits_of(said), said.float()
    return send


def to_largest(case, e):
    k = max(1, round(case["share"] * case["count"]))
    if case["whole"]:  # the first among equals
        chosen = torch.sort(e.abs(), descending=True, stable=True).indices[:k]
    else:
        size, chosen = torch.topk(e.abs(), k)
        if k < case["count"] and torch.topk(e.abs(), k + 1).values[k] == size[k - 1]:
            raise SystemExit("top_k of %d: equals" % case["count"])
    chosen = chosen.sort().values
    said = torch.zeros_like(e)
    said[chosen] = e[chosen]
    return bits_of(chosen.to(torch.int32)) + " " + bits_of(e[chosen]), said


SENDERS = {
    "bf16": to_half(torch.bfloat16, float("inf")),
    "fp16": to_half(torch.float16, 65504),
    "top_k": to_largest,
}


def exchange(case):
    """Messages of several steps, the sum of what they say, and what is left."""
    e, total, messages = torch.zeros(case["count"]), torch.zeros(case["count"]), []
    for t in range(5):
        g = reals(STEPS + t, [case["count"]]) * case["scale"]
        e = e + (g.round() if case["whole"] else g).float()
        message, said = SENDERS[case["name"]](case, e)
        messages.append(message)
        total = total + said
        e = e - said
    return dict(case, messages=messages, sum=bits_of(total), left=bits_of(e))


def list_of(gradient):
    gradient = gradient.coalesce()
    return dict(rows=bits_of(gradient.indices().flatten().to(torch.int32)), values=bits_of(gradient.values().flatten()))


def lists(case):
    """Those of two batches, and both merged. Values are of few bits, so that no sum of them is rounded."""
    weight = torch.zeros([case["vocabulary"], case["features"]], requires_grad=True)
    gradients = []
    for i in range(2):
        tokens = torch.tensor([word(TOKENS + i, t) % case["vocabulary"] for t in range(case["tokens"])])
        dy = (reals(DY + i, [case["tokens"], case["features"]]) * 64).round().float()
        F.embedding(tokens, weight, sparse=True).backward(dy)
        gradients.append(weight.grad)
        weight.grad = None
    return dict(case, batches=[list_of(g) for g in gradients], merged=list_of(gradients[0] + gradients[1]))


def main():
    torch.set_num_threads(1)
    document = {
        "reductions": [dict(call, out=bits_of(REDUCTIONS[call["row"]](call["count"], HALVES.get(call["half"]))))
                       for call in CALLS],
        "compressions": [exchange(case) for case in COMPRESSIONS],
        "lists": [lists(case) for case in LISTS],
    }
    if sys.argv[1:] == ["--check"]:
        with open(FILE) as stored:
            want = json.load(stored)
        want.pop("source")
        return verdict(list(differences(document, want, "gradients")),
                       "ok   sums, casts, messages and lists are as PyTorch %s has them" % torch.__version__)
    with open(FILE, "w") as out:
        out.write('{\n"source": "PyTorch %s, by tests/oracle/gradients.py"' % torch.__version__)
        for key, cases in document.items():
            out.write(',\n"%s": [\n' % key)
            out.write(",\n".join(json.dumps(case, separators=(",", ":")) for case in cases))
            out.write("\n]")
        out.write("\n}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
