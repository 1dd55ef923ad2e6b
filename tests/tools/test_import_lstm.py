"""test_import_lstm.py -- ONNX's LSTM through tools/import_torch.py: what PyTorch exports against what
torch.fx finds in the same network, and what dtsim's lstm is not (import_check.py has what is called how)."""
import json
import os
import sys
import warnings

try:
    import onnx
    import torch
except ImportError as error:
    print("SKIPPED: %s (Debian: python3-onnx python3-torch)" % error)
    sys.exit(77)

import import_check
from import_check import HERE, check, compare, describe, run_import

import onnx_nets
from import_network import product
from onnx_graphs import export, graph, node

NAMED_BATCH = {"input_names": ["x"], "dynamic_axes": {"x": {0: "batch"}}}
EXPORTS = ({}, NAMED_BATCH, {"do_constant_folding": True}, {"export_params": False})
FEATURES, OUTPUTS = 3, 2


def exported_ones_are_what_torch_fx_finds(folder):
    """Of one layer and of several, with the batch first and second, with weights and without."""
    source = os.path.join(HERE, "onnx_nets.py") + ":Recurrent"
    for layers in (1, 3):
        path, status, said = run_import(folder, source, "9", "--set", json.dumps({"layers": layers}))
        if not check(status == 0, "by torch.fx: %s" % said):
            continue
        want = describe(path)
        for make, batch_first in ((onnx_nets.Recurrent, True), (onnx_nets.Turned, False)):
            for settings in EXPORTS:
                file = export(folder, make(layers, batch_first), [9], torch.int64, **settings)
                path, status, said = run_import(folder, file, None)
                what = "%s, %d layers, %s" % (make.__name__, layers, settings)
                if check(status == 0, "%s: %s" % (what, said)):
                    compare(what, describe(path), want)
    file = export(folder, onnx_nets.Begun(0.0), [9], torch.int64)
    path, status, said = run_import(folder, file, None)
    check(status == 0, "from zeros: %s" % said)


def sizes_have_no_limit_where_values_have(folder):
    """Weights and states of more values than are worked out of constants."""
    module = onnx_nets.Recurrent(2, features=1100)
    file = export(folder, module, [9], torch.int64, **NAMED_BATCH)
    path, status, said = run_import(folder, file, None)
    if check(status == 0, said):
        count = sum(p.numel() for p in module.parameters())
        check(describe(path)[0][0].startswith("parameters %d " % count), "%s" % describe(path)[0])


def exported_ones_that_are_others_are_named(folder):
    for make, words in (
            (onnx_nets.Recurrent(batch_first=False),
             "LSTM: along the samples (batch_first=False), in /lstm/LSTM"),
            (onnx_nets.Begun(0.5), "LSTM: from a state other than zeros, in /lstm/LSTM"),
            (onnx_nets.Last(), "Squeeze: that takes the second output of another, in /Squeeze")):
        file = export(folder, make, [9], torch.int64)
        named(folder, file, words)


def named(folder, file, words):
    path, status, said = run_import(folder, file, None)
    check(status == 2 and said == "import_torch.py: %s: dtsim has no layer for:\n    %s\n" % (file, words),
          "%s: %d %s" % (words, status, said))
    check(not os.path.exists(path), "%s: something is written" % words)


def lstm(inputs="x w r b", before=(), **attributes):
    """An LSTM over 5 positions of 3 features."""
    attributes.setdefault("layout", 1)
    attributes.setdefault("hidden_size", OUTPUTS)
    sizes = {"w": [1, 4 * OUTPUTS, FEATURES], "r": [1, 4 * OUTPUTS, OUTPUTS], "b": [1, 8 * OUTPUTS],
             "h": [1, 2, OUTPUTS], "p": [1, 3 * OUTPUTS], "v": [1, 4 * OUTPUTS, OUTPUTS + 2],
             "m": [4 * OUTPUTS, FEATURES]}
    weights = [(name, 1, shape, [0.5] * product(shape)) for name, shape in sizes.items()]
    numbers = {"direction": [2 if attributes["layout"] else 1], "lengths": [5, 4], "begin": [0],
               "half": [OUTPUTS * 2], "end": [OUTPUTS * 4]}
    weights += [(name, onnx.TensorProto.INT64, [len(values)], values) for name, values in numbers.items()]
    nodes = [node("LSTM", inputs, "a", name="here", **attributes), node("Squeeze", "a direction", "y")]
    return graph(list(before) + nodes, (2, 5, FEATURES), weights)


def cut(first, last):
    """The weights put together from these halves of the gates."""
    return [node("Slice", "m begin half begin", "upper"), node("Slice", "m half end begin", "lower"),
            node("Concat", "%s %s" % (first, last), "all", axis=0), node("Unsqueeze", "all begin", "c")]


TAKEN = (lstm(), lstm(direction="forward", activations=["Sigmoid", "Tanh", "Tanh"], input_forget=0),
         lstm("x c r b", cut("lower", "upper")), lstm("x c r b", [node("Add", "w w", "c")]))
REFUSED = (
    (lstm(direction="reverse"), "direction reverse"),
    (lstm(direction="bidirectional"), "direction bidirectional"),
    (lstm(activations=["Sigmoid", "Relu", "Tanh"]), "activations ['Sigmoid', 'Relu', 'Tanh']"),
    (lstm(clip=3.0), "clip 3.0"),
    (lstm(input_forget=1), "input_forget 1"),
    (lstm("x w r"), "without biases"),
    (lstm("x w r b lengths"), "with lengths of sequences"),
    (lstm("x w r b - h"), "from a state other than zeros"),
    (lstm("x w r b - - h"), "from a state other than zeros"),
    (lstm("x w r b - - - p"), "with peepholes"),
    (lstm(layout=0), "along the samples (batch_first=False)"),
    (lstm("x v r b"), "with weights of another shape"),
    (lstm("x w v b"), "with weights of another shape"),
    (lstm(hidden_size=3), "with weights of another shape"),
    (lstm("x c r b", cut("upper", "upper")), "with weights that are computed"),
    (lstm("x c r b", cut("lower", "lower")), "with weights that are computed"),
    (lstm("x x r b"), "with weights that depend on the input"),
)


def files_of_others_are_held_to_what_lstm_is(folder):
    file = os.path.join(folder, "other.onnx")
    for model in TAKEN:
        onnx.save(model, file)
        path, status, said = run_import(folder, file, None)
        if check(status == 0, said):
            check("lstm 5 x 2 parameters 56 " in "\n".join(describe(path)[1]), "%s" % (describe(path),))
    for model, words in REFUSED:
        onnx.save(model, file)
        named(folder, file, "LSTM: %s, in here" % words)


torch.set_num_threads(1)
warnings.simplefilter("ignore")
sys.exit(import_check.run(exported_ones_are_what_torch_fx_finds, sizes_have_no_limit_where_values_have,
                          exported_ones_that_are_others_are_named, files_of_others_are_held_to_what_lstm_is))
