"""import_attention.py -- attention that is written out of matrix products, as dtsim's layer `attention`:

    product of queries and keys, times 1 / sqrt(features of a head), a mask or none, softmax, dropout or
    none, product with the values

Queries, keys and values are views of layers' outputs, [positions, features], with the features cut into
heads (import_views.py). What stands between the two products is followed as `Scores`, which are no tensor of
dtsim's; who else takes them is told where they were made. Both importers call these.
"""
import copy
from math import sqrt

from import_layers import origin
from import_network import Unsupported, Value, need, product
from import_views import AGAIN, Run, View, joined, runs, simplest, size_of, view_of

HIDDEN = -1e4  # that is added to a score, or more: its probability is zero
NO_ATTENTION = "of two tensors that depend on the input, which is no attention"


class Scores(Value):
    """Of each head, query and key one; their axes 1, 2 and 3."""

    def __init__(self, query, key, heads):
        super().__init__(None, [heads, query.source.dims[0], key.source.dims[0]])
        self.query, self.key, self.heads = query, key, heads
        self.features = query.sizes[-1]  # of a head
        self.causal, self.soft, self.dropout = None, False, None
        self.taken = []  # one place for all that follow from one product


def is_scores(value):
    return isinstance(value, View) and isinstance(value.source, Scores)


def is_value(value):
    return isinstance(value, Value)


def either(a, b, wanted):
    """Two arguments, the one that is wanted first; None: none is."""
    return (a, b) if wanted(a) else (b, a) if wanted(b) else None


def parts(view, counts, axis, made):
    """Behind one another along an axis."""
    return tuple(view.part(axis, sum(counts[:i]), count, made) for i, count in enumerate(counts))


def changed(view, factor=None, **changes):
    source = copy.copy(view.source)
    for name, value in changes.items():
        setattr(source, name, value)
    return View(source, view.axes, view.origin, factor=view.factor if factor is None else factor)


def refuse(network, call, why):
    """What is wrong with an attention does not keep the rest of it from being one."""
    network.problem("%s: %s" % (call.word, why), call.place)


