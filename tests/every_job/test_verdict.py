"""When a job has ended, a sentence says what held it up: in its output, and in its AdminComment if Slurm takes it."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from every_job.cluster import USER, Cluster, wait_for

from clearway.site import ended_jobs
from clearway.site.settings import Settings


@pytest.fixture(scope="module")
def says(cluster: Cluster) -> Iterator[Cluster]:
    with cluster.own_settings():
        cluster.gives_verdicts("say=yes")
        yield cluster


def test_at_the_end_of_the_jobs_output(says: Cluster, late: Path) -> None:
    job = says.script(f"srun -n2 {late} 200\n", "-n2")
    wait_for(lambda: "clearway report" in says.output(job), "verdict in the output")
    lines = says.output(job).splitlines()
    assert lines[0] == "2 ranks"
    assert len(lines) == 2
    assert lines[1].startswith("clearway: ")
    assert "core-seconds" in lines[1]
    assert lines[1].endswith(f": clearway report {job}")


def test_nothing_on_a_job_without_mpi(says: Cluster, late: Path) -> None:
    job = says.script("srun hostname\n")
    marked = says.script(f"srun -n2 {late} 100\n", "-n2")
    wait_for(lambda: "clearway report" in says.output(marked), "verdict on the job behind it")
    assert len(says.output(job).splitlines()) == 1


@pytest.mark.parametrize("accepts", [True, False])
def test_what_slurm_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, accepts: bool) -> None:
    """A job that is over has its comment in the accounting only. The text is one argument, whatever is in it."""
    told = tmp_path / "told"
    for program, code in (("scontrol", 0 if accepts else 1), ("sacctmgr", 0)):
        path = tmp_path / program
        path.write_text(f'#!/bin/sh\nfor word; do echo "{program}:$word" >> {told}; done\nexit {code}\n')
        path.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    ended_jobs.comment_on("12", "31 % of it; $(touch /) 'a' \"b\"")
    said = told.read_text()
    comment = "AdminComment=31 % of it; $(touch /) 'a' \"b\"\n"
    assert f"scontrol:JobId=12\nscontrol:{comment}" in said
    assert (f"sacctmgr:jobid=12\nsacctmgr:set\nsacctmgr:{comment}" in said) is not accepts


def test_a_job_of_nobody_and_a_broken_run(cluster: Cluster, tmp_path: Path) -> None:
    entry = tmp_path / f"7-{USER.number}"
    entry.touch()
    job = ended_jobs.EndedJob("7", os.getuid(), entry, time.time())
    run = tmp_path / "runs" / "7.0"
    run.mkdir(parents=True)
    (run / "rank.a.1.cwr").write_bytes(b"nonsense")
    unreadable = ended_jobs._verdict([run], "7")
    assert unreadable.startswith("its Run cannot be read: ")
    stranger = ended_jobs.EndedJob("7", 4_000_000, entry, job.ended_s)
    assert ended_jobs.said_of(stranger, Settings(str(tmp_path / "runs")), False) == ""
