"""test_import_llm.py -- language models of today's kind through tools/import_torch.py, from PyTorch and from files
(import_check.py has what is called how)."""
import json
import os
import sys
import warnings

try:
    import torch
    import torch.nn.functional as F
except ImportError as error:
    print("SKIPPED: %s (Debian: python3-torch)" % error)
    sys.exit(77)

import import_check
import llm_nets
from import_check import HERE, check, compare, describe, own, run_import
from llm_nets import NORMS, SHARES, TURNS

SOURCE = os.path.join(HERE, "llm_nets.py") + ":"
NOTE = "note: rotary positions (products of queries and keys with fixed numbers) are left out, and with them " \
    "their time"
SPELLINGS = [{"norm": name} for name in NORMS] + [{"turn": name} for name in TURNS] + \
    [{"share": name} for name in SHARES] + [{"share": name, "shared": 1} for name in SHARES] + \
    [{"shared": 4}, {"turn": "none"}, {"together": True}]
if hasattr(F, "scaled_dot_product_attention"):
    SPELLINGS.append({"fused": True})


def wanted(folder, settings):
    """The model file that it is."""
    path = os.path.join(folder, "wanted.json")
    layers = llm_nets.model_of(settings.get("shared", llm_nets.SHARED), settings.get("fused"))
    with open(path, "w") as out:
        json.dump({"name": "wanted", "input": [llm_nets.POSITIONS], "layers": layers}, out)
    return describe(path)


def every_spelling_is_one_model(folder):
    for settings in SPELLINGS:
        path, status, said = run_import(folder, SOURCE + "Model", str(llm_nets.POSITIONS), "--set",
                                        json.dumps(settings))
        if check(status == 0, "%s: %s" % (settings, said)):
            compare("%s" % settings, describe(path), wanted(folder, settings))
            count = llm_nets.parameters(settings.get("shared", llm_nets.SHARED))
            torch_has = sum(p.numel() for p in llm_nets.Model(**settings).parameters())
            check(count == torch_has and ", %s parameters" % format(count, ",") in said, "%s: not %d: %s" % (
                settings, count, said))
            turned = settings.get("turn") != "none"
            check((NOTE in said) == turned and said.count("\n") == 1 + turned, "%s: %s" % (settings, said))


def a_table_times_a_number_is_one(folder):
    """As Gemma has it; a note says what is left out."""
    path, status, said = run_import(folder, SOURCE + "Model", str(llm_nets.POSITIONS), "--set", '{"scale": 8.0}')
    if check(status == 0, said):
        compare("times 8", describe(path), wanted(folder, {}))
        check("note: products with a number are left out" in said, said)


def a_layer_norm_by_hand_is_one(folder):
    want = own(folder, [{"kind": "layer_norm", "epsilon": 1e-6}, {"kind": "linear", "outputs": 5},
                        {"kind": "softmax_cross_entropy"}])
    for name in llm_nets.LAYER_NORMS:
        path, status, said = run_import(folder, SOURCE + "Written", "6,8", "--set", json.dumps({"write": name}))
        if check(status == 0, "%s: %s" % (name, said)):
            compare(name, describe(path), want)


def what_is_none_is_named(folder):
    """Once, with nothing that follows from it."""
    for name, (_, line) in llm_nets.OTHERS.items():
        path, status, said = run_import(folder, SOURCE + "Does", "6,8", "--set", json.dumps({"does": name}))
        want = "import_torch.py: %sDoes: dtsim has no layer for:\n    %s\n" % (SOURCE, line)
        check(status == 2 and said == want, "%s: %d %s" % (name, status, said))


def files_are_what_torch_fx_finds(folder):
    try:
        from onnx_graphs import export
    except ImportError as error:
        print("     files: left out, %s" % error)
        return
    for settings in ({}, {"norm": "by a root"}, {"norm": "in floats"}, {"turn": "by neighbours"}, {"turn": "by parts"},
                     {"turn": "half of them"}, {"share": "expanded"}, {"share": "expanded", "shared": 1},
                     {"shared": 4}, {"share": "expanded", "together": True}):
        settings = dict({"share": "expanded"}, **settings)
        module = llm_nets.Model(**settings)
        file = export(folder, module, [llm_nets.POSITIONS], torch.int64, opset_version=14)
        path, status, said = run_import(folder, file, None)
        if check(status == 0, "%s: %s" % (settings, said)):
            compare("%s, a file" % settings, describe(path), wanted(folder, settings))


torch.set_num_threads(1)
warnings.simplefilter("ignore")
sys.exit(import_check.run(every_spelling_is_one_model, a_table_times_a_number_is_one, a_layer_norm_by_hand_is_one,
                          what_is_none_is_named, files_are_what_torch_fx_finds))
