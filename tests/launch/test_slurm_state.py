"""How a job ended as Slurm says it, where it is asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from clearway.base.errors import ClearwayError
from clearway.job.batch import batch_job
from clearway.job.slurm_state import slurm_state

SHOWN = "JobId=7 JobName=md UserId=u(1) Restarts=1 Reason=TimeLimit JobState=TIMEOUT ExitCode=0:15"


@pytest.fixture
def answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of programs that stand in for Slurm's."""
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    return tmp_path


def put(folder: Path, name: str, text: str, code: int = 0) -> None:
    (folder / name).write_text(f"#!/bin/sh\ncat <<'END'\n{text}\nEND\nexit {code}\n")
    (folder / name).chmod(0o755)


def asked(**told: str) -> str:
    return slurm_state(batch_job({"SLURM_JOB_ID": "7", **told}))


def test_of_this_start_of_the_job_only(answers: Path) -> None:
    put(answers, "scontrol", SHOWN)
    assert asked(SLURM_RESTART_COUNT="1") == "TIMEOUT"
    assert asked() == "REQUEUED", "it was started again, and that start ended so"
    assert asked(SLURM_RESTART_COUNT="2") == ""


def test_where_slurm_has_forgotten_it_the_accounting_tells(answers: Path) -> None:
    put(answers, "scontrol", "slurm_load_jobs error: Invalid job id specified", 1)
    put(answers, "sacct", "CANCELLED by 1000")
    assert asked() == "CANCELLED"
    put(answers, "sacct", "")
    with pytest.raises(ClearwayError, match="does not know job 7 any more"):
        asked()


def test_of_an_earlier_start_the_accounting_tells(answers: Path) -> None:
    put(answers, "scontrol", SHOWN)
    put(answers, "sacct", "PREEMPTED|0:0\nTIMEOUT|0:15")
    assert [asked(), asked(SLURM_RESTART_COUNT="1")] == ["PREEMPTED", "TIMEOUT"]
    put(answers, "scontrol", "slurm_load_jobs error: Invalid job id specified", 1)
    assert [asked(), asked(SLURM_RESTART_COUNT="1"), asked(SLURM_RESTART_COUNT="2")] == ["PREEMPTED", "TIMEOUT", ""]


@pytest.mark.parametrize(("code", "state"), [("138:0", "FAILED 10"), ("0:15", "FAILED 15"), ("1:0", "FAILED")])
def test_a_job_that_failed_by_a_signal(answers: Path, code: str, state: str) -> None:
    put(answers, "scontrol", f"JobId=7 Restarts=0 JobState=FAILED ExitCode={code}")
    assert asked() == state
    put(answers, "scontrol", "slurm_load_jobs error: Invalid job id specified", 1)
    put(answers, "sacct", f"FAILED|{code}")
    assert asked() == state


def test_of_other_jobs_nobody_is_asked() -> None:
    for job in (None, batch_job({"PBS_JOBID": "7.pbs"})):
        with pytest.raises(ClearwayError, match="does not belong to a Slurm job"):
            slurm_state(job)
