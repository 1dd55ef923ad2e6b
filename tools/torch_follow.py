"""torch_follow.py -- from a PyTorch module to a graph with shapes, by torch.fx."""
import contextlib
import dis
import inspect
import operator
from unittest import mock

import torch
import torch.fx
import torch.nn.functional as F
from torch.utils._pytree import tree_flatten

from torch_kinds import drops_paths, known_kind
from torch_layers import MODULES
from torch_shapes import Shapes

UNTRACED = {name: getattr(torch.nn.Module, name) for name in ("__call__", "__getattr__")}  # which tracing replaces
LOOKS = ("view", "reshape", "long", "to", "contiguous", torch.reshape)  # at tokens, before their table


class Whole(torch.nn.Module):
    """The module behind one input: what else its forward may take has its default."""

    def __init__(self, module):
        super().__init__()
        self.network = module

    def forward(self, x):
        return self.network(x)


def unpack(proxy):
    """a, b = f(x): several results. PyTorch 1.13's own way fails with Python 3.11, whose
    instructions are of different lengths."""
    frame = inspect.currentframe().f_back
    now = [i for i in dis.get_instructions(frame.f_code) if i.offset == frame.f_lasti]
    if now and now[0].opname == "UNPACK_SEQUENCE":
        return (proxy[i] for i in range(now[0].argval))
    return proxy.tracer.iter(proxy)


def counted(proxy):
    """len(x.shape), which Python asks for in f(*x.shape), too."""
    meta = proxy.tracer.noted(proxy)
    return len(meta["value"]) if isinstance(meta["value"], (tuple, list)) else meta["sizes"][0]


torch.fx.Proxy.__iter__ = unpack
torch.fx.Proxy.__len__ = counted


def followed(make):
    """A function that takes sizes by themselves or in a list, which torch.fx does not follow by itself."""

    def call(*args, **kwargs):
        for part in tree_flatten((args, kwargs))[0]:
            if isinstance(part, torch.fx.Proxy):
                return part.tracer.create_proxy("call_function", make, args, kwargs)
        return make(*args, **kwargs)

    return call


MAKERS = {name: followed(getattr(torch, name)) for name in ("arange", "full", "ones", "zeros")}


class Tracer(torch.fx.Tracer):
    """Notes in each node which module it belongs to."""

    def __init__(self, dims):
        super().__init__()
        self.dims = dims
        self.path = [""]

    def noted(self, proxy):
        """What Shapes notes of a value that is traced so far."""
        wanted, part, copies = {proxy.node}, torch.fx.Graph(), {}
        for node in reversed(self.graph.nodes):
            wanted.update(node.all_input_nodes if node in wanted else [])
        for node in self.graph.nodes:
            if node in wanted:
                copies[node] = part.node_copy(node, copies.get)
        part.output(copies[proxy.node])
        with mock.patch.multiple(torch.nn.Module, **UNTRACED):
            traced = torch.fx.GraphModule(self.root, part)
            Shapes(traced).run_on(self.dims, numbers_of(traced.graph, False))
        return copies[proxy.node].meta

    def to_bool(self, proxy):
        """What the input's shape decides (assert x.size(1) <= 1024) is decided; nothing else is."""
        meta = self.noted(proxy)
        return super().to_bool(proxy) if meta["from_input"] else bool(meta["value"])

    def iter(self, proxy):
        """Sizes, and several results: as many as there are."""
        several = self.noted(proxy)["value"]
        return (proxy[i] for i in range(len(several))) if isinstance(several, (tuple, list)) else super().iter(proxy)

    def is_leaf_module(self, module, name):
        """A layer that is known, as it stands or by another class that changes nothing of it."""
        return drops_paths(module) or known_kind(module, MODULES) is not None or super().is_leaf_module(module, name)

    def call_module(self, module, forward, args, kwargs):
        self.path.append(self.path_of_module(module))
        try:
            return super().call_module(module, forward, args, kwargs)
        finally:
            self.path.pop()

    def create_node(self, *args, **kwargs):
        node = super().create_node(*args, **kwargs)
        node.meta["path"] = self.path[-1].partition(".")[2]
        return node


def is_table(node, modules, before):
    """Whether a node takes rows of a table by what comes before it."""
    if node.op == "call_module":
        return isinstance(modules[node.target], torch.nn.Embedding)
    if node.target is operator.getitem:
        return node.args[1] is before and node.args[0].op == "get_attr"
    return node.target in (F.embedding, torch.embedding)


def takes_tokens(graph):
    """The input goes into an embedding before anything else but another look at it."""
    modules = dict(graph.owning_module.named_modules())
    nodes = [n for n in graph.nodes if n.op == "placeholder"]
    for node in nodes:  # more behind them, as they are found
        if any(is_table(user, modules, node) for user in node.users):
            return True
        nodes += [user for user in node.users if user.target in LOOKS and user not in nodes]
    return False


def numbers_of(graph, tokens):
    """Of which type the input's values are."""
    return torch.int64 if tokens or takes_tokens(graph) else torch.float32


def followed_through(whole, dims):
    """The graph. Buffers are part of it only where it needs them to be, as in mask[:t] of a size t: a branch
    on one is then none that torch.fx can follow."""
    try:
        return Tracer(dims).trace(whole)
    except Exception as error:
        tracer = Tracer(dims)
        tracer.proxy_buffer_attributes = True
        with contextlib.suppress(Exception):
            return tracer.trace(whole)
        raise error


def trace(module, dims, tokens):
    whole = Whole(module)
    with mock.patch.multiple(torch, **MAKERS), mock.patch.object(F, "pad", followed(F.pad)):
        traced = torch.fx.GraphModule(whole, followed_through(whole, dims))
    traced.graph.eliminate_dead_code()
    Shapes(traced).run_on(dims, numbers_of(traced.graph, tokens))
    return traced.graph
