"""What is drawn follows from the seed alone, leaves nothing out, and keeps half of every range for later."""

from __future__ import annotations

import random
import shutil
import subprocess
from pathlib import Path

import pytest
from causes.building import build_skeleton
from causes.draw import BASE_S, FAMILIES, MOST_LOST_S, MPIS, REAL, draw, draws
from causes.kinds import KINDS
from causes.ranges import Range
from causes.truth import RankTruth, lost_s, read_rank, steps_done, truth_of

from clearway.diagnosis.rules import rules

MANY = 600


def test_a_seed_draws_the_same_again() -> None:
    assert list(draws(7, 50)) == list(draws(7, 50))
    assert list(draws(7, 50))[:20] == list(draws(7, 20))
    assert draw(7, 13) == list(draws(7, 14))[13]


def test_seeds_and_halves_differ() -> None:
    assert list(draws(7, 20)) != list(draws(8, 20))
    assert [each.faults for each in draws(7, 20)] != [each.faults for each in draws(7, 20, held_out=True)]


def test_what_a_seed_draws_stays_what_it_was() -> None:
    """Published figures name their seed: a generator that draws otherwise needs new ones."""
    kept = [(each.faults[0].kind, each.family, each.mpi, each.faults[0].strength) for each in draws(1, 3)]
    assert kept == KEPT


KEPT = [
    ("log-lines", "fence", "openmpi", 0.0389),
    ("slow-file", "alltoall", "openmpi", 0.0933),
    ("sleeping-rank", "halo", "openmpi", 0.039),
]


@pytest.mark.parametrize("held_out", [False, True])
def test_as_many_draws_as_kinds_have_them_all(held_out: bool) -> None:
    for begin in (0, len(KINDS)):
        dealt = [each.faults[0].kind for each in list(draws(3, begin + len(KINDS), held_out))[begin:]]
        assert sorted(dealt) == sorted(KINDS)


def test_every_program_mpi_place_and_moment_is_drawn() -> None:
    every = list(draws(5, MANY))
    faults = [fault for each in every for fault in each.faults]
    assert {each.family for each in every} == {*FAMILIES, *REAL}
    assert {each.mpi for each in every} == set(MPIS)
    assert {fault.when for fault in faults} == {"always", "since", "now and then"}
    assert {fault.where for fault in faults} == {"one rank", "one host", "all ranks"}
    assert {len(each.faults) for each in every} == {1, 2}
    assert {each.hosts for each in every} == {0, 2, 4}


def test_a_draw_is_one_that_can_be_run() -> None:
    for each in draws(5, MANY):
        assert each.steps >= 8
        assert sum(fault.amount_s > 0 for fault in each.faults) in (0, len(each.faults))
        for fault in each.faults:
            assert 0 <= fault.first <= fault.last < each.ranks
            assert 0 <= fault.begin < each.steps
            times = len(range(fault.begin, each.steps, fault.every)) if fault.kind != "late-start" else 1
            kept = BASE_S if fault.kind == "slow-pipe" else 0  # read from the pipe while the rank computes
            assert times * fault.amount_s <= 1.01 * (MOST_LOST_S / len(each.faults) + kept)
        kinds = [KINDS[fault.kind] for fault in each.faults]
        assert len({fault.kind for fault in each.faults}) == len(kinds)
        assert len(kinds) == 1 or not any(kind.alone for kind in kinds)
        assert all(kind.place == "anywhere" or each.hosts == (4 if kind.place == "network" else 0) for kind in kinds)


def test_real_programs_have_the_faults_that_need_no_part_of_theirs() -> None:
    real = [each for each in draws(5, MANY) if each.family in REAL]
    assert len(real) > 0.05 * MANY
    for each in real:
        assert (each.hosts, each.threads) == (0, 1)
        assert all(KINDS[fault.kind].in_engines for fault in each.faults)


def test_half_of_each_range_is_kept() -> None:
    chance, some = random.Random(1), Range(0.01, 100)
    for held_out in (False, True):
        drawn = [some.draw(chance, held_out) for _ in range(1000)]
        assert all(some.least <= value <= some.most and some.held_out(value) == held_out for value in drawn)
        assert min(drawn) < 0.1 and max(drawn) > 10  # from harmless to fatal, in both halves
    for held_out in (False, True):
        for each in draws(9, MANY, held_out):
            assert all(KINDS[one.kind].strength.held_out(one.strength) == held_out for one in each.faults)


def test_the_table_names_rules_that_exist() -> None:
    named = {name.rule for kind in KINDS.values() for name in (*kind.right, *kind.near)}
    assert named <= set(rules())


def test_what_a_fault_cost() -> None:
    sound = truth_of([RankTruth(10.0, 14.0, (11.0, 12.0, 13.0)), RankTruth(10.5, 14.5, (11.5, 12.5, 13.5))], None)
    assert (sound.wall_s, sound.step_end_s, sound.ended) == (4.5, (1.5, 2.5, 3.5), True)
    late = truth_of([RankTruth(10.0, 16.0, (12.0, 13.0, 15.0))], None)
    assert lost_s(late, sound) == 1.5
    hangs = truth_of([RankTruth(10.0, 0.0, (11.0, 12.0)), RankTruth(10.0, 0.0, (11.5,))], killed_s=16.0)
    assert not hangs.ended
    assert lost_s(hangs, sound) == 6.0 - 1.5  # its only whole step took the twin 1.5 s
    assert lost_s(truth_of([RankTruth(10.0, 0.0, ())], killed_s=16.0), sound) == 6.0


def test_the_skeleton_writes_down_what_it_does(tmp_path: Path) -> None:
    if shutil.which("mpicc.mpich") is None or shutil.which("mpirun.mpich") is None:
        pytest.skip("MPICH is not installed")
    fault = "fault=sleeping-rank,amount=0.02,grain=0.01,first=1,last=1,from=5"
    settings = ["family=alltoall", "steps=10", "compute=0.001", "bytes=64", f"truth={tmp_path / 'truth'}", fault]
    ran = subprocess.run(["mpirun.mpich", "-np", "2", build_skeleton("mpich"), *settings], timeout=60, check=False)
    assert ran.returncode == 0
    ranks = [read_rank(tmp_path / f"truth.{rank}") for rank in range(2)]
    assert steps_done(tmp_path / "truth") == 10
    assert [len(rank.step_end_s) for rank in ranks] == [10, 10]
    ends = truth_of(ranks, None).step_end_s
    assert ends[9] - ends[4] >= 5 * 0.02  # it can take longer, never less
