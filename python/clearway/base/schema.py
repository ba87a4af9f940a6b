"""JSON schemas made from dataclasses: a field's comment is its description."""

from __future__ import annotations

import ast
import dataclasses
import enum
import functools
import inspect
import io
import sys
import tokenize
import types
import typing

Schema = dict[str, typing.Any]
NUMBERS: dict[object, Schema] = {
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"type": "number"},
    str: {"type": "string"},
    type(None): {"type": "null"},
}


def schema_of(kind: type, title: str) -> Schema:
    """JSON Schema of a dataclass whose field `schema` holds `title`, and which uses dataclasses."""
    definitions: dict[str, Schema] = {}
    root = object_schema(kind, definitions)
    root["properties"]["schema"] = {"const": title}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": title,
        **root,
        "$defs": dict(sorted(definitions.items())),
    }


def object_schema(kind: type, definitions: dict[str, Schema]) -> Schema:
    hints = typing.get_type_hints(kind)
    comments = field_comments(kind.__module__)
    properties: Schema = {}
    for field in dataclasses.fields(kind):
        properties[field.name] = value_schema(hints[field.name], definitions)
        comment = comments.get((kind.__name__, field.name))
        if comment:
            properties[field.name] = {"description": comment, **properties[field.name]}
    return {
        "type": "object",
        "description": inspect.cleandoc(kind.__doc__ or ""),
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def value_schema(kind: object, definitions: dict[str, Schema]) -> Schema:
    if kind in NUMBERS:
        return dict(NUMBERS[kind])
    if dataclasses.is_dataclass(kind) and isinstance(kind, type):
        if kind.__name__ not in definitions:
            definitions[kind.__name__] = object_schema(kind, definitions)
        return {"$ref": f"#/$defs/{kind.__name__}"}
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin in (types.UnionType, typing.Union):
        return {"anyOf": [value_schema(one, definitions) for one in arguments]}
    if origin in (list, tuple):
        return {"type": "array", "items": value_schema(arguments[0], definitions)}
    if origin is dict:
        return {"type": "object", "additionalProperties": value_schema(arguments[1], definitions)}
    if isinstance(kind, type) and issubclass(kind, enum.StrEnum):
        return {"enum": [one.value for one in kind]}
    raise TypeError(f"{kind} has no place in a page")


@functools.cache
def field_comments(module: str) -> dict[tuple[str, str], str]:
    """{(class, field): comment at the end of its line} from the source of a module."""
    source = inspect.getsource(sys.modules[module])
    at_line = {
        token.start[0]: token.string.lstrip("# ")
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type == tokenize.COMMENT
    }
    return {
        (node.name, field.target.id): at_line[field.lineno]
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.ClassDef)
        for field in node.body
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and field.lineno in at_line
    }
