"""What has been measured is kept in the repository, a file a trial: a further call adds to it."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from measured.circumstances import Circumstances

FOLDER = Path(__file__).resolve().parent / "results"


@dataclass(frozen=True, slots=True)
class Round:
    """The faulty job, the same with the remedy, and the one without the fault: time of all steps."""

    faulty_s: float
    remedied_s: float
    sound_s: float
    cost_s: float  # of the finding
    expected_s: float | None  # gain that was promised
    circumstances: Circumstances
    rounds: int = 1
    """More where these are medians over so many rounds, which were not kept one by one."""

    @property
    def gained_s(self) -> float:
        return self.faulty_s - self.remedied_s


@dataclass(frozen=True, slots=True)
class Medians:
    """Of all rounds of a trial."""

    rounds: int
    gains_s: tuple[float, ...]
    """Of each round; empty where only medians were kept."""
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
    kept = json.loads(path.read_text()) if path.exists() else []
    return [Round(**{**each, "circumstances": Circumstances(**each["circumstances"])}) for each in kept]


def add(name: str, one: Round) -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    """Medians of rounds that were not kept give way to the first round that is."""
    rounds = [dataclasses.asdict(each) for each in (*read(name), one) if each.rounds == 1]
    partial = FOLDER / f"{name}.partial"
    partial.write_text(json.dumps(rounds, indent=1) + "\n")
    partial.replace(FOLDER / f"{name}.json")


def medians(rounds: Sequence[Round]) -> Medians:
    promised = [each.expected_s for each in rounds if each.expected_s is not None]
    return Medians(
        sum(each.rounds for each in rounds),
        tuple(each.gained_s for each in rounds if each.rounds == 1),
        median(each.faulty_s for each in rounds),
        median(each.remedied_s for each in rounds),
        median(each.sound_s for each in rounds),
        median(each.cost_s for each in rounds),
        median(promised) if promised else None,
    )
