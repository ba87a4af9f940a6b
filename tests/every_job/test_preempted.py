"""A job that gives way to another of higher priority, and is started again, is two Runs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from every_job.cluster import Cluster, wait_for
from every_job.test_signals import at_work

PARTITIONS = (
    "PreemptType=preempt/partition_prio",
    "PreemptMode=REQUEUE",
    "PartitionName=patient Nodes=ALL PriorityTier=1 MaxTime=INFINITE State=UP",
    "PartitionName=urgent Nodes=ALL PriorityTier=9 MaxTime=INFINITE State=UP",
)
SCRIPT = """#!/bin/sh
turns=6000
[ -z "$SLURM_RESTART_COUNT" ] || turns=3
srun -n2 {program} $turns
"""


@pytest.fixture(scope="module")
def preempting(cluster: Cluster) -> Iterator[Cluster]:
    with cluster.own_settings():
        cluster.restart_controller(PARTITIONS)
        yield cluster


def preempted(cluster: Cluster, program: Path) -> list[str]:
    """The Runs of a job that gave way while its ranks were at work, and ended well when it was started again."""
    where = ["sbatch", "--parsable", "-w", "node1", "-N1", "--exclusive"]
    (cluster.home / "job.sh").write_text(SCRIPT.format(program=program))
    job = cluster.run(*where, "--requeue", "-p", "patient", "-n2", "job.sh").stdout.strip()
    wait_for(lambda: len(at_work(cluster, f"{job}.0")) == 2, "ranks at work")
    cluster.run(*where, "-p", "urgent", "--wrap", "true")

    def state() -> str:
        return cluster.run("scontrol", "show", "job", job, user=None).stdout

    def ended() -> bool:
        return re.search("JobState=(COMPLETED|FAILED|CANCELLED|TIMEOUT|NODE_FAIL)", state()) is not None

    cluster.starts_again(job)
    wait_for(ended, f"end of job {job}", 90)
    assert "JobState=COMPLETED" in state(), state()
    return [name for name in cluster.runs() if name.startswith(f"{job}.")]


def page_of(cluster: Cluster, run: str, *options: str) -> str:
    page = cluster.clearway("report", *options, str(cluster.folder / run))
    assert page.returncode == 0, page
    return " ".join(page.stdout.split())


@pytest.mark.timeout(200)
def test_it_is_two_runs(preempting: Cluster, late: Path) -> None:
    """Without accounting Slurm forgets how a start of a job ended when it starts it again: that is not made up. Only
    that it was started again is known.
    """
    first, second = preempted(preempting, late)
    assert second == f"{first}-2"
    page = page_of(preempting, first)
    assert "(SIGTERM) ended all 2 ranks." in page, page
    page = page_of(preempting, first, "--ask-slurm")
    assert "Slurm put it back into the queue." in page, page
    assert "Slurm stopped it" not in page
    for options in ([], ["--ask-slurm"]):
        page = page_of(preempting, second, *options)
        assert "SIGTERM" not in page
        assert "into the queue" not in page
