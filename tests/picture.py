#!/usr/bin/env python3
"""picture.py PROGRAM -- pictures as gnuplot draws them: they are well-formed, say the numbers of the answer, and no
word of a user runs anything. Skipped (77) where gnuplot is not.

Every kind of `dtsim list plots` is drawn, so that a new row is tested without a line here.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as tree

HERE = os.path.dirname(os.path.abspath(__file__))
SMALL = os.path.join(HERE, "golden", "in", "small.json")
SVG = "{http://www.w3.org/2000/svg}"
HELD = ('references=[{"strategy":"ring","devices":4,"metric":"throughput_samples_per_s","value":1000,'
        '"source":"a paper"}]')
SUM = os.path.join(HERE, "golden", "in", "allreduce.json")
ASKS = {"bandwidth": [SUM, "--sweep", "strategies[0].bytes=1e5,1e6,1e7"],
        "staleness": ["--engine", "flow", "--set", 'strategies=[{"kind":"ps","synchronous":false}]'],
        "published": ["--set", HELD], "scaling": ["--set", HELD]}
failed = 0


def check(good, what):
    global failed
    if not good:
        failed += 1
        print(f"FAIL {what}")
    return good


def run(*words, **others):
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True, cwd=WORK, **others)


def titles(root):
    return [title.text or "" for title in root.iter(SVG + "title")]


def kinds():
    lines = run("list", "plots").stdout.splitlines()
    return [line.split()[0] for line in lines if re.match(r"  \S", line)]


def draws_every_kind():
    shown = run("help").stdout
    for kind in kinds():
        for suffix, magic in (("svg", b"<?xml"), ("png", b"\x89PNG"), ("pdf", b"%PDF")):
            path = os.path.join(WORK, f"{kind}.{suffix}")
            words = ASKS.get(kind, [])
            scenario = [] if words and words[0].endswith(".json") else [SMALL]
            got = run(*scenario, *words, "--plot", kind, "-o", path)
            check(got.returncode == 0 and os.path.exists(path) and
                  open(path, "rb").read().startswith(magic), f"{kind}.{suffix}: {got.stderr}")
        check(re.search(rf"\b{kind}\b", shown), f"{kind} is not in `dtsim help`")
        root = tree.parse(os.path.join(WORK, f"{kind}.svg")).getroot()
        check(root.tag == SVG + "svg" and len(list(root.iter(SVG + "text"))) > 3, f"{kind}: has no words")
        check(len([t for t in titles(root) if re.search(r"\d", t)]) > 0, f"{kind}: no mark says a number")
        text = open(os.path.join(WORK, f"{kind}.svg"), encoding="utf-8").read()
        check("onmouse" not in text and "<script" not in text, f"{kind}: something would run")


def says_the_numbers_of_the_answer():
    answer = os.path.join(WORK, "answer.json")
    run(SMALL, "-o", answer, "--set", HELD)
    marks = titles(tree.parse(os.path.join(WORK, "scaling.svg")).getroot())
    steps = titles(tree.parse(os.path.join(WORK, "steps.svg")).getroot())
    for point in json.load(open(answer, encoding="utf-8"))["points"]:
        name = f"ring, {point['devices']} device{'s' if point['devices'] > 1 else ''}"
        rate = point["throughput_samples_per_s"]
        check(f"{name}: {rate:.4g} vectors per second, efficiency {100 * point['scaling_efficiency']:.3g} %" in marks,
              f"scaling: no mark of {name}")
        total = f"{1e3 * point['step']['total_s']:.4g}"
        check(any(t.startswith(name) and t.endswith(f"of {total}") for t in steps), f"steps: no bar of {name}")
    check("published, ring, 4 devices: 1000" in marks, "scaling: what was published")


def shows_each_published_case():
    """Of `dtsim validate`: the marks are the rows of --format csv."""
    path = os.path.join(WORK, "validate.svg")
    got = run("validate", "torchgpipe", "-o", path)
    if not check(got.returncode == 0, f"validate: {got.stderr}"):
        return
    marks = [t for t in titles(tree.parse(path).getroot()) if "published" in t and "[" in t]
    rows = [row for row in run("validate", "torchgpipe", "--format", "csv").stdout.splitlines()[1:] if ",predicted," in row]
    check(len(rows) == 2 and len(marks) == 2, f"validate: {len(rows)} cases, {len(marks)} marks")
    for row in rows:
        known, predicted, error = [float(word) for word in row.split('"')[-1].split(",")[3:6]]
        check(any(f"predicted {predicted:.4g}, published {known:.4g}: {error:+.1f} %" in mark for mark in marks),
              f"validate: no mark of {row}")
    for words in (["validate", "convergence"], ["validate", "torchgpipe", "--plot", "steps"]):
        got = run(*words, "-o", path)
        check(got.returncode == 2 and len(got.stderr.splitlines()) == 1, f"{words}: {got.returncode} {got.stderr}")


def draw(suffix, *words):
    """The text of a picture, and what the program said instead."""
    path = os.path.join(WORK, f"drawn.{suffix}")
    got = run(*words, "-o", path)
    check(got.returncode == 0, f"{words}: {got.returncode} {got.stderr}")
    return open(path, encoding="utf-8").read() if got.returncode == 0 else ""


def words_of(svg):
    return [text.text or "" for text in tree.fromstring(svg.encode()).iter(SVG + "text")] if svg else []


def draws_points_with_the_same_devices():
    """They have a throughput, and no efficiency."""
    svg = draw("svg", SMALL, "--set", "devices=[2]", "--plot", "scaling")
    check(svg and "efficiency [%]" not in words_of(svg) and "nan" not in svg.lower() and "vectors per second" in words_of(svg), "one number of devices: no throughput")


def tells_each_series_from_the_others():
    """By colour and mark, where no line joins its points; all in the room of the legend."""
    strategies = [{"kind": "allreduce", "name": f"{i:02} " + "W" * 36} for i in range(16)]
    words = [SMALL, "--engine", "fluid", "--set", f"strategies={json.dumps(strategies)}", "--set", "devices=[2,4]"]
    for kind in ("pareto", "target", "scaling"):
        script = draw("gp", *words, "--plot", kind)
        looks = re.findall(r"\$p(\d+) using \S+ with labels hypertext point pointtype (\d+) pointsize \S+ linecolor rgb \"(#\w+)\"",
                           script)
        check(len({look[0] for look in looks}) == 16 and len({look[1:] for look in looks}) == 16,
              f"{kind}: two series look alike: {looks}")
        names = re.findall(r'title "(\d\d W+[.]{3}W+)"', script)
        check(len(names) == 16 and max(map(len, names)) <= 21, f"{kind}: no room for {names[:1]}")


def names_of_a_sweep_keep_their_values():
    """Where the legend has no room for what the values are of, it stands above."""
    script = draw("gp", SMALL, "--engine", "fluid", "--set", "devices=[2,4]", "--plot", "scaling",
                  "--sweep", "batch.per_device=2,4", "--sweep", "platform.nics.bytes_per_s=1000000000,2000000000")
    names = re.findall(r'keyentry with linespoints .* title "([^"]*)"', script)
    check(names == [f"{batch}, {rate}000000000" for batch in "24" for rate in "12"], f"names of a sweep: {names}")
    check('"per_device, bytes_per_s"' in script, "a sweep: nothing says what the values are of")


def words_from_the_right_turn_nothing_behind_them():
    """A Hebrew name before a number, in titles, legends, marks and the page."""
    strategies = json.dumps([{"kind": "allreduce", "name": "\u05e9\u05dc\u05d5\u05dd"}])
    words = [SMALL, "--engine", "fluid", "--set", f"strategies={strategies}"]
    for suffix in ("svg", "html"):
        text = draw(suffix, *words)
        bare = re.findall("(?<!\u2068)\u05e9\u05dc\u05d5\u05dd, \\d", text.split("<h2>The command")[0])
        check("\u2068\u05e9\u05dc\u05d5\u05dd\u2069" in text and not bare, f"{suffix}: a name from the right is not isolated")


def says_which_points_are_missing():
    """With 32 devices the batch does not fit: a row has the reason in place of a bar."""
    words = ["strong_scaling", "--engine", "fluid", "--set", "devices=[32,64]"]
    script = draw("gp", *words, "--plot", "steps")
    rows = re.search(r"\$refused << EOD\n(.*?)EOD", script, re.S)[1].splitlines()
    check(len(rows) == 3 and all(re.search(r'"does not fit: [\d.]+ GB needed on a device of 17.2 GB"', row) for row in rows),
          f"bars of points that do not fit: {rows}")
    check('"3 points not predicted"' in draw("gp", *words, "--plot", "scaling"), "scaling: nothing says what is missing")


def numbers_on_the_front_stay_apart():
    script = draw("gp", "imagenet_records", "--plot", "pareto")
    front = re.search(r"\$front << EOD\n(.*?)EOD", script, re.S)[1].splitlines()
    check([line.split()[2] for line in front] == ["2176", '""', "128"], f"front: {front}")


def counts_updates_in_whole_numbers():
    for servers in (["--set", 'strategies=[{"kind":"ps","synchronous":false}]'],
                    ["--set", 'strategies=[{"kind":"allreduce","delay":1}]']):
        svg = draw("svg", SMALL, "--engine", "flow", *servers, "--plot", "staleness")
        tics = [word.strip() for word in words_of(svg) if re.fullmatch(r"\s*-?[\d.]+\s*", word)]
        check(tics and all(re.fullmatch(r"\d+", tic) for tic in tics), f"{servers}: tics of updates {tics}")


def names_the_parts_of_a_node():
    svg = draw("svg", "deepspeed_offload", "--plot", "links")
    check({"device 0", "device 7", "NVSwitch"} <= set(word.strip() for word in words_of(svg)), "links: no names")


def tells_times_of_a_step_apart():
    """Colours of what lies side by side, and a mark above the axis where there is one row."""
    script = draw("gp", "deepspeed_offload", "--plot", "timeline")
    colours = dict(reversed(pair) for pair in re.findall(r'boxxyerror linecolor rgb "(#\w+)" title "([^"]*)"', script))
    far = [abs(int(colours[a][i:i + 2], 16) - int(colours[b][i:i + 2], 16)) for i in (1, 3, 5)
           for a, b in (("recompute", "backward"),)]
    check(max(far) > 90, f"recompute and backward are alike: {colours}")
    svg = draw("svg", SMALL, "--set", "devices=[4]", "--plot", "target")
    height = int(re.search(r'viewBox="0 0 \d+ (\d+)"', svg)[1])
    mark = float(re.search(r"<g class='mark'>.*?translate\([\d.]+,([\d.]+)\)", svg, re.S)[1])
    axis = max(float(y) for y in re.findall(r"M[\d.]+,([\d.]+) L", svg) if float(y) < height)
    check(axis - mark >= 14, f"one row: the mark at {mark} is on the axis at {axis}")


def runs_no_word_of_a_user():
    """Names as strategy, file, folder of temporary files, and a person's own file of gnuplot."""
    for number, name in enumerate(('a"; system("touch pwned"); #', "`touch pwned`'; !touch pwned",
                                   "<script>alert(1)</script> & %s @x", "{/Bold b} \\140id\\140 $x \\",
                                   "\u00fcber \u2028 \u202e x")):
        folder = os.path.join(WORK, f"hostile{number}")
        os.mkdir(folder)
        file = os.path.join(folder, name.replace("/", "_") + ".json")
        scenario = json.load(open(SMALL, encoding="utf-8"))
        for key in ("model", "platform", "stack"):
            scenario[key] = os.path.join(os.path.dirname(SMALL), scenario[key])
        scenario["summary"] = name.replace("\u202e", "").replace("\u2028", "")
        scenario["strategies"][0]["name"] = scenario["summary"]
        json.dump(scenario, open(file, "w", encoding="utf-8"))
        with open(os.path.join(folder, ".gnuplot"), "w", encoding="utf-8") as own:
            own.write('system("touch pwned")\n')
        environment = dict(os.environ, HOME=folder, TMPDIR=folder)
        for suffix in ("svg", "png", "html"):
            before = set(os.listdir(folder))
            got = subprocess.run([PROGRAM, file, "--engine", "fluid", "-o", f"x.{suffix}"], capture_output=True,
                                 text=True, cwd=folder, env=environment)
            check(got.returncode == 0, f"{name!r}.{suffix}: {got.stderr}")
            new = set(os.listdir(folder)) - before
            check(new == {f"x.{suffix}"}, f"{name!r}.{suffix}: wrote {new}")
        words = "".join(text.text or "" for text in
                        tree.parse(os.path.join(folder, "x.svg")).getroot().iter(SVG + "text"))
        check(scenario["summary"].strip() in words or len(name) > 30, f"{name!r}: is not in the picture: {words!r}")


