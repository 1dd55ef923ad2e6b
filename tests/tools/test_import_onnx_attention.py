"""test_import_onnx_attention.py -- attention in ONNX files that PyTorch wrote, through tools/import_torch.py,
against our own models (import_check.py has what is called how)."""
import os
import sys

try:
    import onnx
    import torch
except ImportError as error:
    print("SKIPPED: %s (Debian: python3-onnx python3-torch)" % error)
    sys.exit(77)

import attention_nets
import import_check
from attention_nets import attention_of
from import_check import check, compare, describe, own, run_import
from onnx_graphs import export, graph, node

MATMUL = "MatMul: of two tensors that depend on the input, which is no attention"
SCORES = "of scores, other than once behind the softmax"
# name in attention_nets.REFUSED: how the lines begin
REFUSED = {
    "another scale": ("Softmax: of scores times 1, not 1 / sqrt(4), the features of a head",),
    "a mask of a window": ("Where: with a mask that is not causal",),
    "a mask that hides little": ("Where: of scores with -2, above -10000",),
    "a bias of distances": ("Add: of scores and a mask that is more than zeros and values up to -10000",),
    "dropout of scores": ("Dropout: " + SCORES,),
    "no softmax": ("MatMul: of scores that are no probabilities",),
    "a softmax over queries": ("Softmax: of scores, other than over the keys",),
    "parts that are not equal": ("MatMul: of queries, keys and values that are not",),
    "keys of another sample": (MATMUL,),
}


def ways_to_write_it_are_one_layer(folder):
    for name, (make, layers, keys) in attention_nets.TAKEN.items():
        if keys.get("fused"):
            continue
        path, status, said = run_import(folder, export(folder, make(), [6, 8]), None)
        if check(status == 0, "%s: %s" % (name, said)):
            compare(name, describe(path), own(folder, attention_of(layers, keys)))
        noted = "is taken for a mask of zeros that is not learned" in said
        check(noted == (name == "by permutation"), "%s: note of its mask: %s" % (name, said))


def networks_are_what_torch_fx_finds(folder):
    for name, sizes, dtype in (("GPT", [9], torch.int64), ("Encoder", [6, 8], torch.float32),
                               ("Crossed", [6, 8], torch.float32), ("crossed_wide", [6, 8], torch.float32)):
        source = os.path.join(import_check.HERE, "attention_nets.py") + ":" + name
        path, status, said = run_import(folder, source, ",".join(str(size) for size in sizes))
        want = describe(path) if check(status == 0, said) else None
        made = getattr(attention_nets, name)()
        values = ", %s parameters" % format(sum(p.numel() for p in made.parameters()), ",")
        check(values in said, "%s: not%s: %s" % (name, values, said))
        path, status, said = run_import(folder, export(folder, made, sizes, dtype), None)
        check(values in said, "%s in a file: not%s: %s" % (name, values, said))
        if check(status == 0, said) and want:
            compare(name, describe(path), want)


def what_is_not_quite_one_is_named(folder):
    for name, words in REFUSED.items():
        file = export(folder, attention_nets.refused(name), [6, 8])
        path, status, said = run_import(folder, file, None)
        first, *lines = said.splitlines()
        check(status == 2 and first.endswith("dtsim has no layer for:") and len(lines) == len(words) and
              all(line.startswith("    " + word) for line, word in zip(lines, words)),
              "%s: %d %s" % (name, status, said))
        check(not os.path.exists(path), "%s: something is written" % name)


def rows_belong_to_one_layer(folder):
    """Of a stored matrix: two layers may have different ones, and no more."""
    for rows, good in ((((0, 4), (4, 8)), True), (((0, 5), (3, 8)), False), (((0, 8), (0, 8)), False)):
        nodes, stored = [], [("w", onnx.TensorProto.FLOAT, [8, 8], [0.5] * 64)]
        for i, (first, last) in enumerate(rows):
            for name, at in (("from_%d" % i, first), ("to_%d" % i, last)):
                stored.append((name, onnx.TensorProto.INT64, [1], [at]))
            nodes += [node("Slice", "w from_%d to_%d" % (i, i), "rows_%d" % i),
                      node("Transpose", "rows_%d" % i, "turned_%d" % i, perm=[1, 0]),
                      node("MatMul", "x turned_%d" % i, "y_%d" % i)]
        nodes.append(node("Add", "y_0 y_1", "y"))
        file = os.path.join(folder, "rows.onnx")
        onnx.save(graph(nodes, (2, 6, 8), stored), file)
        path, status, said = run_import(folder, file, None)
        if good and check(status == 0, said):
            check(", 64 parameters" in said, said)
        elif not good:
            check(status == 2 and "MatMul: a weight or bias that is shared" in said, "%s: %s" % (rows, said))


def by_operators(version):
    """One head of 8 features, with a Softmax that does not say its axis."""
    model = graph([node("Split", "x", "q k v", axis=2), node("Transpose", "k", "turned", perm=[0, 2, 1]),
                   node("MatMul", "q turned", "product"), node("Div", "product root", "s"),
                   node("Softmax", "s", "p"), node("MatMul", "p v", "y")],
                  (2, 6, 24), [("root", onnx.TensorProto.FLOAT, [], [8 ** 0.5])])
    model.opset_import[0].version = version
    return model


def an_axis_that_is_not_said_is_its_version_s(folder):
    """The last one, from operators 13 on; the first behind the samples before."""
    file = os.path.join(folder, "made.onnx")
    for version in (13, 11):
        onnx.save(by_operators(version), file)
        path, status, said = run_import(folder, file, None)
        if version < 13:
            check(status == 2 and "Softmax: of scores, other than over the keys" in said, said)
        elif check(status == 0, said):
            check(describe(path)[1][0].startswith("attention 6 x 8 parameters 0 "), "%s" % (describe(path),))


torch.set_num_threads(1)
sys.exit(import_check.run(ways_to_write_it_are_one_layer, networks_are_what_torch_fx_finds,
                          what_is_not_quite_one_is_named, rows_belong_to_one_layer,
                          an_axis_that_is_not_said_is_its_version_s))
