"""What has been measured is kept, a file a trial: a further call adds to it."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass
from statistics import median

from diagnosis.building import REPOSITORY

FOLDER = REPOSITORY / "build/remedies"


@dataclass(frozen=True, slots=True)
class Round:
    """The faulty job, the same with the remedy, and the one without the fault: time of all steps."""

    faulty_s: float
    remedied_s: float
    sound_s: float
    cost_s: float  # of the finding
    expected_s: float | None  # gain that was promised


@dataclass(frozen=True, slots=True)
class Medians:
    """Of all rounds of a trial."""

    rounds: int
    faulty_s: float
    remedied_s: float
    sound_s: float
    cost_s: float
    expected_s: float | None

    @property
    def gained_s(self) -> float:
        return self.faulty_s - self.remedied_s


def read(name: str) -> list[Round]:
    path = FOLDER / f"{name}.json"
    return [Round(**each) for each in json.loads(path.read_text())] if path.exists() else []


def add(name: str, one: Round) -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    rounds = [dataclasses.asdict(each) for each in (*read(name), one)]
    partial = FOLDER / f"{name}.partial"
    partial.write_text(json.dumps(rounds, indent=1))
    partial.replace(FOLDER / f"{name}.json")


def medians(rounds: list[Round]) -> Medians:
    promised = [each.expected_s for each in rounds if each.expected_s is not None]
    return Medians(
        len(rounds),
        median(each.faulty_s for each in rounds),
        median(each.remedied_s for each in rounds),
        median(each.sound_s for each in rounds),
        median(each.cost_s for each in rounds),
        median(promised) if promised else None,
    )
