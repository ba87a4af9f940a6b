"""A dataclass from the JSON that was made of it: the other way round than `plain`, for files of any origin.

Python's json reads the text, for it knows the surrogates by which `os.fsencode` finds a file's name again; msgspec, by
the types of the fields, makes the dataclass.
"""

from __future__ import annotations

import dataclasses
import json
import math
from typing import Any, TypeVar

T = TypeVar("T")


def from_text(kind: type[T], text: str | bytes) -> T:
    """Raises ValueError, with the reason as a sentence, for what is no JSON of a `kind`."""
    return read_back(kind, parsed(text))


def parsed(text: str | bytes) -> Any:
    """JSON without its exceptions for depth and the like: whatever is wrong with it is a ValueError."""
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def schema_in(tree: Any) -> str | None:
    """What a tree says that it is, so that another version's is not called damaged."""
    told = tree.get("schema") if isinstance(tree, dict) else None
    return told if isinstance(told, str) else None


def read_back(kind: type[T], tree: Any) -> T:
    """`tree` as a `kind`, without guessing: "1" is no number, nor is true. Raises ValueError as `from_text` does."""
    import msgspec  # takes 25 ms, which commands that read nothing back need not

    try:
        made = msgspec.convert(tree, kind)
    except msgspec.ValidationError as error:
        raise ValueError(_sentence(str(error))) from None
    _refuse_rest(made, tree, "it")
    return made


def _sentence(told: str) -> str:
    """'Expected `int`, got `str` - at `$.ranks`' as the end of a sentence."""
    what, _, where = told.replace("`", "").partition(" - at $")
    what = what[:1].lower() + what[1:]
    return f"{where.removeprefix('.')}: {what}" if where else what


def _refuse_rest(made: Any, tree: Any, where: str) -> None:
    """What msgspec lets pass: a key that no field has, and what is not a finite number."""
    if isinstance(made, float) and not math.isfinite(made):
        raise ValueError(f"{where} is not a finite number")
    if dataclasses.is_dataclass(made):
        known = {field.name for field in dataclasses.fields(made)}
        for name, part in tree.items():
            if name not in known:
                raise ValueError(f"{where} has '{name}', which this version of Clearway does not know")
            _refuse_rest(getattr(made, name), part, name)
    elif isinstance(made, dict):
        for name, part in tree.items():
            _refuse_rest(made[name], part, f"{where}.{name}")
    elif isinstance(made, tuple | list):
        for at, (item, part) in enumerate(zip(made, tree, strict=True)):
            _refuse_rest(item, part, f"{where}[{at}]")
