"""What a script does between its MPI programs is told: the ledger is of one of them alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from python.made_runs import REALTIME_NS, SECOND, Rank

from clearway.page.build import summarise
from clearway.run import load


def script(directory: Path, ended_s: float | None, command: str = "./job.sh", copies: bool = True) -> Path:
    """Two jobs of 4 s on two ranks, at 1 and at 12 s. Meanwhile its `cp` runs from 5 to 11 s."""
    processes = [
        Rank(rank, 2, begin_s=begin_s, recording_s=begin_s, end_s=begin_s + 4, header={"pid": begin_s * 10 + rank})
        for begin_s in (1, 12)
        for rank in range(2)
    ]
    spans = [("/bin/sh ./job.sh", 0.0, ended_s or 16.0)]
    spans += [("/bin/cp /home/a b", 5.0, 11.0), ("date", 11.0, 11.1)] if copies else []
    for number, (line, begin_s, end_s) in enumerate(spans):
        beside = Rank(-1, 0, begin_s=begin_s, recording_s=begin_s, end_s=end_s, header={"pid": 500 + number})
        processes.append(beside.fact("process.command_line", line))
    for number, process in enumerate(processes):
        (directory / f"rank.node0.{number}.cwr").write_bytes(process.record())
    ended_ns = None if ended_s is None else REALTIME_NS + round(ended_s * SECOND)
    said = {"command": command.split(), "started_ns": REALTIME_NS, "ended_ns": ended_ns, "exit_code": 0}
    (directory / "run.json").write_text(json.dumps(said))
    return directory


def test_what_ran_between_the_jobs_is_named(tmp_path: Path) -> None:
    found = load(script(tmp_path, 16.0)).outside
    assert found is not None
    assert found.seconds == pytest.approx(1 + 7)
    assert found.whole_s == pytest.approx(16.0)
    assert found.programs == (("cp", pytest.approx(6.0)),)  # neither the shell, nor what took a moment
    said = summarise(load(tmp_path)).sentence
    assert "The command ran for 16.0 s, 8.00 s of it without any MPI program (cp 6.00 s)" in said


def test_the_ranks_own_record_may_be_all_that_there_is(tmp_path: Path) -> None:
    said = summarise(load(script(tmp_path, 16.0, copies=False))).sentence
    assert "8.00 s of it without any MPI program: that is not in the figures below" in said


@pytest.mark.parametrize(
    ("ended_s", "command"),
    [(None, "./job.sh"), (16.0, "clearway testbed run -- ./program"), (16.0, "/opt/bin/clearway testbed run x")],
    ids=["still running", "a testbed", "a testbed with a path"],
)
def test_where_it_is_not_told(tmp_path: Path, ended_s: float | None, command: str) -> None:
    assert load(script(tmp_path, ended_s, command)).outside is None


def test_what_a_launcher_takes_is_not_worth_telling(tmp_path: Path) -> None:
    Rank(0, 1, begin_s=1.0, recording_s=1.0, end_s=9.5).write(tmp_path)
    said = {"command": ["mpirun"], "started_ns": REALTIME_NS, "ended_ns": REALTIME_NS + 10 * SECOND, "exit_code": 0}
    (tmp_path / "run.json").write_text(json.dumps(said))
    assert load(tmp_path).outside is None
