"""Which clock times are taken from, that one which steps back does no harm, and whose thread's times are the rank's."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from harness.mpis import REPOSITORY, Mpi
from harness.programs import ProgramBuilder
from harness.runs import load_page, run_job

from clearway.run import load


@pytest.fixture(scope="module")
def chosen(tmp_path_factory: pytest.TempPathFactory) -> Path:
    program = tmp_path_factory.mktemp("clock") / "driver"
    native = REPOSITORY / "native"
    sources = [REPOSITORY / "tests" / "native" / "clock_driver.cpp", native / "recorder" / "clock.cpp"]
    subprocess.run(
        ["c++", "-std=c++20", "-D_GNU_SOURCE", "-O1", f"-I{native}", *sources, "-o", program], check=True, timeout=100
    )
    return program


@pytest.mark.parametrize(
    ("invariant", "sources", "clock"),
    [
        ("1", "tsc kvm-clock \n", "counter"),
        ("1", "kvm-clock tsc acpi_pm\n", "counter"),
        ("1", "", "counter"),  # a container that hides /sys
        ("0", "tsc hpet acpi_pm\n", "monotonic"),
        ("1", "hpet acpi_pm\n", "monotonic"),  # the kernel saw it drift
        ("1", "hyperv_clocksource_tsc_page acpi_pm\n", "monotonic"),
        ("1", "tsc-early hpet\n", "monotonic"),
    ],
)
def test_counter_is_used_where_it_is_steady(chosen: Path, invariant: str, sources: str, clock: str) -> None:
    said = subprocess.run([chosen, invariant, sources], capture_output=True, text=True, check=True, timeout=10)
    assert said.stdout.strip() == clock


def numbers_of(page: Any) -> Iterator[float]:
    """All numbers of a page, however deep."""
    if isinstance(page, dict):
        for value in page.values():
            yield from numbers_of(value)
    elif isinstance(page, list):
        for value in page:
            yield from numbers_of(value)
    elif isinstance(page, int | float):
        yield float(page)


def test_clock_that_steps_back_makes_no_century(debian_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path) -> None:
    program = programs.build(debian_mpi, "steps_back", "clock_steps_back.c", flags=["-Wl,--export-dynamic"])
    settings = {"SCRATCH": str(tmp_path), "CLEARWAY_CLOCK": "monotonic"}
    bare = run_job(debian_mpi, [program], environment=settings)
    recorded = run_job(debian_mpi, [program], run_directory=tmp_path / "run", environment=settings)
    assert recorded.exit_code == bare.exit_code == 0, recorded.says
    assert recorded.lines == bare.lines
    run = load(tmp_path / "run")
    said = [fact["text"].decode() for fact in run.facts.data if fact["name"].decode() == "clock.ticks"]
    assert said == ["CLOCK_MONOTONIC"] * 2
    a_day_ns = 86_400e9
    for cells, names in (
        (run.files.data, ("read_ticks", "write_ticks", "seek_ticks", "open_ticks", "close_ticks")),
        (run.threads.data, ("io_ticks", "run_delay_ns", "cpu_ns", "blocked_outside_ns", "run_delay_in_mpi_ns")),
    ):
        for name in names:
            assert float(cells[name].max()) < a_day_ns, name
    calls = next(row for row in load_page(tmp_path / "run")["mpi_calls"] if row["function"] == "MPI_Allreduce")
    assert calls["count"] == 6000
    assert all(number < 1e15 for number in numbers_of(load_page(tmp_path / "run")["mpi_calls"]))


def test_times_are_those_of_the_thread_that_started_mpi(
    debian_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path
) -> None:
    program = programs.build(debian_mpi, "init_in_thread", "init_in_thread.c")
    recorded = run_job(debian_mpi, [program], run_directory=tmp_path / "run", environment={"SCRATCH": str(tmp_path)})
    assert recorded.exit_code == 0, recorded.says
    said = {int(line.split()[3]) for line in recorded.lines if "thread" in line}
    threads = load(tmp_path / "run").threads.data
    assert {int(thread["tid"]) for thread in threads if thread["is_main"]} == said
    assert len(said) == 2
