"""Jobs whose time is known to the nanosecond, because they were simulated; and what `clearway what-if` says of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
from harness.command_line import run_clearway
from harness.mpis import clearway_tool
from harness.runs import run_command

from clearway.base.schema import schema_of
from clearway.predict.what_if.answer import SCHEMA, Answer

RANKS = 8
KINDS = (
    "irecv -1 3000 tag 5\nisend +1 3000 tag 5\ncompute 300000\nwaitall",
    "sendrecv +1 90000 -1 90000",
    "alltoall 4000",
    "allreduce 64",
    "bcast 3 20000",
    "reduce 1 5000",
    "allgather 700",
    "barrier",
)


def simulated(
    folder: Path, computing_ns: list[int], kinds: tuple[str, ...] = KINDS, steps: int = 40, **settings: object
) -> Path:
    """The Run of a job whose ranks compute so long in each of its steps, and then exchange messages."""
    folder.mkdir()
    lines = ["clearway-script 1", "title made", f"ranks {RANKS}", f"steps {steps}"]
    for rank, compute_ns in enumerate(computing_ns):
        lines += [f"rank {rank}", f"compute {compute_ns}"]
    lines += [f"rank 0-{RANKS - 1}", *kinds, "allreduce 8"]
    (folder / "script").write_text("\n".join(lines) + "\n")
    told = {"script": folder / "script", "run": folder / "run", "buffer_bytes": 0, "alltoall": "ordered", **settings}
    options = [word for name, value in told.items() for word in (f"--{name.replace('_', '-')}", str(value))]
    command = [clearway_tool("clearway-simulate"), *options]
    outcome = run_command(command, {})
    assert outcome.exit_code == 0, outcome.says
    return folder / "run"


def what_if(run: Path, *words: str | Path) -> dict[str, Any]:
    outcome = run_clearway("what-if", run, *words, "--json", "-")
    assert outcome.exit_code == 0, outcome.says
    made: dict[str, Any] = json.loads(outcome.stdout)
    jsonschema.validate(made, schema_of(Answer, SCHEMA))
    return made


def seconds(made: dict[str, Any], column: str) -> dict[str, float]:
    return {line["line"]: line[column] for line in made["lines"]}
