"""JSON schemas of what is written: made by msgspec from the dataclasses, told here what it cannot see in them."""

from __future__ import annotations

import ast
import dataclasses
import functools
import inspect
import io
import itertools
import sys
import tokenize
import typing
from collections.abc import Iterator

import msgspec

Schema = dict[str, typing.Any]


def schema_of(kind: type, title: str) -> Schema:
    """JSON Schema of a dataclass whose field `schema` holds `title`, and which uses dataclasses."""
    _, schemas = msgspec.json.schema_components([kind], ref_template="#/$defs/{name}")
    for each in set(dataclasses_in(kind)):
        complete(schemas[each.__name__], each)
    root = schemas.pop(kind.__name__)
    root["properties"]["schema"] = {"const": title}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **root,
        "title": title,
        "$defs": dict(sorted(schemas.items())),
    }


def dataclasses_in(kind: typing.Any) -> Iterator[type]:
    """`kind` and all that its fields are made of."""
    if dataclasses.is_dataclass(kind) and isinstance(kind, type):
        yield kind
    parts = typing.get_type_hints(kind).values() if dataclasses.is_dataclass(kind) else typing.get_args(kind)
    for part in parts:
        yield from dataclasses_in(part)


def complete(schema: Schema, kind: type) -> None:
    """Every field is written, whatever its default, and nothing else; what is said beside a field describes it."""
    told = descriptions(kind.__module__)
    if "description" in schema:  # the docstring, which msgspec takes the indent from since 0.23 only
        schema["description"] = inspect.cleandoc(schema["description"])
    for name, value in schema["properties"].items():
        value.pop("default", None)
        description = told.get((kind.__name__, name))
        if description:
            schema["properties"][name] = {"description": description, **value}
    schema["required"] = list(schema["properties"])
    schema["additionalProperties"] = False


@functools.cache
def descriptions(module: str) -> dict[tuple[str, str], str]:
    """{(class, field): the comment at the end of its line, or the text below it} from the source of a module."""
    source = inspect.getsource(sys.modules[module])
    at_line = {
        token.start[0]: token.string.lstrip("# ")
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type == tokenize.COMMENT
    }
    return {
        (node.name, field.target.id): at_line.get(field.lineno) or text_of(below)
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.ClassDef)
        for field, below in itertools.pairwise([*node.body, ast.Pass()])
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)
    }


def text_of(statement: ast.stmt) -> str:
    """Of a string that stands alone; "" for any other statement."""
    if not isinstance(statement, ast.Expr) or not isinstance(statement.value, ast.Constant):
        return ""
    return inspect.cleandoc(str(statement.value.value))
