"""A job to be recorded: what runs, on how many ranks, where, and what is different about it."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from clearway.job.change import Change, changed
from clearway.testbed import Shape, Testbed, find_mpi
from clearway.testbed.job import Ended, run_job
from clearway.testbed.layout import HEAD
from diagnosis.building import build_limits, build_shared_work, build_teams, build_workload
from diagnosis.others import witness

WORKLOAD = "workload"  # as a program: benchmarks/diagnosis/workload, built for the job's MPI
TEAMS = "teams"  # likewise tests/programs/teams.c
LIMITS = "limits"  # likewise tests/programs/limits.c
SHARED_WORK = "shared-work"  # likewise benchmarks/diagnosis/workload/shared_work.c
BUILT = {WORKLOAD: build_workload, TEAMS: build_teams, LIMITS: build_limits, SHARED_WORK: build_shared_work}
LIMIT_S = 120
TRIES = 2  # MPICH 4.0 over UCX hangs in MPI_Finalize now and then
STEPS = re.compile(r"(\d+) steps on \d+ ranks: ([\d.]+) ms a step")
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}

Seen = tuple[Ended, float | None]  # and how many cores others used meanwhile

Surroundings = Callable[[Path, Testbed | None], AbstractContextManager[object]]


@contextlib.contextmanager
def nothing_else(_folder: Path, _testbed: Testbed | None) -> Iterator[None]:
    yield


@dataclass(frozen=True, kw_only=True)
class Job:
    """Without a shape it runs on this machine itself."""

    program: tuple[str, ...]
    ranks: int = 2  # on this machine
    shape: Shape | None = None
    per_host: int | tuple[int, ...] = 1  # ranks, on a testbed
    device: str | None = None  # the card that the MPI is told to use
    change: Change = field(default_factory=Change)
    outer: tuple[str, ...] = ()  # words before the launcher's
    prepare: Callable[[Path], None] | None = None  # puts input files into the working directory
    around: Surroundings = nothing_else  # what else is the case while it runs


@dataclass(frozen=True, slots=True)
class Ran:
    """What a job left behind."""

    run: Path  # the Run directory
    stepping_s: float | None  # all steps together, as the workload itself measured them
    others_cores: float | None  # that others used meanwhile


class JobFailedError(Exception):
    """A job of the suite did not do what it should have done anyway."""


def workload(options: str) -> tuple[str, ...]:
    return (WORKLOAD, *options.split())


def teams(arguments: str, waiting: str = "passive") -> dict[str, Any]:
    """One rank of two threads, as arguments of a Job: "gcc" or "pthread", steps, and what each computes in a step."""
    threads = (("OMP_NUM_THREADS", "2"), ("OMP_WAIT_POLICY", waiting))
    change = Change(launcher_options=("--bind-to", "none"), environment=threads)
    return {"program": (TEAMS, *arguments.split()), "ranks": 1, "change": change}


def run(job: Job, mpi: str, folder: Path) -> Ran:
    """Runs it with `folder`, which is made anew, as its working directory."""
    for _ in range(TRIES):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        if job.prepare is not None:
            job.prepare(folder)
        ended, others_cores = _on_testbed(job, mpi, folder) if job.shape else _here(job, mpi, folder)
        if not ended.timed_out:
            break
    (folder / "stdout").write_text(ended.stdout)
    (folder / "stderr").write_text(ended.stderr)
    if ended.returncode != 0:
        what = f"took more than {LIMIT_S} s" if ended.timed_out else f"ended with {ended.returncode}"
        end = "\n".join((ended.stdout + ended.stderr).splitlines()[-15:])
        raise JobFailedError(f"{' '.join(job.program)} {what}; its output is in {folder}\n{end}")
    said = STEPS.search(ended.stdout)
    stepping_s = int(said[1]) * float(said[2]) * 1e-3 if said else None
    return Ran(folder / "run", stepping_s, others_cores)


def _on_testbed(job: Job, mpi: str, folder: Path) -> Seen:
    assert job.shape is not None
    with Testbed(job.shape) as testbed, job.around(folder, testbed), contextlib.chdir(folder):
        command, environment = testbed.command(find_mpi(mpi), _program(job, mpi), job.per_host, ONE_THREAD, job.device)
        head = testbed.on_host(HEAD, [])
        return _recorded(job, [*head, *job.outer], command[len(head) :], environment, folder)


def _here(job: Job, mpi: str, folder: Path) -> Seen:
    found = find_mpi(mpi)
    environment = {**os.environ, **found.environment, **ONE_THREAD}
    oversubscribe = ["--oversubscribe"] if mpi == "openmpi" and job.ranks > (os.cpu_count() or 1) else []
    command = [str(found.launcher), *oversubscribe, "-np", str(job.ranks), *_program(job, mpi)]
    with job.around(folder, None), contextlib.chdir(folder):
        return _recorded(job, [*job.outer], command, environment, folder)


def _program(job: Job, mpi: str) -> list[str]:
    return [str(BUILT[word](mpi)) if word in BUILT else word for word in job.program]


def _recorded(job: Job, before: list[str], command: list[str], environment: Mapping[str, str], folder: Path) -> Seen:
    """As a person would: `clearway run` before the launcher."""
    clearway = [sys.executable, "-m", "clearway", "run", "-q", "-o", str(folder / "run"), "--"]
    words = [*before, *clearway, *changed(command, job.change, environment)]
    with witness() as seen:
        ended = run_job([*seen.inside, *words], environment, LIMIT_S, passes_output=False, kill_rest=lambda: None)
    return ended, seen.others_cores
