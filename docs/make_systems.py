#!/usr/bin/env python3
"""make_systems.py [--check] [--quick|--slow] PROGRAM [NAME...] -- the pages of docs/systems from what the program says.

A page is written by hand but for its blocks, each between a line that asks and <!-- end -->:

    <!-- published: climate_27k -->    published figures beside the predicted ones, with the error
    <!-- points: climate_27k -->       a row for each point: step, throughput, efficiency, memory
    <!-- states: zero_table_1 -->      weights, gradients and optimizer's values of a device, beside what lines
                                       <!-- known zero1 52.5 35.6 --> give for each number of devices
    <!-- rests: climate_27k -->        what the answer rests on, and what it doubts
    <!-- cases: megatron_2021 -->      the cases of a family of validation/, from docs/validation-cases.csv, which the test
                                       "validation" holds to the program
    <!-- index -->                     the other pages, in README.md

What stands behind the colon are words of a command line; `points of ring,ps:` takes these strategies alone. A picture is drawn of

    <!-- picture climate_27k.svg: climate_27k --plot scaling -->

and the line keeps a hash of the answer's numbers, so that a check needs no gnuplot.

--check writes nothing; it says which pages the program no longer agrees with, and fails. --quick leaves pages out that say
<!-- slow -->, --slow all others. NAMEs are pages; without them all are made.
"""
import csv
import functools
import glob
import hashlib
import json
import os
import re
import shlex
import statistics
import subprocess
import sys

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "systems")
BLOCK = re.compile(r"(<!-- (published|points|rests|cases|states|index)(?: of (\S+))?(?:: (.*?))? -->\n)(.*?)(<!-- end -->)", re.S)
PICTURE = re.compile(r"<!-- picture (\S+\.svg)(?: [0-9a-f]{12})?: (.*?) -->")


def run(program, words, *more):
    got = subprocess.run([program, *shlex.split(words), *more], capture_output=True, text=True,
                         stdin=subprocess.DEVNULL, check=False)
    if got.returncode != 0:
        sys.exit(f"dtsim {words} {' '.join(more)}: {got.stderr}")
    return got.stdout


@functools.lru_cache(maxsize=None)
def answer(program, words):
    return json.loads(run(program, words, "--format", "json"))["points"]


def significant(value, digits=3):
    """Digits without an exponent, thousands apart."""
    whole = f"{value:.{digits}g}"
    number = float(whole)
    if abs(number) >= 10 ** (digits - 1):
        return f"{number:,.0f}"
    return whole if "e" not in whole else f"{number:f}".rstrip("0")


def seconds(value):
    for size, unit in ((7200, "h"), (120, "min"), (1, "s"), (1e-3, "ms")):
        if value >= size:
            scale = {"h": 3600, "min": 60}.get(unit, size)
            return f"{significant(value / scale)} {unit}"
    return f"{significant(value * 1e6)} us"


UNITS = [(r"_s$", seconds, ""),
         (r"efficiency|mfu|hfu", lambda v: significant(100 * v), " %"),
         (r"flops_per_s", lambda v: significant(v / 1e12), " Tflop/s"),
         (r"percent$", significant, " %"),
         (r"_bytes_s$", lambda v: significant(v / 1e9), " GB/s"),
         (r"_bytes$", lambda v: significant(v / 1e9), " GB"),
         (r"tokens", significant, " tokens/s"),
         (r"samples_per_s", significant, " samples/s")]
WORDS = {"time_s": "whole training", "step_s": "step", "throughput_samples_per_s": "throughput",
         "throughput_tokens_per_s": "throughput", "tokens_per_s_device": "throughput of a device",
         "model_flops_per_s_device": "operations of a device", "mfu": "MFU",
         "scaling_efficiency": "efficiency", "scaling_efficiency_one_device": "efficiency against one device"}


def amount(metric, value):
    order = UNITS[1:] + UNITS[:1]  # rates end in _s, too
    for pattern, say, unit in order:
        if re.search(pattern, metric):
            return say(value) + unit
    return significant(value)


def percent(value, sign=""):
    return f"{value:{sign},.{0 if abs(value) >= 100 else 1}f} %"


