"""The arithmetic of the suite of planted faults: places, cost, precision and recall."""

from __future__ import annotations

from dataclasses import replace

import pytest
from diagnosis.healthy import Healthy
from diagnosis.jobs import Job
from diagnosis.page import missed, verdict
from diagnosis.plants import INTENSITIES, NOT_PLANTED, Plant, plants
from diagnosis.results import Repetition
from diagnosis.score import Judged, by_intensity, score
from diagnosis.verdict import Found, Verdict
from measured.circumstances import here_and_now

from clearway.diagnosis.rules import rules

JOB = Job(program=("workload",))
PLANT = Plant(
    rule="slow-card", how="", instead="", faulty=JOB, sound=JOB, besides=frozenset({"shared-core"}), mpis=("openmpi",)
)


def said(*rules: str, stepping_s: float = 5.0, others_cores: float = 0.0) -> Verdict:
    """Each finding costs half of what the one before does, the first 4 s."""
    found = tuple(Found(rule, 4.0 / 2**place, 0.4 / 2**place, 0.9) for place, rule in enumerate(rules))
    return Verdict(found, wall_s=10.0, ranks=2, stepping_s=stepping_s, others_cores=others_cores)


def planted(*repetitions: dict[str, Verdict]) -> Judged:
    return Judged("slow-card", "openmpi", [kept(each) for each in repetitions], plant=PLANT)


def kept(verdicts: dict[str, Verdict]) -> Repetition:
    return Repetition(verdicts, here_and_now())


def healthy(name: str, verdict: Verdict) -> Judged:
    return Judged(name, "openmpi", [kept({"healthy": verdict})], healthy=Healthy(what="", job=JOB))


def test_places_and_cost() -> None:
    first = {"faulty": said("slow-card", stepping_s=10.0), "sound": said()}
    second = {"faulty": said("load-imbalance", "slow-card", stepping_s=9.0), "sound": said()}
    third = {"faulty": said("a", "b", "slow-card", stepping_s=7.0), "sound": said()}
    one = planted(first, second, third)
    assert one.places == [1, 2, 3]
    assert one.cost_ratio == pytest.approx(0.5)  # of 4/5, 2/4 and 1/2
    assert one.median_share == pytest.approx(0.2)
    total = score([one])
    assert (total.planted, total.first, total.first_or_second) == (3, 1, 2)
    assert total.first_but_planted == 1
    assert (total.found, total.wrong, total.excused) == (3, 3, 0)


def test_what_was_planted_besides_may_be_the_larger_loss() -> None:
    hard = {"faulty": said("shared-core", "slow-card"), "sound": said("shared-core")}
    wrong = {"faulty": said("load-imbalance", "slow-card"), "sound": said()}
    of_hard, of_wrong = score([planted(hard)]), score([planted(wrong)])
    assert (of_hard.first, of_hard.first_but_planted, of_hard.wrong) == (0, 1, 0)
    assert (of_wrong.first, of_wrong.first_but_planted, of_wrong.wrong) == (0, 0, 1)
    assert "costs more" in missed([planted(hard)])
    assert "costs more" not in missed([planted(hard), planted(wrong)])


def test_cost_is_not_told_where_others_took_much_of_a_job() -> None:
    spoilt = {"faulty": said("slow-card", "foreign-load", stepping_s=10.0), "sound": said()}
    clean = {"faulty": said("slow-card", stepping_s=9.0), "sound": said()}
    assert planted(spoilt).cost_ratio is None
    assert planted(spoilt, clean).cost_ratio == pytest.approx(1.0)


def test_what_is_so_is_no_false_alarm_and_no_hit() -> None:
    one = planted({"faulty": said("slow-card", "shared-core"), "sound": said("shared-core")})
    total = score([one])
    assert (total.found, total.wrong, total.excused) == (1, 0, 2)
    assert (total.quiet, total.silent, total.not_wrong) == (1, 0, 1)


def test_the_fault_found_in_its_twin_is_a_false_alarm() -> None:
    total = score([planted({"faulty": said("slow-card"), "sound": said("slow-card")})])
    assert (total.found, total.wrong) == (1, 1)
    assert (total.quiet, total.silent, total.not_wrong) == (1, 0, 0)


def test_healthy_jobs() -> None:
    disturbed = said("foreign-load", others_cores=0.5)
    total = score([healthy("lammps", said()), healthy("cp.x", said("slow-card")), healthy("pw.x", disturbed)])
    assert (total.planted, total.found, total.wrong, total.excused) == (0, 0, 1, 1)
    assert (total.quiet, total.silent, total.not_wrong) == (3, 1, 2)


def test_who_really_used_the_machine_may_be_found_and_is_passed_over() -> None:
    disturbed = planted({"faulty": said("foreign-load", "slow-card", others_cores=0.5), "sound": said()})
    assert disturbed.places == [1]
    assert (score([disturbed]).found, score([disturbed]).excused, score([disturbed]).wrong) == (1, 1, 0)
    alone = planted({"faulty": said("foreign-load", "slow-card"), "sound": said()})
    assert alone.places == [2]
    assert (score([alone]).found, score([alone]).excused, score([alone]).wrong) == (1, 0, 1)


def test_ranks_of_a_testbed_share_the_machine_and_that_may_be_found() -> None:
    crowded = Verdict(said("shared-core", "slow-card").found, 10.0, ranks=8, stepping_s=5.0, cores=2)
    assert crowded.place("slow-card") == 1
    assert crowded.place("shared-core") == 1
    assert Verdict(crowded.found, 10.0, ranks=2, stepping_s=5.0, cores=2).place("slow-card") == 2


def test_each_rule_is_planted_or_said_not_to_be() -> None:
    planted_rules = {plant.rule for _, plant in plants()}
    assert planted_rules | set(NOT_PLANTED) == set(rules())
    assert not planted_rules & set(NOT_PLANTED)


def test_faults_of_each_intensity_are_told_apart() -> None:
    typical = planted({"faulty": said("slow-card"), "sound": said()})
    slight = replace(typical, plant=replace(PLANT, intensity="slight"))
    missed = replace(slight, repetitions=[kept({"faulty": said(), "sound": said()})])
    parts = by_intensity([typical, slight, missed, healthy("lammps", said())])
    assert {name: (one.first, one.planted) for name, one in parts.items()} == {"slight": (1, 2), "typical": (1, 1)}
    rows = list(verdict(score([typical, slight, missed]), parts))
    assert "| the same, of slight faults | 1 of 2 (50%) |" in rows


def test_each_intensity_has_a_name_and_a_job_of_its_own() -> None:
    known = dict(plants())
    others = {name: plant for name, plant in known.items() if plant.intensity != "typical"}
    assert {plant.intensity for plant in others.values()} == set(INTENSITIES) - {"typical"}
    for name, plant in others.items():
        typical = known[name.removesuffix(f"-{plant.intensity}")]
        assert plant.rule == typical.rule
        assert plant.faulty != typical.faulty
        assert plant.how != typical.how
