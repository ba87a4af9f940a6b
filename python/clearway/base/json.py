"""Dataclasses as JSON: keys in the order of their fields, as docs/json-schema/ describes them; schema.py describes, and
read_back.py reads."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from clearway.base.output_file import whole_file
from clearway.base.visible import storable

Plain = None | bool | int | float | str | list["Plain"] | dict[str, "Plain"]


def plain(value: object) -> Plain:
    """`value` as JSON knows it: dataclasses are objects, NaN is null, bytes that are no text are escaped."""
    if value is None or isinstance(value, (bool, int)):
        return value
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    if isinstance(value, dict):
        return {storable(str(name)): plain(one) for name, one in value.items()}
    if dataclasses.is_dataclass(value):
        return {name: plain(getattr(value, name)) for name in _field_names(value.__class__)}
    raise TypeError(f"{type(value).__name__} has no place in JSON")


@cache
def _field_names(kind: type) -> tuple[str, ...]:
    return tuple(field.name for field in dataclasses.fields(kind))


def write_json(value: object, path: str | Path) -> None:
    """One object, a member on each line, and so each element of a list in it; "-" is stdout.

    Raises ClearwayError where it cannot be written.
    """
    with whole_file(path) as stream:
        stream.writelines(_lines(plain(value)))


def _lines(value: Plain) -> Iterator[str]:
    """What json.dump(indent=1) would divide further is one line, which json writes many times as fast."""
    if not isinstance(value, dict):
        yield _text(value) + "\n"
        return
    yield "{"
    for number, (name, member) in enumerate(value.items()):
        yield f"{',' if number else ''}\n {_text(name)}: "
        if isinstance(member, list) and member:
            yield "[" + ",".join(f"\n  {_text(element)}" for element in member) + "\n ]"
        else:
            yield _text(member)
    yield "\n}\n"


def _text(value: Plain) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
