#!/usr/bin/env python3
"""page.py PROGRAM [FOLDER] -- the page of `-o report.html` in a browser: it is whole, tables sort, marks say what they
are, hostile words are words, nothing is loaded, and no word stands on the console. Skipped (77) where chromium or
gnuplot is not. With FOLDER the screenshots stay there.
"""
import html
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
IN = os.path.join(HERE, "golden", "in")
HOSTILE = ["<img src=x onerror=document.title=1>", "</script><script>document.title=2", "\"'><b>&amp;&lt;"]
WIDTHS = (500, 1200)
failed = 0

# Runs in the page behind its own script, and leaves what it found as JSON where the test reads it.
PROBE = """
<script>
addEventListener("load", () => {
  const found = {};
  const table = document.querySelector("table"), heads = [...table.tHead.rows[0].cells];
  const column = (name) => heads.findIndex((head) => head.textContent.startsWith(name));
  const values = (name) => [...table.tBodies[0].rows].map((row) => row.cells[column(name)].textContent);
  const click = (name) => heads[column(name)].querySelector("button").click();
  found.rows = values("devices");
  click("step"); found.up = values("step").map(parseFloat);
  click("step"); found.down = values("step").map(parseFloat);
  click("strategy"); found.names = values("strategy");
  const tip = document.getElementById("tip");
  found.marks = [...document.querySelectorAll("svg .mark")].map((mark) => {
    mark.dispatchEvent(new MouseEvent("mousemove", {clientX: 300, clientY: 300}));
    return tip.textContent;
  });
  found.tip = tip.style.display;
  document.querySelector("svg .mark").dispatchEvent(new MouseEvent("mouseleave"));
  found.away = tip.style.display;
  found.title = document.title;
  found.h1 = document.querySelector("h1").textContent;
  found.question = document.querySelector(".question").textContent;
  found.answer = document.querySelector(".answer").textContent;
  found.command = document.querySelector("pre").textContent;
  found.figures = document.querySelectorAll("figure svg").length;
  found.foreign = document.querySelectorAll("img, b, iframe, object, embed, a, script[src], link[href^=http]").length;
  found.scripts = document.querySelectorAll("script").length;
  found.ids = [...document.querySelectorAll("[id]")].map((one) => one.id);
  found.data = JSON.parse(document.getElementById("data").textContent);
  found.wide = [document.documentElement.scrollWidth, innerWidth];
  found.loaded = performance.getEntriesByType("resource").length;
  const out = document.createElement("textarea");
  out.id = "found";
  out.textContent = JSON.stringify(found);
  document.body.append(out);
});
</script>
</body>"""


def check(good, what):
    global failed
    if not good:
        failed += 1
        print(f"FAIL {what}")


def browse(page, *options):
    return subprocess.run([CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={WORK}/browser",
                           "--enable-logging=stderr", "--virtual-time-budget=5000", *options, "file://" + page],
                          capture_output=True, text=True, timeout=120)


def console(got):
    return [line for line in got.stderr.splitlines() if "CONSOLE" in line]


def scenario():
    """A scenario with hostile words wherever a user may write them."""
    asked = json.load(open(os.path.join(IN, "small.json"), encoding="utf-8"))
    for key in ("model", "platform", "stack"):
        asked[key] = os.path.join(IN, asked[key])
    asked["summary"] = " ".join(HOSTILE)
    asked["strategies"] = [{"kind": "allreduce", "name": name} for name in HOSTILE]
    asked["references"] = [{"strategy": HOSTILE[0], "devices": 4, "metric": "step_s", "value": 0.03,
                            "source": HOSTILE[1]}]
    path = os.path.join(WORK, "<i>'x & y.json")
    json.dump(asked, open(path, "w", encoding="utf-8"))
    return path


