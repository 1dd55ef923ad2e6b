"""onnx_trace.py -- from an ONNX file to layers.

The graph is followed twice: the first time for the shapes, since what a global pool becomes depends
on what those who take its result make of it.
"""
import os

import numpy

from import_network import Call, Fixed, Network, Refused, Unsupported, Value, guess, need
from import_views import Told, View, converted, is_told, settled, stand_in
from onnx_attention import number_of
from onnx_fixed import Worked, known, numbers
from onnx_fold import apart, weight_owner, work_out
from onnx_graph import Graph, shown
from onnx_layers import LAYERS
from onnx_patterns import find
from onnx_rows import cut, whole_rows
from onnx_shapes import as_samples, fault_of, shapes_behind, sizes_of

NAMED_BATCH = 9973  # stands for a batch of any size: nothing else is likely to be as large
MALFORMED = (ValueError, TypeError, IndexError, KeyError, AttributeError, OverflowError,
             ZeroDivisionError, RecursionError)


class At:
    """A node, or several that are one layer, with arguments: a Value, Fixed, or None."""

    def __init__(self, importer, node, found, args):
        self.importer, self.node, self.args = importer, node, args
        self.kwargs = {}  # as calls have them
        self.word = found.name if found else node.op
        self.inner = found.inner if found else []
        self.bound = found.bound if found else {}
        self.batch = importer.batch
        self.name = importer.name_of(node, args, self.word)

    def get(self, name, default=None):
        return self.node.get(name, default)

    def epsilon(self):
        """As a person wrote it, not as it became in 32 bits."""
        return float("%.6g" % self.bound.get("epsilon", self.get("epsilon", 1e-5)))

    def of(self, node, position):
        """An argument of an inner node."""
        name = node.inputs[position] if position < len(node.inputs) else ""
        return self.importer.values.get(name)

    @property
    def x(self):
        for arg in self.args:
            if isinstance(arg, Value):
                return arg
        raise Unsupported("of nothing that depends on the input")

    def weight(self, position):
        """A tensor that a layer takes for a weight; None: there is none."""
        arg = self.args[position] if position < len(self.args) else None
        if arg is None:
            return None
        need(isinstance(arg, Fixed), "with weights that depend on the input")
        return Weight(self.weight_of(arg), arg.value.shape)

    def weight_of(self, fixed):
        """Whose weight a fixed tensor is."""
        owner = weight_owner(self.importer.network, fixed, self.node.place)
        need(owner is not None, "with weights that are computed")
        return apart(self.importer.network, owner)

    def weights(self, position):
        """Tensors of the file of which an argument has all rows, each once, in whatever order; or one that
        nodes make."""
        arg = self.args[position]
        need(isinstance(arg, Fixed), "with weights that depend on the input")
        weight_owner(self.importer.network, arg, self.node.place)
        found = whole_rows(arg)
        need(found, "with weights that are computed")
        return found

    def matrix(self, position):
        weight = self.weight(position)
        need(weight is not None and len(weight.shape) == 2, "with weights that are no matrix")
        return weight

    def one_each(self, weight, count):
        """A weight with one value for each channel or feature; None stays None."""
        need(weight is None or [size for size in weight.shape if size != 1] in ([count], []),
             "with a bias or scale of another shape")
        need(weight is None or max(weight.shape, default=1) == count, "with a bias of another shape")
        return weight

    def sizes(self, value):
        """With the batch, wherever that is."""
        return value.sizes if isinstance(value, View) else [self.batch] + value.shape

    def call(self, shape, module=None, args=None, sizes=None):
        return Call(self.name, module, args or [self.x], {}, shape,
                    flattened=self.node.outputs[0] in self.importer.flattened,
                    last=self.importer.is_last(self.node.outputs[0]),
                    sizes=sizes, word=self.node.op, place=self.node.place,
                    weight_of=self.weight_of, number_of=number_of)


class Weight:
    """A stored tensor as a layer looks at it: transposed, say. `owner` says which it is."""

    def __init__(self, owner, shape):
        self.owner, self.shape = owner, list(shape)


