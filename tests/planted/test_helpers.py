"""A program that the job's script runs beside the launcher is the job's, and is named; anybody else's is not."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from harness.mpis import Mpi, clearway_tool
from harness.programs import ProgramBuilder
from harness.runs import load_page, run_command

from clearway.diagnosis.facts.counters import host_rise
from clearway.diagnosis.rules.foreign_load import OWN_TITLE
from clearway.run import load

pytestmark = [pytest.mark.timed, pytest.mark.timeout(120)]

CORE = min(os.sched_getaffinity(0))
# It ends with the job, whatever becomes of this test.
SCRIPT = """#!/bin/bash
{helper}
helper=$!
{launch}
code=$?
[ -z "$helper" ] || kill $helper
exit $code
"""
COMPRESSES = f"taskset -c {CORE} gzip -9 < /dev/zero > /dev/null &"


def page_of(
    mpi: Mpi, programs: ProgramBuilder, folder: Path, helper: str, whole_script: bool = False
) -> dict[str, Any]:
    """One rank on a core, as a script starts it. `whole_script`: that is recorded, shell and all."""
    program = programs.build(mpi, "turns", "turns.c")
    record = [clearway_tool("clearway-record"), "-o", folder / "run", "--"]
    bound = ["taskset", "-c", str(CORE)]
    record = [] if whole_script else record
    words = [*map(str, mpi.launcher), "-np", "1", *bound, *map(str, record), str(program), "together", "100", "0.02"]
    script = folder / "job.sh"
    script.write_text(SCRIPT.format(helper=helper, launch=shlex.join(words)))
    run = [clearway_tool("clearway"), "run", "-q", "-o", folder / "run", "--"] if whole_script else []
    outcome = run_command([*run, "bash", script], mpi.environment)
    assert outcome.exit_code == 0, outcome.says
    return load_page(folder / "run")


@contextlib.contextmanager
def strangers() -> Iterator[None]:
    other = subprocess.Popen(["sh", "-c", f"exec {COMPRESSES.rstrip(' &')}"])
    try:
        yield
    finally:
        other.kill()
        other.wait()


def load_of(page: dict[str, Any]) -> dict[str, Any]:
    [found] = [each for each in page["findings"] if each["rule"] == "foreign-load"]
    return found  # type: ignore[no-any-return]


def test_what_the_script_started_is_said_to_be_the_jobs(
    debian_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path
) -> None:
    found = load_of(page_of(debian_mpi, programs, tmp_path, COMPRESSES))
    assert re.search(r"gzip, which (the job's own|its) script started", found["says"])
    used = {one["what"]: float(one["value"].split()[0]) for one in found["evidence"] if "processors" in one["value"]}
    everybody, helpers = (next(used[what] for what in used if what.startswith(begin)) for begin in ("used", "of that"))
    assert (found["title"] == OWN_TITLE) == (helpers > 0.5 * everybody)  # this machine may have other load


def test_of_a_script_that_is_recorded_as_a_whole_too(debian_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path) -> None:
    """Then the shell that runs it has the host's record, and no launcher above it but `clearway run`."""
    found = load_of(page_of(debian_mpi, programs, tmp_path, COMPRESSES, whole_script=True))
    assert re.search(r"gzip, which (the job's own|its) script started", found["says"])


def test_what_somebody_else_started_is_not(debian_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path) -> None:
    with strangers():
        found = load_of(page_of(debian_mpi, programs, tmp_path, "helper="))
    assert found["title"] != OWN_TITLE
    assert "outside this job" in found["says"]
    assert "gzip" not in found["says"]


def test_what_the_script_waited_for_as_launcher_is_none(
    debian_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path
) -> None:
    """When a launcher ends, the kernel adds the CPU time of its ranks to that of the script's children."""
    page_of(debian_mpi, programs, tmp_path, "sleep 100 &", whole_script=True)
    [host] = load(tmp_path / "run").hosts
    assert host_rise(host, "helpers.cpu_ms") < 500  # of the 2,000 that the rank computes


def test_a_script_without_helpers_has_none(debian_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path) -> None:
    page = page_of(debian_mpi, programs, tmp_path, "sleep 100 &")
    assert OWN_TITLE not in [each["title"] for each in page["findings"]]
