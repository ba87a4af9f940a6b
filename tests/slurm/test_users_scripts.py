"""What people write in batch scripts: recorded, they say, leave and end with what they did before."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from harness.programs import ProgramBuilder
from harness.slurm import Person
from slurm.users_scripts import NAMES, SCRIPTS, needs, outcome, submitted, with_before_launches, with_engine

# Each launch is a Run, of so many ranks; two of an array's tasks, of stages, three of a loop.
RUNS = {"stages.sh": 2, "strict-array.sh": 2, "loop.sh": 3, "ensemble.sh": 2}


@pytest.fixture(scope="module")
def place(person: Person, programs: ProgramBuilder) -> Path:
    return with_engine(person, programs, person.home / "users-scripts")


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_script_does_what_it_does_without(person: Person, place: Path, name: str) -> None:
    needs(name)
    text = (SCRIPTS / name).read_text()
    recorder = f"{person.bin}/clearway run -q -o {place}/runs/{name}-%x-%j --"
    recorded = with_before_launches(text, recorder)
    assert recorded != text
    kinds = {"plain": text, "recorded": recorded}
    folders = {kind: place / f"{kind}-{name}" for kind in kinds}
    for folder in folders.values():
        folder.mkdir()
        folder.chmod(0o777)
        for path in place.iterdir():
            if path.is_file():
                (folder / path.name).write_bytes(path.read_bytes())
                (folder / path.name).chmod(path.stat().st_mode)
    jobs = {kind: submitted(person, folders[kind], name, kinds[kind]) for kind in kinds}
    end = time.monotonic() + 90
    while person.types(f"squeue --noheader --jobs={','.join(map(str, jobs.values()))}"):
        assert time.monotonic() < end, "they go on and on"
        time.sleep(0.2)
    plain, watched = (outcome(person, folders[kind], name, jobs[kind]) for kind in kinds)
    assert watched == plain
    assert any("ranks" in line for line in plain[1])
    assert len(list((place / "runs").glob(f"{name}-*"))) == RUNS.get(name, 1)
