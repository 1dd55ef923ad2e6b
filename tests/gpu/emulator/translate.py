#!/usr/bin/env python3
"""translate.py SOURCE OUT -- a CUDA file as C++ for the emulator (emulator.h): launches become calls."""
import os
import re
import sys

LAUNCH = re.compile(r"(\w+)\s*<<<(.*?)>>>\(", re.S)


def main(source, out):
    text = open(source, encoding="utf-8").read()
    text = LAUNCH.sub(lambda m: f"emulated_launch({m[2]}, [&](auto... values) {{ {m[1]}(values...); }})(", text)
    text = re.sub(r"\bNULL\b", "nullptr", text)  # which stays a pointer on its way through a launch
    os.makedirs(os.path.dirname(out), exist_ok=True)
    with open(out, "w", encoding="utf-8") as file:
        file.write(text)


main(*sys.argv[1:])
