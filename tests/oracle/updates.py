#!/usr/bin/env python3
"""updates.py -- weights after steps of every optimizer, for test_op_update_oracle.c.

    tests/oracle/updates.py            writes updates.json beside this file
    tests/oracle/updates.py --check    computes them again and compares; 77: no PyTorch here

What PyTorch has (SGD with all its kinds of momentum, RMSprop, Adam, AdamW) is PyTorch's, in float64.
LARC is apex's wrapper around PyTorch's SGD. LARS, LAMB and NovoGrad are written down here from the
papers' algorithms, in Python's own numbers. Nothing of dtsim is used. Weights and gradients come from
counters, as in operations.py; of a large tensor every n-th weight is kept.

Epsilons are large, so that it shows where they are added, and rates change from step to step, so
that it shows whether momentum gathers them.
"""
import json
import math
import os
import sys

from operations import differences, plain, reals, torch, verdict

FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "updates.json")
WEIGHTS, GRADIENTS, STEP = 200, 300, 16  # streams: tensor i is WEIGHTS + i; GRADIENTS + STEP t + i

RATES = [0.1, 0.05, 0.005, 0.02, 0.07]  # LARC's local rates, about 0.02, lie between

# zero: all weights are zero at first. still: steps, from 0 on, in which all gradients are zero.
# apart: a bias or of a normalization, which rules by norms leave to the plain rate without decay.
TENSORS = [
    dict(count=1, every=1, zero=False, apart=False, still=[]),
    dict(count=3, every=1, zero=False, apart=False, still=[1]),
    dict(count=7, every=1, zero=True, apart=False, still=[]),
    dict(count=5, every=1, zero=False, apart=False, still=[0, 3]),
    dict(count=9, every=1, zero=False, apart=True, still=[]),
    dict(count=11, every=1, zero=True, apart=False, still=[0, 1]),
    dict(count=9001, every=331, zero=False, apart=False, still=[]),
]

RULES = [
    dict(rule="sgd", decay=0.1),
    dict(rule="momentum", decay=0.1, momentum=0.7),
    dict(rule="nesterov", decay=0.1, momentum=0.7),
    dict(rule="rmsprop", decay=0.1, momentum=0.6, beta2=0.9, epsilon=0.02),
    dict(rule="adam", decay=0.1, beta1=0.8, beta2=0.95, epsilon=0.02),
    dict(rule="adamw", decay=0.1, beta1=0.8, beta2=0.95, epsilon=0.02),
    dict(rule="lars", decay=0.1, momentum=0.7, trust=0.02),
    dict(rule="larc", decay=0.1, momentum=0.7, trust=0.02, epsilon=0.05),
    dict(rule="lamb", decay=0.1, beta1=0.8, beta2=0.95, epsilon=0.02, trust=1.0),
    dict(rule="novograd", decay=0.1, beta1=0.8, beta2=0.9, epsilon=0.02),
]


def norm(values):
    return math.sqrt(math.fsum(v * v for v in values))


def of_pytorch(make):
    """Steps of an optimizer of torch.optim."""
    def steps(rule, tensor, w, gradients):
        optimizer = make(rule, [w])
        for rate, g in zip(RATES, gradients):
            optimizer.param_groups[0]["lr"] = rate
            w.grad = g.clone()
            optimizer.step()
            yield w.clone()
    return steps


def larc(rule, tensor, w, gradients):
    """apex/parallel/LARC.py: scales the gradient, then lets the optimizer that it wraps step."""
    sgd = torch.optim.SGD([w], lr=RATES[0], momentum=rule["momentum"])
    for rate, g in zip(RATES, gradients):
        sgd.param_groups[0]["lr"] = rate
        w.grad = g.clone()
        if not tensor["apart"]:
            param_norm, grad_norm = torch.norm(w), torch.norm(w.grad)
            if param_norm != 0 and grad_norm != 0:
                adaptive_lr = rule["trust"] * param_norm / (
                    grad_norm + param_norm * rule["decay"] + rule["epsilon"])
                adaptive_lr = min(adaptive_lr / rate, 1)
                w.grad += rule["decay"] * w
                w.grad *= adaptive_lr
        sgd.step()
        yield w.clone()


def lars(rule, tensor, w, gradients):
    """You, Gitman and Ginsburg 2017, arXiv:1708.03888, algorithm 1; where a norm is zero, and for what
    is apart, the local rate is 1 (Google's LARSOptimizer)."""
    w, v = w.tolist(), [0.0] * len(w)
    decay = 0.0 if tensor["apart"] else rule["decay"]
    for gamma, g in zip(RATES, (g.tolist() for g in gradients)):
        local = 1.0
        if norm(w) > 0 and norm(g) > 0 and not tensor["apart"]:
            local = rule["trust"] * norm(w) / (norm(g) + decay * norm(w))
        for i in range(len(w)):
            v[i] = rule["momentum"] * v[i] + gamma * local * (g[i] + decay * w[i])
        w = [a - b for a, b in zip(w, v)]
        yield torch.tensor(w, dtype=torch.float64)


