"""torch_shapes.py -- the shape of whatever a traced graph makes, without the memory that it would take."""
import torch
import torch.fx
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_flatten, tree_map

BATCH = 2  # batch normalization needs more than one
KNOWN = (int, float, str, torch.Size, torch.device, torch.dtype, type(None))


def shape_of(result):
    """Of one sample; None: no tensor, or none of a batch."""
    batch = isinstance(result, torch.Tensor) and result.dim() > 0 and result.shape[0] == BATCH
    return list(result.shape[1:]) if batch else None


def is_known(node, result):
    """No more than the input's shape is needed to tell it: a size, a device, a comparison of those."""
    return node.target not in ("item", "tolist") and all(
        isinstance(part, KNOWN) for part in tree_flatten(result)[0])


class Fakes(TorchDispatchMode):
    """Whatever runs under it makes tensors that have a shape and no memory. Weights take part as
    they are (FakeTensorMode's own allow_non_fake_inputs is not in PyTorch 1.13)."""

    def __init__(self):
        super().__init__()
        self.fakes = FakeTensorMode()

    def fake(self, arg):
        real = isinstance(arg, torch.Tensor) and not isinstance(arg, FakeTensor)
        return self.fakes.from_tensor(arg) if real else arg

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        args, kwargs = tree_map(self.fake, (args, kwargs or {}))
        with self.fakes:
            return function(*args, **kwargs)


def zeros(arg):
    return torch.zeros(arg.shape, dtype=arg.dtype) if isinstance(arg, FakeTensor) else arg


class Shapes(torch.fx.Interpreter):
    """Runs the graph on fakes. Notes of each node whether it is made from the input's values, the shape
    of one sample if it is such a tensor, its whole shape, and what it is otherwise."""

    def __init__(self, module):
        super().__init__(module)
        self.fakes = Fakes()

    def run_on(self, dims, numbers):
        with torch.no_grad():
            with self.fakes:
                batch = torch.zeros([BATCH] + dims, dtype=numbers)
            self.run(batch)

    def run_node(self, node):
        from_input = node.op == "placeholder" or any(n.meta["from_input"] for n in node.all_input_nodes)
        result = self.run_on_fakes(node) if from_input else super().run_node(node)
        from_input = from_input and not is_known(node, result)
        tensor = from_input and isinstance(result, torch.Tensor)
        node.meta["from_input"], node.meta["tensor"] = from_input, tensor
        node.meta["value"] = None if tensor else result
        node.meta["shape"] = shape_of(result) if tensor else None
        node.meta["sizes"] = list(result.shape) if tensor else None
        return result

    def run_on_fakes(self, node):
        """Where fakes are not enough, as where values decide what comes out, on zeros."""
        args, kwargs = self.fetch_args_kwargs_from_env(node)
        run = getattr(self, node.op)
        try:
            with self.fakes:
                return run(node.target, args, kwargs)
        except Exception:  # also what is wrong with the network itself, which zeros tell in plain words
            return run(node.target, *tree_map(zeros, (args, kwargs)))
