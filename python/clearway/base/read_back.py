"""A dataclass from the JSON that was made of it: the other way round than `plain`, for files of any origin."""

from __future__ import annotations

import dataclasses
import json
import math
import types
import typing
from typing import Any, TypeVar

T = TypeVar("T")


def from_text(kind: type[T], text: str | bytes) -> T:
    """Raises ValueError, with the reason as a sentence, for what is no JSON of a `kind`."""
    made: T = read_back(kind, parsed(text))
    return made


def parsed(text: str | bytes) -> Any:
    """JSON without its exceptions for depth and the like: whatever is wrong with it is a ValueError."""
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def read_back(kind: Any, tree: Any, where: str = "it") -> Any:
    """`tree` as a `kind`: a dataclass, a tuple, a dict, a number, text, or one of several of them."""
    if dataclasses.is_dataclass(kind) and isinstance(kind, type):
        return _dataclass(kind, tree, where)
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin in (types.UnionType, typing.Union):
        return _one_of(arguments, tree, where)
    if origin is tuple:
        items = _of(list, tree, where)
        kinds = [arguments[0]] * len(items) if arguments[1:] == (...,) else list(arguments)
        if len(kinds) != len(items):
            raise ValueError(f"{where} has {len(items)} items, not {len(kinds)}")
        return tuple(
            read_back(each, item, f"{where}[{at}]") for at, (each, item) in enumerate(zip(kinds, items, strict=True))
        )
    if origin is dict:
        return {name: read_back(arguments[1], item, f"{where}.{name}") for name, item in _of(dict, tree, where).items()}
    if kind is float:
        return _number(tree, where)
    return _of(kind, tree, where)


def _dataclass(kind: type, tree: Any, where: str) -> Any:
    hints = typing.get_type_hints(kind)
    given = _of(dict, tree, where)
    fields = {field.name: field for field in dataclasses.fields(kind)}
    for name in given:
        if name not in fields:
            raise ValueError(f"{where} has '{name}', which is not known here")
    for name, field in fields.items():
        has_default = field.default is not dataclasses.MISSING or field.default_factory is not dataclasses.MISSING
        if name not in given and not has_default:
            raise ValueError(f"{where} has no '{name}'")
    return kind(**{name: read_back(hints[name], item, name) for name, item in given.items()})


def _one_of(kinds: tuple[Any, ...], tree: Any, where: str) -> Any:
    trouble = ValueError(f"{where} is {type(tree).__name__}")
    for kind in kinds:
        try:
            return read_back(kind, tree, where)
        except ValueError as error:
            trouble = error
    raise trouble


def _of(kind: type, tree: Any, where: str) -> Any:
    if type(tree) is not kind:  # in particular, true is no number
        raise ValueError(f"{where} is {type(tree).__name__}, not {kind.__name__}")
    return tree


def _number(tree: Any, where: str) -> float:
    if type(tree) not in (int, float):
        raise ValueError(f"{where} is {type(tree).__name__}, not a number")
    try:
        number = float(tree)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise ValueError(f"{where} is no finite number")
    return number
