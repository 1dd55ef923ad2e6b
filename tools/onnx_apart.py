"""onnx_apart.py -- ONNX's own checks of a model, in a process of their own: that code ends by a signal where a file
tells it to divide by zero.
"""
import json
import multiprocessing
import os
import signal

import onnx
import onnx.checker
import onnx.shape_inference

FAULTS = (onnx.checker.ValidationError, onnx.shape_inference.InferenceError, RuntimeError, ValueError, MemoryError)


def one_line(error, which):
    return (str(error).strip().splitlines() or ["it is not what ONNX says"])[which]


def shapes_in(model):
    """By the name of each value inside a model its sizes, where all are known."""
    found = {}
    for value in onnx.shape_inference.infer_shapes(model).graph.value_info:
        kind = value.type.tensor_type
        sizes = [dim.dim_value if dim.HasField("dim_value") else 0 for dim in kind.shape.dim]
        if kind.HasField("shape") and min(sizes, default=1) > 0:
            found[value.name] = sizes
    return found


def looked_through(content):
    """The shapes in a model, and what is wrong with it."""
    model = onnx.ModelProto.FromString(content)
    try:
        onnx.checker.check_model(model)
    except FAULTS as error:
        return {"fault": one_line(error, 0)}
    found = {}
    try:
        found = shapes_in(model)
        onnx.shape_inference.infer_shapes(model, strict_mode=True)
    except FAULTS as error:
        return {"fault": one_line(error, -1), "shapes": found}
    return {"shapes": found}


def serve(wire):
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # what C++ says as it ends
    while True:
        try:
            wire.send_bytes(json.dumps(looked_through(wire.recv_bytes())).encode())
        except EOFError:
            return


class Apart:
    def __init__(self):
        self.wire = None

    def start(self):
        context = multiprocessing.get_context("fork")
        self.wire, theirs = context.Pipe()
        context.Process(target=serve, args=(theirs,), daemon=True).start()
        theirs.close()

    def ask(self, model):
        """Its shapes, or its fault, or neither."""
        if self.wire is None:
            self.start()
        try:
            self.wire.send_bytes(model.SerializeToString())
            return json.loads(self.wire.recv_bytes())
        except (EOFError, OSError):
            self.wire = None
            return {"fault": "ONNX itself ends by a signal"}


APART = Apart()