class Importer:
    """Fills `network`."""

    def __init__(self, graph, options):
        self.graph, self.loss = graph, options.loss
        self.dims = graph.dims
        self.batch = graph.batch or NAMED_BATCH
        self.roots, self.parts = find(graph)
        self.shapes, self.flattened = {}, set()
        self.follow("none")
        self.shapes = {name: v.shape for name, v in self.values.items() if isinstance(v, Value)}
        self.flattened = self.find_flattened()
        self.follow(options.loss)

    def follow(self, loss):
        self.network = Network(self.dims, self.batch)
        self.values = {self.graph.entry: self.network.entry}
        self.values.update((n, Fixed(s, s)) for n, s in self.graph.stored.items())
        for node in self.graph.nodes:
            if id(node) not in self.parts and node.outputs:
                made = self.convert(node)
                made = made if isinstance(made, tuple) else (made,)
                self.values.update((name, value) for name, value in zip(node.outputs, made) if name)
            self.add_loss(node, loss)
        for name in self.graph.outputs:
            if name not in self.values:
                self.network.problem("the output %s" % shown(name), "")
        self.network.check_pieces()
        self.network.note_computed()
        if not self.network.layers and not self.network.problems:
            self.network.problem("a network without layers", "")

    def convert(self, node):
        """What a node makes: a value, or one for each of its outputs."""
        found = self.roots.get(id(node))
        names = found.inputs if found else node.inputs
        args = [self.values.get(name) if name else None for name in names]
        try:
            need(all(arg is not None for name, arg in zip(names, args) if name),
                 "that takes the second output of another")
            return self.made_by(node, found, args)
        except Unsupported as why:
            if not isinstance(why, Told):
                self.network.problem(node.op + (": %s" % why if str(why) else ""), node.place)
            return self.stand_ins(node, args, why)
        except MALFORMED as error:
            fault = fault_of(self.graph, node, self.named(node), self.batch)
            if fault:
                raise Refused("%s (%s): is malformed: %s" % (node.place, node.op, shown(fault)))
            self.network.problem("%s: in a way that nobody knows here (%s)" % (node.op, shown(str(error))),
                                 node.place)
            return self.stand_ins(node, args, error)

    def made_by(self, node, found, args):
        at = At(self, node, found, args)
        if node.op == "Shape" and isinstance(args[0], Value):
            sizes = sizes_of(args[0], self.batch)
            if sizes is None:
                raise Told()
            return sizes_asked(node, sizes)
        if node.op == "CastLike" and isinstance(args[0], Fixed):  # like what matters to no shape
            return args[0]
        given = [arg for arg in args if arg is not None]
        if node.op == "Constant" or all(isinstance(arg, Fixed) for arg in given):
            value = position_rows(at) if node.op == "Gather" else None
            value = value or cut(node, args) or work_out(at)
            need(value is not None, "of fixed tensors")
            return value
        if all(isinstance(arg, Fixed) or arg.lost for arg in given):
            raise Told()
        if at.word not in LAYERS:
            raise Unsupported("")
        return converted(self.network, LAYERS[at.word], at)

    def named(self, node):
        """The inputs of a node by their names, as far as they are there."""
        return {name: self.values[name] for name in node.inputs if self.values.get(name) is not None}

    def stand_ins(self, node, args, why):
        """For what a node cannot make, so that what comes after it is looked at, too: with its shape where that is
        known, else as nothing that anybody can say more about."""
        given = [arg for arg in args if arg is not None]
        if all(isinstance(arg, Fixed) or arg.lost or (node.op == "Shape" and is_told(arg))
               for arg in given):
            return tuple(stand_in(self.network, lost=True) for _ in node.outputs)
        sizes = shapes_behind(self.graph, node, self.named(node), self.batch)
        views = isinstance(why, Told) or getattr(why, "among_views", None)

        def like(name):
            shape = as_samples(sizes.get(name), self.batch)
            return guess(self.network.last, shape) if shape and not views else stand_in(self.network, shape)

        return tuple(like(name) for name in node.outputs)

    def find_flattened(self):
        """The tensors that whoever takes them only makes one row of features, or changes their values
        first. From the last one back, so that each is looked at once."""
        found = set()
        for node in reversed(self.graph.nodes):
            for name in node.outputs[:1]:
                used = [(user.outputs[0], self.shapes.get(user.outputs[0]))
                        for user in self.graph.users.get(name, []) if user.outputs]
                used = [(made, shape) for made, shape in used if shape is not None]
                if used and name not in self.graph.outputs and all(
                        len(shape) == 1 or (shape == self.shapes.get(name) and made in found)
                        for made, shape in used):
                    found.add(name)
        return found

    def is_last(self, name):
        unused = name in self.graph.outputs and not self.graph.users.get(name)
        return unused and self.loss == "softmax_cross_entropy"

    def name_of(self, node, args, word):
        """By the first weight, which PyTorch names by its module, or by the node's own path."""
        for arg in args:
            weight = getattr(getattr(arg, "owner", None), "name", "") if isinstance(arg, Fixed) else ""
            if weight.endswith(".weight"):
                return weight[:-len(".weight")].replace(".", "_")
        path = node.path[:-1]
        parts = [part for part, after in zip(path, path[1:] + [""]) if not after.startswith(part + ".")]
        word = word.rpartition(".")[2].lower()
        if not parts or not parts[-1].startswith(word):
            parts.append(word)
        return "_".join(parts).replace(".", "_")

    def add_loss(self, node, loss):
        """A loss right behind each tensor that the network puts out."""
        for name in node.outputs[:1]:
            value = self.values.get(name)
            if name not in self.graph.outputs or not isinstance(value, Value):
                continue
            called = "loss" if len(self.graph.outputs) == 1 else self.name_of(node, [], node.op) + "_loss"
            try:
                value = settled(self.network, value)
                if loss != "none":
                    self.network.add_loss(loss, called, value)
            except Told:
                pass
            except Unsupported as why:
                self.network.problem("%s as an output: %s" % (node.op, why), node.place)


def sizes_asked(node, sizes):
    """Shape, of all axes or of some (since operators 15)."""
    first, last = node.get("start", 0), node.get("end", len(sizes))
    return known(numpy.array(sizes[slice(first, last)], numpy.int64))


def position_rows(at):
    """Rows of a table for positions 0, 1, 2, ... of every sample; None: it is something else."""
    table, index = at.args[:2]
    if table.owner is None or len(table.value.shape) != 2 or at.get("axis", 0) != 0:
        return None
    rows, features = table.value.shape
    wanted = numbers(index)
    need(wanted == list(range(len(wanted))) and len(wanted) <= rows,
         "of numbers other than 0, 1, 2, ...")
    return Fixed(Worked(index.value.shape + [features], table.value.read), table.owner,
                 [len(wanted), features, rows])


def read(options):
    """The importer, which has run."""
    try:
        graph = Graph(options.source, options.input)
        importer = Importer(graph, options)
    except Refused as why:
        raise Refused("%s: %s" % (options.source, why))
    importer.name = os.path.basename(options.source)[:-len(".onnx")]
    importer.origin = "ONNX operators %d, %s" % (graph.opset, graph.producer or "producer unknown")
    return importer
