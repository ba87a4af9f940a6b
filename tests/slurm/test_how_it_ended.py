"""How a job ended that Slurm ended: what the record cannot tell, Slurm says when it is asked."""

from __future__ import annotations

import json
import subprocess
import time
from pathlib import Path

import pytest
from harness.mpis import mpi
from harness.programs import ProgramBuilder
from harness.slurm import Person
from slurm.test_compare import until

from clearway.testbed.layout import HEAD


def ended(person: Person, lazy: Path, folder: Path, *options: str, cancelled: bool = False) -> None:
    """A job that would take long. Until Slurm has ended it."""
    script = f"#!/bin/sh\nexport LAZY_MS=100\nclearway run -q -o {folder} -- srun {lazy} 10000\n"
    (person.home / "endless.sh").write_text(script)
    number = person.types(f"sbatch --parsable --output=endless.out -N1 -n2 {' '.join(options)} endless.sh").strip()
    until(lambda: len(list(folder.glob("rank.*.cwr"))) == 2)
    if cancelled:
        person.types(f"scancel {number}")
    until(lambda: not person.types(f"squeue --noheader --jobs={number} --states=running,completing"), 150)


def pages(person: Person, folder: Path) -> list[str]:
    """Without asking, and asked."""
    return [" ".join(person.types(f"clearway report {folder} {how}").split()) for how in ("", "--ask-slurm")]


def test_cancelled(person: Person, lazy: Path, folder: Path) -> None:
    ended(person, lazy, folder, "--time=5", cancelled=True)
    plain, asked = pages(person, folder)
    assert "Slurm says that it was cancelled." in asked
    assert "cancelled" not in plain


@pytest.mark.slow
@pytest.mark.timeout(200)
def test_at_its_time_limit(person: Person, lazy: Path, folder: Path) -> None:
    """A minute is the shortest that Slurm knows."""
    ended(person, lazy, folder, "--time=1")
    _, asked = pages(person, folder)
    assert "Slurm stopped it at its time limit." in asked


def test_a_run_of_no_job(person: Person, lazy: Path, folder: Path) -> None:
    person.types(f"env -u SLURM_JOB_ID clearway run -q -o {folder} -- {lazy} 1")
    refused = person.do("clearway", "report", folder, "--ask-slurm")
    assert (refused.returncode, refused.stdout) == (1, "")
    assert "this Run does not belong to a Slurm job" in refused.stderr


@pytest.mark.timed
def test_suspended_for_a_while(person: Person, programs: ProgramBuilder, folder: Path) -> None:
    """For another job, as sites do: the page says that somebody stopped it, and for how long."""
    program = person.brings(programs.build(mpi("openmpi-debian"), "crowded", "crowded.c"))
    script = f"#!/bin/sh\nclearway run -q -o {folder} -- srun {program} 0.02 200\n"
    (person.home / "suspended.sh").write_text(script)
    number = person.types("sbatch --parsable --output=suspended.out -N1 -n2 --time=5 suspended.sh").strip()
    until(lambda: len(list(folder.glob("rank.*.cwr"))) == 2)

    time.sleep(2)  # it computes

    def told(action: str) -> None:
        subprocess.run(person.testbed.on_host(HEAD, ["scontrol", action, number]), check=True, timeout=30)

    told("suspend")
    time.sleep(4)
    told("resume")
    until(lambda: not person.types(f"squeue --noheader --jobs={number}"), 100)
    page = json.loads(person.types(f"clearway report {folder} --json -"))
    costs_s = [each["cost_s"] for each in page["findings"] if "stopped from outside (SIGSTOP)" in each["title"]]
    assert costs_s == [pytest.approx(4, abs=1.5)], page["findings"]
