"""test_import_onnx.py -- ONNX files through tools/import_torch.py, against our own models and
against what comes of the same networks by torch.fx (import_check.py has what is called how)."""
import os
import sys
import warnings

try:
    import onnx
    import torch
    import torchvision
except ImportError as error:
    print("SKIPPED: %s (Debian: python3-onnx python3-torch python3-torchvision)" % error)
    sys.exit(77)

import import_check
from import_check import HERE, ROOT, check, compare, describe, run_import

import onnx_nets
from onnx_graphs import export

NETWORKS = (
    ("resnet50", {}, [3, 224, 224], True),
    ("vgg16", {"init_weights": False}, [3, 224, 224], False),
    ("alexnet", {}, [3, 224, 224], False),
    ("inception_v3", {"init_weights": False}, [3, 299, 299], False),
)
OWN = ((onnx_nets.Separable, [3, 32, 32], torch.float32, {"opset_version": 13}),
       (onnx_nets.Mixer, [9], torch.int64, {"opset_version": 14}),
       (onnx_nets.Mixer, [9], torch.int64, {"opset_version": 17, "input_names": ["x"],
                                            "dynamic_axes": {"x": {0: "batch"}}}))


def networks_of_torchvision_are_ours(folder):
    for name, settings, sizes, weights in NETWORKS:
        module = getattr(torchvision.models, name)(**settings)
        path, status, said = run_import(
            folder, export(folder, module, sizes, export_params=weights), None)
        if check(status == 0, "%s: %s" % (name, said)):
            got, want = describe(path), describe(os.path.join(ROOT, "models", name + ".json"))
            if name == "inception_v3":  # torchvision concatenates in two steps what ours does in one
                got = got[0], [l for l in got[1] if not l.startswith("concat 768 x 8 x 8 ")]
            compare(name, got, want)


def what_is_exported_is_what_torch_fx_finds(folder):
    for make, sizes, dtype, settings in OWN:
        source = os.path.join(HERE, "onnx_nets.py") + ":" + make.__name__
        path, status, said = run_import(folder, source, ",".join(map(str, sizes)))
        if not check(status == 0, "%s by torch.fx: %s" % (make.__name__, said)):
            continue
        want = describe(path)
        path, status, said = run_import(folder, export(folder, make(), sizes, dtype, **settings), None)
        if check(status == 0, "%s by ONNX: %s" % (make.__name__, said)):
            compare(make.__name__, describe(path), want)


def all_that_is_missing_is_named_at_once(folder):
    path, status, said = run_import(folder, export(folder, onnx_nets.Strange(), [3, 9, 9]), None)
    check(status == 2, "status %d" % status)
    for word in ("Clip: that is no ReLU, in /body/body.1/Clip, 1 more times", "CumSum, in /CumSum"):
        check(word in said, "%s in %s" % (word, said))
    check(said.count("import_torch.py:") == 1, "one error: %s" % said)
    check(not os.path.exists(path), "nothing is written")


def sizes_of_positions_are_the_file_s(folder):
    """Whatever --input says, what the file adds to them has its own."""
    path, status, said = run_import(folder, export(folder, onnx_nets.Mixer(), [9], torch.int64), "8")
    check(status == 2 and "Add: of rows for positions of other shape, in " in said, said)


torch.set_num_threads(1)
warnings.simplefilter("ignore")
sys.exit(import_check.run(what_is_exported_is_what_torch_fx_finds, all_that_is_missing_is_named_at_once,
                          sizes_of_positions_are_the_file_s, networks_of_torchvision_are_ours))