def fails_in_one_line():
    """A gnuplot that fails, and none: the file stays as it was."""
    fake = os.path.join(WORK, "bin")
    os.mkdir(fake)
    with open(os.path.join(fake, "gnuplot"), "w", encoding="utf-8") as program:
        program.write("#!/bin/sh\necho plot >&2\necho 'line 3: it broke' >&2\nexit 7\n")
    os.chmod(os.path.join(fake, "gnuplot"), 0o755)
    path = os.path.join(WORK, "kept.svg")
    for folder, status, words in ((fake, 1, "it ended with status 7: line 3: it broke"), ("/none", 3, "gnuplot-nox")):
        with open(path, "w", encoding="utf-8") as kept:
            kept.write("old")
        got = run(SMALL, "-o", path, env=dict(os.environ, PATH=folder))
        check(got.returncode == status and words in got.stderr and len(got.stderr.splitlines()) == 1,
              f"{words}: {got.returncode} {got.stderr}")
        check(open(path, encoding="utf-8").read() == "old", f"{words}: the file changed")
    page = os.path.join(WORK, "without.html")
    got = run(SMALL, "-o", page, env=dict(os.environ, PATH="/none"))
    text = open(page, encoding="utf-8").read()
    check(got.returncode == 0 and "note: pictures need gnuplot" in got.stderr and "<svg" not in text and
          "pictures need gnuplot" in text and "<table>" in text, f"a page without gnuplot: {got.stderr}")


if len(sys.argv) != 2:
    sys.exit("usage: picture.py PROGRAM")
PROGRAM = os.path.abspath(sys.argv[1])
if shutil.which("gnuplot") is None:
    print("skipped: no gnuplot here")
    sys.exit(77)
with tempfile.TemporaryDirectory() as WORK:
    draws_every_kind()
    says_the_numbers_of_the_answer()
    shows_each_published_case()
    draws_points_with_the_same_devices()
    tells_each_series_from_the_others()
    names_of_a_sweep_keep_their_values()
    says_which_points_are_missing()
    words_from_the_right_turn_nothing_behind_them()
    counts_updates_in_whole_numbers()
    numbers_on_the_front_stay_apart()
    names_the_parts_of_a_node()
    tells_times_of_a_step_apart()
    runs_no_word_of_a_user()
    fails_in_one_line()
sys.exit(1 if failed else 0)
