"""onnx_graph.py -- an ONNX file as a list of nodes, held against itself before anybody follows it.

Weights stay where they are: only shapes, and the few numbers that say what a node does, are read.
"""
import os
from collections.abc import Sequence
from math import isfinite

import onnx
import onnx.helper
import onnx.numpy_helper
from google.protobuf.message import DecodeError

from import_network import Refused, Unsupported, need, product

MOST_VALUES = 10 ** 12  # of a tensor, as in a model file
TYPE = onnx.TensorProto
TYPE_BYTES = {TYPE.FLOAT: 4, TYPE.DOUBLE: 8, TYPE.FLOAT16: 2, TYPE.BFLOAT16: 2, TYPE.BOOL: 1,
              TYPE.INT8: 1, TYPE.UINT8: 1, TYPE.INT16: 2, TYPE.UINT16: 2, TYPE.INT32: 4,
              TYPE.UINT32: 4, TYPE.INT64: 8, TYPE.UINT64: 8}
LISTS = ("float_data", "double_data", "int32_data", "int64_data", "uint64_data", "string_data")


def shown(text):
    """What a file calls something, on one line."""
    return "".join(c if c.isprintable() else "?" for c in text[:100])


class Stored:
    """A tensor of the file."""

    def __init__(self, proto, name, folder=None):
        """folder: where files beside the model's are."""
        self.proto, self.name, self.shape, self.folder = proto, name, list(proto.dims), folder
        if min(self.shape, default=0) < 0 or product(self.shape) > MOST_VALUES:
            raise Refused("tensor %s: has an impossible shape: %s" % (shown(name), self.shape))
        self.outside = proto.data_location == TYPE.EXTERNAL
        held = self.held(proto)
        if not self.outside and held != product(self.shape):
            raise Refused("tensor %s: must have %d values of a known type, has %d"
                          % (shown(name), product(self.shape), held))

    @staticmethod
    def held(proto):
        if proto.HasField("raw_data"):
            size = TYPE_BYTES.get(proto.data_type)
            return len(proto.raw_data) // size if size and len(proto.raw_data) % size == 0 else -1
        return sum(len(getattr(proto, name)) for name in LISTS)

    def read(self):
        return onnx.numpy_helper.to_array(self.brought() if self.outside else self.proto)

    def brought(self):
        """A copy with the values that are in a file beside the model's."""
        why = Unsupported("that needs the values of %s, which are in another file" % shown(self.name))
        where = {entry.key: entry.value for entry in self.proto.external_data}
        try:
            path = os.path.realpath(os.path.join(self.folder, where["location"]))
            first, size = int(where.get("offset", 0)), product(self.shape) * TYPE_BYTES[self.proto.data_type]
            if os.path.dirname(path) != os.path.realpath(self.folder) or not os.path.isfile(path):
                raise why
            with open(path, "rb") as file:
                file.seek(first)
                content = file.read(size)
        except (OSError, KeyError, ValueError, TypeError, OverflowError):
            raise why
        if len(content) != size:
            raise why
        return TYPE(dims=self.shape, data_type=self.proto.data_type, raw_data=content)


class Unread:
    """A weight that was exported without its values: an input of the graph."""

    def __init__(self, name, shape):
        self.name, self.shape = name, shape

    def read(self):
        raise Unsupported("that needs the values of %s, which the file does not have" % shown(self.name))


class Node:
    def __init__(self, proto, number):
        self.proto = proto
        own = proto.domain in ("", "ai.onnx")
        self.op = shown(proto.op_type if own else "%s.%s" % (proto.domain, proto.op_type))
        self.inputs, self.outputs = list(proto.input), list(proto.output)
        self.attributes = {a.name: a for a in proto.attribute}
        self.path = [part for part in proto.name.split("/") if part]
        self.place = shown(proto.name) or "node %d" % number

    def get(self, name, default=None):
        if name not in self.attributes:
            return default
        attribute = self.attributes[name]
        try:
            value = onnx.helper.get_attribute_value(attribute)
        except ValueError:
            value = None
        if value is None or attribute.type == attribute.UNDEFINED:
            raise Unsupported("whose attribute %s is of no known kind" % shown(name))
        if isinstance(value, onnx.TensorProto):
            return Stored(value, self.place)
        if isinstance(value, bytes):
            return value.decode("utf-8", "replace")
        value = list(value) if isinstance(value, Sequence) else value
        if isinstance(value, list) and value and all(isinstance(text, bytes) for text in value):
            return [text.decode("utf-8", "replace") for text in value]
        numbers = value if isinstance(value, list) else [value]
        need(all(isinstance(n, (int, float)) and isfinite(n) for n in numbers),
             "whose attribute %s is no finite number" % shown(name))
        return value


