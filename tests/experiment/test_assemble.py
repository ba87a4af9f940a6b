"""What is made of runs whose figures are known."""

from __future__ import annotations

from dataclasses import replace

import pytest
from experiment.made_samples import compared, figures, plan_of, samples_of

from clearway.experiment import Plan, Variant, Verdict
from clearway.experiment.comparison import Basis, End
from clearway.experiment.conclusions import breakdown, open_ends
from clearway.experiment.order import given_up, order_of, runs_of
from clearway.experiment.sample import Sample
from clearway.experiment.vary import variants_of


def test_rounds_are_paired_and_the_warm_up_does_not_count() -> None:
    # The machine slows down from round to round; B always takes 0.8 of A's time.
    a = [99.0, 10.0, 20.0, 40.0, 80.0]
    comparison = compared(plan_of("A", "B"), samples_of({"A": a, "B": [1.0, *(0.8 * second for second in a[1:])]}))
    base, other = comparison.rows
    assert (base.verdict, other.verdict) == (Verdict.BASELINE, Verdict.FASTER)
    assert other.ratio == pytest.approx(0.8)
    assert base.wall_s == pytest.approx(37.5)
    assert comparison.basis is Basis.MPI
    assert other.runs == tuple(f"round-{number}/B" for number in (1, 2, 3, 4))


def test_verdicts() -> None:
    runs = samples_of(
        {
            "A": [1, 1.00, 1.01, 0.99, 1.00],
            "same": [1, 1.001, 1.009, 0.99, 1.001],
            "slower": [1, 1.5, 1.52, 1.49, 1.5],
            "unclear": [1, 0.7, 1.4, 0.8, 1.3],
            "failed": [None, None],
        }
    )
    comparison = compared(plan_of("A", "same", "slower", "unclear", "failed"), runs)
    assert [row.verdict.value for row in comparison.rows[1:]] == ["same", "slower", "unclear", "failed"]
    assert comparison.rows[4].fault == "ended with 3: planted"
    assert comparison.rows[4].ratio is None


def test_the_engine_tells_better_than_the_clock() -> None:
    """Its own figure is compared where every run has it: here it says the contrary of the wall-clock."""
    steps = {"A": 0.2, "B": 0.1}
    runs = [
        Sample(name, number, "", 1.0, figures(10 if name == "A" else 20, s_per_step=steps[name]))
        for name in steps
        for number in (1, 2, 3)
    ]
    comparison = compared(plan_of("A", "B"), runs)
    assert comparison.basis is Basis.STEP
    assert comparison.rows[1].ratio == pytest.approx(0.5)
    without = [*runs[:-1], replace(runs[-1], figures=figures(20))]
    assert compared(plan_of("A", "B"), without).basis is Basis.MPI


def test_price() -> None:
    runs = [Sample(name, n, "", 1.0, figures(1, ns_per_day=50.0)) for name in "AB" for n in (1, 2, 3)]
    assert compared(replace(plan_of("A", "B"), price=15000.0), runs).rows[1].price_per_ns_day == 300


def test_where_scaling_ends() -> None:
    """As in Table 1 of Kutzner et al. 2007, LAM on one CPU a node: 1.00, 1.96, 2.7, 1.9 on 1, 2, 4, 8 CPUs."""
    plan = Plan(("mpirun", "a"), variants_of([], ranks=[1, 2, 4, 8]), same_work=True)
    times = {1: 100.0, 2: 100 / 1.96, 4: 100 / 2.7, 8: 100 / 1.9}
    jitter = (1.0, 1.01, 0.99, 1.0, 1.005)
    runs = samples_of({v.name: [times[v.change.ranks or 0] * j for j in jitter] for v in plan.variants})
    (scaling,) = compared(plan, runs).scalings
    assert [point.speedup for point in scaling.points] == pytest.approx([1, 1.96, 2.7, 1.9])
    assert scaling.points[2].scaling == pytest.approx(2.7 / 4)
    assert scaling.enough_ranks == 4
    assert scaling.larger_gain_nothing
    assert list(breakdown(scaling)) == ["unchanged: 4 ranks are enough; more are not faster."]


def test_scaling_that_does_not_end() -> None:
    plan = Plan(("mpirun", "a"), variants_of([], ranks=[2, 4]), same_work=True)
    jitter = (1.0, 1.01, 0.99, 1.0)
    runs = samples_of({"2 ranks": [10 * j for j in jitter], "4 ranks": [6 * j for j in jitter]})
    (scaling,) = compared(plan, runs).scalings
    assert scaling.enough_ranks is None
    assert scaling.points[0].speedup == 2
    assert scaling.points[1].speedup == pytest.approx(2 * 10 / 6)


def test_where_scaling_ends_is_not_sure_after_two_rounds() -> None:
    plan = Plan(("mpirun", "a"), variants_of([], ranks=[1, 2]), same_work=True)
    (scaling,) = compared(plan, samples_of({"1 rank": [9, 10.0, 10.0], "2 ranks": [9, 20.0, 20.0]})).scalings
    assert (scaling.enough_ranks, scaling.larger_gain_nothing) == (1, False)
    assert list(breakdown(scaling)) == ["unchanged: it is not clear whether more than 1 rank is faster."]


def test_before_the_first_round_nothing_is_concluded() -> None:
    """As of rounds that wait in a queue."""
    said = list(open_ends(compared(plan_of("A", "B"), [])))
    assert len(said) == 1 and said[0].startswith("No round is complete yet. "), said


def test_rounds_that_are_still_to_come_are_not_asked_for() -> None:
    runs = samples_of({"A": [9, 10.0, 10.0], "B": [9, 10.0, 11.0]})
    comparison = replace(compared(plan_of("A", "B"), runs), end=End.UNDER_WAY)
    (said,) = open_ends(comparison)
    assert said.startswith("Not clear yet, with 2 rounds so far: B. ") and "--rounds" not in said


def test_order_is_new_each_round_and_the_same_again() -> None:
    plan = plan_of(*"ABCDEF")
    orders = [[variant.name for variant in order_of(plan, number)] for number in range(6)]
    assert len({tuple(order) for order in orders}) > 3
    assert all(sorted(order) == list("ABCDEF") for order in orders)
    assert orders[2] == [variant.name for variant in order_of(plan, 2)]
    assert orders[0][0] == "A"  # how long it takes tells how long the others may
    assert {order[0] for order in orders[1:]} != {"A"}


def test_an_interrupted_round_is_gone_on_with() -> None:
    plan = plan_of(*"ABC")
    first = order_of(plan, 1)[0]
    rest = runs_of(plan, 1, [Sample(first.name, 1, "", 1.0, figures(1))], settled=())
    assert rest == order_of(plan, 1)[1:]
    assert {variant.name for variant in runs_of(plan, 2, [], settled=("B", "A"))} == {"A", "C"}


def test_who_fails_twice_is_given_up_unless_it_ran_once() -> None:
    plan = plan_of("A", "B", "C")
    runs = samples_of({"A": [1.0, 1.0], "B": [None, None], "C": [1.0, None, None]})
    assert given_up(plan, runs) == {"B"}


def test_variants_of_options() -> None:
    assert [variant.name for variant in variants_of([], bare=True)] == ["unchanged", "unchanged, again"]
    crossed = variants_of([], mpis=["openmpi", "mpich"], ranks=[1, 2])
    assert [variant.name for variant in crossed] == [
        "1 rank, openmpi", "2 ranks, openmpi", "1 rank, mpich", "2 ranks, mpich",
    ]  # fmt: skip
    assert crossed[0] == Variant("1 rank, openmpi", crossed[0].change)
