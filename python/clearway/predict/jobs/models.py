"""Scripts of modelled programs on several numbers of ranks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from clearway.base.errors import ClearwayError
from clearway.base.ranges import numbers_of
from clearway.predict.jobs.request import JobScript
from clearway.predict.models import Job, find_program, make_script
from clearway.predict.models.catalogue import find_system


def parse_workload(text: str) -> tuple[str, str]:
    """ "gromacs33:aqp1" or "gromacs33": program and system. Raises ClearwayError where there is no such model."""
    name, _, system = text.partition(":")
    return name, find_system(name, system or None)[0]


def parse_ranks(text: str) -> list[int]:
    ranks = sorted(set(numbers_of(text, least=1)))
    if not ranks:
        raise ClearwayError(f"'{text}' is not a list of numbers of ranks", "--ranks 1,2,4,8")
    return ranks


def write_scripts(
    workload: tuple[str, str], ranks: Sequence[int], speed: float, steps: int, folder: Path
) -> tuple[JobScript, ...]:
    """One Script for each number of ranks, on cores so many times as fast as the model's."""
    name, system = workload
    scripts = []
    for count in ranks:
        path = folder / f"{count}.script"
        path.write_text(make_script(name, system, count, speed, steps).text(), encoding="utf-8")
        time_steps = find_program(name).step(find_system(name, system)[1], Job(count, speed)).time_steps
        scripts.append(JobScript(path, count, steps * time_steps))
    return tuple(scripts)
