"""A sweep as JSON, and the schema of that."""

from __future__ import annotations

import json
from pathlib import Path

from clearway.bench.sweep import SCHEMA, Sweep
from clearway.report.json import plain
from clearway.report.output_file import whole_file
from clearway.report.schema import Schema, schema_of


def sweep_schema() -> Schema:
    """JSON Schema (2020-12) of what `clearway bench --json` writes."""
    return schema_of(Sweep, SCHEMA)


def write_json(sweep: Sweep, path: str | Path) -> None:
    """One object; "-" is stdout. Raises ClearwayError where it cannot be written."""
    with whole_file(path) as stream:
        json.dump(plain(sweep), stream, ensure_ascii=False, allow_nan=False, indent=1)
        stream.write("\n")
