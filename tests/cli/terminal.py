#!/usr/bin/env python3
"""terminal.py PROGRAM -- screens are as wide as the terminal that shows them: on a pseudo-terminal, where COLUMNS is not
exported. Files, pipes and COLUMNS are as they were."""
import fcntl
import os
import pty
import struct
import subprocess
import sys
import tempfile
import termios

failed = 0
ASK = ["imagenet_1h", "--engine", "fluid", "--set", "devices=8,256"]


def check(what, good):
    global failed
    if not good:
        print(f"terminal.py: {what}")
        failed += 1


def lines_on(columns, words, environment):
    """The lines that the program shows on a terminal of so many columns."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    child = subprocess.Popen([sys.argv[1], *words], stdin=subprocess.DEVNULL, stdout=slave, stderr=subprocess.DEVNULL,
                             env=environment)
    os.close(slave)
    shown = b""
    while True:
        try:
            more = os.read(master, 65536)
        except OSError:  # all of the terminal's other side is closed
            more = b""
        if not more:
            break
        shown += more
    os.close(master)
    check(f"{words}: exit status {child.wait()}", child.returncode == 0)
    return shown.decode().replace("\r", "").split("\n")


def longest(lines):
    return max(map(len, lines))


def main():
    bare = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    for words in (ASK,):
        narrow, wide = (longest(lines_on(columns, words, bare)) for columns in (70, 140))
        check(f"{words[0]}: {narrow} columns on a terminal of 70", narrow <= 70)
        check(f"{words[0]}: {wide} columns on a terminal of 140", 80 < wide <= 140)
    told = longest(lines_on(140, ASK, dict(bare, COLUMNS="80")))
    check(f"COLUMNS=80: {told} columns", told <= 80)
    piped = subprocess.run([sys.argv[1], *ASK], capture_output=True, text=True, env=bare, check=True).stdout
    check(f"a pipe: {longest(piped.splitlines())} columns", longest(piped.splitlines()) <= 80)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "answer.txt")
        lines_on(140, [*ASK, "-o", path], bare)
        with open(path) as file:
            written = longest(file.read().splitlines())
        check(f"-o: {written} columns", written <= 80)
    sys.exit(failed != 0)


main()
