"""What ran, and how whole its record is."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import PurePosixPath

from clearway.base.errors import ClearwayError
from clearway.base.older_python import UTC
from clearway.job.batch import BatchJob, batch_job, tells_of_one_host
from clearway.job.recorded_command import find_programs
from clearway.job.which_launcher import identify_recorded
from clearway.ledger import Account
from clearway.ledger.starting import launched_size
from clearway.run import Run
from clearway.run.layout import State


@dataclass(frozen=True, slots=True)
class Job:
    """What ran, and how whole its record is."""

    directory: str
    program: str  # name of the program, without its folder
    command: str  # its command line on rank 0 (text from the job: escape it)
    mpi_library: str
    ranks: int  # records found
    ranks_expected: int  # size of MPI_COMM_WORLD
    hosts: int
    started_at: str  # ISO 8601, UTC
    wall_s: float  # longest rank
    complete: bool  # every expected rank has a record and ended through exit
    exit_code: int | None
    notes: tuple[str, ...] = ()  # what is missing, cut, dropped or estimated, one sentence each
    batch: BatchJob | None = None  # the batch job; None without a batch system
    clock_error_s: float | None = None  # largest error of aligning the hosts' clocks; 0 on one host, None if unknown


def _launched(command: Sequence[str]) -> str:
    """The program in a launcher's command line, for a record without room for its name."""
    try:
        return find_programs(command, os.environ, identify_recorded).program
    except ClearwayError:  # a Run may be looked at where its launcher is not installed
        return command[0]


def describe_job(run: Run, books: Account) -> Job:
    """The job as a whole. Texts come from the job: renderers escape them."""
    command = _of_first(run, "process.command_line")
    program = _of_first(run, "process.program")
    if not program and run.launch and run.launch.command:
        program = _launched(run.launch.command)
    expected = expected_ranks(run)
    states = run.processes["state"]
    complete = len(run.processes) == expected and bool((states == State.EXITED).all())
    began = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=min(run.realtime_zero_ns, _YEAR_9000_NS) // 1000)
    return Job(
        directory=str(run.directory),
        program=PurePosixPath(program).name,
        command=command or (" ".join(run.launch.command) if run.launch else ""),
        mpi_library=_of_first(run, "mpi.library"),
        ranks=len(run.processes),
        ranks_expected=expected,
        hosts=len(run.host_names),
        started_at=began.isoformat(timespec="seconds"),
        wall_s=float(books.ledger["wall_s"].max()),
        complete=complete,
        exit_code=_exit_code(run, complete),
        batch=batch_of(run),
        clock_error_s=run.clock_error_s,
    )


_YEAR_9000_NS = 221_845_392_000 * 10**9


def expected_ranks(run: Run) -> int:
    """Size of MPI_COMM_WORLD; while all are in MPI_Init, what the launcher told; else the processes found."""
    return max(int(run.processes["world_size"][0]), launched_size(run), len(run.processes))


def _of_first(run: Run, name: str) -> str:
    """A fact of the first rank that has it."""
    return next(iter(sorted(run.fact(name).items())), (0, ""))[1]


def _exit_code(run: Run, complete: bool) -> int | None:
    if run.launch and run.launch.exit_code is not None:
        return run.launch.exit_code
    codes = run.processes["exit_code"].tolist()
    return max(codes, key=abs) if complete else None


BATCH_FACT = "batch."


def batch_of(run: Run) -> BatchJob | None:
    """From what the first ranks' host found, else from what the recording command did, else from the ranks' own."""
    by_hosts = [
        {name.removeprefix(BATCH_FACT): told for name, told in host.facts.items() if name.startswith(BATCH_FACT)}
        for host in sorted(run.hosts, key=lambda host: host.name != run.host_names[0])
    ]
    by_hosts.sort(key=tells_of_one_host)  # who tells of all of it first
    of_ranks = {name: _of_first(run, f"environment.{name}") for name in ("SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID")}
    for told in (*by_hosts, run.launch.batch if run.launch else {}, of_ranks):
        found = batch_job(told)
        if found is not None:
            return found
    return None
