"""What the race is judged by: grids drawn at random, and what other programs say."""

from __future__ import annotations

import shutil

import pytest
import races.drawn
import races.jobs
import races.measure
import races.peers
import races.results
import races.world
from races.grid import same_way

TOLD = """
Best performance was achieved with 0 PME ranks (see line 2)
Optimized PME settings:
   New Coulomb radius: 0.98 nm (was 0.9 nm)
Please use this command line to launch the simulation:

mpirun --bind-to none -np 2 gmx_mpi mdrun -ntomp 1 -pin off -npme 0 -s tuned.tpr
"""


def test_drawn_grids_are_whole_and_the_same_each_time() -> None:
    measured = [races.world.world_of(result) for result in races.results.read_all()]
    for number in range(20):
        world, again = (races.drawn.drawn_world(measured, number) for _ in range(2))
        assert world.logs == again.logs
        assert world.result.ways[0] == ()
        assert world.log_of(()) == 0.0
        assert world.logs.keys() | world.failing == {same_way(way) for way in world.result.ways}
        assert not world.logs.keys() & world.failing
        settings = {one.name for way in world.result.ways for one in way}
        (first,) = world.result.firsts
        assert {*first.shapes, *first.settings[""]} <= settings
        assert max(len(way) for way in world.result.ways) == len({one.knob for way in world.result.ways for one in way})


def test_what_tune_pme_says() -> None:
    assert races.peers.options_in(TOLD) == ["-npme", "0", "-s", "tuned.tpr"]
    assert races.peers.options_in("Best performance was achieved with the original settings\n") == []


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize(("name", "program"), [("cp", "cp.x"), ("salt", "lmp"), ("cp2k", "cp2k.psmp"), ("dhfr", "")])
def test_a_job_of_the_grids_runs(name: str, program: str, capsys: pytest.CaptureFixture[str]) -> None:
    """DHFR's input takes minutes to make: only where it is there."""
    needed = shutil.which(program) if program else (races.jobs.FOLDER / "dhfr/run.tpr").exists()
    if not needed:
        pytest.skip(f"{program or 'the input of DHFR'} is not there")
    (job,) = [one for one in races.jobs.JOBS if one.name == name]
    races.measure.tell(job)
    assert capsys.readouterr().out.startswith(f"{name}: ")
