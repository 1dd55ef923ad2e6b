"""torch_source.py -- the module that MODULE:CALLABLE or FILE.py:CALLABLE names, imported."""
import contextlib
import importlib
import importlib.util
import json
import os
import sys

import torch

from import_memory import is_shortage
from import_network import Refused
from import_words import SOURCES
from torch_follow import trace
from torch_trace import Importer


@contextlib.contextmanager
def told(what):
    """Somebody else's code: one line of whatever it raises."""
    try:
        yield
    except Exception as error:
        if is_shortage(error):
            raise
        raised = ("%s: %s" % (type(error).__name__, error)).strip().splitlines()[0]
        raise Refused("%s: %s" % (what, raised))


def find(name):
    """What `module:callable` or `path/file.py:callable` names."""
    place, _, attribute = name.rpartition(":")
    if not place or not attribute:
        raise Refused("%s: must be %s" % (name, SOURCES))
    with told("%s: cannot be imported" % name):
        if place.endswith(".py"):
            spec = importlib.util.spec_from_file_location("imported_network", place)
            found = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(found)
        else:
            sys.path.append(os.getcwd())
            found = importlib.import_module(place)
        for part in attribute.split("."):
            found = getattr(found, part)
    return found


def make(name, settings):
    """The module that is to be imported."""
    found = find(name)
    with told("%s: cannot be called with %s" % (name, json.dumps(settings))):
        module = found if isinstance(found, torch.nn.Module) else found(**settings)
    if not isinstance(module, torch.nn.Module):
        raise Refused("%s: must make a torch.nn.Module, made %s" % (name, type(module).__name__))
    return module.train()


def read(options):
    """The importer, which has run."""
    if options.input is None:
        raise Refused("%s: --input must say the shape of one sample" % options.source)
    module = make(options.source, options.set)
    with told("%s: cannot be traced by torch.fx" % options.source):
        graph = trace(module, options.input, options.tokens)
    importer = Importer(graph, options.input, options.loss)
    importer.run()
    importer.name = options.source.rpartition(":")[2].replace(".", "_")
    importer.origin = "PyTorch %s" % torch.__version__
    return importer
