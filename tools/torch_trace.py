"""torch_trace.py -- from a graph with shapes (torch_follow.py) to layers."""
import inspect

import torch
import torch.fx

from import_network import NO_TENSOR, Call, Fixed, Network, Unsupported, Value, guess, need
from import_views import Told, View, converted, settled, stand_in
from torch_attention import item, number_of
from torch_kinds import drops_paths, known_kind
from torch_layers import FUNCTIONS, METHODS, MODULES, by_index, drop_path
from torch_shapes import BATCH, shape_of
from torch_weights import Computed, find_sources, weight_of


def find_flattened(graph):
    """The nodes whose users only make the result one row of features, or change its values first.
    From the last one back, so that each is looked at once."""
    found = set()
    for node in reversed(graph.nodes):

        def fits(user):
            shape = user.meta["shape"]
            return shape is not None and (
                len(shape) == 1 or (shape == node.meta["shape"] and user in found))

        # others only ask for its sizes
        users = [user for user in node.users if user.meta["tensor"] or user.op == "output"]
        if users and all(fits(user) for user in users):
            found.add(node)
    return found


def holds(node):
    """A named tuple of results."""
    return node.op == "call_function" and inspect.isclass(node.target) and issubclass(node.target, tuple)


def find_outputs(node):
    """The nodes whose values the network puts out."""
    found = []
    for source in node.all_input_nodes:
        found += find_outputs(source) if holds(source) else [source]
    return found


# What arguments that a function of a table does not expect may raise in it.
FAULTS = (TypeError, ValueError, IndexError, KeyError, AttributeError, ZeroDivisionError, OverflowError, StopIteration)


def one_line(error):
    return " ".join(("%s: %s" % (type(error).__name__, error)).split())[:120]


