"""torch_sequences.py -- modules that are several layers of a model file: LSTM, attention, encoders."""
import torch
import torch.nn.functional as F
from torch import nn

from import_layers import layer_norm, origin
from import_network import Call, Fixed, need
from import_views import view_of


def recurrent(kind):
    def convert(network, call):
        return recurrence(network, call, kind)

    return convert


def recurrence(network, call, kind):
    """Its last states are the last positions of what its layers put out."""
    m = call.module
    need(m.batch_first, "batch_first=False")
    need(not m.bidirectional and not m.proj_size and m.bias, "bidirectional, projected or without bias")
    need(call.get(1, "hx") is None, "with a state that is handed in")
    x, last = network.plain(call.x, call.name), []
    for i in range(m.num_layers):
        own = [getattr(m, "%s_l%d" % (n, i)) for n in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")]
        x = network.add("%s_%d" % (call.name, i), kind, [x], [x.dims[0], m.hidden_size], own,
                        outputs=m.hidden_size)
        last.append(view_of(network, x).one(1, x.dims[0] - 1, origin(call, "whose last state is taken")))
        if m.dropout > 0 and i + 1 < m.num_layers:
            x = network.add("%s_drop_%d" % (call.name, i), "dropout", [x], x.dims, rate=m.dropout)
    states = state_of(network, last[0]) if m.num_layers == 1 else tuple(last)
    return (x, states if kind == "gru" else (states, None))


def state_of(network, last):
    """As PyTorch has it: layers, samples, features."""
    made = last.reshaped([1] + last.sizes, None)
    made.state = True
    return made


gru, lstm = recurrent("gru"), recurrent("lstm")


def causal(mask, what):
    """Whether a mask hides what comes later; None hides nothing."""
    if mask is None:
        return None
    need(isinstance(mask, Fixed) and isinstance(mask.value, torch.Tensor), what)
    hides = mask.value if mask.value.dtype == torch.bool else mask.value == float("-inf")
    size = hides.shape[-1]
    later = torch.ones(size, size, dtype=torch.bool).triu(1)
    need(hides.dim() == 2 and torch.equal(hides, later), what + " that is not causal")
    return True


def attend(network, name, m, query, key, value, mask):
    """nn.MultiheadAttention: projections of queries, keys and values, attention, projection."""
    need(m.batch_first, "batch_first=False")
    need(m.bias_k is None and not m.add_zero_attn, "add_bias_kv or add_zero_attn")
    features, bias = m.embed_dim, m.in_proj_bias is not None
    keys = {"bias": None if bias else False}
    own = [m.in_proj_weight] + ([m.in_proj_bias] if bias else [])
    if query is key and key is value:
        need(m.in_proj_weight is not None, "kdim or vdim other than the features")
        inputs = [network.add(name + "_in_proj", "linear", [query],
                              [query.dims[0], 3 * features], own, outputs=3 * features, **keys)]
    else:
        parts = [m.q_proj_weight, m.k_proj_weight, m.v_proj_weight]  # None: rows of in_proj_weight
        network.cut(p for p in own if p is not None)
        inputs = [network.add("%s_%s" % (name, n), "linear", [x], [x.dims[0], features],
                              [w] if w is not None else [], outputs=features, **keys)
                  for n, x, w in zip("qkv", (query, key, value), parts)]
    out = network.add(name, "attention", inputs, [query.dims[0], features], heads=m.num_heads,
                      causal=causal(mask, "an attention mask"), dropout=m.dropout or None)
    proj = m.out_proj
    return network.add(name + "_out_proj", "linear", [out], out.dims,
                       [proj.weight] + ([proj.bias] if bias else []), outputs=features, **keys)


def attention(network, call):
    need(call.get(3, "key_padding_mask") is None, "key_padding_mask")
    parts = [network.plain(call.get(i, n), call.name) for i, n in enumerate(("query", "key", "value"))]
    given = [call.get(i, n) for i, n in enumerate(("query", "key", "value"))]
    if given[0] is given[1] and given[1] is given[2]:
        parts = [parts[0]] * 3
    return (attend(network, call.name, call.module, *parts, call.get(5, "attn_mask")), None)


def norm(network, name, m, x):
    need(isinstance(m, nn.LayerNorm), "a norm other than LayerNorm")
    return layer_norm(network, Call(name, m, [x], {}, x.shape))


def encoder_layer(network, call):
    m, name = call.module, call.name
    need(call.get(2, "src_key_padding_mask") is None, "src_key_padding_mask")
    kinds = {F.relu: "relu", F.gelu: "gelu"}
    act = {nn.ReLU: F.relu, nn.GELU: F.gelu}.get(type(m.activation), m.activation)
    need(act in kinds, "an activation other than relu and gelu")

    def attended(x):
        y = attend(network, name + "_self_attn", m.self_attn, x, x, x, call.get(1, "src_mask"))
        return network.add(name + "_dropout1", "dropout", [y], x.dims, rate=m.dropout1.p)

    def fed(x):
        for which, module in (("_linear1", m.linear1), ("_linear2", m.linear2)):
            own = [module.weight] + ([module.bias] if module.bias is not None else [])
            x = network.add(name + which, "linear", [x], [x.dims[0], module.out_features], own,
                            outputs=module.out_features, bias=None if module.bias is not None else False)
            if which == "_linear1":
                x = network.add(name + "_activation", kinds[act], [x], x.dims)
            x = network.add(name + ("_dropout" if which == "_linear1" else "_dropout2"), "dropout",
                            [x], x.dims, rate=m.dropout.p if which == "_linear1" else m.dropout2.p)
        return x

    x = network.plain(call.x, name)
    for which, part, module in (("1", attended, m.norm1), ("2", fed, m.norm2)):
        y = part(norm(network, "%s_norm%s" % (name, which), module, x) if m.norm_first else x)
        y = network.add(name + "_add" + which, "add", [y, x], x.dims)
        x = y if m.norm_first else norm(network, "%s_norm%s" % (name, which), module, y)
    return x


def encoder(network, call):
    need(call.get(2, "src_key_padding_mask") is None, "src_key_padding_mask")
    x = call.x
    for i, layer in enumerate(call.module.layers):
        need(type(layer) is nn.TransformerEncoderLayer, "of layers other than TransformerEncoderLayer")
        x = encoder_layer(network, Call("%s_%d" % (call.name, i), layer, [x, call.get(1, "mask")],
                                        {}, x.shape))
    if call.module.norm is not None:
        x = norm(network, call.name + "_norm", call.module.norm, x)
    return x
