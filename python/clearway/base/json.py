"""Dataclasses as JSON: keys in the order of their fields, as docs/json-schema/ describes them; schema.py describes, and
read_back.py reads."""

from __future__ import annotations

import dataclasses
import json
import math
from pathlib import Path

from clearway.base.output_file import whole_file
from clearway.base.visible import storable

Plain = None | bool | int | float | str | list["Plain"] | dict[str, "Plain"]


def plain(value: object) -> Plain:
    """`value` as JSON knows it: dataclasses are objects, NaN is null, bytes that are no text are escaped."""
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    if isinstance(value, dict):
        return {storable(str(name)): plain(one) for name, one in value.items()}
    if dataclasses.is_dataclass(value):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    raise TypeError(f"{type(value).__name__} has no place in JSON")


def write_json(value: object, path: str | Path) -> None:
    """One object; "-" is stdout. Raises ClearwayError where it cannot be written."""
    with whole_file(path) as stream:
        json.dump(plain(value), stream, ensure_ascii=False, allow_nan=False, indent=1)
        stream.write("\n")
