"""What people write in batch scripts: recorded, they say, leave and end with what they did before."""

from __future__ import annotations

from pathlib import Path

import pytest
from harness.programs import ProgramBuilder
from harness.slurm import Person
from slurm.users_scripts import NAMES, RUNS, SCRIPTS, needs, outcomes, with_before_launches, with_engine


@pytest.fixture(scope="module")
def place(person: Person, programs: ProgramBuilder) -> Path:
    return with_engine(person.home, programs, person.home / "users-scripts")


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_script_does_what_it_does_without(person: Person, place: Path, name: str) -> None:
    needs(name)
    text = (SCRIPTS / name).read_text()
    recorder = f"{person.bin}/clearway run -q -o {place}/runs/{name}-%x-%j --"
    recorded = with_before_launches(text, recorder)
    assert recorded != text
    ended = outcomes(person.do, place, name, {"plain": (text, ""), "recorded": (recorded, "")})
    assert ended["recorded"] == ended["plain"]
    assert any("ranks" in line for line in ended["plain"][1])
    assert len(list((place / "runs").glob(f"{name}-*"))) == RUNS.get(name, 1)
