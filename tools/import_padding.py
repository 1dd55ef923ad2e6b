"""import_padding.py -- zeros around a tensor that something else than a convolution puts there, as F.pad does. dtsim
has no such layer: the convolution that takes them has them as its own padding, and who else takes them is told.
"""
from import_layers import conv as plain_conv
from import_layers import origin
from import_network import Value, need
from import_views import View, natural, settled, takes_views, view_of

WHY = "that is not zeros in front of a convolution"


class Padded(Value):
    """`pairs`: zeros before and behind, along each axis but the channels'."""

    def __init__(self, of, pairs, shape):
        super().__init__(None, shape)
        self.of, self.pairs = of, pairs


def cut(network, call, x, axis, before, behind):
    return x.part(axis, before, x.sizes[axis] - before - behind, origin(call))


@takes_views
def pad(network, call):
    """The last axis comes first. Less than nothing cuts something off."""
    given, mode, value = (call.setting(*one) for one in ((1, "pad", ()), (2, "mode", "constant"), (3, "value", 0)))
    given = list(given or getattr(call.module, "padding", ()))
    need(mode in ("constant", None) and not value and all(isinstance(count, int) for count in given), WHY)
    pairs = [given[i:i + 2] for i in range(0, len(given), 2)][::-1]
    x, first = call.x, len(call.x.shape) + 1 - len(pairs)
    for axis, (before, behind) in enumerate(pairs, first):
        if before < 0 or behind < 0:
            x = cut(network, call, view_of(network, x), axis, max(-before, 0), max(-behind, 0))
    pairs = [[max(count, 0) for count in pair] for pair in pairs]
    if not any(map(any, pairs)):
        return x
    need(len(pairs) < len(call.x.shape) or not any(map(any, pairs[:len(pairs) + 1 - len(call.x.shape)])), WHY)
    pairs = ([[0, 0]] * len(call.x.shape) + pairs)[1 - len(call.x.shape):]
    of = network.plain(settled(network, x), call.name)
    return View(Padded(of, pairs, call.shape), natural(call.shape, network.batch), origin(call, WHY))


@takes_views
def conv(network, call):
    """Behind zeros that somebody put around its input, or as it is."""
    x = call.x
    source = x.source if isinstance(x, View) else None
    pads = None
    if isinstance(source, Padded) and x.axes == natural(source.dims, network.batch):
        x, pads = source.of, source.pairs
    call.args = [settled(network, x)] + call.args[1:]
    return plain_conv(network, call, pads)