class Importer:
    """Goes through the graph and fills `network`."""

    def __init__(self, graph, dims, loss):
        self.root = graph.owning_module
        self.modules = dict(self.root.named_modules())
        self.graph, self.loss = graph, loss
        self.outputs = find_outputs(next(n for n in graph.nodes if n.op == "output"))
        self.parameters = {id(p): p for p in self.root.parameters()}
        self.flattened = find_flattened(graph)
        self.sources = find_sources(graph, self.parameters)
        self.network = Network(dims, BATCH)
        self.values = {}
        self.hooked = []

    def run(self):
        for node in self.graph.nodes:
            if node.op == "placeholder":
                self.values[node] = self.network.entry
            elif node.op != "output":
                self.values[node] = self.convert(node)
                self.add_loss(node)
        self.network.check_pieces()
        if not self.network.layers and not self.network.problems:
            self.network.problem("a network without layers", "")
        self.network.note_computed()
        seen = {id(p) for weight in self.network.computed for p in weight.sources}
        unused = [name.partition(".")[2] for name, p in self.root.named_parameters()
                  if not (self.network.is_taken(p) or id(p) in seen)]
        if unused:
            self.network.note("note: parameters that no layer uses are left out: " + ", ".join(unused))

    def convert(self, node):
        """The node's value: a Value, Fixed, a tuple, or whatever is no tensor (sizes)."""
        meta = node.meta
        module = self.modules[node.target] if node.op == "call_module" else None
        if not meta["from_input"] and not isinstance(meta["value"], torch.Tensor):
            return meta["value"]
        if not meta["from_input"] and not isinstance(module, torch.nn.Embedding):
            return Fixed(meta["value"], self.parameters.get(id(meta["value"])), sources=self.sources.get(node, ()))

        def known(n):
            return self.values[n]

        args = torch.fx.node.map_arg(node.args, known)
        kwargs = torch.fx.node.map_arg(node.kwargs, known)
        try:
            return self.look_up(node, module, list(args), dict(kwargs))
        except Unsupported as why:
            if not isinstance(why, Told):
                self.problem(node, ": %s" % why if str(why) else "")
            return self.stand_in(node, why.among_views)
        except FAULTS as error:
            self.problem(node, ": in a way that nobody knows here (%s)" % one_line(error))
            return self.stand_in(node, None)

    def look_up(self, node, module, args, kwargs):
        if self.word(node) == "getitem":
            return self.item(node, *args)
        if holds(node):
            return tuple(args)
        if module is not None and drops_paths(module):
            return converted(self.network, drop_path, self.call(node, module, args, kwargs))
        table, key = {"call_module": (MODULES, known_kind(module, MODULES)), "call_function": (FUNCTIONS, node.target),
                      "call_method": (METHODS, node.target)}[node.op]
        need(key in table, "")
        made = converted(self.network, table[key], self.call(node, module, args, kwargs))
        self.compute(getattr(module, "weight", None), module)
        return made

    def compute(self, weight, module):
        """A weight that a hook of its module makes of the module's parameters, as weight_norm's does."""
        hooked = isinstance(weight, torch.Tensor) and not isinstance(weight, torch.nn.Parameter)
        if hooked and self.network.is_taken(weight) and not any(weight is one for one in self.hooked):
            self.hooked.append(weight)
            sources = [p for name, p in module.named_parameters(recurse=False) if name.startswith("weight")]
            self.network.computed.append(Computed(weight.shape, sources))

    def call(self, node, module, args, kwargs):
        shape = node.meta["shape"]
        last = node in self.outputs and len(node.users) == 1 and self.loss == "softmax_cross_entropy"
        return Call(self.name(node), module, args, kwargs, shape,
                    flattened=shape is not None and node in self.flattened, last=last,
                    sizes=node.meta["sizes"], word=self.word(node), place=self.place(node),
                    weight_of=lambda fixed: weight_of(self.network, fixed), number_of=number_of)

    def item(self, node, whole, index):
        """One of several results, or the first position of a sequence."""
        if isinstance(whole, (tuple, list)):
            return whole[index]
        if isinstance(whole, Fixed) and isinstance(index, Value):
            return converted(self.network, by_index, self.call(node, None, [whole, index], {}))
        need(isinstance(whole, Value), NO_TENSOR)
        first = index == (slice(None, None, None), 0)
        if not first or isinstance(whole, View) or len(whole.shape) != 2 or whole.shape != whole.dims:
            return converted(self.network, item, self.call(node, None, [whole, index], {}))
        out = self.network.add(self.name(node), "select", [whole], [1, whole.dims[1]], positions=1)
        return self.network.flat(out, self.name(node))

    def stand_in(self, node, among_views):
        """For what cannot be made, so that what comes after it is looked at, too."""

        def like(shape, results):
            if isinstance(results, tuple):
                return tuple(like(shape_of(result), result) for result in results)
            if among_views or shape is None:
                return stand_in(self.network, shape)
            return guess(self.network.last, shape)

        return like(node.meta["shape"], node.meta["value"])

    def word(self, node):
        if node.op == "call_module":
            return type(self.modules[node.target]).__name__
        if isinstance(node.target, str):
            return node.target
        return getattr(node.target, "__name__", str(node.target))

    def name(self, node):
        path = [node.target.partition(".")[2]] if node.op == "call_module" else [
            node.meta.get("path", ""), self.word(node).strip("_")]
        return "_".join(part.replace(".", "_") for part in path if part) or self.word(node)

    def place(self, node):
        return node.target.partition(".")[2] if node.op == "call_module" else node.meta.get("path", "")

    def problem(self, node, why=""):
        self.network.problem(self.word(node) + why, self.place(node))

    def add_loss(self, node):
        """A loss right behind each tensor that the network puts out."""
        value = self.values[node]
        if node not in self.outputs or not isinstance(value, Value) or getattr(value, "state", False):
            return
        name = "loss" if len(self.outputs) == 1 else self.name(node) + "_loss"
        try:
            value = settled(self.network, value)
            if self.loss != "none":
                self.network.add_loss(self.loss, name, value)
        except Told:
            return
        except Unsupported as why:
            self.problem(node, " as an output: %s" % why)
