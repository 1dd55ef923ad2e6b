"""import_check.py -- what the tests of tools/import_torch.py share.

Each is called as TEST.py DESCRIBE_MODEL; exit status 77: a package is missing, nothing was tested.
"""
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [os.path.join(ROOT, "tools"), HERE]

import import_torch

DESCRIBE = sys.argv[1]
failures = []


def check(good, what):
    if not good:
        failures.append(what)
        print("FAIL %s" % what)
    return good


def run_import(folder, source, sizes, *more):
    """What the command says and returns, in this process: PyTorch takes seconds to load. sizes:
    None: as the file says."""
    path = os.path.join(folder, "model.json")
    if os.path.exists(path):
        os.unlink(path)
    said = os.path.join(folder, "said")
    given = ["--input", sizes] if sizes else []
    sys.argv = ["import_torch.py", source, "-o", path] + given + list(more)
    keep, sys.stderr = sys.stderr, open(said, "w")
    try:
        status = import_torch.main()
    finally:
        sys.stderr.close()
        sys.stderr = keep
    with open(said) as text:
        return path, status, text.read()


def describe(path):
    done = subprocess.run([DESCRIBE, path], capture_output=True, text=True)
    check(done.returncode == 0, "describe %s: %s" % (path, done.stderr))
    lines = done.stdout.splitlines()
    # a flatten is nothing that runs; branches may stand in another order
    return lines[:1], sorted(line for line in lines[1:] if not line.startswith("flatten"))


def own(folder, layers, features=8, positions=6):
    """What it tells of a model file."""
    path = os.path.join(folder, "own.json")
    with open(path, "w") as out:
        json.dump({"name": "own", "input": [positions, features], "layers": layers}, out)
    return describe(path)


def compare(name, got, want):
    """Two networks as `describe` tells them."""
    check(got[0] == want[0], "%s: totals\n  got  %s\n  want %s" % (name, got[0], want[0]))
    for line in [l for l in got[1] if l not in want[1]] + [l for l in want[1] if l not in got[1]]:
        print("  %s only in one: %s" % (name, line))
    check(got[1] == want[1], "%s: layers" % name)


def taken_by_the_last(path, kind):
    """The layers that the last before the loss takes, in their order, seen through those of a kind."""
    with open(path) as text:
        layers = {layer["name"]: layer for layer in json.load(text)["layers"]}

    def behind(name):
        if layers[name]["kind"] != kind:
            return [name]
        return [found for part in layers[name].get("input", []) for found in behind(part)]

    return behind(list(layers)[-2])


def run(*tests):
    """The exit status of them all; each gets a folder."""
    with tempfile.TemporaryDirectory() as folder:
        for test in tests:
            before = len(failures)
            test(folder)
            print("%s %s" % ("ok  " if len(failures) == before else "FAIL", test.__name__))
    return 1 if failures else 0
