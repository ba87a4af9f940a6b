"""Variants that need another allocation: whose turn it is."""

from __future__ import annotations

from clearway.experiment.order import allocations_of, turn_at, turn_of
from clearway.experiment.plan import Plan, Variant
from clearway.experiment.script_options import asked_besides
from clearway.job.change import Change

OTHER = ("--exclude=node4",)
SCRIPT = "#!/bin/sh\n#SBATCH --nodes=2 -x node1\nsrun ./a.out\n"
HERE = (Variant("unchanged"), Variant("pinned", Change(launcher_options=("--cpu-bind=cores",))))


def plan_with(*variants: Variant) -> Plan:
    return Plan(("job.sh",), (*HERE, *variants), rounds=4, script=SCRIPT)


def test_one_allocation_takes_a_turn_a_round() -> None:
    plan = plan_with()
    assert [turn_of(plan, turn) for turn in (1, 2, 3)] == [(1, ()), (2, ()), (3, ())]
    assert [turn_at(plan, number, "pinned") for number in (1, 2, 3)] == [1, 2, 3]


def test_allocations_alternate_and_neither_is_always_first() -> None:
    plan = plan_with(Variant("elsewhere", Change(batch_options=OTHER)))
    assert allocations_of(plan) == [(), OTHER]
    turns = [turn_of(plan, turn) for turn in range(1, 9)]
    assert turns == [(1, ()), (1, OTHER), (2, OTHER), (2, ()), (3, ()), (3, OTHER), (4, OTHER), (4, ())]
    for name, own in (("unchanged", ()), ("pinned", ()), ("elsewhere", OTHER)):
        for number in range(1, 5):
            assert turn_of(plan, turn_at(plan, number, name)) == (number, own)


def test_what_the_script_excludes_stays_so() -> None:
    plan = plan_with()
    assert asked_besides(plan, OTHER) == ("--exclude=node4,node1",)
    assert asked_besides(plan, ("--switches=1", "--exclusive")) == ("--switches=1", "--exclusive")
    assert asked_besides(plan, ()) == ()
