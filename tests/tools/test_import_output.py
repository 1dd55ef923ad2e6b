"""test_import_output.py -- where tools/import_torch.py writes, and where it does not
(import_check.py has what is called how)."""
import importlib.util
import os
import stat
import sys

try:
    import onnx
    import onnx.helper
except ImportError as error:
    print("SKIPPED: %s (Debian: python3-onnx)" % error)
    sys.exit(77)

import import_check
import import_torch
from import_check import check, run_import


def save(path):
    """A network of one layer."""
    x, y = (onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, (2, 3)) for name in "xy")
    relu = onnx.helper.make_node("Relu", ["x"], ["y"])
    onnx.save(onnx.helper.make_model(onnx.helper.make_graph([relu], "g", [x], [y])), path)


def links_and_pipes_stay(folder):
    source = os.path.join(folder, "small.onnx")
    save(source)
    target, link, pipe = (os.path.join(folder, name) for name in ("target", "link", "pipe"))
    with open(target, "w") as out:
        out.write("old")
    os.symlink(target, link)
    path, status, said = run_import(folder, source, None, "-o", link)
    check(status == 0 and os.path.islink(link) and "layers" in open(target).read(), "a link: %s" % said)

    os.mkfifo(pipe)
    held = os.open(pipe, os.O_RDWR)  # so that neither end waits for ever
    path, status, said = run_import(folder, source, None, "-o", pipe)
    piped = stat.S_ISFIFO(os.stat(pipe).st_mode)
    if check(status == 0 and piped, "a pipe: %d %s" % (status, said)):
        check(b"layers" in os.read(held, 1 << 16), "a pipe: nothing in it")
    os.close(held)

    path, status, said = run_import(folder, source, None, "-o", folder)
    check(status == 2 and said.count("\n") == 1 and "Is a directory" in said, "a folder: %s" % said)


def what_is_read_is_not_written(folder):
    source, link = os.path.join(folder, "read.onnx"), os.path.join(folder, "to_read")
    save(source)
    os.symlink(source, link)
    network = os.path.join(folder, "network_to_read.py")
    with open(network, "w") as out:
        out.write("import torch\ndef net():\n    return torch.nn.Linear(3, 3)\n")
    sys.path.append(folder)
    cases = [(source, source, None), (source, link, None)]
    if importlib.util.find_spec("torch"):
        cases += [(network + ":net", network, "3"), ("network_to_read:net", network, "3")]
    for read, output, sizes in cases:
        with open(output, "rb") as before:
            content = before.read()
        path, status, said = run_import(folder, read, sizes, "-o", output)
        check(status == 2 and said == "import_torch.py: --output: must be another file than what is "
              "read, got %s\n" % output, "%s: %d %s" % (read, status, said))
        with open(output, "rb") as after:
            check(after.read() == content, "%s is written over" % output)
    sys.path.remove(folder)


def who_stops_it_finds_no_half_file(folder):
    source = os.path.join(folder, "stopped.onnx")
    save(source)
    before, keep = sorted(os.listdir(folder)), import_torch.os.replace

    def stop(*_):
        raise KeyboardInterrupt

    import_torch.os.replace = stop
    try:
        run_import(folder, source, None)
        check(False, "Ctrl-C goes on")
    except KeyboardInterrupt:
        pass
    finally:
        import_torch.os.replace = keep
    left = set(os.listdir(folder)) - set(before) - {"said"}
    check(not left, "left behind: %s" % left)


sys.exit(import_check.run(links_and_pipes_stay, what_is_read_is_not_written,
                          who_stops_it_finds_no_half_file))
