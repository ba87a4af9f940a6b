"""Threads that compute, wait for each other and are idle for known times: what the program measured is the truth.

Under GCC's OpenMP runtime, asleep while they wait and spinning, under LLVM's and Intel's, and with POSIX threads.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from harness.mpis import Mpi
from harness.openmp import build_with
from harness.programs import ProgramBuilder
from harness.runs import load_facts, load_page, run_job

STEPS = 40
LINES = ("compute_s", "core_wait_s", "team_wait_s", "serial_s", "elsewhere_s", "beside_s", "mpi_threads_s", "unused_s")
KINDS = ("gcc-passive", "gcc-active", "llvm", "pthread")
Planted = Callable[..., tuple[dict[str, Any], dict[str, Any]]]


def environment_of(kind: str) -> dict[str, str]:
    return {"OMP_NUM_THREADS": "2", "OMP_WAIT_POLICY": "active" if kind == "gcc-active" else "passive"}


@pytest.fixture
def planted(open_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path) -> Planted:
    """Runs one rank; gives the page, and what was measured."""

    def run(kind: str, *arguments: float) -> tuple[dict[str, Any], dict[str, Any]]:
        program = [build_teams(kind, programs, open_mpi), kind, STEPS, *arguments]
        environment = {"TRUTH": str(tmp_path / "truth"), **environment_of(kind)}
        outcome = run_job(open_mpi, [str(word) for word in program], 1, tmp_path / "run", environment=environment)
        assert outcome.exit_code == 0, outcome.says
        return load_page(tmp_path / "run"), load_facts(tmp_path / "truth")[0]

    return run


def build_teams(kind: str, programs: ProgramBuilder, mpi: Mpi) -> Path:
    if kind == "pthread":
        return programs.build(mpi, "teams-pthread", "teams.c")
    runtime = kind.partition("-")[0]
    return build_with(runtime, programs, mpi, f"teams-{runtime}", "teams.c")


def rules(page: dict[str, Any]) -> list[str]:
    return [found["rule"] for found in page["findings"]]


@pytest.mark.timed
@pytest.mark.parametrize("kind", [*KINDS, pytest.param("intel", marks=pytest.mark.slow)])
def test_the_lines_are_what_the_program_measured(planted: Planted, kind: str) -> None:
    page, truth = planted(kind, 0.02, 0.01, 0.01)
    cores, ledger = page["cores"], page["ledger"]
    assert cores["fewest_threads"] == cores["most_threads"] == 2
    assert sum(cores[name] for name in (*LINES, "residue_s")) == pytest.approx(cores["given_s"])
    assert abs(cores["residue_s"]) < 0.02 * cores["given_s"]
    main_s = ledger["compute_s"] - truth["first_spin_s"]
    assert cores["compute_s"] == pytest.approx(main_s + truth["others_cpu_s"], rel=0.05, abs=0.05)
    if kind == "pthread":  # who computes alone, and who waits, looks the same to the kernel
        return
    waited_s = truth["first_wait_s"] + truth["others_wait_s"]
    assert cores["team_wait_s"] == pytest.approx(waited_s, rel=0.05, abs=0.05)
    assert cores["told_by"] == "OpenMP runtime"
    regions_s, all_cpu_s = (sum(each[name] for each in page["strip"]) for name in ("parallel_s", "cpu_s"))
    assert regions_s == pytest.approx(truth["region_s"], rel=0.02)
    computing_s = ledger["compute_s"] + truth["others_cpu_s"]
    if kind == "gcc-active":  # the other thread spins between regions, too
        assert computing_s - 0.3 < all_cpu_s < cores["given_s"]
    else:
        assert all_cpu_s == pytest.approx(computing_s, rel=0.1, abs=0.3)
    # Also before the first region, and after the last.
    assert cores["serial_s"] == pytest.approx(truth["alone_s"], rel=0.1, abs=0.25)


# How much of its processor time a thread spins away is known the worse the less of a core it gets.
@pytest.mark.parametrize(
    "kind",
    [
        KINDS[0],
        pytest.param(KINDS[1], marks=[pytest.mark.slow, pytest.mark.timed]),
        KINDS[2],
        pytest.param("intel", marks=pytest.mark.slow),
    ],
)
def test_uneven_shares_are_found(planted: Planted, kind: str) -> None:
    """As much as the processor time differs by, which does not depend on who else wants the cores; never more."""
    first_s, others_s = 0.01, 0.03
    page, truth = planted(kind, first_s, others_s, 0.0)
    found = next(each for each in page["findings"] if each["rule"] == "thread-imbalance")
    assert "serial-section" not in rules(page)
    waited_s = (truth["first_wait_s"] + truth["others_wait_s"]) / 2
    # The recorder reads processor times in every few milliseconds only, and the smaller of two figures is the cost:
    # 0.95 of it and more beside seven busy loops, but 0.7 was seen once.
    even_s = STEPS * (others_s - first_s) / 2
    assert 0.5 * min(even_s, waited_s) < found["cost_s"] < 1.15 * waited_s


@pytest.mark.timed
@pytest.mark.parametrize(
    "kind", [KINDS[0], *(pytest.param(kind, marks=pytest.mark.slow) for kind in KINDS[1:3]), KINDS[3]]
)
def test_one_that_computes_alone_is_found(planted: Planted, kind: str) -> None:
    page, truth = planted(kind, 0.015, 0.015, 0.03)
    found = next(each for each in page["findings"] if each["rule"] == "serial-section")
    assert "thread-imbalance" not in rules(page)
    assert found["cost_s"] == pytest.approx(truth["alone_cpu_s"] / 2, rel=0.25, abs=0.1)


@pytest.mark.timed
@pytest.mark.parametrize("kind", [KINDS[1], *(pytest.param(KINDS[each], marks=pytest.mark.slow) for each in (0, 2))])
def test_even_threads_that_work_all_the_time_are_no_finding(planted: Planted, kind: str) -> None:
    page, _ = planted(kind, 0.03, 0.03, 0.0)
    assert not {"thread-imbalance", "serial-section", "idle-allocation"} & set(rules(page)), page["findings"]


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_a_schedule_that_is_left_to_the_environment(
    compiler: str, open_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """LLVM's runtime gives the second thread the second half of the loop, unless OMP_SCHEDULE says otherwise."""
    if shutil.which(compiler) is None:
        pytest.skip("needs clang")
    monkeypatch.setenv("OMPI_CC", compiler)
    program = build_with("llvm", programs, open_mpi, f"uneven-loop-{compiler}", "uneven_loop.c")
    offered = {}
    for schedule in ({}, {"OMP_SCHEDULE": "dynamic"}):
        run = tmp_path / f"run{len(schedule)}"
        environment = {**environment_of("llvm"), **schedule}
        outcome = run_job(open_mpi, [str(program), "40", "32", "0.002"], 1, run, environment=environment)
        assert outcome.exit_code == 0, outcome.says
        found = [each for each in load_page(run)["findings"] if each["rule"] == "thread-imbalance"]
        offered[bool(schedule)] = [remedy["id"] for each in found for remedy in each["remedies"]]
    assert "dynamic-schedule" in offered[False]
    assert "dynamic-schedule" not in offered[True]
