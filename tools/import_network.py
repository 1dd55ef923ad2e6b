"""import_network.py -- a network as it grows: its layers, what is known of each of its values, and
the calls that its layers are made from. Both importers make these (torch_trace.py, onnx_trace.py).

Values are followed by two shapes, both of one sample: `dims` as dtsim has it, `shape` as PyTorch
or the ONNX file has it. They differ where those only look at the memory in another way (unsqueeze,
a pooled [channels, 1, 1] that dtsim calls [channels]).
"""


# Of dtsim's layers: how many inputs one takes, how many axes a sample has, and the numbers that it has beside its
# sizes.
MOST_INPUTS = 16
MOST_AXES = 4
LIMITS = {"rate": (0, 0.99), "dropout": (0, 0.99), "slope": (0, 1), "epsilon": (1e-15, 1)}
NO_TENSOR = "an input that is no tensor made from the network's input"
TAKEN = "of parts of a layer that something else takes, too"
SHARED = "a weight or bias that is shared and not the first of its layer"


class Refused(Exception):
    """What the person who called it has to change."""


class Missing(Exception):
    """What this machine has to have first."""


class Unsupported(Exception):
    """What dtsim has no layer for, in words."""

    among_views = None  # whether it is something that takes views (import_views.py), as what comes after it may


class Value:
    """A tensor that depends on the network's input."""

    lost = False  # whether nobody knows it, since something before it is refused (import_views.py)
    guessed = False  # whether it stands for what is refused: how dtsim would have it in memory says nothing

    def __init__(self, layer, dims, shape=None):
        self.layer = layer  # the name of the layer that makes it; "entry": the input
        self.dims = list(dims)
        self.shape = list(dims if shape is None else shape)
        self.as_shape = None  # the output of the layer that gives it this shape, where one does


def guess(layer, shape):
    """For what cannot be made, with its shape."""
    value = Value(layer, shape)
    value.guessed = True
    return value


class Fixed:
    """What does not depend on the input: a parameter, a mask, positions, a number."""

    def __init__(self, value, owner=None, table=None, rows=None, sources=()):
        self.value = value
        self.sources = sources  # the parameters that it is computed from
        self.owner = owner  # the parameter that it is
        self.table = table  # the embedding module of which it is rows
        self.rows = rows  # of several parameters: (parameter, first, behind the last), in their order


def product(sizes):
    result = 1
    for size in sizes:
        result *= size
    return result


def need(good, what):
    if not good:
        raise Unsupported(what)


def check_numbers(keys):
    for key, (least, most) in LIMITS.items():
        value = keys.get(key, least)
        need(isinstance(value, (int, float)), "%s that is computed" % key)
        need(least <= value <= most, "%s %g, dtsim takes %g to %g" % (key, value, least, most))


def epsilon_of(m):
    """For a model file: nothing where it is the usual one."""
    return None if m.eps == 1e-5 else m.eps


class Part:
    """Some rows of a parameter, for a layer that has no others of it."""

    def __init__(self, whole, first, last):
        self.whole, self.first, self.last = whole, first, last
        self.name = getattr(whole, "name", "")
        self.shape = [last - first] + list(whole.shape[1:])


class Call:
    """A node of the traced graph, with its arguments as values."""

    def __init__(self, name, module, args, kwargs, shape, flattened=False, last=False, sizes=None, word="",
                 place="", weight_of=None, number_of=None):
        self.name = name  # for the layer
        self.module = module  # None: a function or a method
        self.args, self.kwargs = args, kwargs
        self.shape = shape  # of the result, of one sample; None: no tensor, or several
        self.sizes = sizes  # of the result, with the batch, wherever that is; None: as shape
        self.word, self.place = word, place  # what the node is called where it is missing, and where it is
        self.flattened = flattened  # whoever takes the result first makes it a row of features
        self.last = last  # the result goes to the loss and nowhere else
        self.weight_of = weight_of  # whose weight a fixed tensor is; Unsupported: nobody's
        self.number_of = number_of  # an argument as a number; None: it is none

    def get(self, position, name, default=None):
        if position < len(self.args):
            return self.args[position]
        return self.kwargs.get(name, default)

    def setting(self, position, name, default=None):
        """Of a module its attribute, of a function its argument."""
        if self.module is not None:
            return getattr(self.module, name, default)
        return self.get(position, name, default)

    @property
    def x(self):
        value = self.get(0, "input")
        need(isinstance(value, Value), NO_TENSOR)
        return value


