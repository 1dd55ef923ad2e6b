"""import_moves.py -- a view (import_views.py) that nobody takes as it is, made by layers that move values: a `slice`
along each axis that was cut, a `reshape` that splits axes, a `permute`. Splitting or joining axes at the end moves
nothing, and is left to who takes the values (import_network.Network.plain).
"""
from import_network import MOST_AXES, Value, product


def runs_of(view, dim):
    """Those along an axis of the source, the outermost first."""
    return sorted((run for axis in view.axes[1:] for run in axis if run.dim == dim), key=lambda run: -run.step)


def kept(view, dim):
    """How many values along an axis of the source, which lie behind one another; None: they do not."""
    count = 1
    for run in reversed(runs_of(view, dim)):
        if run.step != count:
            return None
        count *= run.size
    return count


def of_each_sample(view):
    """Whether the batch stays in front, whole, and no value comes twice."""
    dims = [run.dim for axis in view.axes[1:] for run in axis]
    front = view.axes[0] if view.axes else []
    return view.layer is not None and view.shape != [] and len(front) == 1 and front[0].dim == 0 and \
        not view.offsets.get(0) and min(dims, default=1) > 0


def blocks(view, few=False):
    """The runs in the order of the view: of each the place in the source's order, and its size. few: those that stay
    together count as one."""
    source = [run for dim in range(1, len(view.dims) + 1) for run in runs_of(view, dim)]
    found, behind = [], None
    for run in (run for axis in view.axes[1:] for run in axis):
        place = source.index(run)
        if few and place == behind:
            found[-1] = (found[-1][0], found[-1][1] * run.size)
        else:
            found.append((place, run.size))
        behind = place + 1
    return found


def moved(network, view):
    """The view as a Value; None: no layers do it."""
    counts = [kept(view, dim) for dim in range(1, len(view.dims) + 1)]
    if not of_each_sample(view) or None in counts:
        return None
    parts = blocks(view)
    parts = parts if len(parts) <= MOST_AXES else blocks(view, few=True)
    if len(parts) > MOST_AXES:
        return None
    if view.factor != 1:
        network.note("note: products with a number are left out, and with them one pass over the values each")
    name = view.origin.name
    x = Value(view.layer, view.dims)
    for axis, count in enumerate(counts):
        if count < x.dims[axis]:
            x = network.add(name, "slice", [x], x.dims[:axis] + [count] + x.dims[axis + 1:],
                            offset=view.offsets.get(axis + 1) or None, count=count, axis=axis or None)
    if len(parts) > 1 and parts != sorted(parts):
        x = permuted(network, name, x, parts)
    return Value(x.layer, x.dims, view.shape)


def permuted(network, name, x, parts):
    inside = sorted(parts)
    x = network.plain(Value(x.layer, x.dims, [size for _, size in inside]), name)
    return network.add(name, "permute", [x], [size for _, size in parts], axes=[inside.index(part) for part in parts])
