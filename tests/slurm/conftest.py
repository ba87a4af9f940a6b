"""What tests under Slurm share: a testbed with four hosts, and somebody who submits to it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from harness.mpis import mpi
from harness.programs import ProgramBuilder
from harness.slurm import IS_THERE, Person, person_on

from clearway.testbed import Shape, Testbed, privilege

MANAGEMENT = {"openmpi-debian": "pmix", "mpich-debian": "pmi2"}


@pytest.fixture(scope="package")
def person(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Person]:
    trouble = privilege.why_not()
    if trouble is not None:
        pytest.skip(trouble[0])
    if not IS_THERE:
        pytest.skip("slurm-wlm is not installed")
    with Testbed(Shape(hosts=4, slurm=True)) as testbed:
        yield person_on(testbed, tmp_path_factory.mktemp("person"))


@pytest.fixture
def lazy(person: Person, programs: ProgramBuilder) -> Path:
    """A ring that sleeps LAZY_MS a turn: what it takes is known."""
    return person.brings(programs.build(mpi("openmpi-debian"), "lazy_ring", "lazy_ring.c"))


@pytest.fixture
def folder(person: Person, request: pytest.FixtureRequest) -> Path:
    """A place for this test's work, below the person's home."""
    return person.home / str(request.node.name).replace("[", "-").strip("]")
