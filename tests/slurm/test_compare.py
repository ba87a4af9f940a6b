"""`clearway compare` under Slurm: within one allocation, and as a job array that a person need not wait for."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from harness.slurm import Person

from clearway.testbed.kernel import processes_in

SHORT = "--no-warm-up --rounds 3 --vary LAZY_MS=1"
NODES = "--nodes=2 --ntasks-per-node=1 --time=5"


def told(comparison: Path) -> dict[str, dict[str, Any]]:
    """The rows, by name."""
    return {row["name"]: row for row in json.loads(comparison.read_text())["rows"]}


def test_in_turns_within_one_allocation(person: Person, lazy: Path, folder: Path) -> None:
    script = (
        f"#!/bin/sh\nexport LAZY_MS=60\nclearway compare {SHORT} -o {folder} --json {folder}.json -- srun {lazy} 10\n"
    )
    person.submit(script, *NODES.split())
    rows = told(folder.with_suffix(".json"))
    assert rows["LAZY_MS=1"]["ratio"] < 0.7
    assert [row["rounds"] for row in rows.values()] == [3, 3]
    assert len(list((folder / "round-1/1-LAZY_MS=1").glob("rank.*.cwr"))) == 2


def begun(person: Person, lazy: Path, folder: Path) -> str:
    """The number of the array whose first round runs."""
    options = f"{SHORT} --submit={shlex.quote(NODES)} -o {folder}"
    said = person.types(f"LAZY_MS=60 clearway compare {options} -- srun {lazy} 10 2>&1")
    assert "0 of 3 done" in said
    (number,) = re.findall(r"job (\d+)", said)
    until(lambda: list(folder.glob("round-1/*/*/rank.*.cwr")))
    return str(number)


def all_counted_once(folder: Path) -> None:
    assert [row["rounds"] for row in told(folder / "comparison.json").values()] == [3, 3]
    rounds = [json.loads(line)["piece"] for file in folder.glob("results-*.jsonl") for line in file.open()]
    assert sorted(rounds) == [1, 2, 3]


def test_a_person_goes_on_with_what_was_taken_out_of_the_queue(person: Person, lazy: Path, folder: Path) -> None:
    number = begun(person, lazy, folder)
    person.types(f"scancel {number}")
    until(lambda: not person.types(f"squeue --noheader --jobs={number}"))
    said = person.types(f"clearway compare --resume {folder} --watch --json {folder}.json 2>&1")
    assert "3 of 3 done" in said
    all_counted_once(folder)
    assert told(folder.with_suffix(".json"))["LAZY_MS=1"]["ratio"] < 0.7


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_round_that_slurm_put_back_counts_once(person: Person, lazy: Path, folder: Path) -> None:
    """Slurm lets a job that was put back wait for two minutes. Nobody is needed: it ends by itself."""
    number = begun(person, lazy, folder)
    person.types(f"scontrol requeue {number}_0")
    until((folder / "comparison.json").exists, 240)
    all_counted_once(folder)
    assert [path.name for path in folder.glob("results-*_0-r*.jsonl")] == [f"results-{number}_0-r1.jsonl"]


def test_a_round_whose_task_fails_is_run_again_by_itself(person: Person, lazy: Path, folder: Path) -> None:
    """Nobody is needed: the job that comes behind the array submits what is missing."""
    number = begun(person, lazy, folder)
    killed = kill_a_task(person, folder)
    until((folder / "comparison.json").exists, 120)
    all_counted_once(folder)
    assert f"JobId={number}" in person.types(f"scontrol show job {number}_{killed} | grep -B4 JobState=FAILED")
    first, again = (json.loads((folder / f"jobs/{at}.json").read_text()) for at in (1, 2))
    assert again["tasks"] == [first["tasks"][killed]]


def kill_a_task(person: Person, folder: Path) -> int:
    """With SIGKILL, as the kernel does where memory is short: Slurm says of it that it failed. Its number."""
    hosts = [person.testbed.layout.namespace(host.name) for host in person.testbed.layout.hosts]
    for pid in processes_in(hosts):
        try:
            words = Path(f"/proc/{pid}/cmdline").read_bytes().decode().split("\0")[:-1]
            variables = Path(f"/proc/{pid}/environ").read_bytes().decode(errors="replace").split("\0")
        except OSError:
            continue  # it has just ended
        if words[-3:] == ["task", str(folder), "1"]:
            os.kill(pid, signal.SIGKILL)
            (number,) = (text.partition("=")[2] for text in variables if text.startswith("SLURM_ARRAY_TASK_ID="))
            return int(number)
    raise AssertionError("no task of the array is at work")


def until(there: Callable[[], object], patience_s: float = 60) -> None:
    end = time.monotonic() + patience_s
    while not there():
        assert time.monotonic() < end, "it did not come"
        time.sleep(0.2)
