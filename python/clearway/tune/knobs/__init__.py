"""Knobs: one file an engine, found by being there; those of the MPI, of its collectives and of placement are for
every job.

An engine's module has ENGINE (its name as clearway.engines tells it), THREADS (how its log tells the threads of a
rank), RANKS (how it tells ranks that are threads of one process, without MPI), SIZE (how it tells the size of the
input), `threads(seen, number)` (the program's own words for so many threads a
rank; None where it has no threads), `shortened(seen, …)` (how a short run is made by the engine's own means),
`read_first(…)` (how it is made to read a few lines before the job's input; None where it has no way) and
`knobs(seen)`. Each setting says what of the results it may change: nothing, the order of summation, or a tolerance that
the engine itself keeps.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Protocol, cast

from clearway.job.change import Change
from clearway.tune.seen import Seen
from clearway.tune.setting import Knob

NO_ENGINE = ("collectives", "inputs", "mpi", "placement")


@dataclass(frozen=True, slots=True)
class Short:
    """How a run is made short, without a word in the job's own line."""

    change: Change = field(default_factory=Change)
    first_lines: tuple[str, ...] = ()
    said: str = ""  # in a few words; empty: runs are as long as the job
    measured_steps: int | None = None  # after the warm-up, where that is known


class EngineKnobs(Protocol):
    """What a module of an engine provides."""

    ENGINE: str
    THREADS: str
    RANKS: str
    SIZE: str
    SEVERAL: Sequence[str]  # options of several simulations in one job, each with a log of its own

    def recognises(self, program: Sequence[str]) -> bool:
        """By its command line: before the first run there is no log."""
        ...

    def refuses(self, program: Sequence[str]) -> str:
        """Why this job cannot be tuned as it was typed; empty where it can."""
        ...

    def threads(self, seen: Seen, number: int) -> Change | None: ...

    def shortened(self, program: Sequence[str], steps: int | None, run_s: float, s_per_step: float | None) -> Short: ...

    def read_first(self, program: Sequence[str], lines: Sequence[str], file: Path, folder: Path) -> Change | None: ...

    def knobs(self, seen: Seen) -> Iterable[Knob]: ...


@cache
def all_engine_knobs() -> tuple[EngineKnobs, ...]:
    names = [module.name for module in pkgutil.iter_modules(__path__) if module.name not in NO_ENGINE]
    return tuple(cast(EngineKnobs, importlib.import_module(f"{__name__}.{name}")) for name in names)


def engine_knobs(name: str) -> EngineKnobs | None:
    """Those of the engine of that name."""
    return next((one for one in all_engine_knobs() if name == one.ENGINE), None)


def knobs_for(program: Sequence[str]) -> EngineKnobs | None:
    """Those of the engine that a command line starts."""
    return next((one for one in all_engine_knobs() if one.recognises(program)), None)
