"""onnx_graphs.py -- ONNX files for the tests of tools/import_torch.py: made by hand, which needs no PyTorch, or
exported by it."""
import inspect
import os

import onnx
import onnx.helper


def export(folder, module, sizes, dtype=None, **settings):
    import torch

    path = os.path.join(folder, "network.onnx")
    settings.setdefault("do_constant_folding", False)
    if "dynamo" in inspect.signature(torch.onnx.export).parameters:  # the exporter that PyTorch 1.13 has
        settings["dynamo"] = False
    batch = torch.zeros([2] + sizes, dtype=dtype or torch.float32)
    torch.onnx.export(module.train(), (batch,), path, training=torch.onnx.TrainingMode.TRAINING, **settings)
    return path


def node(op, inputs, outputs, **attributes):
    """Names are divided by spaces; "-": an input that is left out."""
    given = ["" if name == "-" else name for name in inputs.split()]
    return onnx.helper.make_node(op, given, outputs.split(), **attributes)


def graph(nodes, shape=(2, 3), weights=(), opset=17):
    """A graph from x to y. shape: None: of x the file has none."""
    floats = onnx.TensorProto.FLOAT
    held = [onnx.helper.make_tensor(name, kind, dims, values) for name, kind, dims, values in weights]
    made = onnx.helper.make_graph(
        nodes, "g", [onnx.helper.make_tensor_value_info("x", floats, shape)],
        [onnx.helper.make_tensor_value_info("y", floats, None)], held)
    model = onnx.helper.make_model(made, opset_imports=[onnx.helper.make_opsetid("", opset)])
    model.ir_version = 8  # the newest that ONNX 1.12 has
    return model


def save(folder, model):
    """Checked by ONNX itself, where it is a sound file; its path."""
    checked = onnx.ModelProto()
    checked.CopyFrom(model)
    del checked.graph.output[:]  # whose shape nobody said
    onnx.checker.check_model(checked)
    path = os.path.join(folder, "made.onnx")
    onnx.save(model, path)
    return path
