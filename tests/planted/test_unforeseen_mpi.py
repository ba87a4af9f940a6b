"""Ways to lose time inside MPI, or by tools around it, that no rule was written for: each is named, its twin not."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from harness.mpis import Mpi, mpi
from harness.programs import ProgramBuilder
from harness.runs import load_facts, load_page, run_job
from planted.test_unforeseen import found

pytestmark = [pytest.mark.timed, pytest.mark.timeout(120)]

RANKS, STEPS, COMPUTE_S = 2, 20, 0.05
RULES = {"slow-calls", "made-again", "mpi-threads", "blocked"}
Page = dict[str, Any]
Planted = Callable[..., tuple[Page, float]]


@pytest.fixture
def planted(programs: ProgramBuilder, tmp_path: Path) -> Planted:
    """The page, and how long the rank that lost most took for what was planted."""

    def run(each: Mpi, kind: str, amount: float, *before: str, **environment: str) -> tuple[Page, float]:
        program = programs.build(each, "unforeseen_mpi", "unforeseen_mpi.c", flags=["-pthread"])
        words = [*before, str(program), kind, str(amount), str(tmp_path / "object"), str(STEPS), str(COMPUTE_S)]
        settings = {"TRUTH": str(tmp_path / "truth"), **environment}
        outcome = run_job(each, words, RANKS, tmp_path / "run", ["--sample-ms", "20"], settings)
        assert outcome.exit_code == 0, outcome.says
        truth = load_facts(tmp_path / "truth")
        return load_page(tmp_path / "run"), max(facts["lost_s"] for facts in truth.values())

    return run


def test_its_twin_has_none_of_this(planted: Planted, debian_mpi: Mpi) -> None:
    page, _ = planted(debian_mpi, "none", 0)
    assert not RULES & {one["rule"] for one in page["findings"]}, page["findings"]


@pytest.mark.alone  # where ranks lack cores, nothing is said of the MPI's work
def test_what_the_mpi_works_at_is_named(planted: Planted, open_mpi: Mpi) -> None:
    page, lost_s = planted(open_mpi, "operation", 0.03)
    assert 0.4 * lost_s < found(page, "slow-calls")["cost_s"] < 1.1 * lost_s


@pytest.mark.parametrize(
    ("kind", "amount"), [("communicators", 1500), pytest.param("windows", 200, marks=pytest.mark.slow)]
)
def test_what_is_made_in_each_step_is_named(planted: Planted, open_mpi: Mpi, kind: str, amount: float) -> None:
    page, lost_s = planted(open_mpi, kind, amount)
    assert 0.3 * lost_s < found(page, "made-again")["cost_s"] < 1.1 * lost_s  # the rest are waits for each other


def test_progress_threads_without_cores_of_their_own_are_named(planted: Planted) -> None:
    page, _ = planted(mpi("mpich-debian"), "none", 0, MPICH_ASYNC_PROGRESS="1")
    told = found(page, "mpi-threads")
    assert told["cost_s"] > 0.2 * page["job"]["wall_s"]
    assert [remedy["id"] for remedy in told["remedies"]] == ["no-progress-threads"]


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")
def test_a_tracer_is_named(planted: Planted, open_mpi: Mpi) -> None:
    page, _ = planted(open_mpi, "look-for-file", 0.05, "strace", "-f", "-o", "/dev/null")
    assert "being stopped by strace, which traces it" in found(page, "blocked")["says"]


@pytest.mark.skipif(shutil.which("qemu-x86_64") is None, reason="QEMU for programs (qemu-user) is not installed")
def test_an_emulator_is_named(planted: Planted, open_mpi: Mpi) -> None:
    page, _ = planted(open_mpi, "none", 0, "qemu-x86_64")
    assert found(page, "under-valgrind")["evidence"][0]["value"] == "qemu-x86_64"


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("valgrind") is None, reason="valgrind is not installed")
def test_valgrind_is_named(planted: Planted, open_mpi: Mpi) -> None:
    page, _ = planted(open_mpi, "none", 0, "valgrind", "-q")
    assert "vgpreload_core" in found(page, "under-valgrind")["evidence"][0]["value"]