def look(page, width):
    """What the probe found at one width; the page itself is as the program wrote it."""
    probed = os.path.join(WORK, "probed.html")
    with open(page, encoding="utf-8") as source, open(probed, "w", encoding="utf-8") as out:
        out.write(source.read().replace("</body>", PROBE))
    got = browse(probed, "--dump-dom", f"--window-size={width},900")
    found = re.search(r'<textarea id="found">(.*?)</textarea>', got.stdout, re.S)
    check(found is not None, f"{width}: the page did not run: {got.stderr[-500:]}")
    check(console(got) == [], f"{width}: console: {console(got)}")
    return json.loads(html.unescape(found[1])) if found else None


def check_words(found, name):
    question = " ".join(HOSTILE)
    check(found["title"] == name and found["h1"] == name, f"title {found['title']!r}, h1 {found['h1']!r}")
    check(found["question"] == question, f"question {found['question']!r}")
    check(any(word in found["answer"] for word in HOSTILE), f"answer {found['answer']!r}")
    check(found["foreign"] == 0 and found["scripts"] == 3, f"elements of others: {found['foreign']}, {found['scripts']}")
    check(found["command"].startswith("dtsim '") and name.replace("'", "'\\''") in found["command"],
          f"command {found['command']!r}")
    names = {point["strategy"] for point in found["data"]["points"]}
    check(names == set(HOSTILE), f"data: {names}")
    check(found["data"]["schema"] == "dtsim-result/1", "data: schema")
    check(found["loaded"] == 0, f"{found['loaded']} resources were loaded")
    check(len(set(found["ids"])) == len(found["ids"]), "an id is there twice")


def check_tables(found):
    check(len(found["rows"]) == 9, f"{len(found['rows'])} rows")
    check(found["up"] == sorted(found["up"]) and len(set(found["up"])) > 1, f"sorted up: {found['up']}")
    check(found["down"] == found["up"][::-1], f"sorted down: {found['down']}")
    check(found["names"] == sorted(found["names"], key=str.casefold) or len(set(found["names"][:3])) == 1,
          f"sorted by name: {found['names']}")


def check_pictures(found):
    check(found["figures"] >= 6, f"{found['figures']} pictures")
    check(found["tip"] == "block" and found["away"] == "none", f"tip {found['tip']}, {found['away']}")
    check(len(found["marks"]) > 20 and all(re.search(r"\d", mark) for mark in found["marks"]), "marks without numbers")
    for point in found["data"]["points"]:
        name = f"{point['strategy']}, {point['devices']} device"
        rate = f"{point['throughput_samples_per_s']:.4g} vectors per second"
        check(any(mark.startswith(name) and rate in mark for mark in found["marks"]), f"no mark of {name}")


def main():
    path, page = scenario(), os.path.join(WORK, "report.html")
    got = subprocess.run([PROGRAM, path, "--engine", "fluid", "-o", page], capture_output=True, text=True)
    check(got.returncode == 0, f"dtsim: {got.stderr}")
    for width in WIDTHS:
        found = look(page, width)
        if found is None:
            return
        check_words(found, os.path.basename(path)[:-len(".json")])
        check_tables(found)
        check_pictures(found)
        check(found["wide"][0] <= found["wide"][1], f"{width}: wider than the window: {found['wide']}")
        shot = os.path.join(KEEP, f"page{width}.png")
        seen = browse(page, f"--screenshot={shot}", f"--window-size={width},2400")
        check(console(seen) == [] and os.path.getsize(shot) > 20000, f"{width}: {console(seen)}")


if len(sys.argv) not in (2, 3):
    sys.exit("usage: page.py PROGRAM [FOLDER]")
PROGRAM = os.path.abspath(sys.argv[1])
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
if CHROMIUM is None or shutil.which("gnuplot") is None:
    print("skipped: no chromium or no gnuplot here")
    sys.exit(77)
with tempfile.TemporaryDirectory() as WORK:
    KEEP = os.path.abspath(sys.argv[2]) if len(sys.argv) == 3 else WORK
    main()
sys.exit(1 if failed else 0)
