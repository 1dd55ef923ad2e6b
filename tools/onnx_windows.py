"""onnx_windows.py -- windows that slide over an image, as ONNX files say them: paddings, steps, pools."""
from types import SimpleNamespace

import import_layers as layers
from import_network import need
from onnx_fixed import array_of, numbers


def halves(pads):
    """Padding that is the same on both sides, of each axis."""
    half = len(pads) // 2
    need(list(pads[:half]) == list(pads[half:]), "with padding that differs from side to side")
    return list(pads[:half])


def even(at, kernel, stride, dilation, pads):
    """The padding, that of each axis from side to side where no window reaches what is more on one of them."""
    axes = at.x.shape[1:]
    if not len(axes) == len(kernel) == len(stride) == len(dilation) == len(pads) / 2 or min(stride) < 1:
        return halves(pads)

    def count(axis, before, behind):
        return (axes[axis] + before + behind - dilation[axis] * (kernel[axis] - 1) - 1) // stride[axis]

    def same(axis):
        before, behind = pads[axis], pads[axis + len(axes)]
        return before if count(axis, before, behind) == count(axis, before, before) else behind

    return halves(list(pads[:len(axes)]) + [same(axis) for axis in range(len(axes))])


def rounded_up(at, kernel):
    """Whether a pool's padding behind its input does no more than ceil_mode does: its last window is there, too."""
    axes, pads, auto = at.x.shape[1:], at.get("pads") or [], at.get("auto_pad", "NOTSET")
    stride = at.get("strides") or [1] * len(kernel)
    if not len(axes) == len(kernel) == len(stride) == len(pads) / 2 or auto != "NOTSET" or at.inner or min(stride) < 1:
        return False
    if pads[:len(axes)] == pads[len(axes):]:
        return False

    def count(axis, more, up):
        reach = axes[axis] + pads[axis] + more - kernel[axis]
        return (-(-reach // stride[axis]) if up else reach // stride[axis]) + 1

    return all(count(i, pads[i], True) == count(i, pads[i + len(axes)], False) for i in range(len(axes)))


def window(at, kernel, up=False):
    """Stride, padding and dilation of each axis. up: the padding behind is that before it, by rounded_up()."""
    axes = len(kernel)
    auto = at.get("auto_pad", "NOTSET")
    need(auto in ("NOTSET", "VALID"), "auto_pad %s" % auto)
    stride, dilation = (at.get(name) or [1] * axes for name in ("strides", "dilations"))
    pads = at.get("pads") or [0] * (2 * axes)
    pads = list(pads[:axes]) if up else even(at, kernel, stride, dilation, pads)
    for inner in at.inner:  # a Pad before it
        need(inner.get("mode", "constant") == "constant", "behind padding by mode")
        more = inner.get("pads") or numbers(at.of(inner, 1))
        need(len(more) == 2 * axes + 4 and not any(more[:2] + more[axes + 2:axes + 4]),
             "behind padding of channels")
        value = at.of(inner, 2)
        need(inner.get("value", 0) == 0 and (value is None or not array_of(value).any()),
             "behind padding that is not zero")
        pads = [p + m for p, m in zip(pads, halves(more[2:axes + 2] + more[axes + 4:]))]
    need(len(kernel) == len(stride) == len(pads) == len(dilation) == len(at.x.shape) - 1,
         "with sizes for other axes than it has")
    need(min(kernel + stride + dilation) > 0 and min(pads) >= 0, "with sizes below 1")
    return stride, pads, dilation


def window_shape(shape, channels, kernel, stride, pads, dilation, ceil=False):
    out = [channels]
    for axis, size in enumerate(shape[1:]):
        reach = size + 2 * pads[axis] - dilation[axis] * (kernel[axis] - 1) - 1
        need(reach >= 0, "with a window larger than its input")
        count = (-(-reach // stride[axis]) if ceil else reach // stride[axis]) + 1
        if ceil and (count - 1) * stride[axis] >= size + pads[axis]:
            count -= 1  # no window begins outside
        out.append(count)
    return out


def pool(kind):
    def convert(network, at):
        kernel = at.get("kernel_shape") or []
        need(len(at.node.outputs) == 1, "with a second output")
        up = not at.get("ceil_mode", 0) and rounded_up(at, kernel)
        stride, pads, dilation = window(at, kernel, up)
        need(set(dilation) == {1}, "dilation")
        ceil = bool(at.get("ceil_mode", 0)) or up
        shape = window_shape(at.x.shape, at.x.shape[0], kernel, stride, pads, dilation, ceil)
        if kind == "avg_pool" and set(kernel + stride) == {1}:  # how PyTorch writes an adaptive one
            return layers.adaptive(network, at.call(shape))     # whose output has its input's sizes
        counted = bool(at.get("count_include_pad", 0)) or bool(at.inner)
        module = SimpleNamespace(kernel_size=kernel, stride=stride, padding=pads, ceil_mode=ceil,
                                 dilation=1, return_indices=False, count_include_pad=counted,
                                 divisor_override=None)
        return layers.pool(kind)(network, at.call(shape, module=module))

    return convert


def global_pool(network, at):
    return layers.global_mean(network, at.call(at.x.shape[:1] + [1] * (len(at.x.shape) - 1)),
                              at.x.shape[:1] + [1] * (len(at.x.shape) - 1))
