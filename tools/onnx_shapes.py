"""onnx_shapes.py -- what ONNX's own rules say of one node, alone in a model: whether it is well formed, and the
shapes of what it makes. So what comes after a node that dtsim has no layer for is looked at with true shapes,
and weights that nodes make need no memory.
"""
import onnx
import onnx.defs
import onnx.helper
import onnx.numpy_helper

from import_network import Fixed, Unsupported, product
from import_views import View, is_told
from onnx_apart import APART

MOST_SHOWN = 256  # values of a constant that is handed to the rules: sizes, axes, paddings
IR_VERSION = 8  # of the model around the node; ONNX 1.12 has none above
TYPE = onnx.TensorProto


def sizes_of(arg, batch):
    """With the batch, wherever that is; None: nobody knows."""
    if isinstance(arg, Fixed):
        return list(arg.value.shape)
    if is_told(arg) and not arg.shape:
        return None
    return arg.sizes if isinstance(arg, View) else [batch] + arg.shape


def constant_of(name, arg):
    """A tensor for the rules to read; None: it is too large, or nobody knows its values."""
    if not isinstance(arg, Fixed) or product(arg.value.shape) > MOST_SHOWN:
        return None
    try:
        return onnx.numpy_helper.from_array(arg.value.read(), name)
    except (Unsupported, ValueError, TypeError, AttributeError, NotImplementedError):
        return None


def alone(graph, node, named, batch):
    """A model of one node, whose inputs have these shapes. Of which type they are matters to no shape."""
    inputs, constants = [], []
    for name, arg in named.items():
        constant = constant_of(name, arg)
        if constant is not None:
            constants.append(constant)
        else:
            inputs.append(onnx.helper.make_tensor_value_info(name, TYPE.FLOAT, sizes_of(arg, batch)))
    made = onnx.helper.make_graph([node.proto], "g", inputs, [], constants)
    version = min(graph.opset, onnx.defs.onnx_opset_version())
    model = onnx.helper.make_model(made, opset_imports=[onnx.helper.make_opsetid("", version)])
    model.ir_version = IR_VERSION
    return model


def fault_of(graph, node, named, batch):
    """What ONNX itself has against a node; None: nothing."""
    return APART.ask(alone(graph, node, named, batch)).get("fault")


def shapes_behind(graph, node, named, batch):
    """By the name of each output its sizes, as far as they are known. `named`: the inputs by their names."""
    if node.proto.domain not in ("", "ai.onnx") or any(sizes_of(arg, batch) is None for arg in named.values()):
        return {}
    return APART.ask(alone(graph, node, named, batch)).get("shapes", {})


def as_samples(sizes, batch):
    """The shape of one sample; None: it is no batch of samples."""
    return sizes[1:] if sizes and sizes[0] == batch else None
