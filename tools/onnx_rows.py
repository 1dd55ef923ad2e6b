"""onnx_rows.py -- rows of weights of an ONNX file that are cut and put behind one another before a layer takes
them: the gates of an LSTM, which ONNX has in another order than PyTorch. Only shapes are looked at.
"""
from import_network import Fixed, Part
from onnx_fixed import Worked, array_of, slices
from onnx_fold import WORK


def rows_of(fixed):
    """Which rows of weights it is, in their order: (weight, first, behind the last); None: it is none."""
    if not isinstance(fixed, Fixed) or not fixed.value.shape:
        return None
    rows = fixed.rows
    if rows is None and fixed.owner is not None and fixed.value.shape == fixed.owner.shape:
        rows = [(fixed.owner, 0, fixed.owner.shape[0])]
    counted = sum(last - first for _, first, last in rows or [])
    return rows if counted == fixed.value.shape[0] else None


def sliced_rows(node, args):
    rows, shape = rows_of(args[0]), args[0].value.shape
    if not rows:
        return None
    which = slices(node, [array_of(arg) for arg in args[1:] if arg is not None], shape)
    first, last, step = which[0].indices(shape[0])
    if step != 1 or any(part != slice(None) for part in which[1:]):
        return None
    return between(rows, first, last), [max(last - first, 0)] + shape[1:]


def joined_rows(node, args):
    rows = [rows_of(arg) for arg in args]
    if node.get("axis", 0) != 0 or not all(rows):
        return None
    others = args[0].value.shape[1:]
    if any(arg.value.shape[1:] != others for arg in args):
        return None
    return sum(rows, []), [sum(arg.value.shape[0] for arg in args)] + others


def cut(node, args):
    """What a node makes that cuts rows of weights, or puts them behind one another; None: it does neither."""
    find = {"Slice": sliced_rows, "Concat": joined_rows}.get(node.op)
    found = find(node, args) if find else None
    if found is None:
        return None
    rows, shape = found
    part = Part(*rows[0]) if len(rows) == 1 and node.op == "Slice" else None
    return Fixed(Worked(shape, lambda: WORK[node.op](node, [array_of(arg) for arg in args if arg is not None])),
                 part, rows=rows)


def between(rows, first, last):
    """Rows number `first` to before `last` of these."""
    found, at = [], 0
    for owner, begin, end in rows:
        low, high = max(first, at), min(last, at + end - begin)
        if low < high:
            found.append((owner, begin + low - at, begin + high - at))
        at += end - begin
    return found


def whole_rows(fixed):
    """The weights of which it has every row, once; None: it is something else."""
    if fixed.owner is not None and fixed.rows is None:
        return [fixed.owner]
    owners = {id(owner): owner for owner, _, _ in fixed.rows or []}
    for owner in owners.values():
        ranges = sorted((first, last) for of, first, last in fixed.rows if of is owner)
        edges = [0] + [last for _, last in ranges]
        if [first for first, _ in ranges] != edges[:-1] or edges[-1] != owner.shape[0]:
            return None
    return list(owners.values()) or None
