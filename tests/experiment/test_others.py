"""Other programs beside the runs of a comparison are told, and what a job itself uses is not theirs."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from experiment.made_samples import compared, figures, plan_of, samples_of
from harness.mpis import Mpi, clearway_tool
from harness.programs import ProgramBuilder
from harness.runs import run_command

from clearway.experiment.conclusions import closing_words
from clearway.experiment.others import Others, others_beside, said_of


def beside(*cores: float | None) -> Others | None:
    return others_beside([replace(figures(1.0), others_cores=each) for each in cores])


@pytest.mark.parametrize(
    ("cores", "said"),
    [
        ((), ""),
        ((None, None), ""),
        ((0.05, 0.1), ""),
        ((0.1, 0.5), "Other programs used 0.3 cores meanwhile (0.5 in one of the runs). That can make runs differ"),
        ((1.0, None), "Other programs used 1.0 core meanwhile. That can make runs differ"),
    ],
)
def test_what_is_said_of_other_programs(cores: tuple[float | None, ...], said: str) -> None:
    assert " ".join(said_of(beside(*cores))).startswith(said)
    assert bool(list(said_of(beside(*cores)))) == bool(said)


def test_on_a_testbed_others_are_part_of_it() -> None:
    plan = plan_of("A", "B")
    samples = [replace(one, figures=replace(one.figures, others_cores=1.5)) for one in
               samples_of({"A": [1.0, 1.0], "B": [1.0, 1.0]}) if one.figures]  # fmt: skip
    assert "Other programs used 1.5 cores" in " ".join(closing_words(compared(plan, samples)))
    assert compared(replace(plan, testbed="--hosts 2"), samples).others is None


def test_a_program_beside_real_runs(open_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path) -> None:
    """The ranks sleep: what is used of the cores is used by others."""
    program = programs.build(open_mpi, "lazy_ring", "lazy_ring.c")
    command = [clearway_tool("clearway"), "compare", "--bare", "--rounds", "3", "--no-warm-up", "-q", "--json", "-",
               "-o", tmp_path / "c", "--", *open_mpi.command(2, [program, "20"])]  # fmt: skip
    with subprocess.Popen([sys.executable, "-c", "while True: pass"]) as busy:
        try:
            outcome = run_command(command, {**open_mpi.environment, "LAZY_MS": "30"}, timeout_s=110)
        finally:
            busy.kill()
    assert outcome.exit_code == 0, outcome.says
    others = json.loads(outcome.stdout)["others"]
    assert others["mean"] > 0.3
