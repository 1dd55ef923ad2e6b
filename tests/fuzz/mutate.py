#!/usr/bin/env python3
"""mutate.py PROGRAM [SECONDS [SEED]] -- damaged inputs end in an answer or in one clear line.

Files of the repository (scenarios, models, platforms, stacks, devices, profiles of convergence, tables of accuracy, SimGrid's
XML) are damaged one at a time: values become odd ones, members move, repeat or vanish, bytes flip. Then
the program predicts with them. It must end with status 0 and no number that is none, or with status 2 (3: the
build lacks SimGrid) and a line on standard error that names a file or an option; in 20 s, or with
progress shown; in 3 GB.
A fault keeps its files in a folder that is named. An hour by hand: mutate.py PROGRAM 3600 SEED.
"""
import json
import os
import random
import re
import resource
import select
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
INPUTS = os.path.join(ROOT, "tests", "golden", "in")
LIMIT_S, LIMIT_BYTES = 20, 3 << 30

ODD = [0, -1, 1, 2, 3, 1e-320, 1e-30, 0.5, 1e30, 1e308, 2**31 - 1, 2**31, 2**53, 2**63, -2**63, 10**25,
       "", "x", "../x", "/dev/zero", "%s%n", "ring", "1e9Gb/s", "10Gb/s", "-5us", "\u202e", "\x1b[31m", "a" * 5000,
       None, True, False, [], {}, [[]], [0], [1, 1], {"kind": "x"}, {"": 0}]


def places(tree, above=None, key=None):
    """All (container, key) of a document, in the order of the file."""
    if above is not None:
        yield above, key
    members = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for k, below in list(members):
        yield from places(below, tree, k)


def change_tree(tree, rng):
    spots = list(places(tree))
    if not spots:
        return
    holder, key = rng.choice(spots)
    value = holder[key]
    how = rng.randrange(8)
    if how < 3:
        holder[key] = rng.choice(ODD)
    elif how == 3 and isinstance(value, (int, float)) and not isinstance(value, bool):
        holder[key] = value * rng.choice([-1, 0.5, 2, 10, 1e3, 1e6, 1e12])
    elif how == 4:
        del holder[key]
    elif how == 5:
        other, at = rng.choice(spots)
        holder[key] = json.loads(json.dumps(other[at])) if at in range(len(other)) or at in other else None
    elif how == 6 and isinstance(holder, list):
        holder.extend([value] * rng.choice([1, 2, 40]))
    elif how == 7 and isinstance(holder, dict):
        holder[key[:-1] if rng.random() < 0.5 else key + "s"] = holder.pop(key)


def change_bytes(data, rng):
    data = bytearray(data)
    for _ in range(rng.choice([1, 1, 2, 8])):
        at = rng.randrange(len(data) + 1)
        how = rng.randrange(4)
        if how == 0:
            data[at:at + 1] = bytes([rng.randrange(256)])
        elif how == 1:
            del data[at:at + rng.choice([1, 4, 100])]
        elif how == 2:
            data[at:at] = data[at:at + rng.choice([1, 30, 300])] * rng.choice([1, 3])
        else:
            del data[at:]
        if not data:
            break
    return bytes(data)


def read(*path):
    with open(os.path.join(*path), "rb") as f:
        return f.read()


def some(folder, rng):
    names = sorted(n for n in os.listdir(os.path.join(ROOT, folder)) if n.endswith(".json"))
    return read(ROOT, folder, rng.choice(names))


