"""What tests under Slurm share: a testbed with two hosts on each of two switches, and somebody who submits to it.

The way between the switches carries a quarter of a host's link."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from harness.mpis import mpi
from harness.programs import ProgramBuilder
from harness.slurm import Person, person_on, slurm_testbed

from clearway.testbed import Shape

MANAGEMENT = {"openmpi-debian": "pmix", "mpich-debian": "pmi2"}


@pytest.fixture(scope="package")
def person(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Person]:
    with slurm_testbed(Shape(hosts=4, switches=2, uplink_bps=5_000_000, slurm=True)) as testbed:
        yield person_on(testbed, tmp_path_factory.mktemp("person"))


@pytest.fixture
def lazy(person: Person, programs: ProgramBuilder) -> Path:
    """A ring that sleeps LAZY_MS a turn: what it takes is known."""
    return person.brings(programs.build(mpi("openmpi-debian"), "lazy_ring", "lazy_ring.c"))


@pytest.fixture
def folder(person: Person, request: pytest.FixtureRequest) -> Path:
    """A place for this test's work, below the person's home; empty when the test is tried again, too."""
    place = person.home / str(request.node.name).replace("[", "-").strip("]")
    shutil.rmtree(place, ignore_errors=True)
    return place
