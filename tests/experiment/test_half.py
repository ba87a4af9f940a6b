"""`clearway fix --half`: a job on half of its ranks shows whether ranks slow each other down."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from experiment.test_fix import fix, open_mpi  # noqa: F401  (a fixture)
from harness.mpis import Mpi
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


def test_a_real_job_runs_on_half_of_its_ranks(open_mpi: Mpi, tmp_path: Path) -> None:  # noqa: F811
    """Asked for, and by itself where there is nothing else to try; not of a program whose work nobody knows."""
    if shutil.which("lmp") is None:
        pytest.skip("no LAMMPS")
    command = ["--", *open_mpi.command(2, ["lmp", "-log", tmp_path / "log.lammps", "-in", LAMMPS])]
    asked = fix(open_mpi, "--half", "--rounds", "3", "--remedy", "flow", "-o", tmp_path / "asked", *command)
    assert asked.exit_code == 0, asked.says
    assert "With half-the-ranks, to see whether ranks compete for memory bandwidth:" in asked.stdout
    assert "as long by 2 ranks as by 1." in asked.stdout
    unknown = ["--", *open_mpi.command(2, ["sh", "-c", "exec lmp -log none -in $0", LAMMPS])]
    told = fix(open_mpi, "--half", "--dry-run", "--remedy", "flow", "-o", tmp_path / "unknown", *unknown)
    assert told.exit_code == 0, told.says
