"""A sweep of predictions as a job array: one command, each prediction once."""

from __future__ import annotations

import csv
from pathlib import Path

from harness.slurm import Person


def test_a_sweep_is_one_command(person: Person, folder: Path) -> None:
    asked = "clearway predict alltoall --hosts 3 --sizes 1Ki --calls 2 --algorithms direct --no-cache --vary seed=1-60"
    said = person.types(f"{asked} --submit='--time=5' --tasks 3 --watch -o {folder} --csv {folder}.csv 2>&1")
    assert "60 of 60 done" in said
    table = Path(f"{folder}.csv").read_text()
    assert [row["seed"] for row in csv.DictReader(table.splitlines())] == [str(at) for at in range(1, 61)]
    assert (folder / "predictions.csv").read_text() == table
    assert len(list(folder.glob("results-*.jsonl"))) == 3
