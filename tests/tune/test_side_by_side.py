"""Several simulations at once on one node: each on cores of its own, in a folder of its own, and speeds add up."""

from __future__ import annotations

import shlex
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from harness.mpis import Mpi
from harness.runs import run_command
from tune.test_knobs import GROMACS
from tune.test_tune import job, told, tune  # noqa: F401  job is a fixture

from clearway.base.errors import ClearwayError
from clearway.experiment.runner import Ran
from clearway.experiment.sample import Figures
from clearway.tune.knobs import engine_knobs
from clearway.tune.side_by_side import as_one, check_seen, cores_here, divisions, parts

engine = engine_knobs("GROMACS")
assert engine is not None
THREADS = engine.threads


def figures(wall_s: float, ns_per_day: float | None) -> Figures:
    return Figures(wall_s, wall_s, 1.0, 0.01, ns_per_day, "GROMACS", ranks=2)


def test_a_node_is_divided_in_equal_parts() -> None:
    names = [setting.name for setting in divisions(GROMACS, THREADS, range(4)).settings]
    assert names == [
        "4 ranks × 1 thread",
        "1 rank × 4 threads",
        "2 × (2 ranks × 1 thread)",
        "2 × (1 rank × 2 threads)",
        "4 × (1 rank × 1 thread)",
    ]
    assert parts((0, 1, 2, 3), 2) == [(0, 1), (2, 3)]


def test_a_program_without_threads_has_none() -> None:
    names = [setting.name for setting in divisions(GROMACS, None, range(2)).settings]
    assert names == ["2 ranks × 1 thread", "2 × (1 rank × 1 thread)"]


def test_speeds_add_up() -> None:
    together = as_one([Ran(10.0, figures(10.0, 30.0)), Ran(12.0, figures(12.0, 20.0))])
    assert together.figures is not None
    assert (together.spent_s, together.figures.ns_per_day, together.figures.wall_s) == (12.0, 50.0, 6.0)
    assert together.figures.s_per_step == pytest.approx(0.005)


def test_where_one_fails_nothing_counts() -> None:
    together = as_one([Ran(10.0, figures(10.0, 30.0)), Ran(3.0, None, "ended with 137")])
    assert (together.figures, together.fault) == (None, "ended with 137")


def test_a_speed_that_one_does_not_tell_is_not_known() -> None:
    together = as_one([Ran(10.0, figures(10.0, 30.0)), Ran(10.0, figures(10.0, None))])
    assert together.figures is not None and together.figures.ns_per_day is None


@pytest.mark.parametrize(
    ("seen", "why"),
    [
        (replace(GROMACS, launcher=""), "not a single program under a launcher"),
        (replace(GROMACS, cores=(8, 8)), "runs on several hosts"),
        (replace(GROMACS, on_testbed=True), "runs on several hosts"),
        (replace(GROMACS, tells_work=False), "it is not known how much work"),
        (replace(GROMACS, launcher="srun", family=""), "how to switch off binding"),
    ],
)
def test_where_it_cannot_be_tried_it_says_why(seen: object, why: str) -> None:
    with pytest.raises(ClearwayError, match=why):
        check_seen(seen)  # type: ignore[arg-type]


@pytest.mark.skipif(len(cores_here()) != 2, reason="the names are those of two cores")
def test_what_gives_most_in_all_is_found(open_mpi: Mpi, job: list[str], tmp_path: Path) -> None:  # noqa: F811
    """The made engine is as fast on one core as on two."""
    options = ["--side-by-side", "--timeout", "8s", "--json", "-", "-q", "-o", tmp_path / "t"]
    tuning = told(tune(open_mpi, tmp_path, *options, "--", *job, FAKE_BEST="1"))
    rows = {row["name"]: row for row in tuning["rows"]}
    best = rows["2 × (1 rank × 1 thread)"]
    assert tuning["best"] == best["name"]
    assert (best["copies"], best["ns_per_day"]) == (2, pytest.approx(20, rel=0.02))
    assert best["speed"] == pytest.approx(2, rel=0.02)

    runs = sorted((tmp_path / "t").glob("round-1/2-x*/[12]"))
    cpus = [allowed_in(run) for run in runs]
    assert runs
    assert cpus == [{cores_here()[0]}, {cores_here()[1]}] * (len(runs) // 2)

    for name in ("sim1", "sim2"):
        shutil.copytree(tmp_path / "job", tmp_path / "typed" / name)
    typed = run_command(["sh", "-c", tuning["best_command"]], open_mpi.environment, 60, tmp_path / "typed")
    assert typed.exit_code == 0, typed.says
    assert all("GROMACS" in (tmp_path / "typed" / name / "md.log").read_text() for name in ("sim1", "sim2"))
    assert shlex.split(tuning["best_command"])[-1] == "wait"


def allowed_in(run: Path) -> set[int]:
    """The processors of its ranks."""
    from clearway.base.ranges import numbers
    from clearway.diagnosis.facts import open_case
    from clearway.run import load

    return {cpu for rank in open_case(load(run)).tables.ranks for cpu in numbers(rank.cpus)}
