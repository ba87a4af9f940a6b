"""What has been measured: a line of JSON for each draw, a file for each seed."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from measured.circumstances import Circumstances

from causes.answer import Answer, Said
from causes.draw import Draw, Planted
from causes.truth import Truth, lost_s

RESULTS = Path(__file__).resolve().parent / "results"


@dataclass(frozen=True, slots=True)
class Measured:
    """One run: how long it really took, and what was said of it."""

    wall_s: float
    lost_s: float  # compared with the twin that ran before it, for the same steps; of a twin 0
    answer: Answer


@dataclass(frozen=True, slots=True)
class Result:
    """Of one draw."""

    draw: Draw
    circumstances: Circumstances
    twins: tuple[Measured, ...] = ()  # before and after the faulty run
    first_alone: Measured | None = None  # of two faults: the run without the second
    faulty: Measured | None = None
    failed: str = ""  # why it could not be run


def measured(truth: Truth, sound: Truth | None, answer: Answer) -> Measured:
    return Measured(truth.wall_s, lost_s(truth, sound) if sound else 0.0, answer)


def path_of(seed: int, held_out: bool) -> Path:
    return RESULTS / f"seed-{seed}{'-held-out' if held_out else ''}.jsonl"


def add(result: Result) -> None:
    path = path_of(result.draw.seed, result.draw.held_out)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as file:
        file.write(json.dumps(rounded(dataclasses.asdict(result)), separators=(",", ":")) + "\n")


def read(path: Path) -> Iterator[Result]:
    """A last line that was not finished is left out."""
    for line in path.read_text().splitlines(keepends=True) if path.exists() else ():
        if line.endswith("\n"):
            yield result_of(json.loads(line))


def read_all() -> list[Result]:
    return [result for path in sorted(RESULTS.glob("*.jsonl")) for result in read(path)]


def before() -> list[Path]:
    """Of older commits: kept, and counted for nothing."""
    return sorted((RESULTS / "before").glob("*.jsonl"))


def result_of(kept: dict[str, Any]) -> Result:
    draw = kept["draw"]
    return Result(
        draw=Draw(**{**draw, "faults": tuple(Planted(**fault) for fault in draw["faults"])}),
        circumstances=Circumstances(**kept["circumstances"]),
        twins=tuple(_measured(twin) for twin in kept["twins"]),
        first_alone=_measured(kept["first_alone"]) if kept["first_alone"] else None,
        faulty=_measured(kept["faulty"]) if kept["faulty"] else None,
        failed=kept["failed"],
    )


def _measured(kept: dict[str, Any]) -> Measured:
    answer = kept["answer"]
    said = tuple(Said(**one) for one in answer["said"])
    return Measured(kept["wall_s"], kept["lost_s"], Answer(**{**answer, "said": said}))


def rounded(value: Any) -> Any:
    """Microseconds are enough."""
    if isinstance(value, float):
        return round(value, 6)
    if isinstance(value, dict):
        return {name: rounded(each) for name, each in value.items()}
    return [rounded(each) for each in value] if isinstance(value, list | tuple) else value
