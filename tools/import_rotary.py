"""import_rotary.py -- rotary positions (Su et al. 2021, RoFormer, arXiv:2104.09864): features of queries and keys
turned by angles that depend on the position alone. dtsim has no layer for it; it has no parameters, and what is left
out is a few passes over queries and keys, which a note says.

What stands between the features and the turned ones is followed as `Mixture`: sums of the same features of one view,
times fixed numbers, in whatever order they lie. Both importers call these; each returns None where it is something
else.
"""
from import_layers import origin
from import_network import Fixed, Value, product
from import_views import View, is_told, joined, runs, view_of

NOTE = "note: rotary positions (products of queries and keys with fixed numbers) are left out, and with them their time"
FIXED = "by a number or by something fixed"
MOST = 1 << 16  # features of a head


class Mixture(Value):
    """`lead`: the axes of the view before its features; `features`: which they are; `fixed`: each is multiplied by
    fixed numbers; `summed`: they are sums of those."""

    def __init__(self, view, lead, features, sizes, fixed=False, summed=False):
        super().__init__(None, sizes[1:])
        self.view, self.lead, self.features, self.whole = view, lead, features, list(sizes)
        self.fixed, self.summed = fixed, summed

    def alike(self, other):
        return self.view.layer == other.view.layer and self.lead == other.lead

    def complete(self, network, seen):
        """The view that was turned, once all of its features are there; else `seen`, which looks at this one."""
        lead = [runs(axis, 1, size) for axis, size in enumerate(self.whole[:len(self.lead)])]
        sizes, count = seen.sizes, len(self.features)
        done = self.fixed and self.summed and len(sizes) == len(lead) + 1 and sizes[-1] == count
        if not done or seen.axes[:-1] != lead or seen.offsets or sorted(self.features) != list(
                range(min(self.features), min(self.features) + count)):
            return seen
        network.note(NOTE)
        last = len(self.view.source.dims)
        offsets = dict(self.view.offsets)
        offsets[last] = min(self.features)
        axes = self.lead + [runs(last, 1, count)]
        return View(self.view.source, axes, self.view.origin or seen.origin, offsets, abs(self.view.factor))


def wrapped(network, call, mixture, why=""):
    axes = [runs(axis, 1, size) for axis, size in enumerate(mixture.whole)]
    return mixture.complete(network, View(mixture, axes, origin(call, why)))


def mixture_of(network, value, trailing=1):
    """A view of features, which are its last axes; None: it is none."""
    if not isinstance(value, Value) or value.lost or is_told(value):
        return None
    source = value.source if isinstance(value, View) else None
    if isinstance(source, Mixture):
        return looked_at(source, value)
    view = view_of(network, value)
    last = len(view.source.dims)
    trailing += not view.axes[-1]  # an axis of one behind it: a stack is written so
    tail = joined(run for axis in view.axes[-trailing:] for run in axis)
    if view.layer is None or len(view.axes) < trailing + 1 or not tail:
        return None
    if any(run.dim != last for run in tail) or product(run.size for run in tail) > MOST:
        return None
    features = [view.offsets.get(last, 0)]
    for run in tail:
        features = [first + i * run.step for first in features for i in range(run.size)]
    return Mixture(view, view.axes[:-trailing], frozenset(features), view.sizes)


def looked_at(mixture, view):
    """A mixture as it is, or with an axis of one behind it."""
    whole = [runs(axis, 1, size) for axis, size in enumerate(mixture.whole)]
    if view.offsets or view.axes not in (whole, whole + [[]]):
        return None
    if view.axes == whole:
        return mixture
    return Mixture(mixture.view, mixture.lead, mixture.features, mixture.whole + [1], mixture.fixed, mixture.summed)


def times_fixed(network, call, value, fixed, trailing=1):
    """By what does not depend on the input, and is more than one number."""
    mixture = mixture_of(network, value, trailing) if isinstance(fixed, Fixed) and fixed.value is not None else None
    if mixture is None or product(fixed.value.shape) < 2:
        return None
    return wrapped(network, call, Mixture(mixture.view, mixture.lead, mixture.features, mixture.whole, True,
                                          mixture.summed), FIXED)


def is_mixture(value):
    return isinstance(value, View) and isinstance(value.source, Mixture)


def summed(network, call, a, b):
    """A sum or a difference of two that are times fixed numbers."""
    if not (is_mixture(a) and is_mixture(b)):
        return None
    one, two = mixture_of(network, a), mixture_of(network, b)
    if one is None or two is None or not one.alike(two) or one.whole != two.whole:
        return None
    made = Mixture(one.view, one.lead, one.features | two.features, one.whole, one.fixed and two.fixed, True)
    return wrapped(network, call, made, FIXED)


def negated(network, call, value):
    """One that is times fixed numbers already."""
    return value if is_mixture(value) else None


def behind_one_another(network, call, parts, axis, stacked=False):
    """cat and stack of parts of the same features."""
    found = [mixture_of(network, part) for part in parts]
    if len(found) < 2 or None in found or not any(isinstance(part, View) for part in parts):
        return None
    rank = len(found[0].whole) + stacked
    if axis % rank != rank - 1 or not all(part.alike(found[0]) for part in found):
        return None
    sizes = [part.whole for part in found]
    if any(len(size) != len(sizes[0]) for size in sizes) or (stacked and sizes.count(sizes[0]) != len(sizes)):
        return None
    last = [len(sizes)] if stacked else [sum(size[-1] for size in sizes)]
    made = Mixture(found[0].view, found[0].lead, frozenset().union(*[part.features for part in found]),
                   (sizes[0] if stacked else sizes[0][:-1]) + last, all(part.fixed for part in found),
                   all(part.summed for part in found))
    return side_by_side(network, parts, found, stacked) or wrapped(network, call, made)


def side_by_side(network, parts, found, stacked):
    """The whole that parts were cut from, in their order, none of them turned any more; None: it is something else."""
    if stacked or not all(isinstance(part, View) and not is_mixture(part) and part.factor == 1 for part in parts):
        return None
    first = [min(part.features) for part in found]
    edges = [start + size for start, size in zip(first, [part.whole[-1] for part in found])]
    if first[1:] != edges[:-1] or any(part.axes[-1] != runs(len(part.source.dims), 1,
                                                            part.sizes[-1]) for part in parts):
        return None
    view, last = parts[0], len(parts[0].source.dims)
    offsets = dict(view.offsets)
    offsets[last] = first[0]
    return View(view.source, view.axes[:-1] + [runs(last, 1, edges[-1] - first[0])], view.origin, offsets)


def as_complex(network, call, value):
    """Pairs of features as one number each."""
    mixture = mixture_of(network, value, 2)
    if mixture is None or mixture.whole[-1] != 2:
        return None
    return wrapped(network, call, Mixture(mixture.view, mixture.lead, mixture.features, mixture.whole[:-1],
                                          mixture.fixed, True))


def as_real(network, call, value):
    mixture = mixture_of(network, value) if is_mixture(value) else None
    if mixture is None:
        return None
    return wrapped(network, call, Mixture(mixture.view, mixture.lead, mixture.features, mixture.whole + [2],
                                          mixture.fixed, mixture.summed))
