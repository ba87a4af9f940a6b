"""What the race is judged by: grids drawn at random, and what other programs say."""

from __future__ import annotations

import itertools
import shutil
from dataclasses import replace

import numpy as np
import pytest
import races.drawn
import races.jobs
import races.measure
import races.peers
import races.results
import races.world
from races.estimate import estimated
from races.grid import same_way
from races.informed import informed

TOLD = """
Best performance was achieved with 0 PME ranks (see line 2)
Optimized PME settings:
   New Coulomb radius: 0.98 nm (was 0.9 nm)
Please use this command line to launch the simulation:

mpirun --bind-to none -np 2 gmx_mpi mdrun -ntomp 1 -pin off -npme 0 -s tuned.tpr
"""

TOLD_NOTHING = """
Best performance was achieved with the automatic number of PME ranks
Please use this command line to launch the simulation:

mpirun --bind-to none -np 2 gmx_mpi mdrun -ntomp 1 -pin off -npme -1 -s run.tpr
------------------------------------------------------------
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


def test_estimates_are_nearer_than_medians_and_do_not_hide_what_differs() -> None:
    """Of a grid with two settings that pay, where the fastest median is fast by chance; and of one pair that pays
    together."""
    chance = np.random.default_rng(3)
    names = ["a", "b", "c", "d", "e"]
    ways = [frozenset(name for name, turned in zip(names, each, strict=True) if turned)
            for each in itertools.product((False, True), repeat=len(names))]  # fmt: skip
    error = 0.025
    for pair in (0.0, -0.3):
        truth = np.asarray([-0.08 * ("a" in way) - 0.05 * ("b" in way) + pair * ({"c", "d"} <= way) for way in ways])
        missed = {"medians": 0.0, "estimates": 0.0}
        lowest = {"medians": 0.0, "estimates": 0.0}
        for _ in range(200):
            medians = truth + chance.normal(0, error, len(ways))
            for what, values in (("medians", medians), ("estimates", estimated(ways, medians, error))):
                missed[what] += float(np.sqrt(np.mean((values - truth) ** 2))) / 200
                lowest[what] += float(values.min() - truth.min()) / 200
        assert missed["estimates"] < (0.6 if pair == 0.0 else 1.01) * missed["medians"], pair
        assert abs(lowest["estimates"]) < abs(lowest["medians"]), pair


def test_exact_medians_stay() -> None:
    ways = [frozenset(), frozenset("a"), frozenset("b"), frozenset("ab")]
    medians = np.asarray([0.0, -0.1, 0.05, 0.3])
    assert estimated(ways, medians, 0.0) == pytest.approx(medians)
    assert estimated(ways[:3], medians[:3], 0.5) == pytest.approx(medians[:3])  # nothing is left to compare with


def test_what_tune_pme_says() -> None:
    assert races.peers.options_in(TOLD) == ["-s", "tuned.tpr"]
    assert races.peers.options_in(TOLD_NOTHING) == []
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


def test_a_search_that_is_told_of_the_grid_finds_the_best_in_few_runs() -> None:
    """Runs differ by next to nothing, so only the model can be wrong; each way is drawn by all runs before it."""
    result = next(one for one in races.results.read_all() if one.name == "salt")
    world = replace(races.world.world_of(result), left=(-0.003, 0.003), rounds=(0.0,))
    assert all(world.behind(informed(world, 15, seed)) <= 1.03 for seed in range(10))
    assert any(world.behind(informed(world, 2, seed)) > 1.03 for seed in range(10))
