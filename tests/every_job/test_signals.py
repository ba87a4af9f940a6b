"""What a signal did to a step that the plugin recorded stands on its page: no process can record its own end."""

from __future__ import annotations

import os
import signal
from collections.abc import Sequence
from pathlib import Path

import pytest
from every_job.cluster import Cluster, wait_for

from clearway.base.errors import ClearwayError
from clearway.run.layout import State
from clearway.run.reader import open_record
from clearway.testbed.kernel import processes_in

TURNS = 6000  # a minute
SPOOL = "/dev/shm/clearway"


ON_ONE = ("-N1", "-n2", "-w", "node1")
A_SHELL = "sh -c '\"$@\"; exit $?' sh"


def begun(
    cluster: Cluster, launch: str, ranks: int, spool: str = SPOOL, options: Sequence[str] = ON_ONE, step: str = "0"
) -> tuple[str, dict[int, int]]:
    """The job of a batch script whose ranks are at work; and their process ids."""
    (cluster.home / "job.sh").write_text(f"#!/bin/sh\n{launch}\n")
    job = cluster.run("sbatch", "--parsable", *options, "job.sh").stdout.strip()
    found: dict[int, int] = {}

    def are_at_work() -> bool:
        for host in cluster.testbed.layout.hosts:
            found.update(at_work(cluster, f"{job}.{step}", spool, host.name))
        return len(found) == ranks

    wait_for(are_at_work, "ranks at work")
    return job, found


def at_work(cluster: Cluster, step: str, spool: str = SPOOL, host: str = "node1") -> dict[int, int]:
    """Their process ids by rank. The node's memory is its own, as its processes see it."""
    found = {}
    for pid in processes_in([cluster.testbed.layout.namespace(host)]):
        for path in Path(f"/proc/{pid}/root{spool}/{step}").glob("rank.*.cwr"):
            try:
                header = open_record(path).header
            except (ClearwayError, OSError):
                continue  # it is just being made
            if header["state"] == State.RUNNING and header["rank"] >= 0:
                found[int(header["rank"])] = int(header["pid"])
        if found:
            break
    return found


def page_of(cluster: Cluster, job: str, *options: str, step: str = "0") -> str:
    """When it has ended."""
    try:
        wait_for(lambda: not cluster.run("squeue", "-h", "-j", job, user=None).stdout.strip(), f"end of job {job}")
    except AssertionError:
        cluster.take_out(job)
        raise
    page = cluster.clearway("report", *options, f"{job}.{step}")
    assert page.returncode == 0, page
    return " ".join(page.stdout.split())


@pytest.mark.parametrize("name", ["USR1", "TERM"])
def test_a_signal_to_the_job(cluster: Cluster, late_openmpi: Path, name: str) -> None:
    job, _ = begun(cluster, f"srun --mpi=pmix -n2 {late_openmpi} {TURNS}", 2)
    cluster.run("scancel", "-s", name, job)
    number = signal.Signals[f"SIG{name}"]
    assert f"Signal {number.value} (SIG{name}) ended all 2 ranks." in page_of(cluster, job)


@pytest.mark.parametrize("around", ["", A_SHELL])
def test_a_signal_to_one_rank(cluster: Cluster, late: Path, around: str) -> None:
    """Whatever srun does to the others. A shell around a rank ends with the signal's number."""
    job, pids = begun(cluster, f"srun -K1 -n2 {around} {late} {TURNS}", 2)
    os.kill(pids[1], signal.SIGSEGV)
    page = page_of(cluster, job)
    assert "Rank 1 on node1 was ended by signal 11 (SIGSEGV) after " in page, page
    assert "1 other was ended without an exit code." in page, page
    listed = cluster.clearway("list", str(cluster.folder / f"{job}.0"))
    assert "SIGSEGV in rank 1" in listed.stdout, listed


@pytest.mark.parametrize("around", ["", A_SHELL])
def test_a_signal_to_one_rank_of_mpirun(cluster: Cluster, launch: str, around: str) -> None:
    """Slurm started mpirun's daemon there, and nobody else knows how the rank ended."""
    mpirun, program = launch.replace("RANKS", "4").rsplit(" ", 1)
    options = ("-N2", "-n4", "--ntasks-per-node=2")
    job, pids = begun(cluster, f"{mpirun} {around} {program} {TURNS}", 4, SPOOL, options, "batch/mpirun1")
    os.kill(pids[3], signal.SIGSEGV)
    page = page_of(cluster, job, step="mpirun1")
    assert "Rank 3 on node2 was ended by signal 11 (SIGSEGV) after " in page, page


def test_a_step_that_ends_well_tells_of_no_signal(cluster: Cluster, late: Path) -> None:
    job = cluster.script(f"srun -n2 {late}\n", "-n2")
    assert "ignal" not in page_of(cluster, str(job)).partition("Findings")[0]
