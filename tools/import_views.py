"""import_views.py -- tensors whose axes were moved, split, joined or cut: what a layer makes, looked at in
another order. dtsim has no such tensors; they are followed until somebody looks at them in an order
that dtsim has, or a layer takes them as they are (LSTMs, attention).

An axis is a list of runs, the outermost first. A run is `size` steps of `step` along one axis of the
source, of which axis 0 is the batch. Heads of 64 features, of a linear layer's [batch, 128, 768], are

    [[Run(0, 1, batch)], [Run(2, 64, 12)], [Run(1, 1, 128)], [Run(2, 1, 64)]]

An axis of size 1 has no run, and two runs that one step would describe are one: equal views are equal lists.
"""
import functools
from collections import namedtuple

from import_moves import moved
from import_network import Unsupported, Value, need, product

Run = namedtuple("Run", "dim step size")
AGAIN = -1  # instead of an axis of the source, in a run of no step: the same values again


class Told(Unsupported):
    """It is in the list of what is missing already, where the tensor was made."""


class Origin:
    """The node that made a view, and why dtsim has nothing that does it."""

    def __init__(self, name, what, place):
        self.name, self.what, self.place = name, what, place
        self.told = False


def runs(dim, step, size):
    return [] if size == 1 else [Run(dim, step, size)]


def joined(axis):
    """With neighbours that are one run as one."""
    out = []
    for run in axis:
        if out and out[-1].dim == run.dim and out[-1].step == run.step * run.size:
            run = Run(run.dim, run.step, out.pop().size * run.size)
        out.append(run)
    return out


def size_of(axis):
    return product(run.size for run in axis)


