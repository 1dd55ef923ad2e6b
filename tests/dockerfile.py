#!/usr/bin/env python3
"""dockerfile.py SOURCES -- the Dockerfile, where there is no docker: its instructions are known, what it copies is
there, its stages exist, options of CMake are ours, and it installs what cmake/setup.sh would.

With hadolint in PATH that has its say, too.
"""
import fnmatch
import json
import os
import re
import shutil
import subprocess
import sys

KNOWN = {"FROM", "RUN", "COPY", "WORKDIR", "ENTRYPOINT", "CMD", "ENV", "ARG", "LABEL", "USER", "EXPOSE", "VOLUME"}


def instructions(path):
    """Pairs (word, rest), a line that ends in a backslash joined with the next one."""
    text, found = "", []
    for line in open(path, encoding="utf-8"):
        line = line.strip()
        if line.startswith("#") or (not line and not text):
            continue
        text += line
        if text.endswith("\\"):
            text = text[:-1]
            continue
        word, _, rest = text.partition(" ")
        found.append((word, rest.strip()))
        text = ""
    return found, text


def packages_of_setup(path):
    """What missing_packages() of setup.sh may print."""
    body = open(path, encoding="utf-8").read().split("missing_packages() {")[1].split("\n}")[0]
    return set(re.findall(r"(?<![\w/.-])(cmake|gcc|g\+\+|ninja-build|pkg-config|openmpi-bin|lib[\w.+-]*-dev|zlib1g-dev)",
                          body))


def check_copy(rest, stages, root):
    words = rest.split()
    flags = [w for w in words if w.startswith("--")]
    for flag in flags:
        if not flag.startswith("--from="):
            yield f"COPY {flag}: is not known here"
        elif flag[7:] not in stages[:-1]:
            yield f"COPY {flag}: no stage before has that name"
    if len(words) - len(flags) < 2:
        yield f"COPY {rest}: needs what and where"
    if not flags:
        for source in [w for w in words if not w.startswith("--")][:-1]:
            if not os.path.exists(os.path.join(root, source)):
                yield f"COPY {source}: is not there"


def check(root):
    found, left = instructions(os.path.join(root, "Dockerfile"))
    stages, runs = [], ""
    if left:
        yield f"ends within an instruction: {left}"
    if not found or found[0][0] != "FROM":
        yield "must begin with FROM"
    for word, rest in found:
        if word not in KNOWN:
            yield f"{word}: is no instruction"
        elif word == "FROM":
            match = re.fullmatch(r"(\S+)(?: AS (\w+))?", rest)
            if not match:
                yield f"FROM {rest}: must be IMAGE [AS NAME]"
            stages.append(match[2] if match else None)
        elif word == "COPY":
            yield from check_copy(rest, stages, root)
        elif word == "ENTRYPOINT" and not all(isinstance(w, str) for w in json.loads(rest)):
            yield "ENTRYPOINT must be a list of strings"
        elif word == "RUN":
            runs += rest + "\n"
            said = subprocess.run(["sh", "-n", "-c", rest], capture_output=True, text=True)
            if said.returncode:
                yield f"RUN: {said.stderr.strip()}"
    ours = set(re.findall(r"^option\((\w+)", open(os.path.join(root, "CMakeLists.txt"), encoding="utf-8").read(), re.M))
    for option in re.findall(r"-D(DTSIM_\w+)=", runs):
        if option not in ours:
            yield f"-D{option}: CMakeLists.txt has no such option"
    for package in sorted(packages_of_setup(os.path.join(root, "cmake", "setup.sh")) - set(runs.split())):
        yield f"does not install {package}, which cmake/setup.sh does"
    with open(os.path.join(root, "cmake", "DtsInstall.cmake"), encoding="utf-8") as install:
        recommended = re.search(r'DEBIAN_PACKAGE_RECOMMENDS "([^"]*)"', install.read())[1]
    for package in recommended.split(", "):
        if package not in runs.splitlines()[-1].split():
            yield f"the image does not have {package}, which the package recommends"


def check_ignored(root):
    """What the build needs comes along, what it made stays behind."""
    patterns = [line.strip() for line in open(os.path.join(root, ".dockerignore"), encoding="utf-8") if line.strip()]
    out = {name for name in os.listdir(root) for pattern in patterns if fnmatch.fnmatch(name, pattern)}
    for name in ("CMakeLists.txt", "LICENSE", "README.md", "cmake", "docs", "models", "scenarios", "src", "tools"):
        if name in out:
            yield f".dockerignore: leaves out {name}"
    for name in ("build", "build-quick", ".git"):
        if not any(fnmatch.fnmatch(name, pattern) for pattern in patterns):
            yield f".dockerignore: does not leave out {name}"


def main():
    root = sys.argv[1]
    wrong = list(check(root)) + list(check_ignored(root))
    if shutil.which("hadolint"):
        said = subprocess.run(["hadolint", "--failure-threshold", "error", "-t", "error",
                               os.path.join(root, "Dockerfile")], capture_output=True, text=True)
        wrong += said.stdout.splitlines()
    for line in wrong:
        print("FAIL Dockerfile:", line)
    print(f"{int(not wrong)} passed, {len(wrong)} failed")
    sys.exit(bool(wrong))


main()
