#!/usr/bin/env python3
"""run.py PROGRAM [SECONDS [SEED [CORPUS]]] -- libFuzzer feeds a program of this folder.

It begins with files of the repository and with a dictionary of the words that the sources read: keys, kinds, words
of choices. No input may crash it, leak, take 20 s or 1 GB, or give an answer that cannot be. The input of a
fault is kept, and `PROGRAM FILE` runs it again. CORPUS is a folder that keeps inputs which reached something
new, for the next run; without it they are forgotten. An hour by hand, in a build with -DDTSIM_FUZZ=ON:

    python3 tests/fuzz/run.py build-fuzz/tests/fuzz/fuzz_readers 3600 SEED CORPUS
"""
import glob
import gzip
import json
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LIMIT_S, LIMIT_MB = 20, 1024
MOST_BYTES = {"readers": 16384, "plans": 1024, "fluid": 1024}
PROSE = ("source", "comment", "summary", "why")


def read(path):
    with open(path, "rb") as f:
        return f.read()


def without_prose(tree):
    if isinstance(tree, dict):
        return {k: without_prose(v) for k, v in tree.items() if k not in PROSE and not k.startswith("//")}
    return [without_prose(v) for v in tree] if isinstance(tree, list) else tree


def documents(pattern):
    """Small ones as they are, and all without prose: what is left is what a change has an effect on."""
    for path in sorted(glob.glob(os.path.join(ROOT, pattern))):
        data = read(path)
        yield data
        try:
            yield json.dumps(without_prose(json.loads(data)), separators=(",", ":")).encode()
        except ValueError:
            pass


def profiles():
    """The first calls of a profile."""
    for path in sorted(glob.glob(os.path.join(ROOT, "profiles", "*.json"))):
        tree = json.loads(read(path))
        profile = tree.get("profile", tree)
        profile["kernels"] = profile.get("kernels", [])[:3]
        yield json.dumps(without_prose(tree)).encode()


def idx_files():
    images = struct.pack(">4B3I", 0, 0, 8, 3, 2, 3, 3) + bytes(range(18))
    colour = struct.pack(">4B4I", 0, 0, 8, 4, 1, 2, 2, 3) + bytes(12)
    labels = struct.pack(">4BI", 0, 0, 8, 1, 4) + bytes(4)
    wide = struct.pack(">4B2I", 0, 0, 12, 2, 2, 8) + bytes(64)
    for data in (images, colour, labels, wide):
        yield data
        yield gzip.compress(data, mtime=0)


def checkpoint():
    identity = b"model small\nseed 1\n"
    head = struct.pack("=2I2Q4Q", 0x01020304, len(identity), 2, 7, 16, 8, 0, 0)
    yield b"dtsim-checkpoint/1\n" + head + identity + bytes(16 + 8 + 4)


def keys_of(table, value):
    """The keys of a table of fields, with a value for those that somebody else reads."""
    rows = re.findall(r'(?:DTS_KEY\(struct \w+, (\w+)\)|\.key = "(\w+)").*?\.type = (DTS_\w+)', table, re.S)
    values = {"DTS_INT": 2, "DTS_REAL": 0.5, "DTS_BOOL": True, "DTS_OTHER": value}
    return {a or b: values.get(kind, "x") for a, b, kind in rows}


def layers():
    """Networks with each kind of layer, by the table of its keys."""
    for path in sorted(glob.glob(os.path.join(ROOT, "src", "train", "model", "layer", "*.c"))):
        text = read(path).decode()
        tables = dict(re.findall(r"dts_field (\w+)\[\] = \{(.*?)^\};", text, re.S | re.M))
        for row in re.findall(r"dts_layer_kind \w+ = \{(.*?)^\};", text, re.S | re.M):
            kind = re.search(r'\.name = "(\w+)"', row)[1]
            fields = re.search(r"\.fields = (\w+)", row)
            for value, shape in ((2, [4, 8]), (2, [4, 8, 8]), ([1, 0], [4, 8]), ([0, 2, 1], [4, 8, 8])):
                layer = dict(keys_of(tables.get(fields[1], "") if fields else "", value), kind=kind)
                yield json.dumps({"name": "m", "input": shape, "layers": [
                    {"kind": "relu", "name": "a"}, {"kind": "relu", "name": "b"}, layer]}).encode()
                if kind in ("add", "multiply", "concat"):
                    layer["input"] = ["a", "b"]
                    yield json.dumps({"name": "m", "input": shape, "layers": [
                        {"kind": "relu", "name": "a"}, {"kind": "relu", "name": "b"}, layer]}).encode()


def platforms():
    """Keys that no platform of the repository has."""
    tree = without_prose(json.loads(read(os.path.join(ROOT, "tests", "golden", "in", "platform.json"))))
    measured = os.path.join(ROOT, "tests", "golden", "in", "all_reduce.txt")
    ring = {"name": "tcp", "measured": measured, "ranks": 4, "nodes": 4}
    for key, value in (("transports", dict(tree["transports"], between=ring)),
                       ("node", dict(tree["node"], slow={"factor": 2, "nodes": [1]})),
                       ("node", dict(tree["node"], slow=[{"factor": 2, "count": 1}], compute={"together": [1, 1.5]})),
                       ("node", dict(tree["node"], device=None, kinds=[{"nodes": 2, "device": "v100"},
                                                                       {"nodes": 2, "device": "p100"}]))):
        yield json.dumps(dict(tree, **{key: value})).encode()


