"""What has been measured is kept in the repository, a file for each plant or healthy job and MPI; calls add to it."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from measured.circumstances import Circumstances, here_and_now

from diagnosis.verdict import Found, Verdict

RESULTS = Path(__file__).resolve().parent / "results"


@dataclass(frozen=True, slots=True)
class Repetition:
    """What was said of the jobs, by which job: "faulty" and "sound", or "healthy"."""

    verdicts: Mapping[str, Verdict]
    circumstances: Circumstances

    def __getitem__(self, job: str) -> Verdict:
        return self.verdicts[job]

    def __contains__(self, job: str) -> bool:
        return job in self.verdicts

    def values(self) -> Iterable[Verdict]:
        return self.verdicts.values()


def path_of(name: str, mpi: str) -> Path:
    return RESULTS / f"{name}.{mpi}.json"


def read(name: str, mpi: str) -> list[Repetition]:
    path = path_of(name, mpi)
    if not path.exists():
        return []
    return [
        Repetition(
            {job: _verdict(kept) for job, kept in each["verdicts"].items()}, Circumstances(**each["circumstances"])
        )
        for each in json.loads(path.read_text())
    ]


def add(name: str, mpi: str, verdicts: Mapping[str, Verdict]) -> None:
    every = [*read(name, mpi), Repetition(verdicts, here_and_now())]
    plain = [dataclasses.asdict(each) for each in every]
    RESULTS.mkdir(parents=True, exist_ok=True)
    partial = path_of(name, mpi).with_suffix(".partial")
    partial.write_text(json.dumps(plain, indent=1) + "\n")
    partial.replace(path_of(name, mpi))


def _verdict(kept: dict[str, Any]) -> Verdict:
    return Verdict(**{**kept, "found": tuple(Found(**one) for one in kept["found"])})