def make_case(folder, rng):
    """Files of one question, and the name of the one to damage."""
    shutil.copytree(INPUTS, folder)
    scenario = json.loads(read(INPUTS, "small.json"))
    kind = rng.randrange(8)
    if kind == 0:
        scenario = json.loads(some("scenarios", rng))
        scenario["devices"] = scenario["devices"][:2] if isinstance(scenario.get("devices"), list) else 4
        victim = "small.json"
    elif kind == 1:
        victim = "simgrid.xml"
        names = sorted(n for n in os.listdir(INPUTS) if n.endswith(".xml"))
        with open(os.path.join(folder, victim), "wb") as f:
            f.write(read(INPUTS, rng.choice(names)))
        scenario["platform"] = {"name": "x", "source": "x", "kind": "simgrid_xml", "file": victim}
    elif kind == 2:
        victim = "small.json"
    elif kind == 7:
        victim = "profile.json"
        with open(os.path.join(folder, victim), "wb") as f:
            accuracy = rng.random() < 0.3
            f.write(some("accuracy" if accuracy else "convergence", rng))
        scenario["training"] = ({"epochs": 90, "accuracy": {"table": victim}} if accuracy
                                else {"target": {"profile": victim}})
    else:
        key, where = [("model", "models"), ("platform", "platforms"), ("stack", "stacks"),
                      ("device", "devices")][kind - 3]
        victim = key + ".json"
        with open(os.path.join(folder, victim), "wb") as f:
            f.write(some(where, rng))
        scenario[key] = victim
    scenario["engine"] = rng.choice(["auto", "fluid", "exact"])
    with open(os.path.join(folder, "small.json"), "w") as f:
        json.dump(scenario, f, indent=1)
    return victim


def damage(folder, victim, rng):
    path = os.path.join(folder, victim)
    data = read(path)
    try:
        tree = json.loads(data) if rng.random() < 0.85 else None
    except ValueError:
        tree = None
    if tree is not None:
        for _ in range(rng.choice([1, 1, 1, 2, 4])):
            change_tree(tree, rng)
        data = json.dumps(tree, indent=1).encode()
    else:
        data = change_bytes(data, rng)
    with open(path, "wb") as f:
        f.write(data)


def limits():
    resource.setrlimit(resource.RLIMIT_AS, (LIMIT_BYTES, LIMIT_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def shows_progress(command, folder):
    """Whether a long run tells a terminal what it does."""
    ours, theirs = os.openpty()
    with subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=theirs) as run:
        os.close(theirs)
        seen = bool(select.select([ours], [], [], LIMIT_S)[0])
        run.terminate()
    os.close(ours)
    return seen


def fault(program, folder, form, limited):
    """None, or what is wrong."""
    command = [program, "small.json", "--jobs", "1", "--format", form]
    try:
        got = subprocess.run(command, cwd=folder, capture_output=True, timeout=LIMIT_S, stdin=subprocess.DEVNULL,
                             preexec_fn=limits if limited else None)
    except subprocess.TimeoutExpired:
        return None if shows_progress(command, folder) else "nothing said in %d s" % LIMIT_S
    said = got.stderr.decode("utf-8", "replace").strip()
    if got.returncode == 0:
        bad = re.search(r"(?<![\w.])-?(nan|inf|infinity)(?![\w.-])", got.stdout.decode("utf-8", "replace"), re.I)
        return "a number that is none: ..." + got.stdout.decode()[max(0, bad.start() - 60):bad.end()] if bad else None
    if got.returncode == 1 and "memory" in said:
        return None
    if got.returncode == 3 and said.endswith("this build has no SimGrid"):
        return None
    if got.returncode != 2:
        return "status %d: %s" % (got.returncode, said[-300:])
    if not re.match(r"\S+: \S", said.splitlines()[-1] if said else ""):
        return "status 2 without a clear line: %r" % said[-300:]
    if re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]", said):
        return "hidden characters on standard error: %r" % said[-300:]
    return None


def main():
    program = os.path.abspath(sys.argv[1])
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 60
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    limited = b"__asan_init" not in read(program)  # its shadow needs terabytes of addresses
    end = time.monotonic() + seconds
    number = faults = 0
    with tempfile.TemporaryDirectory() as work:
        while time.monotonic() < end:
            number += 1
            rng = random.Random(seed * 1000003 + number)
            folder = os.path.join(work, "case")
            shutil.rmtree(folder, ignore_errors=True)
            victim = make_case(folder, rng)
            damage(folder, victim, rng)
            wrong = fault(program, folder, rng.choice(["text", "json", "csv"]), limited)
            if wrong:
                faults += 1
                kept = tempfile.mkdtemp(prefix="dtsim-fuzz-") + "/case"
                shutil.copytree(folder, kept)
                print("FAIL case %d of seed %d (%s in %s): %s" % (number, seed, victim, kept, wrong), flush=True)
    print("%d cases, %d faults" % (number, faults))
    return 1 if faults or number < 10 else 0


if __name__ == "__main__":
    sys.exit(main())
