"""test_import_attention.py -- attention that is written out of matrix products, through tools/import_torch.py,
against our own models (import_check.py has what is called how)."""
import json
import os
import sys

try:
    import torch
    import torch.nn.functional as F
except ImportError as error:
    print("SKIPPED: %s (Debian: python3-torch)" % error)
    sys.exit(77)

import import_check
from import_check import HERE, ROOT, check, compare, describe, own, run_import


def one_kernel(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None):
    """Has the arguments and the shape of PyTorch's, which is there since 2.0."""
    if torch.overrides.has_torch_function((query, key, value)):
        return torch.overrides.handle_torch_function(
            one_kernel, (query, key, value), query, key, value, attn_mask=attn_mask, dropout_p=dropout_p,
            is_causal=is_causal, scale=scale)
    return query @ key.transpose(-1, -2) @ value


if not hasattr(F, "scaled_dot_product_attention"):
    one_kernel.__name__ = "scaled_dot_product_attention"
    F.scaled_dot_product_attention = one_kernel

import attention_nets

SOURCE = os.path.join(HERE, "attention_nets.py") + ":"
GPT2 = {"words": 50257, "features": 768, "heads": 12, "layers": 12, "positions": 1024}


def brought(folder, made, sizes, **settings):
    """What `describe` tells of a network; None: it was not imported."""
    path, status, said = run_import(folder, SOURCE + made, sizes, "--set", json.dumps(settings))
    return describe(path) if check(status == 0, "%s %s: %s" % (made, settings, said)) else None


def a_gpt_as_people_write_it_is_ours(folder):
    got = brought(folder, "GPT", "1024", **GPT2)
    if got:
        compare("gpt2", got, describe(os.path.join(ROOT, "models", "gpt2.json")))


def a_fused_one_is_fused(folder):
    """And nothing else is: its parameters are the same, its operations and what it keeps are not."""
    plain, fused = brought(folder, "GPT", "9"), brought(folder, "GPT", "9", fused=True)
    if plain and fused:
        for got, kind in ((plain, "plain"), (fused, "fused")):
            keys = {"causal": True, "dropout": 0.1, "fused": kind == "fused", "heads": 3}
            want = own(folder, [{"name": "qkv", "kind": "linear", "outputs": 36}, dict(keys, kind="attention")],
                       12, 9)
            line = [line for line in want[1] if line.startswith("attention")]
            check([l for l in got[1] if l.startswith("attention")] == 2 * line, "%s: %s" % (kind, got[1]))
        check(plain[0][0].split()[:2] == fused[0][0].split()[:2], "%s %s" % (plain[0], fused[0]))


def ways_to_write_it_are_one_layer(folder):
    for name, (_, layers, keys) in attention_nets.TAKEN.items():
        got = brought(folder, "taken", "6,8", name=name)
        if got:
            compare(name, got, own(folder, attention_nets.attention_of(layers, keys)))


def what_is_not_quite_one_is_named(folder):
    """With what it is that differs, and nothing else is."""
    for name, (_, *words) in attention_nets.REFUSED.items():
        try:
            path, status, said = run_import(folder, SOURCE + "refused", "6,8", "--set",
                                            json.dumps({"name": name}))
        except Exception as error:
            check(False, "%s: a traceback: %r" % (name, error))
            continue
        first, *lines = said.splitlines()
        check(status == 2 and first.endswith("dtsim has no layer for:") and len(lines) == len(words) and
              all(line.startswith("    " + word) for line, word in zip(lines, words)),
              "%s: %d %s" % (name, status, said))
        check(not os.path.exists(path), "%s: something is written" % name)


def parts_of_a_layer_are_nobody_else_s(folder):
    for more, word in (("before", "matmul: of parts of a layer that something else takes, too"),
                       ("halves", "matmul: of parts of a layer that something else takes, too"),
                       ("behind", "Linear: of all features of what an attention takes parts of")):
        path, status, said = run_import(folder, SOURCE + "OfTwo", "6,8", "--set", json.dumps({"more": more}))
        check(status == 2 and len(said.splitlines()) == 2 and word in said, "%s: %d %s" % (more, status, said))


def what_sizes_forbid_is_told(folder):
    """An assert of the network's own on the shape of its input."""
    path, status, said = run_import(folder, SOURCE + "GPT", "10")
    check(status == 2 and "AssertionError: a longer sequence than there are positions" in said, said)


torch.set_num_threads(1)
sys.exit(import_check.run(a_gpt_as_people_write_it_is_ours, a_fused_one_is_fused,
                          ways_to_write_it_are_one_layer, what_is_not_quite_one_is_named,
                          parts_of_a_layer_are_nobody_else_s, what_sizes_forbid_is_told))
