"""Speed against cost, and the picture of it."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import pytest
from harness.mpis import Mpi
from tune.test_answer import FAST, SLOW, MadeRunner, tuned
from tune.test_tune import job, told, tune  # noqa: F401  job is a fixture

from clearway.tune.html import html_of
from clearway.tune.pareto import Point, front, points, unit_of
from clearway.tune.plot import draw, write_plot
from clearway.tune.tuning import Standing

HOSTILE = "<script>$x^2$</script> \x1b[31m"


def point(name: str, speed: float, cost: float) -> Point:
    return Point(name, 1, speed, cost, Standing.DROPPED)


def test_what_another_beats_in_both_is_not_in_front() -> None:
    cheap, fast, beaten, twin = point("cheap", 1, 1), point("fast", 4, 3), point("beaten", 2, 3), point("twin", 4, 3)
    assert front([beaten, fast, twin, cheap]) == [cheap, fast]
    assert front([]) == []


def test_each_that_is_left_out_is_beaten_by_one_in_front() -> None:
    known = [point(f"{at}", (at * 7919) % 13, (at * 104_729) % 11) for at in range(60)]
    kept = front(known)
    for one in known:
        if one not in kept:
            assert any(other.speed >= one.speed and other.cost <= one.cost for other in kept)
    for one in kept:
        assert not any(other.speed > one.speed and other.cost <= one.cost for other in known)


def test_points_are_those_that_ran_well(tmp_path: Path) -> None:
    tuning, _ = tuned(tmp_path / "t", MadeRunner(), FAST, SLOW)
    found = {one.name: one for one in points(tuning)}
    assert found.keys() == {"unchanged", "-fast 1", "-fast 1, -slow 1"}
    assert unit_of(tuning) == "ns/day"
    assert found["-fast 1"].speed == pytest.approx(12.5, rel=0.01)
    assert [one.name for one in front(list(found.values()))] == ["-fast 1"]
    out = replace(tuning, rows=tuple(replace(row, standing=Standing.THROWN_OUT) for row in tuning.rows))
    assert points(out) == []


def test_names_of_a_job_are_no_words_of_the_page(tmp_path: Path) -> None:
    tuning, _ = tuned(tmp_path / "t", MadeRunner(), FAST)
    rows = tuple(replace(row, name=HOSTILE, fault=HOSTILE) for row in tuning.rows)
    page = html_of(replace(tuning, command=HOSTILE, best=HOSTILE, best_command=HOSTILE, rows=rows))
    assert "<script" not in page and "\x1b" not in page
    ET.fromstring(page[page.index("<svg") : page.index("</svg>") + 6])


def test_a_race_of_which_nothing_is_known_has_a_picture(tmp_path: Path) -> None:
    tuning, _ = tuned(tmp_path / "t", MadeRunner(), FAST)
    write_plot(replace(tuning, rows=()), tmp_path / "empty.svg")
    assert draw(tuning) is not None
    assert (tmp_path / "empty.svg").read_text().startswith("<?xml")


def test_the_best_on_fewer_cores_is_shown_and_not_recommended(
    open_mpi: Mpi,
    job: list[str],  # noqa: F811
    tmp_path: Path,
) -> None:
    pictures = ["--html", tmp_path / "race.html", "--plot", tmp_path / "race.svg", "--fewer-cores", "--within", "50%"]
    tuning = told(tune(open_mpi, tmp_path, *pictures, "--json", "-", "-q", "-o", tmp_path / "t", "--", *job))
    rows = {row["name"]: row for row in tuning["rows"]}
    fewer = rows["1 rank × 1 thread"]
    assert (fewer["standing"], fewer["runs"]) == ("fewer cores", 2)
    assert fewer["core_hours"] == pytest.approx(rows["unchanged"]["core_hours"] / 2, rel=0.05)
    assert tuning["best"] == "unchanged"
    page = (tmp_path / "race.html").read_text()
    assert "1 rank × 1 thread" in page and "core-hours for a ns" in page
    assert (tmp_path / "race.svg").stat().st_size > 1000
