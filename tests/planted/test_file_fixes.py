"""Faults of files, mended by what `clearway fix` offers: the time comes back. Their twins are offered nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from diagnosis import slow_disk
from harness.mpis import Mpi, clearway_tool
from harness.programs import SOURCES, ProgramBuilder
from harness.runs import Outcome, run_command

pytestmark = [pytest.mark.slow, pytest.mark.timed, pytest.mark.timeout(400)]
WORKLOAD = "../../benchmarks/diagnosis/workload/main.c"
DISK_BYTES_PER_S = 20_000_000


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """The mount point of a disk that is slow."""
    if missing := slow_disk.why_not():
        pytest.skip(missing)
    limits = {"read_bps": DISK_BYTES_PER_S, "write_bps": DISK_BYTES_PER_S}
    with slow_disk.slow_disk(tmp_path, 400, limits) as mounted:
        yield mounted


def fix(mpi: Mpi, remedy: str, command: Sequence[str | Path], folder: Path, **environment: str) -> Outcome:
    words = ["--remedy", remedy, "--rounds", "3", "--same-work"]
    words += ["-o", str(folder / "fix"), "--json", str(folder / "proof.json")]
    outcome = run_command(
        [clearway_tool("clearway"), "fix", *words, "--", *command], {**mpi.environment, **environment}, 380
    )
    assert outcome.exit_code == 0, outcome.says
    return outcome


def proved(mpi: Mpi, remedy: str, command: Sequence[str | Path], folder: Path, **environment: str) -> dict[str, Any]:
    """The row of the job with the remedy."""
    outcome = fix(mpi, remedy, command, folder, **environment)
    proof = folder / "proof.json"
    assert proof.exists(), outcome.says
    rows = {row["name"]: row for row in json.loads(proof.read_text())["rows"]}
    assert set(rows) == {"unchanged", remedy}, outcome.says
    return dict(rows[remedy])


def tries_nothing(mpi: Mpi, remedy: str, command: Sequence[str | Path], folder: Path, **environment: str) -> bool:
    fix(mpi, remedy, command, folder, **environment)
    return not (folder / "proof.json").exists()


def launched(mpi: Mpi, *command: str | Path, ranks: int = 2) -> list[str | Path]:
    return [*mpi.launcher, "-np", str(ranks), *command]


def scratch(mpi: Mpi, programs: ProgramBuilder, *more: str) -> list[str | Path]:
    """Two ranks that read files in $TMPDIR again and again, and delete them in the end."""
    program = programs.build(mpi, "workload", WORKLOAD, flags=(f"-I{SOURCES}",))
    step = "--steps 20 --compute-ms 20 --allreduce 64 --read 4000000"
    in_tmpdir = ("sh", "-c", 'exec "$@" --scratch "$TMPDIR"', "sh")
    return launched(mpi, *in_tmpdir, program, *step.split(), *more)


@pytest.mark.parametrize("remedy", ["local-scratch", "io-cache"])
def test_scratch_on_a_slow_disk_goes_into_memory(
    remedy: str, open_mpi: Mpi, programs: ProgramBuilder, disk: Path, tmp_path: Path
) -> None:
    command = scratch(open_mpi, programs, "--past-cache", "1")
    row = proved(open_mpi, remedy, command, tmp_path, TMPDIR=str(disk))
    assert row["verdict"] == "faster", row


@pytest.mark.parametrize("remedy", ["local-scratch", "io-cache"])
def test_scratch_that_the_page_cache_keeps_is_left_where_it_is(
    remedy: str, open_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path
) -> None:
    assert tries_nothing(open_mpi, remedy, scratch(open_mpi, programs), tmp_path, TMPDIR=str(tmp_path))


def mdrun(mpi: Mpi, programs: ProgramBuilder, folder: Path, *options: str) -> list[str | Path]:
    program = programs.build(mpi, "gmx_checkpoints", "checkpoints.c")
    return launched(mpi, program, "mdrun", folder, "30", *options)


def test_checkpoints_in_each_step_are_written_less_often(
    open_mpi: Mpi, programs: ProgramBuilder, disk: Path, tmp_path: Path
) -> None:
    row = proved(open_mpi, "checkpoint-interval", mdrun(open_mpi, programs, disk, "-cpt", "0.0001"), tmp_path)
    assert row["verdict"] == "faster", row


def test_checkpoints_at_the_usual_interval_are_left_alone(
    open_mpi: Mpi, programs: ProgramBuilder, disk: Path, tmp_path: Path
) -> None:
    assert tries_nothing(open_mpi, "checkpoint-interval", mdrun(open_mpi, programs, disk), tmp_path)