def is_repeated(field):
    """`label` is gone since protobuf 7, `is_repeated` is there since 6."""
    repeated = getattr(field, "is_repeated", None)
    return field.label == field.LABEL_REPEATED if repeated is None else repeated


def check_text(message):
    """Protocol buffers hands on text that is no UTF-8 as bytes."""
    for field, value in message.ListFields():
        if field.type not in (field.TYPE_STRING, field.TYPE_MESSAGE):
            continue
        for part in value if is_repeated(field) else [value]:
            if isinstance(part, bytes):
                raise Refused("is a damaged ONNX file: %s is no UTF-8" % field.name)
            if field.type == field.TYPE_MESSAGE:
                check_text(part)


def written(value):
    """The shape of an input as the file has it, None for a size that has only a name, or -1; all of it None: it
    has none."""
    kind = value.type.tensor_type
    if not kind.HasField("shape"):
        return None
    return [d.dim_value if d.HasField("dim_value") and d.dim_value >= 0 else None for d in kind.shape.dim]


class Graph:
    def __init__(self, path, said):
        """said: the shape of a sample on the command line, or None."""
        self.path = path
        model = self.parse()
        check_text(model)
        graph = model.graph
        if not graph.node:
            raise Refused("must be an ONNX model, holds no graph with nodes")
        self.producer = shown("%s %s" % (model.producer_name, model.producer_version)).strip()
        self.opset = max([o.version for o in model.opset_import if o.domain in ("", "ai.onnx")],
                         default=1)
        folder = os.path.dirname(os.path.abspath(path))
        self.stored = {t.name: Stored(t, t.name, folder) for t in graph.initializer}
        self.entry, self.batch, self.dims = self.find_entry(graph, said)
        self.nodes = [Node(proto, i) for i, proto in enumerate(graph.node)]
        self.outputs = [o.name for o in graph.output]
        self.link()

    def parse(self):
        try:
            return onnx.load_model(self.path, load_external_data=False)
        except OSError as error:
            raise Refused(error.strerror)
        except (DecodeError, ValueError, RecursionError) as error:
            raise Refused("is no ONNX file, or a damaged one: %s" % shown(str(error)))

    def find_entry(self, graph, said):
        """The input that is no weight: its name, its batch (None: any) and the shape of a sample. A file without
        any weights was exported without them: its inputs behind the first are their shapes."""
        given = [i for i in graph.input if i.name not in self.stored]
        if len(given) > 1 and not any(len(t.shape) > 1 for t in self.stored.values()):
            for weight in given[1:]:
                self.stored[weight.name] = Unread(weight.name, self.shape_of_weight(weight))
            given = given[:1]
        if len(given) != 1:
            raise Refused("must have one input, has %d: %s" % (
                len(given), ", ".join(shown(i.name) for i in given[:4])))
        return (given[0].name,) + self.sample_of(given[0], said)

    @staticmethod
    def sample_of(entry, said):
        """The batch and the shape of a sample. What the command line says is believed."""
        name, shape = shown(entry.name), written(entry)
        if shape is None:
            if said is None:
                raise Refused("--input must say the shape of a sample: the file has none for %s" % name)
            return None, said
        if len(shape) < 2:
            raise Refused("input %s: must be a batch of samples, has shape %s" % (name, shape))
        batch, sample = shape[0], shape[1:]
        if said is not None and len(said) != len(sample):
            raise Refused("--input must be the %d sizes of one sample, as in the file's %s, got %s" % (
                len(sample), sample, said))
        if said is None and 0 in sample:
            raise Refused("input %s: must have sizes >= 1, has %s" % (name, shape))
        if said is None and None in sample:
            raise Refused("--input must say the sizes that the file only names: %s" % sample)
        return batch or None, said or sample

    @staticmethod
    def shape_of_weight(value):
        shape = written(value)
        if shape is None or None in shape or 0 in shape:
            raise Refused("input %s: must have sizes >= 1, has %s" % (shown(value.name), shape))
        return shape

    def link(self):
        """Who makes what and who uses it, where all is made once and before it is used."""
        self.makers, self.users = {}, {}
        known = set(self.stored) | {self.entry}
        self.fixed = set(self.stored)  # what does not depend on the network's input
        for node in self.nodes:
            wanted = [name for name in node.inputs if name]
            for name in wanted:
                if name not in known:
                    raise Refused("%s (%s): takes %s, which nothing before it makes" % (
                        node.place, node.op, shown(name)))
                self.users.setdefault(name, []).append(node)
            for name in node.outputs:
                if name and name in known:
                    raise Refused("%s (%s): makes %s, which is there already" % (
                        node.place, node.op, shown(name)))
                self.makers[name] = node
                known.add(name)
            if all(name in self.fixed for name in wanted):
                self.fixed.update(node.outputs)
        for name in self.outputs:
            if name not in known:
                raise Refused("output %s: nothing makes it" % shown(name))
