"""Jobs whose collectives go through libclearway-flow.so, on pretended hosts: one machine's ranks belong to several."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from harness.mpis import Mpi, clearway_tool
from harness.programs import ProgramBuilder
from harness.runs import Outcome, own_words, run_command, run_job

from clearway.schedule.model import BLOCK_OPERATIONS

SEPARATIONS = (
    "",
    ",chunk:100",
    "+token",
    "+token:64,chunk:24",
    "+token:3000,chunk:1000",
    "+barrier",
    "+barrier,chunk:500",
    "+credits:200",
    "+credits:4000,chunk:1000",
)


@dataclass(frozen=True)
class FlowOutcome(Outcome):
    """`messages`: sent by Clearway itself, all ranks together."""

    messages: int


FlowJob = Callable[..., FlowOutcome]


def all_candidates() -> list[str]:
    """OPERATION=CANDIDATE: every algorithm with every gate and with chunks, for each operation it serves."""
    listing = run_command([clearway_tool("clearway-schedule"), "list"])
    assert listing.exit_code == 0, listing.says
    return [
        f"{operation}={algorithm['name']}{separation}"
        for algorithm in json.loads(listing.stdout)
        for operation in algorithm["operations"]
        if operation in BLOCK_OPERATIONS
        for separation in SEPARATIONS
    ]


@pytest.fixture(scope="session")
def flow_library() -> Path:
    return clearway_tool("clearway-record").resolve().parents[1] / "lib" / "libclearway-flow.so"


@pytest.fixture
def flow_job(programs: ProgramBuilder, flow_library: Path) -> FlowJob:
    """Runs a program with the library in front of its MPI, and a witness between them."""
    witness = programs.build_plain("witness.so", "flow/witness.c", shared=True)

    def run(
        mpi: Mpi,
        program: Sequence[str | Path],
        ranks: int = 4,
        hosts: int = 2,
        environment: Mapping[str, str] | None = None,
        timeout_s: float = 50,
        before: Sequence[Path] = (),
    ) -> FlowOutcome:
        preload = ":".join(map(str, (*before, flow_library, witness)))
        command = [shutil.which("env") or "env", f"LD_PRELOAD={preload}", *program]
        settings = {"CLEARWAY_FLOW_HOSTS": str(hosts), **(environment or {})}
        outcome = run_job(mpi, command, ranks, environment=settings, timeout_s=timeout_s)
        said = re.findall(r"^witness: (\d+) messages$", outcome.stderr, re.MULTILINE)
        return FlowOutcome(outcome.stdout, outcome.stderr, outcome.exit_code, outcome.wall_s, sum(map(int, said)))

    return run


def assert_silent(outcome: Outcome) -> None:
    assert own_words(outcome.stderr) == [], outcome.says
