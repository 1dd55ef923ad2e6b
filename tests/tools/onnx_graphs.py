"""onnx_graphs.py -- ONNX files for the tests of tools/import_torch.py: made by hand, or exported by PyTorch."""
import os

import onnx
import onnx.helper
import torch

TRAINING = torch.onnx.TrainingMode.TRAINING


def export(folder, module, sizes, dtype=torch.float32, **settings):
    path = os.path.join(folder, "network.onnx")
    settings.setdefault("do_constant_folding", False)
    batch = torch.zeros([2] + sizes, dtype=dtype)
    torch.onnx.export(module.train(), batch, path, training=TRAINING, **settings)
    return path


def node(op, inputs, outputs, **attributes):
    """Names are divided by spaces; "-": an input that is left out."""
    given = ["" if name == "-" else name for name in inputs.split()]
    return onnx.helper.make_node(op, given, outputs.split(), **attributes)


def graph(nodes, shape=(2, 3), weights=()):
    """A graph from x to y."""
    floats = onnx.TensorProto.FLOAT
    held = [onnx.helper.make_tensor(name, kind, dims, values) for name, kind, dims, values in weights]
    made = onnx.helper.make_graph(
        nodes, "g", [onnx.helper.make_tensor_value_info("x", floats, shape)],
        [onnx.helper.make_tensor_value_info("y", floats, None)], held)
    return onnx.helper.make_model(made)
