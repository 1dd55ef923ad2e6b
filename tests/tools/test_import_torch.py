"""test_import_torch.py -- tools/import_torch.py against our own models.

    test_import_torch.py DESCRIBE_MODEL     exit status 77: there is no PyTorch, nothing was tested
"""
import json
import os
import sys

try:
    import torch
    import torchvision
except ImportError as error:
    print("SKIPPED: %s (Debian: python3-torch python3-torchvision)" % error)
    sys.exit(77)

import import_check
from import_check import HERE, ROOT, check, compare, describe, run_import, taken_by_the_last

import odd_nets
import own_nets

NETWORKS = (
    ("resnet18", "torchvision.models:resnet18", "3,224,224", []),
    ("resnet34", "torchvision.models:resnet34", "3,224,224", []),
    ("resnet50", "torchvision.models:resnet50", "3,224,224", []),
    ("resnet101", "torchvision.models:resnet101", "3,224,224", []),
    ("resnet152", "torchvision.models:resnet152", "3,224,224", []),
    ("vgg16", "torchvision.models:vgg16", "3,224,224", ["--set", '{"init_weights": false}']),
    ("alexnet", "torchvision.models:alexnet", "3,224,224", []),
    ("inception_v3", "torchvision.models:inception_v3", "3,299,299", ["--set", '{"init_weights": false}']),
    ("deeplab_v3_plus", os.path.join(HERE, "own_nets.py") + ":DeepLab", "3,513,513", []),
)


def networks_of_torchvision_are_ours(folder):
    for name, module, sizes, more in NETWORKS:
        path, status, said = run_import(folder, module, sizes, *more)
        if check(status == 0, "%s: %s" % (name, said)):
            got, want = describe(path), describe(os.path.join(ROOT, "models", name + ".json"))
            if name == "inception_v3":  # torchvision concatenates in two steps what ours does in one
                got = got[0], [l for l in got[1] if not l.startswith("concat 768 x 8 x 8 ")]
            compare(name, got, want)


def own_networks_have_pytorchs_parameters(folder):
    for make, sizes in ((own_nets.Encoder, "9"), (own_nets.Recurrent, "9"), (own_nets.Branches, "3,11,13")):
        name = make.__name__
        path, status, said = run_import(folder, os.path.join(HERE, "own_nets.py") + ":" + name, sizes)
        if check(status == 0, "%s: %s" % (name, said)):
            totals, layers = describe(path)
            count = sum(p.numel() for p in make().parameters())
            check(totals[0].startswith("parameters %d " % count), "%s: %s" % (name, totals))
            check(any("loss" in l or "entropy" in l for l in layers), "%s has a loss" % name)
    text = open(path).read()
    check('"global_pool"' in text and '"multiply"' in text, "Branches: %s" % text)


def sizes_of_the_input_are_followed(folder):
    source = os.path.join(HERE, "own_nets.py") + ":Sized"
    for positions in ("by_size", "by_shape", "for_each_sample"):
        path, status, said = run_import(folder, source, "9", "--set", json.dumps({"positions": positions}))
        if check(status == 0, "%s: %d %s" % (positions, status, said)):
            layers = json.load(open(path))["layers"]
            check([l["positions"] for l in layers if l["kind"] == "positional_embedding"] == [20] and
                  [l.get("causal") for l in layers if l["kind"] == "attention"] == [True],
                  "%s: %s" % (positions, layers))


def a_matrix_is_turned_once(folder):
    """However many take it."""
    path, status, said = run_import(folder, os.path.join(HERE, "own_nets.py") + ":Mixed", "9,6")
    if check(status == 0, said):
        kinds = [layer["kind"] for layer in json.load(open(path))["layers"]]
        check(kinds == ["linear", "sequence", "linear", "linear", "add", "linear", "sequence",
                        "softmax_cross_entropy"], "%s" % kinds)


def a_dropout_that_does_nothing_is_no_layer(folder):
    path, status, said = run_import(folder, os.path.join(HERE, "own_nets.py") + ":Undropped", "8")
    if check(status == 0, "%d %s" % (status, said)):
        rates = [l["rate"] for l in json.load(open(path))["layers"] if l["kind"] == "dropout"]
        check(rates == [0.25], "rates %s" % rates)


