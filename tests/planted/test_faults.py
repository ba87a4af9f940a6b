"""Faults planted for real: the right rule comes first, and their twins without the fault have no finding.

The suite is benchmarks/diagnosis, whose page gives the figures; here it only must not get worse.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from diagnosis import slow_disk
from diagnosis.healthy import Healthy, healthy
from diagnosis.jobs import Job, run
from diagnosis.plants import Plant, plants
from diagnosis.verdict import Verdict, judge

from clearway.base.errors import ClearwayError
from clearway.testbed import find_mpi, privilege

pytestmark = pytest.mark.timeout(180)


def every_plant(quick_first: bool) -> list[Any]:
    """Under one MPI the quick ones are for every day. How many slight and hard ones are found is measured only."""
    typical = [(name, plant) for name, plant in plants() if plant.intensity == "typical"]
    everyday = {(name, plant.mpis[0]) for name, plant in typical if quick_first and plant.quick}
    return [
        pytest.param(plant, mpi, id=f"{name}-{mpi}", marks=[] if (name, mpi) in everyday else [pytest.mark.slow])
        for name, plant in typical
        for mpi in plant.mpis
    ]


def verdict(job: Job, mpi: str, folder: Path, others: Sequence[Job] = ()) -> Verdict:
    trouble = privilege.why_not()
    if trouble is not None or slow_disk.why_not():
        pytest.skip(trouble[0] if trouble else slow_disk.why_not())
    try:
        find_mpi(mpi)
    except ClearwayError as error:
        pytest.skip(error.message)
    beside = [run(other, mpi, folder / str(number)) for number, other in enumerate(others)]
    return judge(run(job, mpi, folder / "job"), beside)


@pytest.mark.timed
@pytest.mark.parametrize(("plant", "mpi"), every_plant(quick_first=True))
def test_the_right_rule_comes_first(plant: Plant, mpi: str, tmp_path: Path) -> None:
    said = verdict(plant.faulty, mpi, tmp_path, plant.others)
    assert said.place(plant.rule, plant.besides) == 1, said


@pytest.mark.timed
@pytest.mark.parametrize(("plant", "mpi"), every_plant(quick_first=False))
def test_the_twin_is_sound(plant: Plant, mpi: str, tmp_path: Path) -> None:
    said = verdict(plant.sound, mpi, tmp_path, plant.others_of_sound)
    assert not said.others(plant.besides | said.anyway), said


@pytest.mark.timed
@pytest.mark.slow
@pytest.mark.parametrize("each", [pytest.param(each, id=name) for name, each in healthy()])
def test_nothing_is_wrong(each: Healthy, tmp_path: Path) -> None:
    if each.missing:
        pytest.skip(f"{each.job.program[0]} is not installed")
    said = verdict(each.job, each.mpi, tmp_path)
    assert not said.others(each.besides | said.anyway), said
