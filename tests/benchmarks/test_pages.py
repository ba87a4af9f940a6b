"""Pages of measured figures are what their results in the repository say: made by one command, never by hand."""

from __future__ import annotations

from pathlib import Path

import causes.page
import causes.results
import diagnosis.page
import io_cache.page
import io_cache.results
import pytest
import races.page
import races.results
import races.score
import races.searches
import races.world
import remedy_gains.page
import scaling.page
import scaling.results
import simulator.growth
from diagnosis.results import RESULTS
from diagnosis.score import judged
from measured.circumstances import Circumstances, told
from measured.spread import middle_and_spread
from remedy_gains.results import Round
from remedy_gains.trials import trials
from scaling.trials import TRIALS

HERE = Circumstances("2026-11-22", "0123456789", "a processor", 2, "6.18.44")
THERE = Circumstances("2026-11-24", "9876543210", "a processor", 16, "6.18.44")


def test_remedies() -> None:
    known = [
        remedy_gains.page.Tried(each, rounds) for each in trials() if (rounds := remedy_gains.page.read(each.name))
    ]
    assert "\n".join(remedy_gains.page.page(known)) + "\n" == remedy_gains.page.PAGE.read_text()


def test_diagnosis() -> None:
    assert "\n".join(diagnosis.page.page(judged())) + "\n" == diagnosis.page.PAGE.read_text()


def test_causes() -> None:
    assert "\n".join(causes.page.page(causes.results.read_all())) + "\n" == causes.page.PAGE.read_text()


def test_every_result_has_its_row() -> None:
    """No result is left out of a page, whatever it says."""
    folder = Path(remedy_gains.page.__file__).parent / "results"
    assert {path.stem for path in folder.glob("*.json")} <= {each.name for each in trials()}
    told = {f"{each.name}.{each.mpi}" for each in judged()}
    assert {path.stem for path in RESULTS.glob("*.json")} == told


def test_promises_that_are_too_large_come_first() -> None:
    trial = next(trials())
    low, high = (
        remedy_gains.page.Tried(trial, [Round(10.0, 8.0, 8.0, 3.0, promised_s, HERE)]) for promised_s in (1.0, 3.0)
    )
    lines = list(remedy_gains.page.page([low, high]))
    assert lines[1].startswith("**1 of 2 promises are larger than what came back**, by 50 %")
    rows = [line for line in lines if line.startswith(f"| `{trial.remedy}`")]
    assert ["+50 %" in rows[0], "-50 %" in rows[1]] == [True, True]


def test_when_and_where() -> None:
    assert told([HERE]) == "Measured 2026-11-22 at commit 0123456789 on 2 cores (a processor), Linux 6.18.44"
    assert told([THERE, HERE]).startswith(
        "Measured 2026-11-22 to 2026-11-24 at commits 0123456789, 9876543210 on 16, 2"
    )


def test_a_median_stands_with_its_spread() -> None:
    assert middle_and_spread([3.0, 1.0, 2.0], unit=" s") == "2.00 s (1.00 – 3.00)"
    assert middle_and_spread([3.0]) == "3.00 (once)"


def test_io_cache() -> None:
    assert "\n".join(io_cache.page.page(io_cache.results.read())) + "\n" == io_cache.page.PAGE.read_text()


def test_scaling() -> None:
    known = [(trial, result) for trial in TRIALS if (result := scaling.results.read(trial.name))]
    assert "\n".join(scaling.page.page(known)) + "\n" == scaling.page.PAGE.read_text()
    assert {path.stem for path in scaling.results.FOLDER.glob("*.json")} <= {trial.name for trial in TRIALS}


def test_races() -> None:
    results = races.results.read_all()
    scores = races.score.read_scores()
    known = races.page.known_of(results, scores.scores)
    assert "\n".join(races.page.page(known, scores.drawn)) + "\n" == races.page.PAGE.read_text()
    assert len(known) == len(results)


def test_a_search_of_a_measured_grid_says_the_same_each_time() -> None:
    """What the page counts is what the race does now, with these grids."""
    kept = {score.name: score for score in races.score.read_scores().scores}
    for result in races.results.read_all():
        world = races.world.world_of(result)
        found = tuple(world.behind(races.searches.tuned(world, 15, seed)) for seed in range(5))
        assert found == pytest.approx(kept[result.name].behind["15"][races.page.OURS][:5])


def test_growth_of_the_simulator() -> None:
    assert "\n".join(simulator.growth.page(*simulator.growth.read())) + "\n" == simulator.growth.PAGE.read_text()
