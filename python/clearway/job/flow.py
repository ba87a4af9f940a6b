"""What clearway-record is told where collective operations are to be steered."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

FROM_TRIALS = ""  # as a table: none


def flow_options(table: str | None, algorithm: str | None, environment: Mapping[str, str]) -> list[str]:
    """Options for clearway-record; none where nobody asks for flow. Raises ClearwayError for what is no table.

    `table` is None without `--flow`, FROM_TRIALS with it, else a file's name. The environment's word is put into
    options, since launchers do not hand every variable on to other hosts.
    """
    if table is None and algorithm is None and environment.get("CLEARWAY_FLOW") != "on":
        return []
    table = table or environment.get("CLEARWAY_FLOW_TABLE")
    algorithm = algorithm or environment.get("CLEARWAY_FLOW_ALGORITHM")
    options = [f"--flow={_readable(Path(table))}" if table else "--flow"]
    return [*options, f"--flow-algorithm={algorithm}"] if algorithm else options


def _readable(table: Path) -> Path:
    from clearway.job.flow_table import read_table

    read_table(table)
    return table.resolve()
