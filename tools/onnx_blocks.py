"""onnx_blocks.py -- what language models of today are written out of in ONNX files: root mean squares, rotary
positions, keys and values that heads share. import_norms.py and import_rotary.py know what these are; here are the
operators that they are written with. Whatever else they do is for onnx_layers.py, or is no layer.
"""
import import_attention
import import_einsum
import import_norms
import import_rotary
from import_layers import origin
from import_network import Value, need
from import_views import converted, simplest, takes_views, view_of
from onnx_attention import number_of
from onnx_fixed import axes_of, numbers


def first_of(attempts, otherwise=None):
    """An operator that is something of (network, call, *args), by the first that knows it, or something else."""
    @takes_views
    def convert(network, at):
        call = at.call(None)
        for attempt in attempts:
            made = attempt(network, call, *at.args)
            if made is not None:
                return made
        need(otherwise is not None, "")
        return converted(network, otherwise, at)

    return convert


def times_fixed(network, call, a, b):
    value, fixed = (a, b) if isinstance(a, Value) else (b, a)
    return import_rotary.times_fixed(network, call, value, fixed) if is_table(value, fixed) else None


def is_table(value, fixed):
    """Whether a fixed tensor has values for positions and features, as angles have: a vector may be a weight."""
    if isinstance(fixed, Value) or not isinstance(value, Value):
        return False
    return import_rotary.is_mixture(value) or sum(size > 1 for size in fixed.value.shape) > 1


def raised(network, call, value, power):
    return import_norms.raised(network, call, value, number_of(power))


def by_power(power):
    return lambda network, call, value: import_norms.raised(network, call, value, power)


def divided(network, call, value, divisor):
    return import_norms.divided(network, call, value if isinstance(value, Value) else number_of(value), divisor)


def mean(otherwise):
    @takes_views
    def convert(network, at):
        axes, rank = axes_of(at.node, at.args), len(at.x.shape) + 1
        last = at.get("keepdims", 1) == 1 and axes in ([-1], [rank - 1])
        made = import_norms.averaged(network, at.call(None), at.x, last)
        return made or converted(network, otherwise, at)

    return convert


def concat(otherwise):
    @takes_views
    def convert(network, at):
        made = import_rotary.behind_one_another(network, at.call(None), at.args, at.get("axis", 1)) \
            if all(isinstance(arg, Value) for arg in at.args) else None
        return made or converted(network, otherwise, at)

    return convert


@takes_views
def negative(network, at):
    need(import_rotary.is_mixture(at.x) or import_rotary.mixture_of(network, at.x) is not None, "")
    made = import_rotary.negated(network, at.call(None), at.x)
    return made or view_of(network, at.x).edit(view_of(network, at.x).axes, origin(at.call(None)), factor=-1)


@takes_views
def einsum(network, at):
    need(len(at.args) == 2 and all(isinstance(arg, Value) for arg in at.args), import_einsum.WHY)
    return import_einsum.of_two(network, at.call(None), at.get("equation"), *at.args, import_attention.product_of)


@takes_views
def expand(network, at):
    x, sizes = view_of(network, at.args[0]), numbers(at.args[1])
    need(len(sizes) <= len(x.axes), "")
    sizes, made = [1] * (len(x.axes) - len(sizes)) + sizes, origin(at.call(None))
    for axis, (size, wanted) in enumerate(zip(x.sizes, sizes)):
        if wanted not in (1, size):
            need(size == 1 and axis > 0 and wanted > 0, "")
            x = x.repeated(axis, wanted, made)
    return simplest(network, x)


@takes_views
def tile(network, at):
    x, times = view_of(network, at.args[0]), numbers(at.args[1])
    need(len(times) == len(x.axes) and times[0] == 1 and min(times) > 0, "")
    made = origin(at.call(None))
    for axis, count in enumerate(times):
        x = x.repeated(axis, count, made, apart=True) if count > 1 else x
    return simplest(network, x)


def rows(layers):
    """For the table of layers, of which some know more: what these operators are, and else as there."""
    return {
        "Add": first_of([import_norms.added, import_rotary.summed], layers["Add"]),
        "Sub": first_of([import_norms.centered, import_rotary.summed]),
        "Mul": first_of([import_norms.multiplied, times_fixed], layers["Mul"]),
        "Div": first_of([divided], layers["Div"]),
        "Pow": first_of([raised]), "Sqrt": first_of([by_power(0.5)]), "Reciprocal": first_of([by_power(-1)]),
        "ReduceMean": mean(layers["ReduceMean"]), "Concat": concat(layers["Concat"]),
        "Neg": negative, "Expand": expand, "Tile": tile, "Einsum": einsum,
    }