def changes():
    yield b'batch.per_device=8\nstrategies[*].bucket_bytes=4MiB\ndevices=8,64\n\n{"batch": {}, "strategies": [{}]}'
    yield b'a.b.c="x"\n\n{"a": {"b": {}}}'


# By the letter that readers.c knows a reader by.
FILES = [("s", "scenarios/*.json"), ("s", "scenarios/published/*.json"), ("s", "tests/data/*.json"),
         ("m", "models/*.json"), ("m", "tests/live/*.json"), ("p", "platforms/*.json"), ("d", "devices/*.json"),
         ("k", "stacks/*.json"), ("x", "tests/golden/in/*.xml"), ("n", "tests/golden/in/*.txt")]
FILES += [(letter, "tests/golden/in/*.json") for letter in "jsmpdk"]
MADE = [("m", layers), ("p", platforms), ("d", profiles), ("i", idx_files), ("l", idx_files), ("c", checkpoint),
        ("w", changes)]


def seeds_of_readers():
    for letter, pattern in FILES:
        for data in documents(pattern):
            yield letter.encode() + data
    for letter, make in MADE:
        for data in make():
            yield letter.encode() + data


def seeds_of_choices():
    """Bytes that become choices have no files."""
    rng = random.Random(1)
    for size in (16, 64, 128, 256):
        for _ in range(16):
            yield bytes(rng.randrange(256) for _ in range(size))


def words():
    """Names that sources read: of keys, of rows of tables, of choices."""
    found = set()
    for folder, _, names in os.walk(os.path.join(ROOT, "src")):
        for name in names:
            if name.endswith((".c", ".h")):
                text = read(os.path.join(folder, name)).decode()
                found.update(re.findall(r"DTS_KEY\(struct \w+, (\w+)\)", text))
                found.update(re.findall(r'(?:\.key|\.name|_KEY_OF\(\w+,) *=? *"([^"\\]+)"', text))
                found.update(re.findall(r'^ *(?:\[\w+\] = )?"([a-z][\w.]*)",?$', text, re.M))
                for row in re.findall(r"words\[\] = \{(.*?)\}", text, re.S):
                    found.update(re.findall(r'"((?:[^"\\]|\\.)*)"', row))
    return sorted(word for word in found if re.fullmatch(r'[ !#-\[\]-~]+', word))


def write_dictionary(path):
    with open(path, "w") as f:
        for word in words():
            f.write('"%s"\n' % word)
            f.write('"\\"%s\\":"\n' % word)
        for word in ("true", "false", "null", "1e308", "-1", "1e-320", "2147483647", "10Gb/s", "64MiB", "5us", "<!--",
                     "<![CDATA[", "<!ENTITY", "<!DOCTYPE", "<config", "<prop", "<cluster", "radical=", "# size time"):
            f.write('"%s"\n' % word)


def write_seeds(folder, what):
    most = MOST_BYTES[what]
    for number, data in enumerate(seeds_of_readers() if what == "readers" else seeds_of_choices()):
        if len(data) <= most:
            with open(os.path.join(folder, "seed-%03d" % number), "wb") as f:
                f.write(data)


def number_of(name, log):
    match = re.search(r"^stat::%s:\s*(\d+)" % name, log, re.M)
    return int(match[1]) if match else 0


def feed(program, seconds, seed, corpus, work):
    what = os.path.basename(program).replace("fuzz_", "")
    seeds = os.path.join(work, "seeds")
    os.mkdir(seeds)
    write_seeds(seeds, what)
    write_dictionary(os.path.join(work, "words"))
    command = [program, "-max_total_time=%d" % seconds, "-seed=%d" % seed, "-timeout=%d" % LIMIT_S,
               "-rss_limit_mb=%d" % LIMIT_MB, "-max_len=%d" % MOST_BYTES[what], "-print_final_stats=1",
               "-artifact_prefix=%s/" % work, "-dict=%s/words" % work, corpus, seeds]
    # What is freed is kept for a while, so that its use is seen; 256 MB of it would hide what an input takes.
    environment = dict(os.environ, ASAN_OPTIONS="quarantine_size_mb=32")
    run = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                         stderr=subprocess.PIPE)
    return run.returncode, run.stderr.decode("utf-8", "replace")


def keep(work, log):
    """The input of a fault outlives the run."""
    kept = tempfile.mkdtemp(prefix="dtsim-fuzz-")
    for path in glob.glob(os.path.join(work, "*-*")):
        if os.path.isfile(path):
            shutil.copy(path, kept)
    with open(os.path.join(kept, "log"), "w") as f:
        f.write(log)
    print("\n".join(log.splitlines()[-60:]))
    print("FAIL input and log are in %s" % kept)


def main():
    program = os.path.abspath(sys.argv[1])
    seconds = int(sys.argv[2]) if len(sys.argv) > 2 else 60
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    with tempfile.TemporaryDirectory() as work:
        corpus = os.path.abspath(sys.argv[4]) if len(sys.argv) > 4 else os.path.join(work, "corpus")
        os.makedirs(corpus, exist_ok=True)
        status, log = feed(program, seconds, seed, corpus, work)
        inputs = number_of("number_of_executed_units", log)
        if status:
            keep(work, log)
        print("%d inputs, %d faults, slowest %d s, at most %d MB" % (
            inputs, 1 if status else 0, number_of("slowest_unit_time_sec", log), number_of("peak_rss_mb", log)))
    return 1 if status or inputs < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