class View(Value):
    """Memory of `source`, or a part of it, which `offsets` says: of which of its axes not the first values. All
    of them are multiplied by `factor`."""

    state = False  # whether it is the state that a recurrent layer hands out: no output of the network's

    def __init__(self, source, axes, origin, offsets=None, factor=1.0):
        self.source, self.axes, self.origin = source, axes, origin
        self.offsets, self.factor = offsets or {}, factor
        self.made = None  # the layer's output that it became
        super().__init__(source.layer, source.dims, self.sizes[1:])

    @property
    def sizes(self):
        return [size_of(axis) for axis in self.axes]

    def edit(self, axes, origin, offsets=None, factor=1.0):
        """The first that made it what dtsim has not is the one to be named."""
        return View(self.source, axes, self.origin or origin, offsets or self.offsets, self.factor * factor)

    def part(self, axis, first, count, origin):
        """`count` values along an axis."""
        if count == size_of(self.axes[axis]):
            return self
        need(len(self.axes[axis]) == 1 and count > 0, "of a part of an axis that was put together, or of nothing")
        run = self.axes[axis][0]
        offsets = dict(self.offsets)
        offsets[run.dim] = offsets.get(run.dim, 0) + first * run.step
        axes = list(self.axes)
        axes[axis] = runs(run.dim, run.step, count)
        return self.edit(axes, origin, offsets)

    def one(self, axis, which, origin):
        """Without an axis: one value along it."""
        cut = self.part(axis, which, 1, origin)
        return cut.edit(cut.axes[:axis] + cut.axes[axis + 1:], origin)

    def every(self, axis, step, origin):
        """One value of `step` along an axis."""
        need(len(self.axes[axis]) == 1 and step > 0, "of a part of an axis that was put together, or of nothing")
        run, axes = self.axes[axis][0], list(self.axes)
        axes[axis] = runs(run.dim, run.step * step, -(-run.size // step))
        return self.edit(axes, origin)

    def repeated(self, axis, count, origin, apart=False):
        """Each value along an axis several times, or (apart) all of them."""
        axes, more = list(self.axes), runs(AGAIN, 0, count)
        axes[axis] = joined(more + axes[axis] if apart else axes[axis] + more)
        return self.edit(axes, origin)

    def moved(self, order, origin):
        need(sorted(order) == list(range(len(self.axes))), "of axes %s" % list(order))
        return self.edit([self.axes[axis] for axis in order], origin)

    def reshaped(self, sizes, origin):
        what = "of %s into %s" % (self.sizes, list(sizes))
        need(min(sizes, default=0) > 0 and product(sizes) == product(self.sizes), what)
        left = [run for axis in self.axes for run in axis][::-1]
        axes = []
        for size in sizes:
            axis = []
            while size > 1:
                run = left.pop()
                if run.size > size:  # its outer part only
                    need(run.size % size == 0, what)
                    left.append(Run(run.dim, run.step, run.size // size))
                    run = Run(run.dim, run.step * left[-1].size, size)
                need(size % run.size == 0, what)
                axis.append(run)
                size //= run.size
            axes.append(joined(axis))
        return self.edit(axes, origin)


def natural(dims, batch):
    """The axes of what a layer makes."""
    return [runs(dim, 1, size) for dim, size in enumerate([batch] + dims)]


def view_of(network, value):
    if isinstance(value, View):
        return value
    whole = View(Value(value.layer, value.dims), natural(value.dims, network.batch), None)
    return whole.reshaped([network.batch] + value.shape, None)


def batch_first(network, view, *dims):
    """Whether its axes are the batch and then these of the source, which may be several in one."""
    whole = natural(view.dims, network.batch)
    return view.axes == [whole[0]] + [[run for dim in axis for run in whole[dim]] for axis in dims]


def in_order(network, view, factor=1):
    """Whether it is the source's memory, one sample behind the other."""
    whole = natural(view.dims, network.batch)
    return view.layer is not None and view.axes[:1] == whole[:1] and view.factor == factor and \
        joined(run for axis in view.axes for run in axis) == [run for axis in whole for run in axis]


def turned(network, view):
    """[channels, positions] as [positions, channels]."""
    return view.layer is not None and len(view.dims) > 1 and view.factor == 1 and \
        batch_first(network, view, range(2, len(view.dims) + 1), [1])


def simplest(network, view):
    """A plain Value where a view is one again. Images become sequences at once; a matrix that was turned may
    be keys, which dtsim does not turn."""
    if in_order(network, view) or (turned(network, view) and len(view.dims) > 2):
        return settled(network, view)
    complete = getattr(view.source, "complete", None)  # what is followed under another name (import_rotary.py)
    return complete(network, view) if complete else view


def some_features(network, view):
    """Whether it is a part of the features of each position, in the source's order."""
    whole = natural(view.dims, network.batch)
    return view.layer is not None and view.factor == 1 and view.axes[:-1] == whole[:-1] and \
        view.axes[-1] == runs(len(view.dims), 1, view.sizes[-1]) and set(view.offsets) <= {len(view.dims)}


def settled(network, value):
    """As a Value, for who takes no views."""
    if isinstance(value, (list, tuple)):
        parts = [settled(network, part) for part in value]
        return parts if isinstance(value, list) else tuple(parts)
    if not isinstance(value, View):
        return value
    if is_told(value) and not value.axes:
        raise Told()
    if value.made is None and value.factor != 1 and in_order(network, value, factor=value.factor):
        network.note("note: products with a number are left out, and with them one pass over the values each")
        value.made = Value(value.layer, value.dims, value.shape)
    if value.made is None and in_order(network, value):
        value.made = Value(value.layer, value.dims, value.shape)
    if value.made is None and turned(network, value):
        value.made = network.add(value.origin.name, "sequence", [value.source], value.shape)
    if value.made is None and getattr(value.source, "otherwise", None):
        value.made = value.source.otherwise()
    if value.made is None and some_features(network, value) and network.is_linear(value.source):
        value.made = network.piece(value.source, value.offsets.get(len(value.dims), 0), value.sizes[-1], value.origin)
    if value.made is None:
        value.made = moved(network, value)
    if value.made is None:
        if not value.origin.told:
            network.problem(value.origin.what, value.origin.place)
        value.origin.told = True
        raise Told()
    return value.made


def each_position(network, view):
    """Whether it is all positions of all samples, in whatever order, with all features of each last."""
    whole = natural(view.dims, network.batch)
    others = [run for axis in view.axes[:-1] for run in axis]
    return view.layer is not None and view.factor == 1 and view.axes[-1:] == whole[-1:] and \
        sorted(others) == sorted(run for axis in whole[:-1] for run in axis)


def stand_in(network, shape=None, lost=False):
    """For what cannot be made, to those who take views: what is wrong with it is told. shape: None: nobody
    knows it, and who takes no views is not asked what it makes of it, either. lost: what a file makes of such a
    one's sizes, which says nothing about the file."""
    origin = Origin("", "", "")
    origin.told = True
    made = View(Value(network.last, shape or []), natural(shape, network.batch) if shape else [], origin)
    made.lost = lost
    return made


def is_told(value):
    if isinstance(value, (list, tuple)):
        return any(is_told(part) for part in value)
    return isinstance(value, View) and value.origin is not None and value.origin.told


def takes_views(convert):
    """Marks a function of a table of layers that takes them as they are. What follows on one that is told
    is looked at no further."""
    @functools.wraps(convert)
    def checked(network, call, *more):
        if is_told(call.args):
            raise Told()
        return convert(network, call, *more)

    checked.takes_views = True
    return checked


def converted(network, convert, call):
    """What a function of a table of layers makes of a call, with views settled where it takes none."""
    takes = getattr(convert, "takes_views", False)
    try:
        if not takes:
            call.args = settled(network, call.args)
            call.kwargs = {name: settled(network, value) for name, value in call.kwargs.items()}
        return convert(network, call)
    except Unsupported as why:
        why.among_views = takes if why.among_views is None else why.among_views
        raise
