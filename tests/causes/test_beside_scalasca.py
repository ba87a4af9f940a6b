"""What counts as seen, near and charged where Scalasca and Clearway are compared on drawn faults."""

from __future__ import annotations

from dataclasses import replace

import pytest
from causes.answer import Said
from causes.draw import Draw, draws
from causes.scalasca.measure import fitting
from causes.scalasca.page import cause_named, charged, counts, near, row, section, seen
from causes.scalasca.results import Compared, Heard
from causes.scalasca.tool import Scalasca
from measured.circumstances import Circumstances

from clearway.base.errors import ClearwayError

HERE = Circumstances("2026-11-26", "0123456789", "a processor", 2, "6.18.44")
NOTHING = Heard(3.0, 3.5, {}, (0.0, 0.0))


def drawn(kind: str) -> Draw:
    return next(each for each in fitting(1, 400, True) if each.faults[0].kind == kind)


def compared(kind: str, scalasca: Heard = NOTHING, clearway: Heard = NOTHING) -> Compared:
    """Its fault cost one second of three."""
    return Compared(drawn(kind), "Scalasca 0, Score-P 0", HERE, (2.01, 1.99), 3.0, 3.5, scalasca, clearway, 0.01)


def waiting(seconds: float, late: int) -> Heard:
    return Heard(3.0, 3.5, {"late sender": seconds}, tuple(seconds if rank == late else 0.0 for rank in range(2)))


def test_waiting_is_seen_from_a_half_and_near_within_a_quarter() -> None:
    one = compared("late-rank")
    assert [seen(one, waiting(s, 0)) for s in (0.4, 0.6, 1.5)] == [False, True, True]
    assert [near(one, waiting(s, 0)) for s in (0.7, 0.8, 1.2, 1.3)] == [False, True, True, False]


def test_the_late_rank_is_charged_if_it_is_charged_most() -> None:
    one = compared("sleeping-rank")
    late = one.draw.faults[0].first
    assert charged(one, waiting(1.0, late))
    assert not charged(one, waiting(1.0, 1 - late))
    assert not charged(one, Heard(3.0, 3.5, {"wait at fence": 1.0}, (0.0, 0.0)))
    assert not charged(one, NOTHING)


def test_the_cause_is_named_by_the_first_finding_alone() -> None:
    sleeping = Said("blocked", "Ranks are blocked", "sleeping", 1.0, 0.3, 0.9)
    other = Said("output", "Much output", "lines", 0.5, 0.1, 0.9)
    assert cause_named(compared("sleeping-rank", clearway=replace(NOTHING, said=(sleeping, other))))
    assert not cause_named(compared("sleeping-rank", clearway=replace(NOTHING, said=(other, sleeping))))
    assert not cause_named(compared("late-rank", clearway=replace(NOTHING, said=(sleeping,))))


def test_what_costs_little_or_less_than_twins_differ_is_not_counted() -> None:
    one = compared("late-rank")
    assert counts(one)
    assert not counts(replace(one, faulty_s=2.05))
    assert not counts(replace(one, twins_s=(1.0, 2.9)))
    assert not counts(replace(one, others_cores=0.3))


def test_the_table_has_a_row_for_each_draw_that_counts() -> None:
    late = compared("late-rank", waiting(0.9, drawn("late-rank").faults[0].first), waiting(0.5, 0))
    lines = "\n".join(section([late, replace(compared("wandering"), faulty_s=2.0)]))
    assert row(late) in lines
    assert "2 draws, of\nwhich 1 count." in lines
    assert "| waiting seen | 1 of 1 | 1 of 1 |" in lines
    assert "| its seconds within 25% | 1 of 1 | 0 of 1 |" in lines
    assert "in turns" in row(compared("wandering"))
    assert list(section([])) == []


def test_only_draws_with_somebody_to_wait_for() -> None:
    fit = list(fitting(3, 300, False))
    assert fit
    assert {each.mpi for each in fit} == {"openmpi"}
    assert all(each.ranks > 1 and not each.fatal and len(each.faults) == 1 for each in fit)
    assert {each.faults[0].where for each in fit if each.faults[0].kind != "wandering"} == {"one rank"}
    assert len(fit) < len(list(draws(3, 300)))


def test_where_it_is_not_installed_the_error_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(ClearwayError, match="there is no scan") as caught:
        Scalasca()
    assert caught.value.hint is not None and "--at" in caught.value.hint
