#!/usr/bin/env python3
"""import_torch.py -- a PyTorch module or an ONNX file as a model file of dtsim (docs/models.md).

    tools/import_torch.py torchvision.models:resnet50 --input 3,224,224 -o mine.json
    tools/import_torch.py path/to/net.py:Net --input 128 --set '{"width": 64}' -o net.json
    tools/import_torch.py net.onnx -o net.json

It imports what is named, calls it, follows a batch of zeros through what comes out (torch.fx), or
follows the graph of the file, and writes layers and shapes: no weights. What dtsim has no layer for
is named, all of it at once, and nothing is written (exit status 2). It loads no checkpoints.
Exit status 3: a package is missing here.
"""
import json
import os
import sys
import tempfile

from import_memory import is_shortage, limited
from import_network import Missing, Refused, Unsupported
from import_words import words

# What a package is called by who has to install it.
PACKAGES = {"torch": "PyTorch 1.13 or later (Debian: python3-torch)", "onnx": "ONNX (Debian: python3-onnx)",
            "numpy": "NumPy (Debian: python3-numpy)", "google": "protobuf (Debian: python3-protobuf)"}


def reader(source):
    """What reads the source; its packages are needed only now."""
    try:
        if source.endswith(".onnx"):
            from onnx_trace import read
        else:
            from torch_source import read
    except (ImportError, OSError) as error:  # OSError: a package whose own libraries are missing
        package = (getattr(error, "name", None) or "").partition(".")[0]
        raise Missing("%s: needs %s: %s" % (
            source, PACKAGES.get(package, "a Python package"), str(error).partition("\n")[0]))
    return read


def read(options):
    """The importer, which has run."""
    read_source = reader(options.source)
    try:
        with limited(options.memory):
            return read_source(options)
    except Exception as error:
        if is_shortage(error):
            raise Refused("%s: needs more than %.4g GiB of memory (--memory)"
                          % (options.source, options.memory))
        raise


def import_network(options):
    """The model file's text, and what is worth knowing about it."""
    importer = read(options)
    network, dims = importer.network, importer.network.entry.dims
    if network.problems:
        raise Refused("%s: dtsim has no layer for:%s" % (
            options.source, "".join("\n    " + line for line in network.complaints())))
    name = options.name or importer.name
    parameters = importer.network.count()
    head = {
        "name": name,
        "summary": "%s, %s parameters" % (os.path.basename(options.source), format(parameters, ",")),
        "source": "imported from %s by tools/import_torch.py, %s" % (options.source, importer.origin),
        "sample": "image" if len(dims) > 2 else "sequence",
        "input": dims,
    }
    lines = ["%s: %s" % (json.dumps(key), json.dumps(value)) for key, value in head.items()]
    layers = ",\n    ".join(json.dumps(layer) for layer in network.layers)
    text = "{\n%s,\n\"layers\": [\n    %s\n]\n}\n" % (",\n".join(lines), layers)
    said = "%s: %d layers, %s parameters" % (name, len(network.layers), format(parameters, ","))
    return text, [said] + network.notes


def check_spared(path, source):
    """The output is not the file that the network came from."""
    place = source if source.endswith(".onnx") else source.rpartition(":")[0]
    read_from = getattr(sys.modules.get(place), "__file__", None) or place
    if os.path.realpath(path) == os.path.realpath(read_from):
        raise Refused("--output: must be another file than what is read, got %s" % path)


def replace(path, text):
    """All of the file or nothing of it."""
    handle, beside = tempfile.mkstemp(dir=os.path.dirname(path), prefix="." + os.path.basename(path))
    try:
        with os.fdopen(handle, "w") as out:
            out.write(text)
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(beside, 0o666 & ~mask)
        os.replace(beside, path)
    except BaseException:  # Ctrl-C, too
        os.unlink(beside)
        raise


def write(path, text):
    try:
        if os.path.exists(path) and not os.path.isfile(path):  # a device or pipe: nothing to protect
            with os.fdopen(os.open(path, os.O_WRONLY), "w") as out:
                out.write(text)
        else:
            replace(os.path.realpath(path), text)  # so that a link stays one
    except OSError as error:
        raise Refused("%s: %s" % (path, error.strerror))


def main():
    try:
        options = words()
        text, said = import_network(options)
        check_spared(options.output, options.source)
        write(options.output, text)
    except (Refused, Unsupported, Missing) as error:
        print("import_torch.py: %s" % error, file=sys.stderr)
        return 3 if isinstance(error, Missing) else 2
    for line in said:
        print(line, file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
