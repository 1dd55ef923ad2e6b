"""test_import_spelling.py -- the same layer in every spelling through tools/import_torch.py: functions with a module's
weights, bare parameters, classes of known modules, computed weights (import_check.py has what is called how)."""
import json
import os
import sys
import warnings

try:
    import torch
except ImportError as error:
    print("SKIPPED: %s (Debian: python3-torch)" % error)
    sys.exit(77)

import import_check
import layer_nets
import moved_values
import spelled_nets
from import_check import HERE, check, describe, run_import

SOURCE = os.path.join(HERE, "spelled_nets.py") + ":"


def layers_of(path):
    """Each with its parameters, without the loss, in their order."""
    with open(path) as text:
        kinds = [layer["kind"] for layer in json.load(text)["layers"]]
    told = [line.split() for line in describe(path)[1]]
    found = sorted((words[0], int(words[words.index("parameters") + 1])) for words in told)
    return kinds, [pair for pair in found if "entropy" not in pair[0]]


def every_spelling_is_the_layer(folder):
    for name, (_, sizes, wanted) in spelled_nets.TAKEN.items():
        try:
            path, status, said = run_import(folder, SOURCE + "taken", sizes, "--set", json.dumps({"name": name}))
        except Exception as error:
            check(False, "%s: a traceback: %r" % (name, error))
            continue
        if check(status == 0, "%s: %s" % (name, said)):
            found = [pair for pair in layers_of(path)[1] if pair[0] not in ("flatten",)]
            found = [pair for pair in found if pair != ("sequence", 0) or pair in wanted]  # before a loss of pixels
            check(found == sorted(wanted), "%s: %s, not %s" % (name, found, sorted(wanted)))


def layers_that_go_by_another_name_are_found(folder):
    """With as many parameters as PyTorch counts."""
    for name, (make, sizes, wanted) in layer_nets.TAKEN.items():
        source = os.path.join(HERE, "layer_nets.py") + ":net"
        path, status, said = run_import(folder, source, sizes, "--set", json.dumps({"name": name}), "--loss", "none")
        if check(status == 0, "%s: %s" % (name, said)):
            found = [pair for pair in layers_of(path)[1] if pair[0] != "flatten"]
            check(found == sorted(wanted), "%s: %s, not %s" % (name, found, sorted(wanted)))
            count = sum(p.numel() for p in make().parameters())
            check(describe(path)[0][0].startswith("parameters %d " % count), "%s: not %d" % (name, count))


def values_go_where_pytorch_has_them(folder):
    for name, (moved, sizes) in moved_values.WAYS.items():
        source = os.path.join(HERE, "moved_values.py") + ":net"
        path, status, said = run_import(folder, source, ",".join(map(str, sizes)), "--set", json.dumps({"name": name}),
                                        "--loss", "none")
        if check(status == 0, "%s: %s" % (name, said)):
            describe(path)
            x = torch.rand([2] + sizes)
            with open(path) as text:
                got, want = moved_values.worked_out(json.load(text)["layers"], x), moved(x)
            check(torch.equal(got.reshape(want.shape), want), "%s: other values" % name)


def what_is_missing_is_named_alone(folder):
    for name, (_, sizes, lines) in spelled_nets.MISSING.items():
        try:
            path, status, said = run_import(folder, SOURCE + "missing", sizes, "--set", json.dumps({"name": name}))
        except Exception as error:
            check(False, "%s: a traceback: %r" % (name, error))
            continue
        want = "import_torch.py: %smissing: dtsim has no layer for:\n%s" % (
            SOURCE, "".join("    %s\n" % line for line in lines))
        check(status == 2 and said == want, "%s: %d %s" % (name, status, said))


def weights_that_are_computed_are_noted(folder):
    """And those that they are computed from are not said to be left out."""
    for name, word in (("two small matrices more",
                        "1 weight of 40 values, computed from parameters of 66: dtsim trains the weights themselves"),
                       ("channels that are dropped", "a dropout of channels is in dtsim a dropout of single values"),
                       ("a number",
                        "products with a number are left out, and with them one pass over the values each")):
        sizes = spelled_nets.TAKEN[name][1]
        path, status, said = run_import(folder, SOURCE + "taken", sizes, "--set", json.dumps({"name": name}))
        check(status == 0 and said.splitlines()[1:] == ["note: " + word], "%s: %s" % (name, said))


def the_file_is_the_same(folder, export, name, make, sizes, wanted):
    file = export(folder, make(), [int(size) for size in sizes.split(",")], opset_version=14)
    path, status, said = run_import(folder, file, None, "--loss", "none")
    if check(status == 0, "%s, a file: %s" % (name, said)):
        found = [pair for pair in layers_of(path)[1] if pair[0] != "flatten"]
        check(found == sorted(wanted), "%s, a file: %s, not %s" % (name, found, sorted(wanted)))


def files_are_the_same(folder):
    try:
        from onnx_graphs import export
    except ImportError as error:
        print("     files: left out, %s" % error)
        return
    for name in ("F.linear of positions", "torch.addmm of positions", "a product with it turned", "weight norm",
                 "attention by einsum", "standardized", "a factor for each channel", "a mean over positions"):
        make, sizes, wanted = spelled_nets.TAKEN[name]
        the_file_is_the_same(folder, export, name, make, sizes, wanted)
    for name in layer_nets.OF_FILES:
        the_file_is_the_same(folder, export, name, *layer_nets.TAKEN[name])


torch.set_num_threads(1)
warnings.simplefilter("ignore")
sys.exit(import_check.run(every_spelling_is_the_layer, layers_that_go_by_another_name_are_found,
                          values_go_where_pytorch_has_them, what_is_missing_is_named_alone,
                          weights_that_are_computed_are_noted, files_are_the_same))