def table(head, rows):
    """Columns that are the same in all rows say nothing, but for the first two."""
    left = [i for i, name in enumerate(head) if i < 2 or any(row[i] != "-" for row in rows)]
    lines = ["| " + " | ".join(head[i] for i in left) + " |",
             "|" + "|".join("---" if i == 0 else "---:" for i in left) + "|"]
    return lines + ["| " + " | ".join(row[i] for i in left) + " |" for row in rows]


def name_of(point, points):
    """What tells a point from others: its strategy, its setting, or both."""
    names = []
    if len({p["strategy"] for p in points}) > 1:
        names.append(point["strategy"])
    if point.get("setting"):
        names.append(point["setting"])
    return ", ".join(names) or point["strategy"]


def published(points):
    rows, sources = [], []
    for point in points:
        for held in [point.get("reference"), *point.get("more_references", [])]:
            if not held:
                continue
            if held["source"] not in sources:
                sources.append(held["source"])
            rows.append([name_of(point, points), f"{point['devices']:,}", WORDS.get(held["metric"], held["metric"]),
                         amount(held["metric"], held["value"]), amount(held["metric"], held["predicted"]),
                         percent(held["error_percent"], "+"), str(sources.index(held["source"]) + 1)])
    if not rows:
        return ["Nothing is published that can be held against it."]
    lines = table(["of", "devices", "figure", "published", "predicted", "error", "source"], rows)
    return lines + [""] + [f"{i}. {source}" for i, source in enumerate(sources, 1)]


def share(part, whole):
    return significant(100 * part / whole) if part else "-"


def points_table(points):
    rows = []
    for p in points:
        if "step" not in p:  # refused
            rows.append([name_of(p, points), f"{p['devices']:,}", "does not fit", *["-"] * 10])
            continue
        tokens, samples = p.get("tokens_per_s_device"), p.get("throughput_samples_per_s")
        training, memory, step = p.get("training", {}), p.get("memory", {}).get("total_bytes"), p["step"]
        rows.append([name_of(p, points), f"{p['devices']:,}", seconds(step["total_s"]),
                     share(step.get("exposed_comm_s"), step["total_s"]), share(step.get("bubble_s"), step["total_s"]),
                     significant(samples) if samples and not tokens else "-",
                     significant(tokens) if tokens else "-",
                     significant(100 * p["mfu"]) if p.get("mfu") and tokens else "-",
                     significant(100 * p["scaling_efficiency"]) if p.get("scaling_efficiency") else "-",
                     significant(memory / 1e9) if memory else "-",
                     seconds(training["time_s"]) if training.get("time_s") else "-",
                     f"{seconds(training['time_low_s'])} to {seconds(training['time_high_s'])}"
                     if training.get("time_low_s") else "-",
                     significant(training["device_hours"]) if training.get("device_hours") else "-"])
    return table(["of", "devices", "step", "exposed [%]", "bubble [%]", "samples/s", "tokens/s of a device", "MFU [%]",
                  "efficiency [%]", "memory [GB]", "training", "80 % of runs", "device-hours"], rows)


def states(points, page):
    """What a device keeps of the parameters between steps, and what the page says was published of each strategy."""
    known = {name: values.split() for name, values in re.findall(r"<!-- known (\S+) ([\d. ]+) -->", page)}
    rows = []
    for p in points:
        memory = p["memory"]
        kept = [memory.get(part + "_bytes", 0) for part in ("weights", "gradients", "optimizer")]
        all_gb, said = sum(kept) / 1e9, known.get(p["strategy"])
        value = said.pop(0) if said else None
        rows.append([name_of(p, points), f"{p['devices']:,}", *[significant(part / 1e9) for part in kept],
                     value or "-", significant(all_gb), percent(100 * (all_gb / float(value) - 1), "+") if value else "-"])
    return table(["of", "devices", "weights [GB]", "gradients [GB]", "optimizer [GB]", "published [GB]", "all [GB]", "error"],
                 rows)


def distinct(points, key):
    """Values of a key in their order, with how many points have each."""
    counts = {}
    for point in points:
        if point.get(key):
            counts[point[key]] = counts.get(point[key], 0) + 1
    return counts


