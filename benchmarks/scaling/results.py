"""What was measured and what was said, a file a trial. The Runs' own figures are kept, so that what is said can be told
anew after the model was changed; the page then says that the measurements had been seen.
"""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from measured.circumstances import Circumstances

from clearway.base.json import plain
from clearway.engines.speed import Engine
from clearway.predict.scaling.measured import Count, Measured, Site

FOLDER = Path(__file__).resolve().parent / "results"


@dataclass(frozen=True, slots=True)
class Said:
    """Of the wall-clock on the target, a rank, or of a line of it."""

    measured_s: float
    expected_s: float
    low_s: float
    high_s: float


@dataclass(frozen=True, slots=True)
class Verdict:
    wall: Said
    constant_s: float
    perfect_s: float
    amdahl_s: float
    lines: dict[str, Said]


@dataclass(frozen=True)
class Result:
    name: str
    rounds: tuple[tuple[Measured, ...], ...]  # Runs of each, the target's last
    circumstances: tuple[Circumstances, ...]
    verdicts: tuple[Verdict, ...] = ()  # by round
    pooled: Verdict | None = None  # from the Runs of all rounds


def read(name: str) -> Result | None:
    path = FOLDER / f"{name}.json"
    if not path.exists():
        return None
    kept = json.loads(path.read_text())
    return Result(
        name=kept["name"],
        rounds=tuple(tuple(map(_measured, runs)) for runs in kept["rounds"]),
        circumstances=tuple(Circumstances(**one) for one in kept["circumstances"]),
        verdicts=tuple(map(_verdict, kept["verdicts"])),
        pooled=_verdict(kept["pooled"]) if kept["pooled"] else None,
    )


def write(result: Result) -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    kept = {field.name: plain(getattr(result, field.name)) for field in dataclasses.fields(result)}
    kept["rounds"] = [[_kept(run) for run in runs] for runs in result.rounds]
    path = FOLDER / f"{result.name}.json"
    partial = path.with_suffix(".partial")
    partial.write_text(json.dumps(kept, indent=1) + "\n")
    partial.replace(path)


def _kept(run: Measured) -> dict[str, Any]:
    told = {field.name: getattr(run, field.name) for field in dataclasses.fields(run)}
    told["sites"] = [[site.function, site.on, *dataclasses.astuple(count)] for site, count in run.sites.items()]
    told["directory"] = Path(run.directory).name
    told["engine"] = dataclasses.asdict(run.engine) if run.engine else None
    return told


def _measured(kept: dict[str, Any]) -> Measured:
    """Results of 2026-11 have no `engine` but `work`, the same in all Runs of a trial, for the input is the same."""
    told = {name: value for name, value in kept.items() if name != "work"}
    told["sites"] = {Site(function, on): Count(*count) for function, on, *count in kept["sites"]}
    told["engine"] = Engine(**engine) if (engine := kept.get("engine")) else None
    return Measured(**told)


def _verdict(kept: dict[str, Any]) -> Verdict:
    lines = {line: Said(**said) for line, said in kept["lines"].items()}
    return Verdict(**{**kept, "wall": Said(**kept["wall"]), "lines": lines})
