"""A sweep of predictions as a job array: one command, each prediction once."""

from __future__ import annotations

import csv
import json
from collections import Counter
from pathlib import Path

from harness.slurm import Person
from slurm.test_compare import kill_a_task, until


def test_a_sweep_is_one_command(person: Person, folder: Path) -> None:
    asked = "clearway predict alltoall --hosts 3 --sizes 1Ki --calls 2 --algorithms direct --no-cache --vary seed=1-60"
    said = person.types(f"{asked} --submit='--time=5' --tasks 3 --watch -o {folder} --csv {folder}.csv 2>&1")
    assert "60 of 60 done" in said
    table = Path(f"{folder}.csv").read_text()
    assert [row["seed"] for row in csv.DictReader(table.splitlines())] == [str(at) for at in range(1, 61)]
    assert (folder / "predictions.csv").read_text() == table
    assert len(list(folder.glob("results-*.jsonl"))) == 3


def test_a_task_that_fails_is_run_again_and_nothing_counts_twice(person: Person, folder: Path) -> None:
    """What it had predicted before it failed stays; only the rest of its share is submitted again, by nobody."""
    work = "--hosts 6 --sizes 64Ki --calls 20 --algorithms direct --no-cache --vary seed=1-40"
    person.types(f"clearway predict alltoall {work} --submit='--time=5' --tasks 2 -o {folder} 2>&1")
    until(lambda: done_by_attempt(folder))
    killed = kill_a_task(person, folder)
    until((folder / "predictions.csv").exists, 120)
    with (folder / "predictions.csv").open() as table:
        assert [row["seed"] for row in csv.DictReader(table)] == [str(at) for at in range(1, 41)]
    made = done_by_attempt(folder)
    assert Counter(piece for pieces in made.values() for piece in pieces) == Counter(range(40))
    first, again = (json.loads((folder / f"jobs/{at}.json").read_text()) for at in (1, 2))
    kept = made.get(f"{first['arrays'][0]}_{killed}-r0", [])
    left = [piece for task in again["tasks"] for piece in task]
    assert sorted([*kept, *left]) == sorted(first["tasks"][killed])
    assert left, "it was killed at work"


def done_by_attempt(folder: Path) -> dict[str, list[int]]:
    """Pieces, by the array's task that did them."""
    made: dict[str, list[int]] = {}
    for path in folder.glob("results-*.jsonl"):
        for line in path.read_text().splitlines():
            told = json.loads(line)
            made.setdefault(told["attempt"], []).append(told["piece"])
    return made
