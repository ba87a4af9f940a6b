"""A sweep as JSON, back again, and the schema of it."""

from __future__ import annotations

import json
from pathlib import Path

from clearway.base.errors import ClearwayError
from clearway.base.output_file import whole_file
from clearway.base.read_back import parsed, read_back
from clearway.base.schema import Schema, schema_of
from clearway.bench.sweep import SCHEMA, Sweep
from clearway.page.render.json import plain


def sweep_schema() -> Schema:
    """JSON Schema (2020-12) of what `clearway bench --json` writes."""
    return schema_of(Sweep, SCHEMA)


def write_json(sweep: Sweep, path: str | Path) -> None:
    """One object; "-" is stdout. Raises ClearwayError where it cannot be written."""
    with whole_file(path) as stream:
        json.dump(plain(sweep), stream, ensure_ascii=False, allow_nan=False, indent=1)
        stream.write("\n")


def is_json(text: str) -> bool:
    """Whether it can be what `write_json` wrote; the lines of clearway-bench begin otherwise."""
    return text.lstrip().startswith("{")


def sweep_from(text: str, path: str | Path) -> Sweep:
    """What `write_json` wrote. Raises ClearwayError for anything else."""
    try:
        tree = parsed(text)
        schema = tree.get("schema") if isinstance(tree, dict) else None
        if isinstance(schema, str) and schema != SCHEMA:
            raise ClearwayError(f"'{path}' is of schema {schema}; this is {SCHEMA}", "measure again")
        sweep: Sweep = read_back(Sweep, tree)
    except ValueError as error:
        raise ClearwayError(f"'{path}' is no sweep: {error}", "clearway bench alltoall --json FILE makes one") from None
    return sweep
