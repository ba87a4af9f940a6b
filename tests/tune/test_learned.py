"""What a race proves is where the next one of such a job begins: faster, never trusted, shown, and removable."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import pytest
from harness.command_line import run_clearway
from harness.mpis import Mpi
from tune.test_knobs import GROMACS
from tune.test_race import SETTINGS, SHAPES, Made
from tune.test_tune import QUICK, job, told, tune  # noqa: F401  job is a fixture

from clearway.base.errors import ClearwayError
from clearway.tune.learned import Kind, Lesson, file_of_user, forget, nearest, read_lessons, way_of, write_lessons
from clearway.tune.race import Answer, Race
from clearway.tune.rounds import UNCHANGED
from clearway.tune.rules import Rules
from clearway.tune.setting import Way, name_of

KIND = Kind("GROMACS", 23_558.0, 1, 8, "")
LESSON = Lesson(KIND, ("-nstlist 80",), 1.2, "mpirun gmx_mpi mdrun", "2026-11-25T10:00:00+00:00", "/somewhere")
TRUTH = {"shape 4": 0.85, "setting 0": 0.9}
BEST: Way = (SHAPES[2], SETTINGS[0])


def raced(made: Made, hint: Way, seed: int = 0) -> Race:
    race = Race(SHAPES, lambda _: SETTINGS, made, Rules(seed=seed), hint)
    race.go()
    return race


def test_a_race_that_begins_near_the_end_takes_fewer_runs() -> None:
    alone, led = Made(TRUTH, 0.003), Made(TRUTH, 0.003)
    first, second = raced(alone, UNCHANGED), raced(led, BEST)
    assert second.hint_held
    assert set(second.best()[1]) == set(first.best()[1]) == set(BEST)
    assert len(led.runs) <= 0.6 * len(alone.runs)


def test_what_does_not_hold_costs_two_runs_and_changes_nothing() -> None:
    alone, misled = Made(TRUTH, 0.003), Made({**TRUTH, "setting 5": 1.1}, 0.003)
    first, second = raced(alone, UNCHANGED), raced(misled, (SETTINGS[5],))
    assert second.hint_held is False
    assert set(second.best()[1]) == set(first.best()[1])
    assert first.proof_from is not None
    assert second.proof_from == first.proof_from + 1
    assert misled.runs[:2] == [("unchanged", 1), ("setting 5", 1)]


def test_what_fails_now_is_out() -> None:
    race = raced(Made(TRUTH, 0.003, breaks=frozenset({"setting 5"})), (SETTINGS[5],))
    assert race.hint_held is False and "setting 5" in race.rounds.out
    assert set(race.best()[1]) == set(BEST)


def test_a_lesson_is_no_proof() -> None:
    """Of what is no better, no more is called faster than chance allows: the rounds that tried it do not count."""
    gains = sum(raced(Made(spread=0.01, seed=seed), BEST, seed).best()[0] is Answer.FASTER for seed in range(200))
    assert gains <= 200 / 40 + 3 * math.sqrt(200 * 0.025 * 0.975)


@pytest.mark.parametrize(
    ("kind", "found"),
    [
        (KIND, True),
        (replace(KIND, size=40_000.0), True),
        (replace(KIND, size=60_000.0), False),
        (replace(KIND, size=None), False),
        (replace(KIND, hosts=2), False),
        (replace(KIND, cores=16), False),
        (replace(KIND, engine="LAMMPS"), False),
        (replace(KIND, testbed="--hosts 4"), False),
    ],
)
def test_only_such_jobs_learn_of_each_other(kind: Kind, found: bool) -> None:
    assert (nearest(kind, [LESSON]) is LESSON) is found


def test_the_nearest_in_size_counts_and_of_equals_the_newest() -> None:
    far, old, new = (replace(LESSON, kind=replace(KIND, size=size)) for size in (30_000.0, 20_000.0, 20_000.0))
    assert nearest(replace(KIND, size=20_001.0), [far, old, new]) is new


def test_only_what_this_job_can_be_told_is_tried() -> None:
    lesson = replace(LESSON, settings=("4 ranks × 2 threads", "-nstlist 80", "of another version"))
    assert name_of(way_of(lesson, GROMACS)) == "4 ranks × 2 threads, -nstlist 80"
    assert way_of(replace(LESSON, settings=("-nstlist 40",)), GROMACS) == ()  # its lists serve 40 steps already


def test_the_file_is_kept_whole_and_a_strange_one_is_named(tmp_path: Path) -> None:
    file = tmp_path / "new" / "learned.json"
    other = replace(LESSON, settings=("-dlb yes",))
    write_lessons(file, [LESSON, other])
    assert read_lessons(file) == (LESSON, other)
    forget(file, "1")
    assert read_lessons(file) == (other,)
    with pytest.raises(ClearwayError, match="no result '2'"):
        forget(file, "2")
    forget(file, "all")
    assert read_lessons(file) == ()
    file.write_text('{"lessons": 3}')
    with pytest.raises(ClearwayError, match="is damaged"):
        read_lessons(file)


def test_the_next_race_begins_with_it(open_mpi: Mpi, job: list[str], tmp_path: Path) -> None:  # noqa: F811
    first = told(tune(open_mpi, tmp_path, *QUICK, "--json", "-", "-q", "-o", tmp_path / "1", "--", *job))
    (lesson,) = read_lessons(file_of_user())
    assert (lesson.settings, lesson.kind.engine) == (("-nstlist 40",), "GROMACS")
    second = told(tune(open_mpi, tmp_path, *QUICK, "--json", "-", "-q", "-o", tmp_path / "2", "--", *job))
    assert (second["answer"], second["best"]) == ("faster", "-nstlist 40")
    assert "started from the result of an earlier one" in second["why"][0]
    assert second["runs"] < 0.8 * first["runs"]
    assert [row["name"] for row in second["rows"]] == ["unchanged", "-nstlist 40"]

    shown = run_clearway("tune", "--learned")
    assert "-nstlist 40" in shown.stdout and str(file_of_user()) in shown.stdout
    anew = [*QUICK, "--no-learned", "--json", "-", "-q", "-o", tmp_path / "3"]
    assert "-nstlist 80" in {row["name"] for row in told(tune(open_mpi, tmp_path, *anew, "--", *job))["rows"]}
    assert "No results of earlier races" in run_clearway("tune", "--forget", "all").stdout
    assert not file_of_user().exists()


def test_where_it_no_longer_holds_it_is_forgotten(open_mpi: Mpi, job: list[str], tmp_path: Path) -> None:  # noqa: F811
    kind = json.loads((seeded(open_mpi, job, tmp_path) / "began-with.json").read_text())
    assert kind == {"lesson": None}
    begun = Lesson(Kind("GROMACS", None, 1, cores_here(tmp_path), ""), ("-nstlist 80",), 1.3, "x", "2026-11-01", "/x")
    write_lessons(file_of_user(), [begun])
    race = [*QUICK, "--json", "-", "-q", "-o", tmp_path / "1", "--", *job]
    tuning = told(tune(open_mpi, tmp_path, *race, FAKE_HANGS="1"))
    assert tuning["best"] == "-nstlist 40"  # the lesson named what hangs by now
    assert [one.settings for one in read_lessons(file_of_user())] == [("-nstlist 40",)]


def seeded(mpi: Mpi, job: list[str], folder: Path) -> Path:  # noqa: F811
    outcome = tune(mpi, folder, "--dry-run", "-q", "-o", folder / "dry", "--", *job)
    assert outcome.exit_code == 0, outcome.says
    return folder / "dry"


def cores_here(folder: Path) -> int:
    from clearway.diagnosis.facts import open_case
    from clearway.diagnosis.facts.rank_places import cores_of
    from clearway.run import load

    case = open_case(load(folder / "dry/first-run"))
    return min(cores_of(case, host) or 1 for host in case.tables.hosts)
