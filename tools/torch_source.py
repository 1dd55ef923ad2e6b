"""torch_source.py -- the module that MODULE:CALLABLE or FILE.py:CALLABLE names, imported."""
import importlib
import importlib.util
import json
import os
import sys

try:
    import torch
except ImportError:
    sys.exit("import_torch.py: needs PyTorch (Debian: python3-torch)")

from import_network import Refused
from torch_trace import Importer, trace


def told(error):
    """One line of what somebody else's code raised."""
    return ("%s: %s" % (type(error).__name__, error)).strip().splitlines()[0]


def find(name):
    """What `module:callable` or `path/file.py:callable` names."""
    place, _, attribute = name.rpartition(":")
    if not place or not attribute:
        raise Refused("%s: must be MODULE:CALLABLE, FILE.py:CALLABLE or FILE.onnx" % name)
    try:
        if place.endswith(".py"):
            spec = importlib.util.spec_from_file_location("imported_network", place)
            found = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(found)
        else:
            sys.path.append(os.getcwd())
            found = importlib.import_module(place)
        for part in attribute.split("."):
            found = getattr(found, part)
    except (ImportError, OSError, AttributeError) as error:
        raise Refused("%s: %s" % (name, error))
    except Exception as error:  # whatever the file's own code raises
        raise Refused("%s: cannot be imported: %s" % (name, told(error)))
    return found


def make(name, settings):
    """The module that is to be imported."""
    found = find(name)
    try:
        module = found if isinstance(found, torch.nn.Module) else found(**settings)
    except Exception as error:  # whatever it raises
        raise Refused("%s: cannot be called with %s: %s" % (name, json.dumps(settings), told(error)))
    if not isinstance(module, torch.nn.Module):
        raise Refused("%s: must make a torch.nn.Module, made %s" % (name, type(module).__name__))
    return module.train()


def read(options):
    """The importer, which has run."""
    if options.input is None:
        raise Refused("%s: --input must say the shape of one sample" % options.source)
    module = make(options.source, options.set)
    try:
        graph = trace(module, options.input, options.tokens)
    except Exception as error:  # whatever the module's own code or the tracing of it raises
        raise Refused("%s: cannot be traced by torch.fx: %s" % (options.source, told(error)))
    importer = Importer(graph, options.input, options.loss)
    importer.run()
    importer.name = options.source.rpartition(":")[2].replace(".", "_")
    importer.origin = "PyTorch %s" % torch.__version__
    return importer