def rests(points):
    lines = []
    for key, lead in (("basis", "Kernels: "), ("level_source", "Levelled by "), ("doubt", "Doubt: "),
                      ("engine", "Engine: ")):
        counts = distinct(points, key)
        for i, (value, count) in enumerate(counts.items()):
            if i == 4:
                lines.append(f"- {lead}{len(counts) - 4} more, see `--explain`")
                break
            lines.append(f"- {lead}{value}" + (f" ({count} of {len(points)} points)" if len(counts) > 1 else ""))
    classes = {}
    for p in points:
        held = p.get("validation", {})
        classes.setdefault(held.get("class"), []).append(held.get("error_p90_percent", 0))
    for name, errors in classes.items():
        if name and max(errors) > 0:
            lines.append(f"- Class `{name}`: nine in ten published cases were off by at most "
                         f"{significant(max(errors), 2)} %")
    assumed = sorted({value for p in points for value in p.get("assumed", [])})
    lines.append(f"- {len(assumed)} assumed values; `--explain` lists them")
    return lines


def rows_of(name):
    path = os.path.join(os.path.dirname(HERE), "validation-cases.csv")
    with open(path, encoding="utf-8", newline="") as held:
        return [row for row in csv.DictReader(held) if row["family"] == name]


def predicted_cases(name):
    return [row for row in rows_of(name) if row["error_anchor_percent"]]


def ranks(values):
    """1 for the least; equal ones share the mean of their ranks."""
    order = sorted(values)
    return [(order.index(v) + len(order) - order[::-1].index(v) + 1) / 2 for v in values]


def same_order(rows):
    """Spearman's rank correlation; of fewer than ten it says nothing."""
    if len(rows) < 10:
        return "-"
    a, b = (ranks([float(row[key]) for row in rows]) for key in ("published", "predicted"))
    mean = (len(rows) + 1) / 2
    over = sum((x - mean) * (y - mean) for x, y in zip(a, b))
    return f"{over / (sum((x - mean) ** 2 for x in a) * sum((y - mean) ** 2 for y in b)) ** 0.5:.2f}"


MANY = 16  # cases; of more a page shows the systems alone


def said_of(family, row):
    """What a case of a family sets, in words: "megatron_1.7b, tensor 8"."""
    columns, values = family["columns"], family["cases"][row]
    words = []
    for name, value in zip(columns, values):
        last = re.split(r"[.\]]", name)[-1]
        if name in ("system", "devices", "value", "note", "role") or value is None or isinstance(value, (list, dict, bool)):
            continue
        words.append(str(value) if name in ("model", "platform", "device", "stack", "precision") else f"{last} {value}")
    return ", ".join(words[:5])


def cases(name):
    """Cases that were predicted from the smallest of their system; errors are of the throughput."""
    root = os.path.dirname(os.path.dirname(HERE))
    with open(os.path.join(root, "validation", name + ".json"), encoding="utf-8") as held:
        family = json.load(held)
    rows, predicted = rows_of(name), predicted_cases(name)
    lines = [f"{len(rows)} cases; the smallest of each system levels its kernels. {family['source']}.", ""]
    if len(rows) <= MANY:
        shown = [[said_of(family, int(row["row"])) or row["system"], f"{int(row['devices']):,}",
                  amount(family["metric"], float(row["published"])), amount(family["metric"], float(row["predicted"])),
                  percent(float(row["error_anchor_percent"]), "+") if row["error_anchor_percent"] else row["role"]]
                 for row in rows]
        return lines + table(["case", "devices", "published", "predicted", "error of the throughput"], shown)
    groups = {}
    for row in predicted:
        groups.setdefault((row["system"], int(row["devices"])), []).append(row)
    shown = []
    for (system, devices), held in groups.items():
        errors = [float(row["error_anchor_percent"]) for row in held]
        shown.append([system, f"{devices:,}", str(len(held)), percent(statistics.median(errors), "+"),
                      percent(statistics.median(map(abs, errors))), percent(max(map(abs, errors))), same_order(held)])
    return lines + table(["system", "devices", "predicted cases", "bias", "median error", "worst", "order"], shown) + [
        "", "*order*: rank correlation (Spearman) of predicted and published; 1: the ways stand in the published order."]


def errors_of(page):
    """Of the published figures of a page: those in its tables, and those of its families."""
    names = re.findall(r"<!-- cases: (\S+) -->", page)
    alone = BLOCK.sub(lambda match: "" if match.group(2) == "cases" else match.group(0), page)
    told = re.findall(r"\| ([+-]\d[\d.,]*) % \|", alone)
    return [abs(float(error.replace(",", ""))) for error in told] + \
        [abs(float(row["error_anchor_percent"])) for name in names for row in predicted_cases(name)]


