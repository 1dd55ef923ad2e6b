"""import_norms.py -- normalizations over features that are written out, as dtsim's layers `rms_norm` and
`layer_norm`:

    x / sqrt(mean(x^2) + epsilon) * weight              (x - mean(x)) / sqrt(var(x) + epsilon) * weight + bias

What stands between x and the layer is followed as `Statistic`, which is no tensor of dtsim's: who else takes it is
told where it was made. Both importers call these; each returns None where it is something else.
"""
import copy

from import_layers import features_axis, origin
from import_network import Fixed, Unsupported, Value
from import_views import View, in_order, natural, settled

NO_NORM = "that is no normalization's"


class Statistic(Value):
    """`form`: what it is of x (or of x less its mean, where `centered`)."""

    def __init__(self, of, form, centered=False, epsilon=0.0):
        super().__init__(None, of.dims, of.shape)
        self.of, self.form, self.centered, self.epsilon = of, form, centered, epsilon
        self.weight, self.otherwise = None, None

    def changed(self, form, **changes):
        made = copy.copy(self)
        made.form, made.otherwise = form, None
        for name, value in changes.items():
            setattr(made, name, value)
        return made


SHARED = ("mean", "power", "root", "inverse")  # forms with one value for all features of a position


def product_of(network, call, x):
    """What a square is where it is no normalization's."""
    return lambda: network.add(call.name, "multiply", [x, x], x.dims)


def wrapped(network, call, statistic):
    """As a view, which nobody takes who does not know it."""
    shape = list(statistic.of.shape)
    if statistic.form in SHARED:
        shape[-1] = 1
    return View(statistic, natural(shape, network.batch), origin(call, "" if statistic.form == "square" else NO_NORM))


def statistic_of(value):
    source = value.source if isinstance(value, View) else None
    return source if isinstance(source, Statistic) else None


def plain_of(network, value):
    """A tensor that a norm can take: positions with features last; None: it is none."""
    if not isinstance(value, Value) or value.lost:
        return None
    if isinstance(value, View):
        if value.layer is None or not in_order(network, value, value.factor):
            return None
        value = settled(network, value)  # times a number, say
    return value if value.layer is not None and value.shape and value.shape == value.dims else None


def same(a, b):
    return a is b or (a.layer == b.layer and a.dims == b.dims)


def squared(network, call, value):
    """value * value, or value ** 2."""
    known = statistic_of(value)
    if known is not None:
        return wrapped(network, call, known.changed("square")) if known.form == "centered" else None
    x = plain_of(network, value)
    if x is None:
        return None
    square = Statistic(x, "square")
    square.otherwise = product_of(network, call, x)
    return wrapped(network, call, square)


def averaged(network, call, value, last):
    """A mean; `last`: over the features, which stay as an axis of one."""
    if not last:
        return None
    known = statistic_of(value)
    if known is not None:
        return wrapped(network, call, known.changed("power")) if known.form == "square" else None
    x = plain_of(network, value)
    return wrapped(network, call, Statistic(x, "mean")) if x is not None and len(x.shape) == 2 else None


def variance(network, call, value, root=False):
    """Over the features, by one call."""
    x = plain_of(network, value)
    return wrapped(network, call, Statistic(x, "root" if root else "power", centered=True)) if x is not None else None


def of_length_one(network, call, value, epsilon):
    """F.normalize over features: the root mean square but for a factor."""
    x = plain_of(network, value)
    return wrapped(network, call, Statistic(x, "normal", epsilon=epsilon)) if x is not None else None


def raised(network, call, value, power):
    known = statistic_of(value)
    if power == 2:
        return squared(network, call, value)
    if known is not None and known.form == "power" and power in (0.5, -0.5):
        return wrapped(network, call, known.changed("root" if power > 0 else "inverse"))
    if known is not None and known.form == "root" and power == -1:
        return wrapped(network, call, known.changed("inverse"))
    return None


def shifted(network, call, value, number):
    """With an epsilon, under the root or behind it."""
    known = statistic_of(value)
    if known is None or known.form not in ("power", "root") or known.epsilon or not 0 <= number <= 1:
        return None
    return wrapped(network, call, known.changed(known.form, epsilon=number))


def centered(network, call, value, mean):
    """x - mean(x)."""
    known, x = statistic_of(mean), plain_of(network, value)
    if known is None or x is None or known.form != "mean" or not same(known.of, x):
        return None
    return wrapped(network, call, known.changed("centered", centered=True))


def divided(network, call, value, divisor):
    known = statistic_of(divisor)
    if known is None or known.form != "root":
        return None
    if not isinstance(value, Value):
        return wrapped(network, call, known.changed("inverse")) if value == 1 else None
    return normalized(network, call, value, known.changed("inverse"))


def normalized(network, call, value, inverse):
    of = statistic_of(value)
    x = of.of if of is not None and of.form == "centered" else plain_of(network, value)
    fits = x is not None and same(x, inverse.of) and (of is not None) == inverse.centered
    if not fits:
        return None
    weight = of.weight if of is not None else None
    return wrapped(network, call, inverse.changed("normal" if weight is None else "scaled", weight=weight))


def weight_of(call, fixed, x):
    """A value for each feature."""
    if not isinstance(fixed, Fixed) or fixed.value is None or features_axis(x, fixed.value.shape) != len(x.shape) - 1:
        return None
    try:
        return call.weight_of(fixed)
    except Unsupported:
        return None


def multiplied(network, call, a, b):
    """Of x and what it is divided by, or of the norm and its weight."""
    for value, other in ((a, b), (b, a)):
        known = statistic_of(value)
        if a is b and isinstance(a, Value):
            return squared(network, call, a)
        if known is None:
            continue
        if known.form == "inverse" and isinstance(other, Value):
            return normalized(network, call, other, known)
        if known.form == "normal" and not known.centered and call.number_of(other) is not None:
            return value  # sqrt(features), say
        early = known.form == "centered" and known.weight is None
        weight = weight_of(call, other, known.of) if known.form == "normal" or early else None
        if weight is not None and known.centered:
            return wrapped(network, call, known.changed("centered" if early else "scaled", weight=weight))
        if weight is not None:
            return made(network, call, known, "rms_norm", [weight])
    return None


def made(network, call, known, kind, weights):
    """The layer; an epsilon as a person wrote it, not as it became in 32 bits."""
    epsilon = float("%.6g" % known.epsilon)
    return network.add(norm_name(call), kind, [known.of], known.of.dims, weights,
                       epsilon=None if epsilon == 1e-5 else epsilon)


def norm_name(call):
    word = call.word.lower()
    return (call.name[:-len(word)].rstrip("_") if call.name.endswith(word) else call.name) or "norm"


def added(network, call, a, b):
    """An epsilon, or the bias of a layer norm."""
    for value, other in ((a, b), (b, a)):
        known = statistic_of(value)
        if known is None:
            continue
        if known.form == "scaled":
            bias = weight_of(call, other, known.of)
            if bias is not None:
                return made(network, call, known, "layer_norm", [known.weight, bias])
        number = call.number_of(other)
        if number is not None:
            return shifted(network, call, value, number)
    return None
