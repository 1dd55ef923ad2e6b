"""Results: JSON objects whose keys are attributes, and points as rows of a table."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any, Dict, FrozenSet, Iterator, List, Mapping, Optional, Sequence

from .program import run


@lru_cache(maxsize=None)
def _keys() -> Mapping[str, FrozenSet[str]]:
    """Every key of an object of a result, by the place of the object: "", "points", "points.step"."""
    found: Dict[str, FrozenSet[str]] = {}

    def collect(schema: Any, place: str) -> None:
        for one in schema.get("anyOf", [schema]):
            if "items" in one:
                collect(one["items"], place)
            if "properties" in one:
                found[place] = frozenset(one["properties"])
                for key, inner in one["properties"].items():
                    if isinstance(inner, dict):
                        collect(inner, f"{place}.{key}" if place else key)

    collect(json.loads(run(["help", "result", "--format", "json"]).text), "")
    return found


class Record(Mapping[str, Any]):
    """An object of a result: `point.step.total_s`, or `point["step"]["total_s"]`.

    docs/model.md defines every number; units are in the names. What the answer does not know is None as an
    attribute. A name that no result has is an AttributeError.
    """

    __slots__ = ("_data", "_place")

    def __init__(self, data: Mapping[str, Any], place: str = "") -> None:
        self._data = data
        self._place = place

    def _wrap(self, key: str, value: Any) -> Any:
        place = f"{self._place}.{key}" if self._place else key
        if isinstance(value, dict):
            return Record(value, place)
        if isinstance(value, list):
            return [self._wrap(key, item) for item in value]
        return value

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if name in self._data:
            return self._wrap(name, self._data[name])
        if name in _keys().get(self._place, ()):
            return None
        raise AttributeError(f"a result has no {self._place + '.' if self._place else ''}{name}")

    def __getitem__(self, key: str) -> Any:
        return self._wrap(key, self._data[key])

    def __iter__(self) -> Iterator[str]:
        return iter(self._data)

    def __len__(self) -> int:
        return len(self._data)

    def __dir__(self) -> List[str]:
        return sorted({*super().__dir__(), *_keys().get(self._place, self._data)})

    def __repr__(self) -> str:
        return f"Record({dict(self._data)!r})"

    def to_dict(self) -> Dict[str, Any]:
        """The object as it stands in the JSON result."""
        return dict(self._data)


class Result(Record):
    """The answer to a scenario. `points` has one Record for each strategy and number of devices."""

    __slots__ = ("notes",)

    #: What the program said beside the answer: what was left out, and why.
    notes: List[str]

    def __init__(self, data: Mapping[str, Any], notes: Sequence[str] = ()) -> None:
        super().__init__(data)
        self.notes = list(notes)

    def point(self, strategy: Optional[str] = None, devices: Optional[int] = None) -> Record:
        """The only point with this strategy and number of devices."""
        fit: List[Record] = [point for point in self.points
               if strategy in (None, point.strategy) and devices in (None, point.devices)]
        if len(fit) != 1:
            raise LookupError(f"{len(fit)} points have strategy {strategy} and devices {devices}")
        return fit[0]

    def rows(self) -> List[Dict[str, Any]]:
        """The points as flat rows, named as the columns of --format csv: step_total_s, memory_total_bytes."""
        return [_flat(point) for point in self._data["points"]]

    def to_pandas(self) -> Any:
        """The same as a pandas.DataFrame; needs pandas."""
        import pandas  # type: ignore[import-untyped,import-not-found,unused-ignore]  # pylint: disable=import-outside-toplevel

        return pandas.DataFrame(self.rows())

    def __repr__(self) -> str:
        return f"Result({self._data['scenario']!r}, {len(self._data['points'])} points)"


def _flat(data: Mapping[str, Any], lead: str = "") -> Dict[str, Any]:
    """Numbers and words of an object and those in it; lists are left out."""
    row: Dict[str, Any] = {}
    for key, value in data.items():
        if isinstance(value, dict):
            row.update(_flat(value, f"{lead}{key}_"))
        elif not isinstance(value, list):
            row[lead + key] = value
    return row
