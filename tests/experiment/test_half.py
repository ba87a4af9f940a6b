"""`clearway fix --half`: a job on half of its ranks shows whether ranks slow each other down."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from harness.mpis import Mpi, clearway_tool
from harness.programs import ProgramBuilder
from harness.runs import run_command
from rules.test_memory_bandwidth import computing

from clearway.experiment.assemble import assemble
from clearway.experiment.comparison import Comparison, End
from clearway.experiment.half_shown import what_half_shows
from clearway.experiment.plan import Plan, Variant
from clearway.job.change import Change

LAMMPS = Path(__file__).parents[1] / "engines/inputs/lj.lammps"


def compared(directory: Path, *rounds: tuple[float, float]) -> Comparison:
    """By round: what a rank computes in a step, one of four and one of two."""
    plan = Plan(("md",), (Variant("unchanged", Change()), Variant("half-the-ranks", Change(ranks=2))))
    runs: dict[int, list[str]] = {4: [], 2: []}
    for number, steps_s in enumerate(rounds):
        for ranks, step_s in zip(runs, steps_s, strict=True):
            runs[ranks].append(f"{number}/on{ranks}")
            computing(directory / str(number), ranks, step_s)
    made = assemble(plan, [], directory, {variant.name: () for variant in plan.variants}, End.CLEAR)
    rows = tuple(replace(row, runs=tuple(each)) for row, each in zip(made.rows, runs.values(), strict=True))
    return replace(made, rows=rows)


@pytest.mark.parametrize(
    ("rounds", "said"),
    [
        (((2.0, 1.0), (2.1, 1.0), (1.8, 1.0)), "2.00 times (1.80 to 2.10) as long by 4 ranks as by 2."),
        (((1.1, 1.0), (1.0, 1.0), (1.2, 1.0)), "1.10 times (1.00 to 1.20) as long by 4 ranks as by 2."),
    ],
)
def test_what_is_said_of_half(rounds: Any, said: str, tmp_path: Path) -> None:
    comparison = compared(tmp_path, *rounds)
    first, then = what_half_shows(comparison, comparison.rows[1])
    assert first == f"The same computing took {said}"
    assert ("clearway report" in then) == (rounds[0][0] == 2.0)
    assert ("do not slow each other down" in then) == (rounds[0][0] != 2.0)


def test_runs_without_records_are_said_to_be(tmp_path: Path) -> None:
    comparison = compared(tmp_path)
    [said] = what_half_shows(comparison, comparison.rows[1])
    assert "no records" in said


@pytest.fixture
def fix(open_mpi: Mpi, tmp_path: Path) -> Callable[..., str]:
    """What the command says of a job on two ranks, or as many as given."""

    def run(job: list[str], *options: str, ranks: int = 2) -> str:
        line = [
            clearway_tool("clearway"),
            "fix",
            "-q",
            "-o",
            f"fix-on-{ranks}",
            *options,
            "--",
            *open_mpi.command(ranks, job),
        ]
        outcome = run_command(line, open_mpi.environment, 100, tmp_path)
        assert outcome.exit_code == 0, outcome.says
        return " ".join(outcome.stdout.split())

    return run


@pytest.fixture
def lammps(tmp_path: Path) -> list[str]:
    if shutil.which("lmp") is None:
        pytest.skip("LAMMPS is not installed")
    shutil.copy(LAMMPS, tmp_path)
    return ["lmp", "-in", LAMMPS.name]


def test_a_real_job_would_run_on_half_of_its_ranks(fix: Callable[..., str], lammps: list[str]) -> None:
    said = fix(lammps, "--half", "--dry-run")
    line = said.partition("With half-the-ranks, to see whether ranks compete for memory bandwidth: ")[2]
    assert "-np 1 " in line


@pytest.mark.slow
def test_a_real_job_runs_on_half_of_its_ranks(fix: Callable[..., str], lammps: list[str]) -> None:
    assert "as long by 2 ranks as by 1." in fix(lammps, "--half", "--rounds", "3")


def test_of_a_program_whose_work_nobody_knows_it_cannot_be_told(
    fix: Callable[..., str], open_mpi: Mpi, programs: ProgramBuilder
) -> None:
    program = programs.build(open_mpi, "collective_loop", "collective_loop.c")
    said = fix([str(program), "alltoall", "8", "10"], "--half", "--dry-run")
    assert "half-the-ranks cannot be compared: the work may have changed with the number of ranks." in said
    said = fix([str(program), "alltoall", "8", "10"], "--half", "--dry-run", ranks=1)
    assert "half-the-ranks is not tried" in said
