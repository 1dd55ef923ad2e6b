#!/usr/bin/env python3
"""compare.py FOLDER -- one table of what first_run.sh left in FOLDER: for each network and precision the step that
dtsim predicts from its profile, the one it measured, PyTorch's, and memory. Writes compare.txt and compare.csv there
and prints the table. What a part did not leave is a dash."""
import csv
import json
import os
import re
import sys

COLUMNS = ["network", "precision", "batch", "predicted_ms", "measured_ms", "queued_ms", "torch_ms",
           "predicted_to_measured", "queued_to_torch", "predicted_gb", "taken_gb", "torch_gb"]
HELP = """
predicted: from dtsim's profile of single kernels. measured: dtsim's step, each call waited for.
queued: dtsim's step, waited for at its end, as PyTorch's. taken: of the device's memory, by dtsim's step.
Memory of torch: the peak of what its allocator gave out."""


def read(path):
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except (OSError, ValueError):
        return {}


def scaled(value, key, factor):
    found = value.get(key)
    return None if found is None else found * factor


def predicted_point(folder, name):
    """A device alone: the first strategy, an all-reduce of nothing."""
    points = read(os.path.join(folder, f"predicted-{name}.json")).get("points", [{}])
    return points[0].get("step", {}), points[0].get("memory", {})


def ratio(a, b):
    return a / b if a is not None and b else None


def row(folder, name):
    network, precision = name.rsplit("-", 1)
    predicted, memory = predicted_point(folder, name)
    step, torch = (read(os.path.join(folder, f"{what}-{name}.json")) for what in ("step", "torch"))
    r = {"network": network, "precision": precision, "batch": step.get("batch") or torch.get("batch")}
    r["predicted_ms"] = scaled(predicted, "total_s", 1e3)
    r["measured_ms"] = scaled(step, "step_s", 1e3)
    r["queued_ms"] = scaled(step, "queued_step_s", 1e3)
    r["torch_ms"] = scaled(torch, "step_s", 1e3)
    r["predicted_to_measured"] = ratio(r["predicted_ms"], r["measured_ms"])
    r["queued_to_torch"] = ratio(r["queued_ms"], r["torch_ms"])
    r["predicted_gb"] = scaled(memory, "total_bytes", 1e-9)
    r["taken_gb"] = scaled(step, "taken_bytes", 1e-9)
    r["torch_gb"] = scaled(torch, "peak_bytes", 1e-9)
    return r


def names(folder):
    """"resnet50-fp32" of all that left something."""
    found = set()
    for file in os.listdir(folder):
        match = re.fullmatch(r"(?:predicted|step|torch)-(\w+-\w+)\.json", file)
        if match and read(os.path.join(folder, file)):
            found.add(match[1])
    return sorted(found)


def words(value):
    return "-" if value is None else f"{value:.3f}" if isinstance(value, float) else str(value)


def main(folder):
    rows = [row(folder, name) for name in names(folder)]
    if not rows:
        print("no part left anything to compare")
        sys.exit(77)
    with open(os.path.join(folder, "compare.csv"), "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows(rows)
    table = [COLUMNS] + [[words(r[c]) for c in COLUMNS] for r in rows]
    widths = [max(len(line[i]) for line in table) for i in range(len(COLUMNS))]
    lines = ["  ".join(word.rjust(width) for word, width in zip(line, widths)) for line in table]
    text = "\n".join(lines) + "\n" + HELP + "\n"
    with open(os.path.join(folder, "compare.txt"), "w", encoding="utf-8") as file:
        file.write(text)
    print(text)
    print(f"{len(rows)} rows")


main(sys.argv[1])
