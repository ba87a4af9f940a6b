"""Pictures of comparisons whose figures are known."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

from experiment.made_samples import compared, plan_of, samples_of

from clearway.experiment import Comparison, Plan
from clearway.experiment.plot import draw, write_plot
from clearway.experiment.vary import variants_of


def texts(comparison: Comparison, path: Path) -> set[str]:
    write_plot(comparison, path)
    return {element.text or "" for element in ElementTree.parse(path).iter("{http://www.w3.org/2000/svg}text")}


def test_ratios_have_their_variants_names(tmp_path: Path) -> None:
    runs = samples_of({"A": [1, 10, 11, 10], "B": [1, 8, 9, 8], "failed": [None, None]})
    comparison = compared(plan_of("A", "B", "failed"), runs)
    told = texts(comparison, tmp_path / "ratios.svg")
    assert "B" in told
    assert "failed" not in told  # there is nothing to draw
    (axes,) = draw(comparison).axes
    low, high = axes.get_xlim()
    assert low < (comparison.rows[1].ratio_low or 0) < (comparison.rows[1].ratio_high or 0) < high


def test_speedup_against_ranks(tmp_path: Path) -> None:
    plan = Plan(("mpirun", "a"), variants_of([], ranks=[1, 2, 4]), same_work=True)
    runs = samples_of({"1 rank": [1, 10, 11, 10], "2 ranks": [1, 6, 6, 6], "4 ranks": [1, 4, 4, 4]})
    told = texts(compared(plan, runs), tmp_path / "speedup.svg")
    assert {"1", "2", "4", "speedup", "ranks", "ideal"} <= told


def test_dollars_of_a_command_make_no_formula(tmp_path: Path) -> None:
    """matplotlib sets what stands between two of them, and fails where that is no formula."""
    runs = samples_of({"A": [1, 10, 11, 10], "$\\no{$": [1, 8, 9, 8]})
    comparison = replace(compared(plan_of("A", "$\\no{$"), runs), command="sh -c 'echo $\\A $B\n'")
    told = texts(comparison, tmp_path / "dollars.svg")
    assert {"$\\no{$", "sh -c 'echo $\\A $B\\x0a'"} <= told
