#!/usr/bin/env python3
"""schemas.py PROGRAM SOURCES -- the JSON Schemas that `dtsim help KIND --format json` prints.

They are schemas; every file that ships is valid by them, and so are results. A file with an unknown key, without a
required one or with a number beyond its limits is refused by the schema and by the program alike. Without Python's
jsonschema (Debian: python3-jsonschema) it is skipped.
"""
import copy
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

try:
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import best_match
except ImportError:
    print("skipped: Python has no jsonschema")
    sys.exit(77)

FOLDERS = {"scenario": ["scenarios"], "model": ["models"], "platform": ["platforms"], "device": ["devices", "profiles"],
           "stack": ["stacks"], "convergence": ["convergence"], "accuracy": ["accuracy"], "family": ["validation"]}

# What somebody else reads: any key may stand there.
OPEN = {"set", "when", "begin", "model", "stack"}

RESULTS = [["imagenet_1h", "--set", "devices=8,256"], ["time_to_accuracy"], ["sync_or_async"], ["bert_76min"],
           ["imagenet_records"], ["llama3_405b_16k"], ["imagenet_1h", "--set", "devices=[1,8]", "--sweep",
                                                       "batch.per_device=32,1048576"]]

# Files that are damaged, and the question that reads them; FILE stands for the damaged one.
DAMAGED = [("scenario", "scenarios/imagenet_1h.json", ["FILE"]),
           ("scenario", "scenarios/gpt3_3d.json", ["FILE"]),
           ("model", "models/small_cnn.json", ["imagenet_1h", "--set", "devices=8", "--set", "model=FILE"]),
           ("model", "models/gpt3_175b.json",
            ["imagenet_1h", "--set", "devices=8", "--set", "model=FILE", "--set", "memory.check=warn"]),
           ("platform", "platforms/theta.json", ["imagenet_1h", "--set", "devices=8", "--set", "platform=FILE"]),
           ("platform", "platforms/dgx_a100.json", ["imagenet_1h", "--set", "devices=8", "--set", "platform=FILE"]),
           ("stack", "stacks/caffe2_gloo.json", ["imagenet_1h", "--set", "devices=8", "--set", "stack=FILE"]),
           ("device", "devices/v100.json", ["imagenet_1h", "--set", "devices=8", "--set", "device=FILE"]),
           ("convergence", "convergence/resnet50_lars.json",
            ["imagenet_1h", "--set", "devices=8", "--set", 'training={"target": {"profile": "FILE"}}'])]


class Tally:
    passed = failed = 0

    def check(self, what, holds, why=""):
        self.passed += bool(holds)
        self.failed += not holds
        if not holds:
            print("FAIL", what, why)


def run(program, *words):
    return subprocess.run([program, *words], capture_output=True, text=True, timeout=120, check=False)


def wrong(validator, document):
    error = best_match(validator.iter_errors(document))
    return f"{error.json_path if hasattr(error, 'json_path') else ''}: {error.message[:160]}" if error else ""


def objects(value, key=None):
    """Every object of a document that is not open, the document itself first."""
    if isinstance(value, dict):
        if key in OPEN:
            return
        yield value
    items = value.items() if isinstance(value, dict) else ((key, item) for item in value)
    for name, item in items:
        if isinstance(item, (dict, list)) and not name.startswith("//") and name not in ("source", "comment"):
            yield from objects(item, name)


def damaged(document, schema):
    """Pairs (what was done, the document with it)."""
    for i in range(len(list(objects(document, "")))):
        other = copy.deepcopy(document)
        list(objects(other, ""))[i]["zzz"] = 1
        yield f"an unknown key in object {i}", other
    for key in schema.get("required", []):
        other = copy.deepcopy(document)
        del other[key]
        yield f"no {key}", other
    for key, what in schema.get("properties", {}).items():
        if key in document and isinstance(document[key], (int, float)) and "maximum" in what:
            yield f"{key} too large", {**document, key: what["maximum"] * 10}
            yield f"{key} a list", {**document, key: []}


def check_files(kind, validator, sources, tally):
    files = [path for folder in FOLDERS[kind] for path in sorted(glob.glob(f"{sources}/{folder}/*.json"))]
    tally.check(f"there are files of kind {kind}", files)
    for path in files:
        with open(path, encoding="utf-8") as file:
            why = wrong(validator, json.load(file))
        tally.check(os.path.relpath(path, sources), not why, why)


def check_results(program, validator, tally):
    for words in RESULTS:
        said = run(program, *words, "--format", "json")
        why = wrong(validator, json.loads(said.stdout))
        tally.check(f"the result of {words}", not why, why)
        result = json.loads(said.stdout)
        result["points"][0]["zzz"] = 1
        tally.check("a result with an unknown key is refused", wrong(validator, result))


def check_damaged(program, validators, sources, work, tally):
    for kind, name, question in DAMAGED:
        path = os.path.join(work, os.path.basename(name))
        words = [word.replace("FILE", path) for word in question]
        with open(os.path.join(sources, name), encoding="utf-8") as file:
            document = json.load(file)
        with open(path, "w", encoding="utf-8") as file:
            json.dump(document, file)
        said = run(program, "check", *words)
        tally.check(f"{name} as it is", said.returncode == 0, said.stderr)
        for what, other in damaged(document, validators[kind].schema):
            with open(path, "w", encoding="utf-8") as file:
                json.dump(other, file)
            tally.check(f"{name} with {what}: by the schema", wrong(validators[kind], other))
            said = run(program, "check", *words)
            tally.check(f"{name} with {what}: by the program", said.returncode == 2, said.stderr)


def check_help(program, kind, schema, tally):
    """Every key of the help is in the schema, and the other way round."""
    said = re.findall(r"^(\S+): any\b", run(program, "help", kind).stdout, re.M)
    tally.check(f"every key of {kind} says what may stand there (.forms of its field)", not said, said)
    key = re.compile(r"^([\w.\[\]]+): (?:whole number|number|true/false|string|object|list|any)\b", re.M)
    helped = {path.split(".")[-1] for path in key.findall(run(program, "help", kind).stdout)}
    there = set()

    def collect(value):
        if isinstance(value, dict):
            there.update(key for key, what in value.get("properties", {}).items()
                         if what is not True and "const" not in what)
            for item in value.values():
                collect(item)
        elif isinstance(value, list):
            for item in value:
                collect(item)

    collect(schema)
    helped.discard("source")
    tally.check(f"keys of the help and the schema of {kind}", helped and helped <= there,
                f"not in the schema: {sorted(helped - there)}")
    tally.check(f"keys of the schema and the help of {kind}", there <= helped,
                f"not in the help: {sorted(there - helped)}")


def main():
    program, sources = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    tally, validators = Tally(), {}
    for kind in [*FOLDERS, "result"]:
        schema = json.loads(run(program, "help", kind, "--format", "json").stdout)
        Draft202012Validator.check_schema(schema)
        validators[kind] = Draft202012Validator(schema)
        check_help(program, kind, schema, tally)
    for kind in FOLDERS:
        check_files(kind, validators[kind], sources, tally)
    check_results(program, validators["result"], tally)
    with tempfile.TemporaryDirectory() as work:
        check_damaged(program, validators, sources, work, tally)
    print(f"{tally.passed} passed, {tally.failed} failed")
    sys.exit(tally.failed > 0)


main()
