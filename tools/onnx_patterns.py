"""onnx_patterns.py -- several nodes of an ONNX graph that are one layer: what exporters write for
layers that the format had no name for, and sums that belong to a product.

A pattern is a tree: ("Mul", "x", ("Sigmoid", "x")). In it "x" is any tensor, the same at each place,
"@w" one that does not depend on the input, "#e" any number, 0.5 that number (to 1 part in 1000).
The inputs of Add and Mul may be swapped. What is inside the tree must have no other use.
"""
from math import isfinite

from import_network import Unsupported

CENTERED = ("Sub", "x", ("ReduceMean", "x"))
VARIANCE = ("ReduceMean", ("Pow", CENTERED, 2.0))
NORMALIZED = ("Div", CENTERED, ("Sqrt", ("Add", VARIANCE, "#epsilon")))
BY_ERF = ("Add", ("Erf", ("Div", "x", 1.41421)), 1.0)
CUBE = ("Add", "x", ("Mul", ("Pow", "x", 3.0), 0.044715))
BY_TANH = ("Add", ("Tanh", ("Mul", CUBE, 0.797885)), 1.0)

# The name that onnx_layers.py has for it, and the tree; its inputs are "x", then those with an @.
PATTERNS = [
    ("Linear", ("Add", ("MatMul", "x", "@weight"), "@bias")),
    ("LayerNormalization", ("Add", ("Mul", NORMALIZED, "@weight"), "@bias")),
    ("Gelu", ("Mul", ("Mul", "x", BY_ERF), 0.5)),
    ("Gelu", ("Mul", ("Mul", "x", 0.5), BY_ERF)),
    ("GeluTanh", ("Mul", ("Mul", "x", BY_TANH), 0.5)),
    ("GeluTanh", ("Mul", ("Mul", "x", 0.5), BY_TANH)),
    ("Silu", ("Mul", "x", ("Sigmoid", "x"))),
    ("AveragePool", ("AveragePool", ("Pad", "x"))),
    ("Conv", ("Conv", ("Pad", "x"))),
]
SWAPPED = ("Add", "Mul")
WITH_MORE = ("AveragePool", "Conv", "Pad", "ReduceMean")  # inputs than the tree says


class Match:
    """Tries one pattern at one node."""

    def __init__(self, graph, root):
        self.graph, self.root = graph, root
        self.bound, self.inside = {}, []

    def tensor(self, tree, name):
        if isinstance(tree, tuple):
            node = self.graph.makers.get(name)
            return node is not None and self.single(name) and self.node(tree, node)
        if isinstance(tree, float) or tree[0] == "#":
            number = self.number(name)
            if number is None or (isinstance(tree, float) and abs(number - tree) > 1e-3 * tree):
                return False
            return isinstance(tree, float) or self.bind(tree[1:], number)
        if tree[0] == "@":
            return name in self.graph.fixed and self.bind(tree, name)
        return name not in self.graph.fixed and self.bind(tree, name)

    def bind(self, key, value):
        return self.bound.setdefault(key, value) == value

    def number(self, name):
        node = self.graph.makers.get(name)
        stored = self.graph.stored.get(name)
        try:
            if stored is None and node is not None and node.op == "Constant":
                stored = node.get("value")
            number = float(stored.read().item()) if stored and len(stored.shape) <= 1 else None
            return number if number is None or isfinite(number) else None
        except (ValueError, TypeError, AttributeError, Unsupported):
            return None

    def single(self, name):
        """Nothing outside of the pattern looks at it: the trees use CENTERED twice."""
        return name not in self.graph.outputs

    def node(self, tree, node):
        kind, parts = tree[0], tree[1:]
        if node.op != kind or len(node.inputs) < len(parts):
            return False
        if kind not in WITH_MORE and len(node.inputs) != len(parts):
            return False
        orders = [parts, parts[::-1]] if kind in SWAPPED else [parts]
        for order in orders:
            keep = dict(self.bound), list(self.inside)
            if all(self.tensor(part, name) for part, name in zip(order, node.inputs)):
                if node not in self.inside:
                    self.inside.append(node)
                return True
            self.bound, self.inside = keep
        return False

    def closed(self):
        """What the inner nodes make is used inside only."""
        inner = [node for node in self.inside if node is not self.root]
        return all(user in self.inside for node in inner for name in node.outputs
                   for user in self.graph.users.get(name, []))


class Found:
    """A pattern that is there."""

    def __init__(self, name, match):
        self.name, self.bound = name, match.bound
        self.inner = [node for node in match.inside if node is not match.root]
        fixed = [match.bound[key] for key in ("@weight", "@bias") if key in match.bound]
        own = match.root.inputs[1:] if match.root.op in WITH_MORE else []
        self.inputs = [match.bound["x"]] + fixed + own


def find(graph):
    """By root node (its id) the pattern there; and the ids of the nodes that are part of one."""
    roots, parts = {}, set()
    for node in reversed(graph.nodes):
        if id(node) in parts:
            continue
        for name, tree in PATTERNS:
            match = Match(graph, node)
            if match.node(tree, node) and match.closed():
                roots[id(node)] = Found(name, match)
                parts.update(id(inner) for inner in roots[id(node)].inner)
                break
    return roots, parts
