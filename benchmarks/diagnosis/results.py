"""What has been measured is kept, a file for each plant or healthy job and MPI: a further call adds to it."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from diagnosis.building import FOLDER
from diagnosis.verdict import Found, Verdict

RESULTS = FOLDER / "results"

Repetition = Mapping[str, Verdict]  # by which job: "faulty", "sound"; "healthy"


def path_of(name: str, mpi: str) -> Path:
    return RESULTS / f"{name}.{mpi}.json"


def read(name: str, mpi: str) -> list[Repetition]:
    path = path_of(name, mpi)
    if not path.exists():
        return []
    return [{job: _verdict(kept) for job, kept in each.items()} for each in json.loads(path.read_text())]


def add(name: str, mpi: str, repetition: Repetition) -> None:
    every = [*read(name, mpi), repetition]
    plain = [{job: dataclasses.asdict(verdict) for job, verdict in each.items()} for each in every]
    RESULTS.mkdir(parents=True, exist_ok=True)
    partial = path_of(name, mpi).with_suffix(".partial")
    partial.write_text(json.dumps(plain, indent=1))
    partial.replace(path_of(name, mpi))


def _verdict(kept: dict[str, Any]) -> Verdict:
    return Verdict(**{**kept, "found": tuple(Found(**one) for one in kept["found"])})
