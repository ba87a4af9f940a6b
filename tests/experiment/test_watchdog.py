"""What a keeper leaves behind when it is killed: nothing that runs."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from harness.mpis import Mpi, clearway_tool
from harness.programs import ProgramBuilder
from harness.runs import descendants, kill_all

from clearway.experiment import leftovers
from clearway.experiment.plan import Plan, Variant
from clearway.experiment.runner import Runner
from clearway.experiment.variant_command import lines_here
from clearway.experiment.watchdog import Watchdog, watch_over

# Starts a job, watches over it, says which it is, and waits to be killed.
KEEPER = """\
import subprocess, sys, time
from clearway.experiment.watchdog import Watchdog
job = subprocess.Popen(sys.argv[1:], start_new_session=True)
dog = Watchdog(job.pid)
print(job.pid, flush=True)
time.sleep(60)
"""


def wait_until(what: Callable[[], bool], limit_s: float = 30) -> bool:
    end = time.monotonic() + limit_s
    while not what():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


def runs(process: int) -> bool:
    """A zombie does not."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@contextlib.contextmanager
def kept(*job: str) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """A keeper, and the process that leads its job."""
    keeper = subprocess.Popen([sys.executable, "-c", KEEPER, *job], stdout=subprocess.PIPE, text=True)
    leader = 0
    try:
        assert keeper.stdout is not None
        leader = int(keeper.stdout.readline())
        yield keeper, leader
    finally:
        kill_all(keeper)
        keeper.communicate()
        with contextlib.suppress(ProcessLookupError):
            os.killpg(leader, signal.SIGKILL)


@pytest.mark.parametrize("trap", ["true", "trap '' TERM"], ids=["asked", "made to"])
def test_a_job_ends_with_its_keeper(trap: str) -> None:
    with kept("sh", "-c", f"{trap}; sleep 50; sleep 50") as (keeper, leader):
        assert runs(leader)
        os.kill(keeper.pid, signal.SIGKILL)  # it alone
        assert wait_until(lambda: not runs(leader))


def test_called_off_it_leaves_the_job_alone() -> None:
    with subprocess.Popen(["sleep", "50"], start_new_session=True) as job:
        dog = Watchdog(job.pid)
        dog.call_off()
        dog.call_off()
        time.sleep(0.3)
        assert job.poll() is None
        job.kill()


def test_slurm_watches_itself() -> None:
    assert watch_over(os.getpid(), {"SLURM_JOB_ID": "7"}) is None


@pytest.mark.slow
def test_ranks_end_with_a_killed_tune(open_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path) -> None:
    program = programs.build(open_mpi, "gmx_fake", "fake_mdrun.c")
    (tmp_path / "job").mkdir()
    command = [clearway_tool("clearway"), "tune", "-o", tmp_path / "t", "--", *open_mpi.command(2, [program, "mdrun"])]
    tune = subprocess.Popen(
        [*map(str, command)],
        env={**os.environ, **open_mpi.environment, "FAKE_SLEEP_MS": "60000"},
        cwd=tmp_path / "job",
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert wait_until(lambda: len(ranks_of(tune.pid, program)) == 2)
        ranks = ranks_of(tune.pid, program)
        all_of_it = descendants(tune.pid)
        os.kill(tune.pid, signal.SIGKILL)  # it alone
        assert wait_until(lambda: not any(map(runs, ranks)))
        assert wait_until(lambda: not any(map(runs, all_of_it))), "the watchdog itself ends, too"
    finally:
        kill_all(tune)
        tune.wait()


DETACHED = """\
setsid sh -c 'trap "" TERM; echo $$ > detached; exec sleep 600' &
setsid env -u CLEARWAY_ATTEMPT sh -c 'echo $$ > other; exec sleep 600' &
setsid env SLURM_JOB_ID=99999 sh -c 'echo $$ > submitted; exec sleep 600' &
while [ ! -s detached ] || [ ! -s other ] || [ ! -s submitted ]; do sleep 0.05; done
"""


@pytest.mark.parametrize("ends_itself", [False, True])
def test_what_left_the_group_of_a_run_that_was_ended(
    ends_itself: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is ended with it, though it does not listen. A run that ended by itself may leave what it likes."""
    monkeypatch.setattr(leftovers.end_leftovers, "__defaults__", (0.3,))
    plan = Plan(("sh", "-c", DETACHED + ("" if ends_itself else "sleep 600")), (Variant("one"),))
    kept: list[int] = []
    try:
        ran = Runner(lines_here(plan), tmp_path).run(plan.baseline, tmp_path / "run", 60.0 if ends_itself else 5.0)
        kept = [int((tmp_path / name).read_text()) for name in ("detached", "other", "submitted")]
        assert bool(ran.fault) != ends_itself
        assert [runs(process) for process in kept] == [ends_itself, True, True]
    finally:
        for process in kept:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)


def ranks_of(process: int, program: Path) -> list[int]:
    """Those that have become the program."""
    return [one for one in descendants(process) if command_line(one)[:1] == [str(program)]]


def command_line(process: int) -> list[str]:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{process}/cmdline").read_bytes().decode(errors="replace").split("\0")
    return []
