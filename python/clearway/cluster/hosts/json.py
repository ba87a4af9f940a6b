"""A Check as JSON, and its schema."""

from __future__ import annotations

import json

from clearway.base.output_file import whole_file
from clearway.base.schema import Schema, schema_of
from clearway.cluster.hosts.check import Check
from clearway.cluster.hosts.state import SCHEMA
from clearway.page.render.json import plain


def host_schema() -> Schema:
    """JSON Schema (2020-12) of what `clearway host check --json` writes."""
    return schema_of(Check, SCHEMA)


def write_json(check: Check, path: str) -> None:
    """One object; "-" is stdout. Raises ClearwayError where it cannot be written."""
    with whole_file(path) as stream:
        json.dump(plain(check), stream, ensure_ascii=False, allow_nan=False, indent=1)
        stream.write("\n")