def all_that_is_missing_is_named_at_once(folder):
    path, status, said = run_import(folder, os.path.join(HERE, "own_nets.py") + ":Strange", "3,9,9")
    check(status == 2, "status %d" % status)
    for word in ("Softplus, in body.1", "CELU, in body.2", "cumsum, in the network"):
        check(word in said, "%s in %s" % (word, said))
    check(said.count("import_torch.py:") == 1, "one error: %s" % said)
    check(not os.path.exists(path), "nothing is written")


def what_cannot_be_imported_is_named(folder):
    """In the list of what is missing, never by a traceback."""
    source = os.path.join(HERE, "odd_nets.py") + ":refused"
    for name, (_, sizes, words) in odd_nets.REFUSED.items():
        try:
            path, status, said = run_import(folder, source, sizes, "--set", json.dumps({"name": name}))
        except Exception as error:
            check(False, "%s: a traceback: %r" % (name, error))
            continue
        check(status == 2 and "dtsim has no layer for:\n" in said, "%s: %d %s" % (name, status, said))
        for word in words:
            check(word in said, "%s: %s in %s" % (name, word, said))


def as_many_inputs_as_there_are(folder):
    """dtsim's layers take 2 to 16: more go through layers before, in their order."""
    source = os.path.join(HERE, "odd_nets.py") + ":Many"
    for count in (1, 2, 16, 17, 40, 300):
        path, status, said = run_import(folder, source, "3", "--set", '{"inputs": %d}' % count)
        if check(status == 0, "%d inputs: %d %s" % (count, status, said)):
            totals, _ = describe(path)
            check(totals and totals[0].startswith("parameters %d " % (2 * count * (count + 1))),
                  "%d inputs: %s" % (count, totals))
            taken = taken_by_the_last(path, "concat")
            check(taken == ["make_%d" % i for i in range(count)], "%d inputs: %s" % (count, taken))
    path, status, said = run_import(folder, "torchvision.models:densenet121", "3,224,224")
    if check(status == 0, "densenet121: %d %s" % (status, said)):
        totals, _ = describe(path)
        check(totals and totals[0].startswith("parameters 7978856 "), "densenet121: %s" % totals)


def bad_words_are_refused(folder):
    broken = os.path.join(folder, "broken.py")
    with open(broken, "w") as out:
        out.write("def net(:\n")
    strange = os.path.join(HERE, "own_nets.py") + ":"
    for module, word, more in (
            ("nothing_of_this_name:net", "No module named", []), ("torchvision.models", "must be", []),
            ("torch.nn:Nothing", "no attribute", []), (".x:net", "cannot be imported", []),
            (broken + ":net", "cannot be imported: SyntaxError", []),
            ("math:sin", "cannot be called with {}: TypeError", []), ("math:pi", "TypeError", []),
            (strange + "Encoder", "cannot be called with {\"words\": -1}: RuntimeError",
             ["--set", "{\"words\": -1}"])):
        path, status, said = run_import(folder, module, "3,9,9", *more)
        check(status == 2 and word in said, "%s: %d %s" % (module, status, said))
        check(said.count("\n") == 1, "one line: %s" % said)


def activations_take_no_memory(folder):
    source = os.path.join(HERE, "odd_nets.py") + ":wide"
    path, status, said = run_import(folder, source, "3,40000,40000", "--memory", "1")
    check(status == 0, "wide: %d %s" % (status, said))


def memory_has_a_limit(folder):
    source = os.path.join(HERE, "odd_nets.py") + ":"
    for name, sizes in (("vast", "65536"), ("vast_number", "3"), ("vast_row", "8"),
                        ("values_decide", "3,10000,10000")):
        path, status, said = run_import(folder, source + name, sizes, "--memory", "1")
        check(status == 2 and said == "import_torch.py: %s: needs more than 1 GiB of memory (--memory)\n"
              % (source + name), "%s: %d %s" % (name, status, said))
    path, status, said = run_import(folder, source + "values_decide", "3,4,4")
    check(status == 2 and "gt, in the network" in said, "values_decide: %d %s" % (status, said))


torch.set_num_threads(1)
sys.exit(import_check.run(networks_of_torchvision_are_ours, own_networks_have_pytorchs_parameters,
                          sizes_of_the_input_are_followed, a_matrix_is_turned_once,
                          a_dropout_that_does_nothing_is_no_layer, all_that_is_missing_is_named_at_once,
                          what_cannot_be_imported_is_named,
                          as_many_inputs_as_there_are, bad_words_are_refused,
                          activations_take_no_memory, memory_has_a_limit))
