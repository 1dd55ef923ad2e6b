#!/usr/bin/env python3
"""import_torch.py -- a PyTorch module as a model file of dtsim (docs/models.md).

    tools/import_torch.py torchvision.models:resnet50 --input 3,224,224 -o mine.json
    tools/import_torch.py path/to/net.py:Net --input 128 --set '{"width": 64}' -o net.json

It imports what is named, calls it, follows a batch of zeros through what comes out (torch.fx), and
writes layers and shapes: no weights. What dtsim has no layer for is named, all of it at once, and
nothing is written (exit status 2). It loads no checkpoints, and no ONNX files.
"""
import argparse
import importlib
import importlib.util
import json
import os
import sys
import tempfile

try:
    import torch
except ImportError:
    sys.exit("import_torch.py: needs PyTorch (Debian: python3-torch)")

from torch_network import Unsupported
from torch_trace import Importer, trace

LOSSES = ("softmax_cross_entropy", "mean_squared_error", "none")


class Refused(Exception):
    """What the person who called it has to change."""


def find(name):
    """What `module:callable` or `path/file.py:callable` names."""
    place, colon, attribute = name.rpartition(":")
    if not place or not colon or not attribute:
        raise Refused("%s: must be MODULE:CALLABLE or FILE.py:CALLABLE" % name)
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
    return found


def make(name, settings):
    """The module that is to be imported."""
    found = find(name)
    module = found if isinstance(found, torch.nn.Module) else found(**settings)
    if not isinstance(module, torch.nn.Module):
        raise Refused("%s: must make a torch.nn.Module, made %s" % (name, type(module).__name__))
    return module.train()


def words():
    parser = argparse.ArgumentParser(
        prog="import_torch.py", description="A PyTorch module as a model file of dtsim.")
    parser.add_argument("module", metavar="MODULE:CALLABLE",
                        help="or FILE.py:CALLABLE: what makes the module")
    parser.add_argument("--input", required=True, metavar="SIZES",
                        help="shape of one sample, without the batch: 3,224,224")
    parser.add_argument("-o", "--output", required=True, metavar="FILE", help="the model file to write")
    parser.add_argument("--name", help="of the model (default: the callable's)")
    parser.add_argument("--loss", choices=LOSSES, default=LOSSES[0],
                        help="behind each output (default: %(default)s)")
    parser.add_argument("--set", default="{}", metavar="JSON",
                        help="keyword arguments of the callable: '{\"num_classes\": 10}'")
    parser.add_argument("--tokens", action="store_true",
                        help="the input is whole numbers (default: where an embedding takes it)")
    options = parser.parse_args()
    try:
        options.input = [int(size) for size in options.input.split(",")]
        options.set = json.loads(options.set)
    except ValueError as error:
        parser.error(str(error))
    if min(options.input) < 1 or not isinstance(options.set, dict):
        parser.error("--input must be sizes >= 1, --set an object")
    return options


def import_module(options):
    """The model file's text, and what is worth knowing about it."""
    module = make(options.module, options.set)
    try:
        graph = trace(module, options.input, options.tokens)
    except Exception as error:  # whatever the module's own code or the tracing of it raises
        raise Refused("%s: cannot be traced by torch.fx: %s: %s"
                      % (options.module, type(error).__name__, error))
    importer = Importer(graph, options.input, options.loss)
    importer.run()
    if importer.problems:
        raise Refused("%s: dtsim has no layer for:%s" % (
            options.module, "".join("\n    " + line for line in importer.complaints())))
    name = options.name or options.module.rpartition(":")[2].replace(".", "_")
    parameters = importer.count()
    head = {
        "name": name,
        "summary": "%s, %s parameters" % (options.module, format(parameters, ",")),
        "source": "imported from %s by tools/import_torch.py, PyTorch %s"
                  % (options.module, torch.__version__),
        "sample": "image" if len(options.input) > 2 else "sequence",
        "input": options.input,
    }
    lines = ["%s: %s" % (json.dumps(key), json.dumps(value)) for key, value in head.items()]
    layers = ",\n    ".join(json.dumps(layer) for layer in importer.network.layers)
    text = "{\n%s,\n\"layers\": [\n    %s\n]\n}\n" % (",\n".join(lines), layers)
    said = "%s: %d layers, %s parameters" % (name, len(importer.network.layers), format(parameters, ","))
    return text, [said] + importer.network.notes


def write(path, text):
    """All of the file or nothing of it."""
    folder = os.path.dirname(os.path.abspath(path))
    try:
        handle, beside = tempfile.mkstemp(dir=folder, prefix="." + os.path.basename(path))
        try:
            with os.fdopen(handle, "w") as out:
                out.write(text)
            mask = os.umask(0)
            os.umask(mask)
            os.chmod(beside, 0o666 & ~mask)
            os.replace(beside, path)
        except OSError:
            os.unlink(beside)
            raise
    except OSError as error:
        raise Refused("%s: %s" % (path, error.strerror))


def main():
    options = words()
    try:
        text, said = import_module(options)
        write(options.output, text)
    except (Refused, Unsupported) as error:
        print("import_torch.py: %s" % error, file=sys.stderr)
        return 2
    for line in said:
        print(line, file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
