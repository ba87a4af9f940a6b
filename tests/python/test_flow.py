"""From the cells of flow files to the page's rows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from python.made_runs import world, write_all

from clearway.diagnosis.facts.tables.flow import flow
from clearway.page.model import FlowRow
from clearway.run import load

MS = 1_000_000


def cell(trial: int, candidate: str, calls: int, time_ns: int, chosen: int = 0, **more: Any) -> dict[str, Any]:
    given = {"operation": "alltoall", "low_bytes": 4096, "high_bytes": 4096, "ranks": 2, "hosts": 2, "challenges": 1}
    return {
        **given,
        "trial": trial,
        "comm": 0,
        "candidate": candidate,
        "calls": calls,
        "time_ns": time_ns,
        "chosen": chosen,
        **more,
    }


def rows_of(directory: Path, *files: list[dict[str, Any]]) -> tuple[FlowRow, ...]:
    ranks = world(2)
    write_all(ranks, directory)
    for number, cells in enumerate(files):
        (directory / f"flow.node0.{number}.cwr").write_bytes(ranks[0].flow_record(*cells))
    return flow(load(directory))


def test_a_job_without_flow_has_no_rows(tmp_path: Path) -> None:
    assert rows_of(tmp_path / "run") == ()


def test_a_trial_is_a_row(tmp_path: Path) -> None:
    [row] = rows_of(tmp_path / "run", [cell(0, "ordered", 90, 10 * MS, chosen=1), cell(0, "own", 4, 25 * MS)])
    assert (row.chosen, row.chosen_calls, row.calls, row.communicators) == ("ordered", 90, 94, 1)
    assert (row.time_s, row.own_s, row.gain) == pytest.approx((0.010, 0.025, 2.5))
    assert [(way.candidate, way.calls) for way in row.ways] == [("ordered", 90), ("own", 4)]


def test_communicators_of_equal_shape_are_one_row(tmp_path: Path) -> None:
    """Also those that other processes wrote of, whose numbers are their own."""
    first = [cell(0, "ordered", 90, 10 * MS, chosen=1), cell(0, "own", 4, 20 * MS)]
    second = [cell(0, "ordered", 70, 30 * MS, chosen=1), cell(0, "own", 4, 40 * MS)]
    [row] = rows_of(tmp_path / "run", first, second)
    assert (row.communicators, row.calls, row.chosen_calls, row.challenges) == (2, 168, 160, 2)
    assert (row.time_s, row.own_s) == pytest.approx((0.020, 0.030))


def test_the_cost_of_trials_adds_up(tmp_path: Path) -> None:
    ranks = world(2)
    write_all(ranks, tmp_path / "run")
    cells = [cell(trial, "ordered", 90, 10 * MS, chosen=1) for trial in (0, 7)]
    trials = [(0, 0, 1, 0, 3, 40 * MS), (7, 1, 1, 0, 1, 20 * MS), (9, 1, 1, 0, 1, MS)]
    (tmp_path / "run" / "flow.node0.5.cwr").write_bytes(ranks[0].flow_record(*cells, trials=trials))
    [row] = flow(load(tmp_path / "run"))
    assert (row.trial_calls, row.regret_s, row.remembered) == (4, pytest.approx(0.060), 1)


def test_runs_of_before_tell_no_cost(tmp_path: Path) -> None:
    [row] = rows_of(tmp_path / "run", [cell(0, "ordered", 90, 10 * MS, chosen=1)])
    assert (row.trial_calls, row.regret_s, row.remembered) == (None, None, 0)


def test_different_choices_are_different_rows(tmp_path: Path) -> None:
    cells = [cell(0, "ordered", 90, 10 * MS, chosen=1), cell(0, "own", 4, 20 * MS)]
    cells += [cell(1, "ordered", 3, 30 * MS), cell(1, "own", 60, 5 * MS, chosen=1)]
    assert [(row.chosen, row.gain) for row in rows_of(tmp_path / "run", cells)] == [("ordered", 2.0), ("own", 1.0)]


def test_what_was_not_measured_is_unknown(tmp_path: Path) -> None:
    cells = [
        cell(0, "ordered", 9, 0, chosen=1, low_bytes=0, high_bytes=0),
        cell(0, "own", 0, 0, low_bytes=0, high_bytes=0),
    ]
    [row] = rows_of(tmp_path / "run", cells)
    assert (row.low_bytes, row.high_bytes, row.time_s, row.own_s, row.gain) == (None, None, None, None, None)


def test_a_job_killed_in_its_trial_has_no_choice_yet(tmp_path: Path) -> None:
    [row] = rows_of(tmp_path / "run", [cell(0, "ordered", 3, 0), cell(0, "own", 0, 0)])
    assert (row.chosen, row.chosen_calls, row.calls) == (None, 0, 3)


def test_another_job_in_the_directory_does_not_count(tmp_path: Path) -> None:
    older = world(2, job="older")
    for rank in older:
        rank.header["start"] = (1, 1, 1)
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "flow.node0.77.cwr").write_bytes(older[0].flow_record(cell(0, "own", 5, MS, chosen=1)))
    assert rows_of(tmp_path / "run") == ()


def test_a_file_cut_short_costs_only_its_rows(tmp_path: Path) -> None:
    directory = tmp_path / "run"
    directory.mkdir()
    whole = world(2)[0].flow_record(cell(0, "own", 5, MS, chosen=1))
    (directory / "flow.node0.5.cwr").write_bytes(whole[:9000])
    assert rows_of(directory) == ()
    assert any("flow.node0.5.cwr" in note for note in load(directory).notes)
