"""What has been measured: a line of JSON for each draw, a file for each seed."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from measured.circumstances import Circumstances

from causes.answer import Said
from causes.draw import Draw, Planted
from causes.results import RESULTS, rounded

FOLDER = RESULTS / "scalasca"


@dataclass(frozen=True, slots=True)
class Heard:
    """What a tool says of the faulty run: rank-seconds of waiting in MPI, and those charged to each rank."""

    wall_s: float  # of the job under the tool
    elapsed_s: float  # of the whole command: with starting, and with the analysis
    waits_s: dict[str, float]  # in the tool's words
    charged_s: tuple[float, ...]
    said: tuple[Said, ...] = ()  # findings


@dataclass(frozen=True, slots=True)
class Compared:
    """One draw, whose MPI is Open MPI here whatever was drawn."""

    draw: Draw
    version: str
    circumstances: Circumstances
    twins_s: tuple[float, ...]  # wall-clock without the fault and without a tool: before, and after
    faulty_s: float  # wall-clock with the fault, without a tool
    elapsed_s: float  # of that whole command
    scalasca: Heard
    clearway: Heard
    others_cores: float  # that others used, in the worst of its runs

    @property
    def lost_s(self) -> float:
        return self.faulty_s - sum(self.twins_s) / len(self.twins_s)


def path_of(seed: int, held_out: bool) -> Path:
    return FOLDER / f"seed-{seed}{'-held-out' if held_out else ''}.jsonl"


def add(compared: Compared) -> None:
    path = path_of(compared.draw.seed, compared.draw.held_out)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as file:
        file.write(json.dumps(rounded(dataclasses.asdict(compared)), separators=(",", ":")) + "\n")


def read_all() -> list[Compared]:
    return [compared for path in sorted(FOLDER.glob("*.jsonl")) for compared in read(path)]


def read(path: Path) -> Iterator[Compared]:
    """In the order of the draws, of each the least disturbed. A last line that was not finished is left out."""
    lines = path.read_text().splitlines(keepends=True) if path.exists() else []
    known = [_compared(json.loads(line)) for line in lines if line.endswith("\n")]
    least: dict[int, Compared] = {}
    for one in sorted(known, key=lambda one: one.others_cores):
        least.setdefault(one.draw.number, one)
    yield from sorted(least.values(), key=lambda one: one.draw.number)


def _compared(kept: dict[str, Any]) -> Compared:
    draw = kept["draw"]
    return Compared(
        **{
            **kept,
            "draw": Draw(**{**draw, "faults": tuple(Planted(**fault) for fault in draw["faults"])}),
            "circumstances": Circumstances(**kept["circumstances"]),
            "twins_s": tuple(kept["twins_s"]),
            "scalasca": _heard(kept["scalasca"]),
            "clearway": _heard(kept["clearway"]),
        }
    )


def _heard(kept: dict[str, Any]) -> Heard:
    said = tuple(Said(**one) for one in kept["said"])
    return Heard(**{**kept, "charged_s": tuple(kept["charged_s"]), "said": said})
