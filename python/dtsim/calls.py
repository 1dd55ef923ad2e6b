"""What can be asked: predictions, checks, lists and helps."""

from __future__ import annotations

import json
import os
import re
import tempfile
from contextlib import contextmanager
from numbers import Integral
from pathlib import Path
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Union

from .program import DtsimError, InputError, run
from .result import Result

#: A name that `dtsim list scenarios` shows, a file, or a scenario as a dict.
Scenario = Union[str, "os.PathLike[str]", Mapping[str, Any]]
Devices = Union[int, Sequence[int]]


def _here(value: Any) -> Any:
    """A scenario as a dict has no folder: files that it names are those of the current one."""
    if isinstance(value, str) and value.endswith(".json") and os.path.isfile(value):
        return os.path.abspath(value)
    if isinstance(value, Mapping):
        return {key: _here(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_here(item) for item in value]
    return value


def _wrong(what: str, wanted: str, value: Any) -> InputError:
    return InputError(f"{what}: must be {wanted}, got {value!r}", 2)


def _is_several(value: Any) -> bool:
    """A list, a tuple, a range, an array: not a word, whose letters nobody means."""
    return hasattr(value, "__iter__") and not isinstance(value, (str, bytes, Mapping))


@contextmanager
def _file_of(scenario: Scenario) -> Iterator[str]:
    """The word that names the scenario. That of a dict is a file which is gone afterwards."""
    if not isinstance(scenario, Mapping):
        if not isinstance(scenario, (str, os.PathLike)) or "\0" in str(scenario):
            raise _wrong("scenario", "a name, a file or a dict", scenario)
        yield os.fspath(scenario)
        return
    with tempfile.TemporaryDirectory(prefix="dtsim-") as folder:
        path = Path(folder) / "scenario.json"
        path.write_text(json.dumps(_here(scenario), indent=2), encoding="utf-8")
        try:
            yield str(path)
        except DtsimError as error:
            # The line names the dict, not a file that is gone.
            raise type(error)(str(error).replace(str(path), "scenario"), error.status) from None


def _word(value: Any) -> str:
    """A value as the command line takes it: a word alone where nobody would read it as something else."""
    if isinstance(value, str) and re.fullmatch(r"[\w./+-]+", value):
        try:
            json.loads(value)
        except ValueError:
            return value
    return json.dumps(value)


def _options(devices: Optional[Devices], changes: Optional[Mapping[str, Any]],
             sweep: Optional[Mapping[str, Sequence[Any]]]) -> List[str]:
    words: List[str] = []
    for name, given in (("set", changes), ("sweep", sweep)):
        if given is not None and not isinstance(given, Mapping):
            raise _wrong(name, "a dict of paths and values", given)
    if devices is not None:
        several: List[Any] = [*devices] if _is_several(devices) else [devices]  # type: ignore[misc]
        if not all(isinstance(one, Integral) and not isinstance(one, bool) for one in several):
            raise _wrong("devices", "a whole number or several", devices)
        numbers = [int(one) for one in several]
        words += ["--set", f"devices={json.dumps(numbers if _is_several(devices) else numbers[0])}"]
    for path, value in (changes or {}).items():
        words += ["--set", f"{path}={_word(value)}"]
    for path, values in (sweep or {}).items():
        if not _is_several(values):
            raise _wrong(f"sweep: {path}", "a list of values", values)
        words += ["--sweep", f"{path}=" + ",".join(_word(value) for value in values)]
    return words


def predict(scenario: Scenario, *, devices: Optional[Devices] = None,
            set: Optional[Mapping[str, Any]] = None,  # pylint: disable=redefined-builtin
            sweep: Optional[Mapping[str, Sequence[Any]]] = None, engine: Optional[str] = None,
            seed: Optional[int] = None, jobs: Optional[int] = None, timeout: Optional[float] = None) -> Result:
    """Predict a scenario.

    `devices` is one number or several; `set` changes keys by their paths, {"batch.per_device": 64}; `sweep` asks for
    each value of a path, {"batch.per_device": [32, 64]}. The other arguments are the options of the same name. A
    point that does not fit has an `error`; if no point is left that is an InputError.
    """
    words = _options(devices, set, sweep)
    for name, value in (("engine", engine), ("seed", seed), ("jobs", jobs)):
        if value is not None:
            words += [f"--{name}", str(value)]
    with _file_of(scenario) as name:
        said = run(["predict", "--format", "json", *words, "--", name], timeout)
    return Result(json.loads(said.text), said.notes)


def check(scenario: Scenario, *, devices: Optional[Devices] = None,
          set: Optional[Mapping[str, Any]] = None) -> Dict[str, Any]:  # pylint: disable=redefined-builtin
    """Read everything, build every plan, simulate nothing: the scenario with all defaults filled in."""
    with _file_of(scenario) as name:
        checked: Dict[str, Any] = json.loads(run(["check", "--format", "json", *_options(devices, set, None), "--",
                                                  name]).text)
    return checked


def list_of(subject: str) -> Dict[str, str]:
    """What can be chosen: {"resnet50": "ResNet-50, ...", ...} of "models"; `dtsim help list` has the subjects."""
    names: Dict[str, str] = {}
    last = ""
    for line in run(["list", "--", subject]).text.splitlines()[1:]:
        if line.startswith("  ") and line[2:3] not in ("", " "):
            last, _, summary = line.strip().partition(" ")
            names[last] = summary.strip()
        elif last:
            names[last] = f"{names[last]} {line.strip()}".strip()
    return names


def new_scenario(model: str, platform: str, **options: Any) -> Dict[str, Any]:
    """A scenario to begin with, as `dtsim new scenario` writes it; options are stack, devices, batch, precision."""
    words = ["new", "scenario", "ours", "--model", model, "--platform", platform]
    for name, value in options.items():
        words += ["--" + name.replace("_", "-"),
                  ",".join(str(item) for item in value) if isinstance(value, (list, tuple)) else str(value)]
    scenario: Dict[str, Any] = json.loads(run(words).text)
    return scenario


def help_about(subject: str) -> str:
    """All about a command or a kind of file: every key with type, range, default and meaning."""
    return run(["help", "--", subject]).text


def schema(kind: str) -> Dict[str, Any]:
    """The JSON Schema of a kind of file, or of a "result"."""
    found: Dict[str, Any] = json.loads(run(["help", "--format", "json", "--", kind]).text)
    return found
