"""What was measured, a file a job: the grid, what first runs said of the knobs, and real races."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

from measured.circumstances import Circumstances

from clearway.base.json import plain
from clearway.base.read_back import from_text
from clearway.tune.setting import Setting

SCORES = "scores.json"
FOLDER = Path(__file__).resolve().parent / "results"


@dataclass(frozen=True, slots=True)
class First:
    """What a first run says of the knobs: names of settings."""

    shapes: tuple[str, ...]
    settings: dict[str, tuple[str, ...]]  # that may pay, by shape; "" is the job's own
    spent_s: float
    doubted: dict[str, tuple[str, ...]] = field(default_factory=dict)  # likewise, that can hardly pay


@dataclass(frozen=True, slots=True)
class Raced:
    """A real race."""

    answer: str
    best: tuple[str, ...]  # names of its settings
    runs: int
    spent_s: float
    speed: float | None  # times the unchanged job's, as it says
    speed_low: float | None
    speed_high: float | None
    thrown_out: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Peer:
    """What another program says, and what that gave beside the unchanged job."""

    program: str
    says: str
    ratios: tuple[float, ...]  # of time, a round each
    spent_s: float


@dataclass(frozen=True, slots=True)
class Result:
    name: str
    ways: tuple[tuple[Setting, ...], ...] = ()  # the unchanged job first
    firsts: tuple[First, ...] = ()
    rounds: tuple[tuple[float | None, ...], ...] = ()  # seconds for the same work, of each way; None: it failed
    others: tuple[tuple[float | None, ...], ...] = ()  # likewise: cores that other programs used; not of older rounds
    spent_s: tuple[float, ...] = ()  # of each round
    races: tuple[Raced, ...] = ()
    peers: tuple[Peer, ...] = ()
    circumstances: tuple[Circumstances, ...] = field(default=())


def read(name: str) -> Result | None:
    path = FOLDER / f"{name}.json"
    return from_text(Result, path.read_text()) if path.exists() else None


def read_all() -> list[Result]:
    """Those with two rounds: one does not tell how much runs differ."""
    found = [from_text(Result, path.read_text()) for path in sorted(FOLDER.glob("*.json")) if path.name != SCORES]
    return [one for one in found if len(one.rounds) > 1]


def write(result: Result) -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    path = FOLDER / f"{result.name}.json"
    partial = path.with_suffix(".partial")
    partial.write_text(json.dumps(plain(result), indent=None, separators=(",", ":"), ensure_ascii=False) + "\n")
    partial.replace(path)
