#!/usr/bin/env python3
"""import_torch.py -- a PyTorch module or an ONNX file as a model file of dtsim (docs/models.md).

    tools/import_torch.py torchvision.models:resnet50 --input 3,224,224 -o mine.json
    tools/import_torch.py path/to/net.py:Net --input 128 --set '{"width": 64}' -o net.json
    tools/import_torch.py net.onnx -o net.json

It imports what is named, calls it, follows a batch of zeros through what comes out (torch.fx), or
follows the graph of the file, and writes layers and shapes: no weights. What dtsim has no layer for
is named, all of it at once, and nothing is written (exit status 2). It loads no checkpoints.
"""
import argparse
import json
import os
import sys
import tempfile

from import_memory import half_of_the_machine, is_shortage, limited
from import_network import Refused, Unsupported

LOSSES = ("softmax_cross_entropy", "mean_squared_error", "none")


def words():
    parser = argparse.ArgumentParser(
        prog="import_torch.py", description="A PyTorch module or an ONNX file as a model file of dtsim.")
    parser.add_argument("source", metavar="MODULE:CALLABLE",
                        help="or FILE.py:CALLABLE: what makes the module; or FILE.onnx")
    parser.add_argument("--input", metavar="SIZES",
                        help="shape of one sample, without the batch: 3,224,224 "
                             "(an ONNX file has it, as a rule)")
    parser.add_argument("-o", "--output", required=True, metavar="FILE", help="the model file to write")
    parser.add_argument("--name", help="of the model (default: the callable's, the file's)")
    parser.add_argument("--loss", choices=LOSSES, default=LOSSES[0],
                        help="behind each output (default: %(default)s)")
    parser.add_argument("--set", default="{}", metavar="JSON",
                        help="keyword arguments of the callable: '{\"num_classes\": 10}'")
    parser.add_argument("--tokens", action="store_true",
                        help="the input is whole numbers (default: where an embedding takes it)")
    parser.add_argument("--memory", type=float, default=half_of_the_machine(), metavar="GIB",
                        help="that making the network may take (default: half of the machine's)")
    options = parser.parse_args()
    try:
        if options.input is not None:
            options.input = [int(size) for size in options.input.split(",")]
        options.set = json.loads(options.set)
    except ValueError as error:
        parser.error(str(error))
    if min(options.input or [1]) < 1 or not isinstance(options.set, dict):
        parser.error("--input must be sizes >= 1, --set an object")
    if not 0 < options.memory <= 1e6:
        parser.error("--memory must be GiB, above 0 and up to 1e6")
    return options


def read(options):
    """What reads the source; its package is needed only now."""
    if options.source.endswith(".onnx"):
        from onnx_trace import read as from_source
    else:
        from torch_source import read as from_source
    with limited(options.memory):
        return from_source(options)


def import_network(options):
    """The model file's text, and what is worth knowing about it."""
    importer = read(options)
    network, dims = importer.network, importer.network.entry.dims
    if network.problems:
        raise Refused("%s: dtsim has no layer for:%s" % (
            options.source, "".join("\n    " + line for line in network.complaints())))
    name = options.name or importer.name
    parameters = importer.count()
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
    options = words()
    try:
        text, said = import_network(options)
        check_spared(options.output, options.source)
        write(options.output, text)
    except (Refused, Unsupported) as error:
        print("import_torch.py: %s" % error, file=sys.stderr)
        return 2
    except Exception as error:
        if not is_shortage(error):
            raise
        print("import_torch.py: %s: needs more than %.4g GiB of memory (--memory)"
              % (options.source, options.memory), file=sys.stderr)
        return 2
    for line in said:
        print(line, file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
