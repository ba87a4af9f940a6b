"""A sweep from the JSON that `clearway bench --json` made of it."""

from __future__ import annotations

from pathlib import Path

from clearway.base.errors import ClearwayError
from clearway.base.read_back import parsed, read_back, schema_in
from clearway.bench.sweep import SCHEMA, Sweep


def is_json(text: str) -> bool:
    """Whether it can be what `clearway bench --json` wrote; the lines of clearway-bench begin otherwise."""
    return text.lstrip().startswith("{")


def sweep_from(text: str, path: str | Path) -> Sweep:
    """What `clearway bench --json` wrote. Raises ClearwayError for anything else."""
    try:
        tree = parsed(text)
        schema = schema_in(tree)
        if schema not in (None, SCHEMA):
            raise ClearwayError(
                f"'{path}' has schema {schema}; this version of Clearway reads {SCHEMA}",
                "measure again with this version",
            )
        return read_back(Sweep, tree)
    except ValueError as error:
        raise ClearwayError(
            f"'{path}' is not a sweep: {error}", "`clearway bench alltoall --json FILE` writes one"
        ) from None