def index():
    """From the pages as they stand: what they say of published figures."""
    lines = ["| system | published figures | error, median | worst |", "|---|---:|---:|---:|"]
    for path in pages():
        text = open(path, encoding="utf-8").read()
        title = re.search(r"^# (.*)$", text, re.M).group(1)
        errors = sorted(errors_of(text))
        median = percent(statistics.median(errors)) if errors else "-"
        worst = percent(errors[-1]) if errors else "-"
        lines.append(f"| [{title}]({os.path.basename(path)}) | {len(errors)} | {median} | {worst} |")
    return lines


def pages():
    return [path for path in sorted(glob.glob(os.path.join(HERE, "*.md"))) if not path.endswith("README.md")]


def filled(program, text, name):
    """The page as the program has it now."""
    def fill(match):
        kind, only, words = match.group(2), match.group(3), match.group(4)
        if kind == "index":
            lines = index()
        elif kind == "cases":
            lines = cases(words)
        else:
            if f"    ./dtsim {words}\n" not in text:
                sys.exit(f"docs/systems/{name}: the page does not show ./dtsim {words}")
            chosen = [p for p in answer(program, words) if only is None or p["strategy"] in only.split(",")]
            lines = {"published": published, "points": points_table, "rests": rests,
                     "states": lambda held: states(held, text)}[kind](chosen)
        return match.group(1) + "\n".join(["", *lines, "", ""]) + match.group(6)

    def numbers(match):
        return f"<!-- picture {match.group(1)} {hash_of(program, match.group(2))}: {match.group(2)} -->"
    return PICTURE.sub(numbers, BLOCK.sub(fill, text))


def numbers_in(value):
    """All numbers of an answer, to four digits, in their order."""
    if isinstance(value, dict):
        return [number for key in sorted(value) for number in numbers_in(value[key])]
    if isinstance(value, list):
        return [number for item in value for number in numbers_in(item)]
    return [f"{value:.4g}"] if isinstance(value, (int, float)) else []


def hash_of(program, words):
    """Of the numbers of the answer that the picture shows: those of its points, or of cases those of their table."""
    question = re.sub(r" *--plot \S+", "", words)
    if question.startswith("validate "):
        said = [f"{float(row[key]):.4g}" for name in question.split()[1:] for row in predicted_cases(name)
                for key in ("published", "predicted")]
    else:
        said = numbers_in(answer(program, question))
    return hashlib.sha1(" ".join(said).encode()).hexdigest()[:12]


def main(arguments):
    options = {word for word in arguments if word.startswith("--")}
    program, *names = [word for word in arguments if not word.startswith("--")]
    program = os.path.abspath(program)
    chosen = [os.path.join(HERE, name + ".md") for name in names] or pages()
    stale = checked = 0
    for path in [*chosen, os.path.join(HERE, "README.md")]:
        old = open(path, encoding="utf-8").read()
        slow = "<!-- slow -->" in old
        if ("--quick" in options and slow) or ("--slow" in options and not slow):
            continue
        new = filled(program, old, os.path.basename(path))
        checked += 1
        if "--check" in options:
            if old != new:
                stale += 1
                report(path, old, new)
            continue
        for picture, words in PICTURE.findall(new):
            if PICTURE.search(old) is None or picture_line(old, picture) != picture_line(new, picture) or \
                    not os.path.exists(os.path.join(HERE, picture)):
                run(program, words, "-o", os.path.join(HERE, picture))
        with open(path, "w", encoding="utf-8") as out:
            out.write(new)
    if "--check" in options:
        print(f"{checked - stale} passed, {stale} failed")
    return 1 if stale or not checked else 0


def picture_line(text, picture):
    return next((m.group(0) for m in PICTURE.finditer(text) if m.group(1) == picture), None)


def report(path, old, new):
    print(f"FAIL docs/systems/{os.path.basename(path)} is not what the program says: run docs/make_systems.py")
    shown = 0
    for a, b in zip(old.splitlines(), new.splitlines()):
        if a != b and shown < 8:
            shown += 1
            print(f"  page: {a}\n  now:  {b}")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1:]))
