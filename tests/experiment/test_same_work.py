"""Time tells which way is faster only where the same work was done; else an engine, or a figure that is named."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from experiment.made_samples import compared, figures
from harness.command_line import run_clearway
from python.made_runs import Rank
from rules.host_jobs import MadeHost, off_the_core, ranks_on, steps_of

from clearway.base.errors import ClearwayError
from clearway.engines import Engine
from clearway.engines.saved import write_kept
from clearway.experiment import Comparison, Plan, Variant, Verdict
from clearway.experiment.comparison import Basis
from clearway.experiment.conclusions import closing_words
from clearway.experiment.fixing import diagnosis_of
from clearway.experiment.printed_figure import PrintedFigure, find_figure
from clearway.experiment.sample import Sample
from clearway.job.change import Change
from clearway.run import load
from clearway.run.directory import find_records

JITTER = (1.0, 1.01, 0.99, 1.0)


def made(changes: Mapping[str, Change], told: Mapping[str, Mapping[str, Any]], **plan: Any) -> Comparison:
    """The job unchanged takes 10 s; by variant what its runs tell."""
    variants = (Variant("unchanged"), *(Variant(name, change) for name, change in changes.items()))
    samples = [
        Sample(variant.name, number, "", 1.0, of(told[variant.name], jitter))
        for variant in variants
        for number, jitter in enumerate(JITTER, 1)
    ]
    return compared(Plan(("mpirun", "a"), variants, **plan), samples)


def of(told: Mapping[str, Any], jitter: float) -> Any:
    rest = {name: value for name, value in told.items() if name != "s"}
    engine = rest.pop("engine", None)
    return replace(figures(told["s"] * jitter, **rest), engine=engine)


FEWER = {"fewer-ranks": Change(ranks=2)}
# Eight ranks that share two cores, and so much to do for each: two of them do a quarter in a quarter of the time.
QUARTER = {"unchanged": {"s": 10.0, "ranks": 8}, "fewer-ranks": {"s": 2.4, "ranks": 2}}


def test_fewer_ranks_that_do_less_are_not_called_faster() -> None:
    comparison = made(FEWER, QUARTER)
    row = comparison.rows[1]
    assert (row.verdict, row.ratio, row.ratio_low) == (Verdict.NOT_COMPARED, None, None)
    assert row.wall_s == pytest.approx(2.4)  # what it took is no secret
    said = " ".join(closing_words(comparison))
    assert "fewer-ranks cannot be compared with unchanged: the work may have changed with the number of ranks." in said
    assert "--figure" in said and "times" not in said


def test_the_user_may_know_that_it_is_the_same_work() -> None:
    assert made(FEWER, QUARTER, same_work=True).rows[1].ratio == pytest.approx(0.24)


@pytest.mark.parametrize("figure", ["ns_per_day", "s_per_step"])
def test_an_engine_tells_on_any_number_of_ranks(figure: str) -> None:
    """A quarter of the steps in a quarter of the time is no gain."""
    told = {name: {**rest, figure: 0.5, "engine": "LAMMPS"} for name, rest in QUARTER.items()}
    row = made(FEWER, told).rows[1]
    assert row.ratio == pytest.approx(1.0)
    assert row.verdict is Verdict.SAME


def test_a_step_of_one_engine_is_none_of_another() -> None:
    told = {
        "unchanged": {"s": 10.0, "s_per_step": 0.5, "engine": "CP2K"},
        "other": {"s": 5.0, "s_per_step": 0.1, "engine": "NWChem"},
    }
    assert made({"other": Change(environment=(("A", "1"),))}, told).rows[1].verdict is Verdict.NOT_COMPARED


def test_a_figure_that_the_job_prints() -> None:
    """Steps a second: on two ranks there are fewer, however soon it ended."""
    told = {
        name: {**rest, "figure_s": figure_s} for (name, rest), figure_s in zip(QUARTER.items(), (1.0, 1.5), strict=True)
    }
    comparison = made(FEWER, told, figure=PrintedFigure("rate: #"))
    assert comparison.basis is Basis.FIGURE
    assert comparison.rows[1].ratio == pytest.approx(1.5)
    assert comparison.rows[1].verdict is Verdict.SLOWER


def test_ranks_are_counted_however_they_were_asked_for() -> None:
    """Here an option of the launcher changes their number."""
    change = {"fewer-ranks": Change(launcher_options=("-np", "2"))}
    assert made(change, QUARTER).rows[1].verdict is Verdict.NOT_COMPARED


def test_as_many_ranks_as_before_are_compared() -> None:
    told = {"unchanged": {"s": 10.0, "ranks": 8}, "fewer-ranks": {"s": 5.0, "ranks": 8}}
    assert made({"fewer-ranks": Change(ranks=8)}, told).rows[1].verdict is Verdict.FASTER


def test_a_job_that_does_less_on_as_many_ranks() -> None:
    """One that ends by the clock does as much as it can: its time says nothing, its calls do."""
    option = {"flow": Change(recorder_options=("--flow",))}
    told = {"unchanged": {"s": 10.0, "ranks": 8, "collectives": 4000.0}, "flow": {"s": 9.0, "ranks": 8}}
    for calls, verdict in ((8000.0, Verdict.NOT_COMPARED), (4100.0, Verdict.FASTER), (None, Verdict.FASTER)):
        told["flow"]["collectives"] = calls
        row = made(option, told).rows[1]
        assert row.verdict is verdict
    told["flow"]["collectives"] = 8000.0
    assert made(option, told).rows[1].not_compared == (
        "it did not do the same work: 8,000 collective calls per rank, 4,000 before"
    )


def test_other_options_of_the_program_may_be_other_work() -> None:
    told = {"unchanged": {"s": 10.0, "ranks": 8}, "short": {"s": 5.0, "ranks": 8}}
    row = made({"short": Change(program_options=("-n", "5"))}, told).rows[1]
    assert row.not_compared == "the work may have changed with the program's options"


@pytest.mark.parametrize(
    ("words", "text", "figure"),
    [
        ("rate: # steps/s", "rate:   12.5 steps/s\nrate: 13 steps/s\nrate: 99 steps/h\n", 13.0),
        ("# timesteps/s", "Performance: 261.794 ns/day, 0.092 hours/ns, 3030.024 timesteps/s", 3030.024),
        ("rate", "rate = 1.5e3", 1500.0),
        ("ns/day:", "ns/day: nan", None),
        ("steps a second: #", "steps  a\tsecond:7", 7.0),
        ("rate #", "rate -4", None),
        ("rate #", "rate 0", None),
        ("[x] (# Gflop/s)", "[x] ( 2.0D+01 Gflop/s)", 20.0),
    ],
)
def test_what_is_found_in_what_it_prints(words: str, text: str, figure: float | None, tmp_path: Path) -> None:
    (tmp_path / "output.txt").write_text(text)
    assert find_figure(PrintedFigure(words), tmp_path / "output.txt", None) == figure


def test_a_time_is_better_when_it_is_less() -> None:
    assert PrintedFigure("s/step: #", is_time=True).seconds(4.0) == 4.0
    assert PrintedFigure("rate: #").seconds(4.0) == 0.25


@pytest.mark.parametrize("words", ["#", " ", "# of #"])
def test_words_that_name_no_place_are_refused(words: str) -> None:
    with pytest.raises(ClearwayError, match="where the number is"):
        PrintedFigure(words).last_in("1")


@pytest.fixture
def eight_on_four(tmp_path: Path) -> Path:
    """A made Run of eight ranks that take turns on four cores, each with so much to do."""
    host = MadeHost()
    world = ranks_on(host, per_host=8)
    steps_of(world, [2.0] * 8)
    for rank in world:
        rank.fact("mpi.library", "Open MPI v4.1.4")
        off_the_core(rank, 5.0)
        rank.write(tmp_path)
    record = Rank(-1, 0, machine=host.machine).host_record(host.facts, {})
    (tmp_path / "host.node0.0.cwr").write_bytes(record)
    (tmp_path / "run.json").write_text(json.dumps({"command": ["mpirun.openmpi", "-np", "8", "./program"]}))
    return tmp_path


def test_fewer_ranks_are_not_tried_where_nothing_tells_the_work(eight_on_four: Path) -> None:
    diagnosis = diagnosis_of(eight_on_four)
    offered = [remedy for one in diagnosis.page.findings for remedy in one.remedies if remedy.id == "fewer-ranks"]
    assert [remedy.expected_gain_s for remedy in offered] == [None]
    assert not diagnosis.choices
    assert next(diagnosis.left_out()) == (
        "fewer-ranks cannot be compared: the work may have changed with the number of ranks."
    )


def test_they_are_where_something_does(eight_on_four: Path) -> None:
    named = diagnosis_of(eight_on_four, tells_work=True)
    assert [each.id for choice in named.choices for each in choice] == ["fewer-ranks"]
    write_kept(eight_on_four, find_records(eight_on_four).job, Engine("LAMMPS", "log", None, 0.1, 100))
    assert load(eight_on_four).job
    by_engine = diagnosis_of(eight_on_four)
    assert [each.id for choice in by_engine.choices for each in choice] == ["fewer-ranks"]
    assert not by_engine.unproved
    assert by_engine.expected_gain_s(by_engine.choices[0]) is not None


def test_fix_says_so_and_runs_nothing(eight_on_four: Path, tmp_path: Path) -> None:
    outcome = run_clearway("fix", "--from", eight_on_four, "--remedy", "fewer-ranks", directory=tmp_path)
    assert outcome.exit_code == 0, outcome.says
    assert "fewer-ranks cannot be compared: the work may have changed" in outcome.stdout
    assert "times as fast" not in outcome.stdout
    assert not list(tmp_path.glob("clearway-fix-*"))