class Network:
    """Layers in the order in which they run."""

    def __init__(self, dims, batch):
        self.batch = batch  # samples that are followed at once
        self.layers = []
        self.names = {}
        self.last = "entry"
        self.entry = Value("entry", dims)
        # id of a parameter that a layer has: the layer whose weight it is; None: no other can have it
        self.owners = {}
        self.owned = []  # these parameters, each once
        self.parts = {}  # id of a parameter of which layers have parts: these
        self.apart = {}  # the name of a layer that was split: the outputs of those that it became, and their begins
        self.cutters = {}  # the names of these: who cut it (import_views.Origin)
        self.computed = []  # weights that are computed from parameters in each step; `sources` are these
        self.notes = []  # where numbers differ a little from PyTorch's
        self.problems = {}  # what there is no layer for: the places where it is

    def name(self, wanted):
        """A name of its own, of the letters and the length that a model file may have."""
        kept = "".join(c if c.isascii() and (c.isalnum() or c in "_-") else "_" for c in wanted)
        kept = kept.strip("_")[-56:] or "layer"
        if kept == "entry":
            kept = "entry_1"
        count = self.names[kept] = self.names.get(kept, 0) + 1
        return kept if count == 1 else self.name("%s_%d" % (kept, count))

    def add(self, name, kind, inputs, dims, parameters=(), **keys):
        """A layer; `parameters` are PyTorch's, in dtsim's order. Returns its output."""
        for value in inputs:
            if value.shape != value.dims:
                raise Unsupported("a %s of shape %s, looked at as %s"
                                  % (kind, value.dims, value.shape))
            need(value.layer not in self.apart, "of all features of what an attention takes parts of")
        layer = {"name": self.name(name), "kind": kind}
        layer.update((key, value) for key, value in keys.items() if value is not None)
        check_numbers(layer)
        self.own(layer, parameters)
        if len(inputs) > 1:
            layer["input"] = [value.layer for value in inputs]
        elif inputs[0].layer != self.last:
            layer["input"] = inputs[0].layer
        self.layers.append(layer)
        self.last = layer["name"]
        return Value(layer["name"], dims)

    def note(self, text):
        if text not in self.notes:
            self.notes.append(text)

    def problem(self, what, place):
        self.problems.setdefault(what, []).append(place or "the network itself")

    def complaints(self):
        """One line for each thing that there is no layer for, however often it is there."""
        for what, places in self.problems.items():
            more = ", %d more times" % (len(places) - 1) if len(places) > 1 else ""
            yield "%s, in %s%s" % (what, places[0], more)

    def add_loss(self, kind, name, value):
        """A loss behind a tensor that the network puts out."""
        if len(value.shape) > 2 and kind == "softmax_cross_entropy":  # classes come first
            sequence = [product(value.shape[1:]), value.shape[0]]
            value = self.add(name + "_pixels", "sequence", [value], sequence)
        self.add(name, kind, [self.plain(value, name)], [1])

    def own(self, layer, parameters, first=0):
        """A weight belongs to the first layer that has it; the next is tied to that one. first: of the layer's
        parameters the number of the first of these, of which 0 is its weight."""
        for number, parameter in enumerate(parameters, first):
            need(parameter is not None, "without a weight or bias that dtsim's layer has")
            parameter = getattr(parameter, "owner", parameter)
            key = id(parameter)
            if isinstance(parameter, Part):
                self.own_part(parameter)
                continue
            if number == 0 and self.owners.get(key) is not None:
                layer["tied"] = self.owners[key]
                continue
            need(not self.is_taken(parameter), SHARED)
            self.owners[key] = layer["name"] if number == 0 else None
            self.owned.append(parameter)

    def is_taken(self, parameter):
        return id(parameter) in self.owners or id(parameter) in self.parts

    def own_part(self, part):
        others = self.parts.setdefault(id(part.whole), [])
        need(id(part.whole) not in self.owners, SHARED)
        need(all(part.last <= other.first or other.last <= part.first for other in others), SHARED)
        others.append(part)
        self.owned.append(part)

    def cut(self, parameters):
        """Parameters of which each of the layers that follow has a part: no others can have them."""
        for parameter in parameters:
            need(not self.is_taken(parameter), SHARED)
            self.owners[id(parameter)] = None
            self.owned.append(parameter)

    def give_bias(self, value, parameter, axis):
        """To the layer that made a value, where it has none along this axis of it and nobody has taken its output
        yet; whether it did."""
        at = next((i for i, layer in enumerate(self.layers) if layer["name"] == value.layer), len(self.layers))
        layer = self.layers[at] if at < len(self.layers) else {}
        of_features = axis == (len(value.shape) - 1 if layer.get("kind") == "linear" else 0)
        taken = any(value.layer in self.inputs_of(i) for i in range(at + 1, len(self.layers)))
        if layer.get("bias") is not False or not of_features or taken:
            return False
        if self.is_taken(getattr(parameter, "owner", parameter)):
            return False
        self.own(layer, [parameter], first=1)
        del layer["bias"]
        return True

    def inputs_of(self, number):
        """The names of the layers that a layer takes."""
        before = self.layers[number - 1]["name"] if number > 0 else "entry"
        said = self.layers[number].get("input", before)
        return said if isinstance(said, list) else [said]

    def is_linear(self, value):
        return any(layer["name"] == value.layer and layer["kind"] == "linear" for layer in self.layers) or \
            value.layer in self.apart

    def piece(self, value, first, width, origin=None):
        """Some features of a linear layer's output, as the output of a layer of their own. origin: who cuts it."""
        parts = self.apart.get(value.layer)
        if parts is None and width == value.dims[-1]:
            return value
        if parts is None:
            rest = value.dims[-1] - first - width
            parts = self.split(value, [size for size in (first, width, rest) if size], origin)
        for begin, part in parts:
            if begin <= first and first + width <= begin + part.dims[-1]:
                return self.piece(part, first - begin, width, origin)
        raise Unsupported(TAKEN)

    def split(self, value, widths, origin=None):
        """A linear layer's output as those of several layers, each with a part of its weights: where each begins,
        and it. Nobody else may have taken it."""
        at = next((i for i, layer in enumerate(self.layers) if layer["name"] == value.layer), None)
        whole = self.layers[at] if at is not None else {}
        need(whole.get("kind") == "linear" and "tied" not in whole, "of parts of what is no linear layer")
        need(not any(value.layer in self.inputs_of(i) for i in range(len(self.layers))), TAKEN)
        source = self.inputs_of(at)[0]
        pieces = [dict(whole, name=self.name("%s_%d" % (value.layer, i + 1)), outputs=width)
                  for i, width in enumerate(widths)]
        for i, piece in enumerate(pieces):
            if i > 0 or "input" in whole:
                piece["input"] = source
        self.layers[at:at + 1] = pieces
        self.owners = {key: None if of == value.layer else of for key, of in self.owners.items()}
        self.last = pieces[-1]["name"] if self.last == value.layer else self.last
        self.cutters.update((piece["name"], origin) for piece in pieces)
        self.apart[value.layer] = [(sum(widths[:i]), Value(piece["name"], value.dims[:-1] + [widths[i]]))
                                   for i, piece in enumerate(pieces)]
        return self.apart[value.layer]

    def check_pieces(self):
        """Each is taken by somebody: dtsim has no layer whose output nobody wants."""
        wanted = {name for i in range(len(self.layers)) for name in self.inputs_of(i)}
        for name, origin in self.cutters.items():
            if origin is not None and name not in wanted and name not in self.apart and not origin.told:
                origin.told = True
                self.problem(origin.what, origin.place)

    def count(self):
        """Values of all parameters that layers have."""
        return sum(product(parameter.shape) for parameter in self.owned)

    def note_computed(self):
        """dtsim has no parameters but the weights themselves."""
        sources = {id(source): source for weight in self.computed for source in weight.sources}
        if not sources:
            return
        counts = [sum(product(part.shape) for part in parts) for parts in (self.computed, sources.values())]
        many = "s" if len(self.computed) > 1 else ""
        self.note("note: %d weight%s of %s values, computed from parameters of %s: dtsim trains the weights themselves"
                  % (len(self.computed), many, *[format(n, ",") for n in counts]))

    def flat(self, value, name):
        """The value as one row of features."""
        if len(value.dims) == 1:
            return Value(value.layer, value.dims)
        name = name if name.endswith("flatten") else name + "_flatten"
        return self.add(name, "flatten", [Value(value.layer, value.dims)],
                        [product(value.dims)])

    def plain(self, value, name):
        """The value with dtsim's shape made equal to PyTorch's."""
        need(isinstance(value, Value), NO_TENSOR)
        if value.shape == value.dims:
            return value
        if len(value.shape) == 1:
            return self.flat(value, name)
        need(0 < len(value.shape) <= MOST_AXES and product(value.shape) == product(value.dims),
             "a tensor of shape %s, looked at as %s" % (value.dims, value.shape))
        if value.as_shape is None:
            name = name if name.endswith("reshape") else name + "_reshape"
            value.as_shape = self.add(name, "reshape", [Value(value.layer, value.dims)], value.shape,
                                      output=value.shape)
        return value.as_shape
