"""torch_kinds.py -- which of the modules that are known a module is: one of them as it stands, or of a class that
somebody made of it and that changes nothing of what it does."""

# What a class may say anew of what PyTorch's says: how it begins and how it is shown, not what it computes.
HARMLESS = ("extra_repr", "reset_parameters", "T_destination", "dump_patches", "training")


def changes(cls, base):
    """Whether a class says anew what its base does."""
    return any(hasattr(base, name) and not name.startswith("__") and name not in HARMLESS for name in vars(cls))


def known_kind(module, table):
    """The class in a table; None: none that this module is as it stands."""
    above = []
    for cls in type(module).__mro__:
        if cls in table:
            return None if any(changes(other, cls) for other in above) else cls
        above.append(cls)
    return None


def drops_paths(module):
    """Whether a module is stochastic depth, of which each library has its own: a branch is zero for some samples."""
    rate = getattr(module, "drop_prob", getattr(module, "p", None))
    named = type(module).__name__.endswith(("DropPath", "StochasticDepth", "DropConnect"))
    return named and (rate is None or isinstance(rate, (int, float)))
