"""What-if compared with the real thing: the same job, run without what was planted in the other.

Two runs that are compared line by line need the cores for themselves, which `make test` does not give them.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from harness.mpis import Mpi, clearway_tool
from harness.programs import ProgramBuilder
from harness.runs import run_job

from clearway.diagnosis.facts import open_case
from clearway.ledger.account import LINES
from clearway.predict.what_if.answer import Answer
from clearway.predict.what_if.asked import change_asked
from clearway.predict.what_if.counterfactual import answer
from clearway.run import load

WITHIN = 0.1  # of the twin's wall-clock
NOT_ASKED = {"network": None, "balance": None, "files": None, "no_foreign_load": False, "cores": None}
# Each rank on a core of its own.
BOUND = ["sh", "-c", 'exec taskset -c "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" "$@"', "sh"]


def what_if(run: Path, **asked: object) -> Answer:
    case = open_case(load(run))
    return answer(case, *change_asked(case, **{**NOT_ASKED, **asked}))  # type: ignore[arg-type]


def assert_like_the_twin(made: Answer, twin: Path) -> None:
    """Starting and stopping MPI takes as long as it takes, here and there: it is left out on both sides."""
    ledger = open_case(load(twin)).books.ledger
    wall_s = sum(float(ledger[line].mean()) for line in LINES if line != "other_s")
    what_if_s = {one.line: one.what_if_s for one in made.lines if one.line != "other_s"}
    assert sum(what_if_s.values()) == pytest.approx(wall_s, rel=WITHIN)
    for line, seconds in what_if_s.items():
        assert seconds == pytest.approx(float(ledger[line].mean()), abs=WITHIN * wall_s), line


@contextmanager
def another_program(processor: int) -> Iterator[None]:
    """That always wants this processor."""
    command = ["taskset", "-c", str(processor), sys.executable, "-c", "while True: pass"]
    with subprocess.Popen(command) as busy:
        try:
            yield
        finally:
            busy.kill()


def script(folder: Path, name: str, computing_ns: tuple[int, int]) -> Path:
    path = folder / name
    ranks = [f"rank {rank}\ncompute {compute_ns}" for rank, compute_ns in enumerate(computing_ns)]
    calls = "rank 0-1\nsendrecv +1 9000 -1 9000\nallreduce 64\nbcast 0 20000"
    path.write_text("\n".join(["clearway-script 1", f"title {name}", "ranks 2", "steps 150", *ranks, calls]) + "\n")
    return path


@pytest.mark.slow
@pytest.mark.timed
def test_even_computing(debian_mpi: Mpi, tmp_path: Path) -> None:
    for name, computing_ns in (("uneven", (5_000_000, 15_000_000)), ("even", (10_000_000, 10_000_000))):
        program = [clearway_tool("clearway-workload"), script(tmp_path, f"{name}.script", computing_ns)]
        outcome = run_job(debian_mpi, [*BOUND, *program], 2, tmp_path / name)
        assert outcome.exit_code == 0, outcome.says
    made = what_if(tmp_path / "uneven", balance="perfect")
    assert made.gain_s > 0.1 * made.wall_s
    assert_like_the_twin(made, tmp_path / "even")


@pytest.mark.slow
@pytest.mark.timed
@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="needs two processors")
def test_no_foreign_load(debian_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path) -> None:
    program = [*BOUND, programs.build(debian_mpi, "crowded", "crowded.c"), "0.02", "60"]
    truth = {"TRUTH": str(tmp_path / "truth")}
    with another_program(0):
        outcome = run_job(debian_mpi, program, 2, tmp_path / "crowded", environment=truth)
    assert outcome.exit_code == 0, outcome.says
    outcome = run_job(debian_mpi, program, 2, tmp_path / "alone", environment=truth)
    assert outcome.exit_code == 0, outcome.says
    made = what_if(tmp_path / "crowded", no_foreign_load=True)
    assert made.gain_s > 0.3 * made.wall_s
    assert_like_the_twin(made, tmp_path / "alone")