def lamb(rule, tensor, w, gradients):
    """You et al. 2020, arXiv:1904.00962, algorithm 2, with phi(z) = z; the ratio is 1 where a norm is
    zero (google-research's LAMB)."""
    w = w.tolist()
    m, v = [0.0] * len(w), [0.0] * len(w)
    decay = 0.0 if tensor["apart"] else rule["decay"]
    beta1, beta2 = rule["beta1"], rule["beta2"]
    for t, g in enumerate((g.tolist() for g in gradients), 1):
        m = [beta1 * a + (1 - beta1) * b for a, b in zip(m, g)]
        v = [beta2 * a + (1 - beta2) * b * b for a, b in zip(v, g)]
        right = [a / (1 - beta1 ** t) for a in m]
        square = [a / (1 - beta2 ** t) for a in v]
        r = [a / (math.sqrt(b) + rule["epsilon"]) for a, b in zip(right, square)]
        change = [a + decay * b for a, b in zip(r, w)]
        ratio = 1.0
        if not tensor["apart"] and norm(w) > 0 and norm(change) > 0:
            ratio = norm(w) / norm(change)
        w = [a - RATES[t - 1] * ratio * b for a, b in zip(w, change)]
        yield torch.tensor(w, dtype=torch.float64)


def novograd(rule, tensor, w, gradients):
    """Ginsburg et al. 2019, arXiv:1905.11286, algorithm 1: v and m begin with the first gradient's."""
    w, v, m = w.tolist(), None, None
    for rate, g in zip(RATES, (g.tolist() for g in gradients)):
        v = norm(g) ** 2 if v is None else rule["beta2"] * v + (1 - rule["beta2"]) * norm(g) ** 2
        scaled = [a / (math.sqrt(v) + rule["epsilon"]) + rule["decay"] * b for a, b in zip(g, w)]
        m = scaled if m is None else [rule["beta1"] * a + b for a, b in zip(m, scaled)]
        w = [a - rate * b for a, b in zip(w, m)]
        yield torch.tensor(w, dtype=torch.float64)


def sgd(**more):
    return of_pytorch(lambda r, w: torch.optim.SGD(
        w, lr=1, momentum=r.get("momentum", 0), weight_decay=r["decay"], **more))


def adam(kind):
    return of_pytorch(lambda r, w: kind(
        w, betas=(r["beta1"], r["beta2"]), eps=r["epsilon"], weight_decay=r["decay"]))


STEPS = {
    "sgd": sgd(),
    "momentum": sgd(),
    "nesterov": sgd(nesterov=True),
    "rmsprop": of_pytorch(lambda r, w: torch.optim.RMSprop(
        w, alpha=r["beta2"], eps=r["epsilon"], momentum=r["momentum"], weight_decay=r["decay"])),
    "adam": adam(torch.optim.Adam),
    "adamw": adam(torch.optim.AdamW),
    "lars": lars,
    "larc": larc,
    "lamb": lamb,
    "novograd": novograd,
}


def answer(rule):
    """For each tensor and step the weights that are kept."""
    result = []
    for i, tensor in enumerate(TENSORS):
        shape = [tensor["count"]]
        w = torch.zeros(shape, dtype=torch.float64) if tensor["zero"] else reals(WEIGHTS + i, shape)
        gradients = [reals(GRADIENTS + STEP * t + i, shape) * (t not in tensor["still"])
                     for t in range(len(RATES))]
        steps = STEPS[rule["rule"]](rule, tensor, w, gradients)
        result.append([after[::tensor["every"]] for after in steps])
    return result


def main():
    torch.set_num_threads(1)
    rules = [dict(rule, w=plain(answer(rule))) for rule in RULES]
    document = {"rates": RATES, "tensors": TENSORS, "rules": rules}
    if sys.argv[1:] == ["--check"]:
        with open(FILE) as stored:
            want = json.load(stored)
        want.pop("source")
        found = list(differences(document, want, "updates"))
        return verdict(found, "ok   %d rules are as here and as PyTorch %s has them"
                       % (len(rules), torch.__version__))
    with open(FILE, "w") as out:
        out.write('{\n"source": "PyTorch %s in float64, and papers, by tests/oracle/updates.py",\n'
                  % torch.__version__)
        out.write('"rates": %s,\n"tensors": [\n' % json.dumps(RATES))
        out.write(",\n".join(json.dumps(tensor) for tensor in TENSORS))
        out.write('\n],\n"rules": [\n')
        out.write(",\n".join(json.dumps(rule, separators=(",", ":")) for rule in rules))
        out.write("\n]\n}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
