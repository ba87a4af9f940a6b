"""Launchers and shells that the plugin preloads the recorder into note in a child's record which signal ended it."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import pytest
from every_job.conftest import HERE
from harness.mpis import clearway_tool
from harness.programs import ProgramBuilder

from clearway.run import load
from clearway.run.layout import State
from clearway.run.reader import open_record

PARENTS = {
    "bash": ["bash", "-c", '"$@"; exit $?', "bash"],
    "dash": ["dash", "-c", '"$@"; exit $?', "dash"],
    "python": ["python3", "-c", "import subprocess, sys; sys.exit(subprocess.run(sys.argv[1:]).returncode % 256)"],
}


@pytest.fixture(scope="module")
def ends(programs: ProgramBuilder) -> Path:
    return programs.build_plain("ends", str(HERE / "ends.c"))


def ended(folder: Path, parent: str, program: Path, how: int, **settings: str) -> tuple[int, int]:
    """The parent's exit code, and the child's process id."""
    done = started(folder, [*PARENTS[parent], str(program), str(how)], **settings)
    return done.returncode, int(done.stdout)


def started(folder: Path, words: list[str], **settings: str) -> subprocess.CompletedProcess[str]:
    """Programs without MPI are recorded, too, here."""
    folder.mkdir()
    library = clearway_tool("clearway-record").parent.parent / "lib" / "libclearway.so"
    variables = {"LD_PRELOAD": str(library), "CLEARWAY_DIR": str(folder), "CLEARWAY_ALWAYS": "1", **settings}
    done = subprocess.run(words, env={**os.environ, **variables}, capture_output=True, text=True, timeout=60)
    assert "clearway" not in done.stderr, done
    return done


UNDER_THE_PLUGIN = {"CLEARWAY_EVERY_JOB": "1", "CLEARWAY_JOB": "slurm-7.0"}


@pytest.mark.parametrize("parent", PARENTS)
@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGKILL])
def test_a_signal_stands_in_the_record_of_whom_it_ended(
    tmp_path: Path, ends: Path, parent: str, number: signal.Signals
) -> None:
    code, pid = ended(tmp_path / "spool", parent, ends, number, **UNDER_THE_PLUGIN)
    assert code == (256 - number if parent == "python" else 128 + number), "the parent hears what it hears without"
    headers = [open_record(path).header for path in (tmp_path / "spool").glob("rank.*.cwr")]
    assert {int(each["exit_code"]) for each in headers if each["pid"] == pid} == {-number}
    assert all(each["exit_code"] >= 0 for each in headers if each["pid"] != pid)
    words = [clearway_tool("clearway-slurm"), "gather", tmp_path / "spool", tmp_path / "run"]
    subprocess.run(words, check=True, timeout=60)
    run = load(tmp_path / "run")
    told = {int(run.processes["pid"][process]): text for process, text in run.fact("process.ended_by_signal").items()}
    assert told == {pid: str(int(number))}


# Of three children that have ended, the kernel tells of the oldest. Who is killed then never asks for the others.
ASKS_ONCE = """
import os, signal, sys
children = [os.spawnl(os.P_NOWAIT, sys.argv[1], sys.argv[1], how) for how in sys.argv[2:]]
for each in children:
    os.waitid(os.P_PID, each, os.WEXITED | os.WNOWAIT)
assert os.waitpid(-1, 0)[0] == children[0]
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("parent", PARENTS)
def test_who_leaves_by_itself_has_its_own_code(tmp_path: Path, ends: Path, parent: str) -> None:
    code, pid = ended(tmp_path / "spool", parent, ends, 0, **UNDER_THE_PLUGIN)
    assert code == 3
    (path,) = (tmp_path / "spool").glob(f"rank.*.{pid}.cwr")
    header = open_record(path).header
    assert (header["state"], header["exit_code"]) == (State.EXITED, 3)


def test_those_that_a_killed_daemon_did_not_ask_for(tmp_path: Path, ends: Path) -> None:
    words = ["python3", "-c", ASKS_ONCE, str(ends), "9", "0", "11"]
    done = started(tmp_path / "spool", words, **UNDER_THE_PLUGIN)
    assert done.returncode == -signal.SIGKILL, done
    headers = [open_record(path).header for path in (tmp_path / "spool").glob("rank.*.cwr")]
    codes = {int(each["pid"]): int(each["exit_code"]) for each in headers}
    assert sorted(codes[int(pid)] for pid in done.stdout.split()) == [-11, -9, 3]


def test_nobody_writes_into_a_record_that_a_person_asked_for(tmp_path: Path, ends: Path) -> None:
    _, pid = ended(tmp_path / "run", "bash", ends, signal.SIGSEGV)
    (path,) = (tmp_path / "run").glob(f"rank.*.{pid}.cwr")
    assert open_record(path).header["exit_code"] == 0
