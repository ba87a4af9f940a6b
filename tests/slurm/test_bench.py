"""`clearway bench --submit`: each message size as a task of a job array, and one sweep of all of them."""

from __future__ import annotations

import json
import os
from pathlib import Path

from harness.slurm import Person


def test_sizes_are_measured_by_an_array(person: Person, folder: Path) -> None:
    asked = "alltoall --sizes 1Ki,4Ki --algorithms own --calls 3 --submit='--nodes=2 --ntasks-per-node=1 --time=5'"
    said = person.types(f"clearway bench {asked} --watch -o {folder} -- srun 2>&1")
    assert "2 of 2 done" in said
    sweep = json.loads((folder / "sweep.json").read_text())
    (curve,) = sweep["curves"]
    assert [(point["block_bytes"], len(point["calls_ns"])) for point in curve["points"]] == [(1024, 3), (4096, 3)]
    assert (sweep["ranks"], sweep["hosts"]) == (2, 2)
    again = person.types(f"clearway bench alltoall --resume {folder} --json - 2>{os.devnull}")
    assert json.loads(again)["curves"] == sweep["curves"]
    assert len(list(folder.glob("results-*.jsonl"))) == 2
