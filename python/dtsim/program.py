"""The program: where it is, how it is run, and its one line of an error as an exception."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import List, NamedTuple, Optional, Sequence


class DtsimError(Exception):
    """What the program said when it could not answer. `status` is its exit status."""

    def __init__(self, message: str, status: Optional[int] = None) -> None:
        super().__init__(message)
        self.status = status


class MachineError(DtsimError):
    """The machine failed (status 1): memory, a full disk, the timeout, or there is no program."""


class InputError(DtsimError):
    """The input is wrong (status 2): the message names file, key, what must be and what was."""


class UnsupportedError(DtsimError):
    """This build of the program cannot (status 3)."""


_ERRORS = {1: MachineError, 2: InputError, 3: UnsupportedError}


class Said(NamedTuple):
    """Standard output, and the lines of standard error without the program's name."""

    text: str
    notes: List[str]


def find_program() -> str:
    """The path of the program: $DTSIM, then `dtsim` in PATH, then the clone that this package lies in."""
    named = os.environ.get("DTSIM")
    if named:
        found = shutil.which(named)
        if found is None:
            raise MachineError(f"DTSIM={named}: is no program")
        return found
    clone = Path(__file__).resolve().parents[2] / "dtsim"
    found = shutil.which("dtsim")
    if found is None and clone.is_file() and os.access(clone, os.X_OK):
        return str(clone)
    if found is None:
        raise MachineError("there is no program dtsim: set DTSIM to its path, or add its folder to PATH")
    return found


def run(words: Sequence[str], timeout: Optional[float] = None) -> Said:
    """Run the program. Raises what its exit status says, with the last line of its standard error."""
    if timeout is not None and not (isinstance(timeout, (int, float)) and timeout > 0):
        raise InputError(f"timeout: must be seconds above 0, got {timeout!r}", 2)
    if any("\0" in word for word in words):
        raise InputError("no word may have a zero byte", 2)
    try:
        done = subprocess.run([find_program(), *words], stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8",
                              errors="replace", timeout=timeout, check=False)
    except subprocess.TimeoutExpired:
        raise MachineError(f"no answer within {timeout:g} s (timeout)") from None
    notes = [line[len("dtsim: "):] if line.startswith("dtsim: ") else line for line in done.stderr.splitlines()]
    if done.returncode != 0:
        message = notes[-1] if notes else f"dtsim ended with status {done.returncode}"
        raise _ERRORS.get(done.returncode, DtsimError)(message, done.returncode)
    return Said(done.stdout, [note[len("note: "):] if note.startswith("note: ") else note for note in notes])


def program_version() -> str:
    """"0.5.0": the version of the program."""
    return run(["--version"]).text.split()[-1]