def heads_of(axes, features):
    """Axes of samples and heads, of a layer's output, as they are of its scores."""
    return [[Run(1, run.step // features, run.size) if run.dim == 2 else run for run in axis] for axis in axes]


def features_of(axes, features):
    return [[Run(2, run.step * features, run.size) if run.dim == 1 else run for run in axis] for axis in axes]


def last_of(source):
    """Queries and keys, as the last two axes."""
    return [runs(2, 1, source.dims[1]), runs(3, 1, source.dims[2])]


def flat(axes):
    return joined(run for axis in axes for run in axis)


def shared_heads(network, query, key, features):
    """How many heads keys or values have, of which groups of the queries' heads take one each; None: it is something
    else. Axes of one value are those of all."""
    lead, wanted = [list(axis) for axis in key.axes[:-2]], query.sizes[:-2]
    lead = [[] for _ in range(len(wanted) - len(lead))] + lead
    lead = [axis or runs(AGAIN, 0, size) for axis, size in zip(lead, wanted)]
    if [size_of(axis) for axis in lead] != wanted:
        return None
    whole, batch, heads = flat(lead), runs(0, 1, network.batch), product(wanted) // network.batch
    for count in range(1, heads + 1):
        own, more = runs(2, features, count), runs(AGAIN, 0, heads // count)
        if heads % count == 0 and whole in (batch + own + more, batch + more + own):
            return count
    return None


def scores(network, call, query, key):
    """The first product. `key` is turned already: its positions are last."""
    features, batch, lead = query.sizes[-1], network.batch, query.axes[:-2]
    heads = product(query.sizes[:-2]) // batch
    need(len(query.source.dims) == len(key.source.dims) == 2, NO_ATTENTION)
    need(flat(lead) == runs(0, 1, batch) + runs(2, features, heads), NO_ATTENTION)
    need(query.axes[-2:] == [runs(1, 1, query.source.dims[0]), runs(2, 1, features)], NO_ATTENTION)
    need(key.axes[-2:] == [runs(2, 1, features), runs(1, 1, key.source.dims[0])], NO_ATTENTION)
    source = Scores(query, key, heads)
    source.shared = shared_heads(network, query, key, features)
    need(source.shared is not None, NO_ATTENTION)
    axes = heads_of(lead, features) + last_of(source)
    return View(source, axes, origin(call, NO_ATTENTION), factor=query.factor * key.factor)


def taken_of(view, width):
    """Which features of its layer a view is: where they begin, and behind the last."""
    first = view.offsets.get(2, 0)
    return first, first + width


def pieces(network, wanted):
    """The layers that queries, keys and values are; of a layer that has them behind one another, their parts."""
    made = []
    for view, width in wanted:
        spans = sorted(taken_of(other, size) for other, size in wanted if other.layer == view.layer)
        need(all(end <= begin for (_, end), (begin, _) in zip(spans, spans[1:])),
             "of queries, keys and values that are not a layer each, or behind one another in one")
        edges = sorted({0, view.source.dims[1]}.union(*spans))
        if view.layer not in network.apart and len(edges) > 2:
            network.split(view.source, [last - first for first, last in zip(edges, edges[1:])], view.origin)
        made.append(network.piece(view.source, taken_of(view, width)[0], width, view.origin))
    return made


def inputs(network, source, value):
    """The layers that queries, keys and values are: three, or one with all of them behind one another."""
    features, shared = source.heads * source.features, source.shared * source.features
    wanted = [(source.query, features), (source.key, shared), (value, shared)]
    whole = value.source
    if (all(view.layer == value.layer for view, _ in wanted) and whole.dims[1] == 3 * features and
            [view.offsets.get(2, 0) for view, _ in wanted] == [0, features, 2 * features]):
        return [whole]
    return pieces(network, wanted)


def attention(network, call, weights, value, fused=None):
    """The second product."""
    source, features = weights.source, weights.source.features
    lead = features_of(weights.axes[:-2], features)
    need(value.source.layer is not None and len(value.source.dims) == 2 and value.factor == 1, NO_ATTENTION)
    need(flat(lead) == flat(source.query.axes[:-2]), NO_ATTENTION)
    shared = shared_heads(network, weights, value, features)
    need(shared is not None and weights.axes[-2:] == last_of(source), NO_ATTENTION)
    need(value.axes[-2:] == [runs(1, 1, source.dims[2]), runs(2, 1, features)], NO_ATTENTION)
    need(shared == source.shared, "of keys and values that have different numbers of heads")
    need(source.soft and weights.factor == 1, "of scores that are no probabilities")
    need(not source.taken, "of scores that something else has taken")
    source.taken.append(call)
    out = network.add(named(call), "attention", inputs(network, source, value),
                      [source.dims[1], source.heads * features], heads=source.heads, causal=source.causal,
                      dropout=source.dropout, fused=fused)
    axes = lead + [runs(1, 1, source.dims[1]), runs(2, 1, features)]
    return simplest(network, View(out, axes, origin(call, "whose heads are not joined")))


def named(call):
    word = call.word.lower()
    return (call.name[:-len(word)] if call.name.endswith(word) else call.name + "_") + "attention"


def product_of(network, call, a, b):
    """A product of two tensors that depend on the input."""
    a, b = view_of(network, a), view_of(network, b)
    need(not is_scores(b), NO_ATTENTION)
    return attention(network, call, a, b) if is_scores(a) else scores(network, call, a, b)


def scaled(network, call, x, factor, why):
    """Any tensor times a number: of queries, keys or scores; others are refused where somebody takes them."""
    x = view_of(network, x)
    return x.edit(x.axes, origin(call, why), factor=factor)


def masked(network, call, x, hidden):
    """`hidden`, an array: which scores become probabilities of zero."""
    try:
        need(not x.source.soft, "of probabilities")
        need(x.axes[-2:] == last_of(x.source), "of scores in another order")
        return changed(x, causal=True) if is_causal(hidden, x.sizes) else x
    except Unsupported as why:
        refuse(network, call, why)
        return x


def is_causal(hidden, sizes):
    """False: it hides nothing."""
    shape = [1] * (len(sizes) - len(hidden.shape)) + list(hidden.shape)
    need(len(shape) == len(sizes) and all(part in (1, size) for part, size in zip(shape, sizes)),
         "with a mask of shape %s" % list(hidden.shape))
    tables = hidden.reshape([-1] + shape[-2:]).tolist()
    table, (queries, keys) = tables[0], sizes[-2:]
    need(all(other == table for other in tables), "with a mask that is not the same for all heads and samples")
    if not any(True in row for row in table):
        return False
    need(queries == keys and table == [[False] * (i + 1) + [True] * (keys - i - 1) for i in range(queries)],
         "with a mask that is not causal")
    return True


def added(network, call, x, mask):
    """`mask`, an array: zeros, and what is low enough to hide a score."""
    hidden = mask <= HIDDEN
    if not bool((hidden | (mask == 0)).all()):
        refuse(network, call, "of scores and a mask that is more than zeros and values up to %g" % HIDDEN)
        return x
    return masked(network, call, x, hidden)


def filled(network, call, x, hidden, value):
    if not value <= HIDDEN:
        refuse(network, call, "of scores with %g, above %g" % (value, HIDDEN))
        return x
    return masked(network, call, x, hidden)


def softmax(network, call, x, axis):
    features = x.source.features
    if x.source.soft or axis % len(x.axes) != len(x.axes) - 1 or x.axes[-1] != runs(3, 1, x.source.dims[2]):
        refuse(network, call, "of scores, other than over the keys")
    elif abs(x.factor * sqrt(features) - 1) > 1e-3:
        refuse(network, call, "of scores times %.4g, not 1 / sqrt(%d), the features of a head"
               % (x.factor, features))
    return changed(x, soft=True, factor=1.0)


def dropped(network, call, x, rate):
    if not x.source.soft or x.source.dropout is not None:
        refuse(network, call, "of scores, other than once behind the softmax")
    return changed(x, dropout=rate or None)
