"""A comparison as JSON, and the schema of it."""

from __future__ import annotations

import json
from pathlib import Path

from clearway.base.output_file import whole_file
from clearway.base.schema import Schema, schema_of
from clearway.experiment.comparison import SCHEMA, Comparison
from clearway.page.render.json import plain


def comparison_schema() -> Schema:
    """JSON Schema (2020-12) of what `clearway compare --json` writes."""
    return schema_of(Comparison, SCHEMA)


def write_json(comparison: Comparison, path: str | Path) -> None:
    """One object; "-" is stdout. Raises ClearwayError where it cannot be written."""
    with whole_file(path) as stream:
        json.dump(plain(comparison), stream, ensure_ascii=False, allow_nan=False, indent=1)
        stream.write("\n")
