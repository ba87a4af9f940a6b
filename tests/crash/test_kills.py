"""Jobs killed at random moments leave readable Runs whose pages say what is missing."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from pathlib import Path

import pytest
from harness.command_line import run_clearway
from harness.mpis import Mpi, clearway_tool
from harness.programs import ProgramBuilder
from harness.runs import descendants, kill_all, load_page
from harness.seeds import seeds, trying

from clearway.run.reader import UnbegunRecordError, open_record

RANKS = 2


def ranks_of(job: subprocess.Popen[str], program: Path) -> list[int]:
    """The processes below the launcher that run `program` by now."""
    found = []
    for pid in descendants(job.pid):
        try:
            if Path(f"/proc/{pid}/exe").readlink() == program:
                found.append(pid)
        except OSError:
            continue
    return found


def wait_for_a_record(directory: Path) -> None:
    end = time.monotonic() + 10
    while not begun(directory) and time.monotonic() < end:
        time.sleep(0.01)


def kill_one_job(mpi: Mpi, program: Path, directory: Path, chance: random.Random) -> str:
    """Starts a job and kills one rank or all at a random moment. Returns what was done, for messages."""
    victim = chance.choice(["one rank", "all ranks", "launcher and all"])
    # A third of the moments lies in MPI_Init, a third in the work, a third around MPI_Finalize: the last two are
    # counted from when a record is there, however long this machine takes to start a job.
    work_s = 0.3
    after_start, moment_s = chance.choice(
        [(False, chance.uniform(0, 0.3)), (True, chance.uniform(0, 0.3)), (True, chance.uniform(0.2, 0.7))]
    )
    recorder = [clearway_tool("clearway-record"), "-o", directory, "--", program, str(work_s)]
    job = subprocess.Popen(
        mpi.command(RANKS, recorder),
        env={**os.environ, **mpi.environment, "SCRATCH": str(directory.parent)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        if after_start:
            wait_for_a_record(directory)
        time.sleep(moment_s)
        ranks = ranks_of(job, program)
        if victim == "launcher and all":
            kill_all(job)
        for pid in ranks[:1] if victim == "one rank" else ranks:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        try:
            job.wait(timeout=10)
        except subprocess.TimeoutExpired:  # a launcher that has lost its ranks may wait for ever
            kill_all(job)
    finally:
        kill_all(job)
        job.wait(timeout=10)
    return f"{victim} after {moment_s:.3f} s{' of a record' if after_start else ''} ({len(ranks)} ranks ran)"


@pytest.mark.timeout(3600)
def test_every_killed_job_leaves_a_readable_run(
    programs: ProgramBuilder, debian_mpi: Mpi, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    program = programs.build(debian_mpi, "busy", "busy.c")
    # A seed stands for ten kills.
    test = request.node.nodeid
    incomplete = 0
    for seed in seeds(test, request.config.getoption("--kills") // 20):
        with trying(test, seed):
            incomplete += kill_ten(debian_mpi, program, tmp_path / str(seed), random.Random(seed))
    assert incomplete > 0


def begun(directory: Path) -> bool:
    """Whether any rank lived long enough to read a clock."""
    for path in directory.glob("rank.*.cwr"):
        try:
            open_record(path)
        except UnbegunRecordError:
            continue
        return True
    return False


def kill_ten(mpi: Mpi, program: Path, folder: Path, chance: random.Random) -> int:
    """How many of them left something incomplete."""
    folder.mkdir()
    incomplete = 0
    for number in range(10):
        directory = folder / f"run{number}"
        what = f"kill {number}: " + kill_one_job(mpi, program, directory, chance)
        if not directory.exists() or not list(directory.glob("rank.*.cwr")):
            continue  # killed before any rank had begun
        if not begun(directory):
            refusal = run_clearway("report", directory)
            assert refusal.exit_code == 1, (what, refusal.says)
            assert "the job was killed while it started" in refusal.says, (what, refusal.says)
            continue
        page = load_page(directory)
        states = [rank["state"] for rank in page["ranks"]]
        assert set(states) <= {"exited", "finalized", "running", "started", "missing"}, (what, states)
        ledger = page["ledger"]
        assert ledger["wall_s"] >= 0, (what, ledger)
        assert abs(ledger["residue_s"]) <= 0.02 * ledger["wall_s"] + 0.01, (what, ledger)
        whole = states == ["exited"] * RANKS
        assert page["job"]["complete"] == whole, (what, states, page["job"])
        if not whole:
            incomplete += 1
            assert page["job"]["notes"], (what, page["job"])
    return incomplete
