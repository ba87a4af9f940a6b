"""From made runs to the answer: what is written down, judged, counted against the budget, said and shown."""

from __future__ import annotations

import json
import math
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

import jsonschema
import pytest
from rich.console import Console

from clearway.base.console import sheet_for
from clearway.base.errors import ClearwayError
from clearway.base.json import plain
from clearway.base.schema import schema_of
from clearway.engines.kept_log import LOG
from clearway.experiment.comparison import Basis, End
from clearway.experiment.journal import read_samples
from clearway.experiment.plan import Plan, Variant
from clearway.experiment.progress import Bar
from clearway.experiment.runner import Ran, Runner
from clearway.experiment.sample import Figures, Sample
from clearway.job.change import Change, changed
from clearway.ledger.totals import Ledger
from clearway.tune.answer import Given, answer_of, cost_basis, sentences
from clearway.tune.knobs import Short
from clearway.tune.progress import Lines
from clearway.tune.race import Answer, Race
from clearway.tune.rules import Rules
from clearway.tune.script import write_script
from clearway.tune.setting import MayChange, Setting, Way
from clearway.tune.space import NotTried, Tried
from clearway.tune.task import Task, check_size, checked, read_task, write_task
from clearway.tune.terminal import answer_lines, would_try
from clearway.tune.track import Quiet, Track
from clearway.tune.tuning import SCHEMA, Standing, Tuning
from clearway.tune.variants import Variants, slug
from clearway.tune.why import why_sentences

COMMAND = ("mpirun", "-np", "2", "gmx_mpi", "mdrun")
SHORT = Short(Change(program_options=("-nsteps", "1000")), said="-nsteps 1000")
ENERGY = -4.0e4


def option(*words: str) -> Setting:
    return Setting(words[0], " ".join(words), Change(program_options=words), MayChange.TOLERANCE)


FAST, SLOW, BAD, BROKEN = option("-fast", "1"), option("-slow", "1"), option("-bad", "1"), option("-broken", "1")
NS_PER_DAY = {"unchanged": 10.0, "-fast 1": 12.5, "-slow 1": 8.0, "-bad 1": 20.0}


@dataclass
class MadeRunner:
    """In the place of a Runner: tells the speed of each variant, with a little that differs from round to round."""

    interrupt_at: int = 0
    variants: list[Variant] = field(default_factory=list)
    limits: list[float | None] = field(default_factory=list)

    def run(self, variant: Variant, directory: Path, timeout_s: float | None) -> Ran:
        self.variants.append(variant)
        self.limits.append(timeout_s)
        if len(self.variants) == self.interrupt_at:
            raise KeyboardInterrupt
        names = variant.name.split(", ")
        if "-broken 1" in names:
            return Ran(3.0, None, "ended with 139")
        directory.mkdir(parents=True)
        energy = ENERGY * (1.1 if "-bad 1" in names else 1)
        (directory / LOG).write_text(
            "   :-) GROMACS - gmx mdrun (-:\n\n           Step           Time\n              0        0.00000\n\n"
            f"   Energies (kJ/mol)\n      Potential\n{energy:15.5e}\n\n"
        )
        speed = math.prod(NS_PER_DAY[name] / 10 for name in names) * 10 * (1 + 0.001 * (len(self.variants) % 3))
        return Ran(20.0, Figures(20.0, 19.0, 18.0, 0.002, speed, "GROMACS", ranks=2))

    def command(self, variant: Variant) -> Sequence[str]:
        return changed(COMMAND, variant.change, {})


def track_in(directory: Path, runner: MadeRunner, **task: Any) -> Track:
    directory.mkdir(exist_ok=True)
    variants = Variants(COMMAND, COMMAND[3:], directory, None)
    made = Task(COMMAND, str(directory), **task)
    track = Track(made, cast(Runner, runner), directory, variants, read_samples(directory), Quiet(), SHORT)
    track.first_run()
    track.basis = Basis.DAY
    return track


def tuned(directory: Path, runner: MadeRunner, *settings: Setting, **task: Any) -> tuple[Tuning, Track]:
    track = track_in(directory, runner, **task)
    race = Race([], lambda _: settings, track.run, Rules())
    end = race.go()

    def why(way: Way) -> list[str]:
        return ["The unchanged job: it waits."]

    left = [NotTried("-npme", "the job has no PME")]
    given = Given((2, 1), 2, "GROMACS", left, why, lambda way: shlex.join(runner.command(track.variants.whole(way))))
    return answer_of(race, track, end, given), track


def shown(tuning: Tuning) -> str:
    return "\n".join(line.plain for line in answer_lines(tuning, sheet_for(Console(width=100))))


def test_the_answer(tmp_path: Path) -> None:
    runner = MadeRunner()
    tuning, _ = tuned(tmp_path / "t", runner, SLOW, BAD, BROKEN, FAST)
    jsonschema.validate(json.loads(json.dumps(plain(tuning))), schema_of(Tuning, SCHEMA))
    rows = {row.name: row for row in tuning.rows}
    assert (tuning.answer, tuning.best, tuning.end) == (Answer.FASTER, "-fast 1", End.CLEAR)
    assert [row.name for row in tuning.rows][:3] == ["unchanged", "-fast 1", "-slow 1"]
    assert rows["-fast 1"].speed == pytest.approx(1.25, rel=0.01)
    assert rows["-fast 1"].core_hours == pytest.approx(2 * 24 / 12.5, rel=0.01)
    assert [rows[name].standing for name in ("-slow 1", "-bad 1", "-broken 1")] == [
        Standing.DROPPED, Standing.THROWN_OUT, Standing.THROWN_OUT]  # fmt: skip
    assert "changes the energy: -44000 at step 0; the unchanged job has -40000" in rows["-bad 1"].fault
    assert tuning.best_command == shlex.join([*COMMAND, "-fast", "1"])
    assert all("-nsteps" in variant.change.program_options for variant in runner.variants)

    text = shown(tuning)
    assert "-fast 1: 1.25 times (1.2" in text
    assert "Thrown out: -broken 1 ended with 139." in text
    assert "-npme: the job has no PME" in text
    assert text.splitlines()[-1] == tuning.best_command


def test_variants_in_the_table_can_be_told_apart(tmp_path: Path) -> None:
    tuning, _ = tuned(tmp_path / "t", MadeRunner(), SLOW)
    long = [f"processors 1 2 1, neigh_modify delay {steps} every 1 check yes" for steps in (5, 20)]
    rows = [replace(row, name=name) for row, name in zip(tuning.rows, long, strict=True)]
    lines = shown(replace(tuning, rows=tuple(rows))).splitlines()
    assert [sum(f"delay {steps} every" in line for line in lines) for steps in (5, 20)] == [1, 1]


def test_nothing_to_gain(tmp_path: Path) -> None:
    tuning, _ = tuned(tmp_path / "t", MadeRunner(), SLOW)
    assert (tuning.answer, tuning.best, tuning.best_command) == (Answer.NOTHING, "unchanged", shlex.join(COMMAND))
    assert sentences(tuning)[0] == "Nothing to gain: -slow 1 is not 3 % faster, with 95 % certainty."
    none, _ = tuned(tmp_path / "n", MadeRunner())
    assert sentences(none)[0] == "Nothing was tried: no option was found that could help."
    assert shown(none).startswith("1 way to run the job, in ")
    broken, _ = tuned(tmp_path / "b", MadeRunner(), BROKEN)
    assert "no variant finished" in sentences(broken)[0]


def test_a_dry_run_says_that_it_would_try_nothing() -> None:
    nothing = Tried((), (), (NotTried("binding", "each rank has cores of its own already"),), {})
    lines = [line.plain for line in would_try(nothing, nothing, sheet_for(Console(width=100)))]
    assert lines[:3] == ["Would be tried", "  nothing", ""]
    some = replace(nothing, settings=(FAST,), because={FAST.knob: "it pays"})
    assert "  nothing" not in [line.plain for line in would_try(some, nothing, sheet_for(Console(width=100)))]


def test_interrupted_it_goes_on_with_what_was_run(tmp_path: Path) -> None:
    first = MadeRunner(interrupt_at=6)
    tuning, _ = tuned(tmp_path / "t", first, SLOW, FAST)
    assert (tuning.end, tuning.answer, tuning.best) == (End.INTERRUPTED, Answer.UNPROVEN, "unchanged")
    assert any(sentence.endswith("/t` continues.") for sentence in sentences(tuning))
    second = MadeRunner()
    again, _ = tuned(tmp_path / "t", second, SLOW, FAST)
    assert again.best == "-fast 1"
    assert again.runs == len(first.variants) - 1 + len(second.variants)  # the one that was interrupted did not end


def test_the_budget_is_kept(tmp_path: Path) -> None:
    tuning, track = tuned(tmp_path / "t", MadeRunner(), SLOW, FAST, budget_s=90.0)
    assert tuning.end is End.BUDGET
    assert track.spent_s == 80.0
    assert tuning.best == "unchanged"
    assert "only the unchanged job" not in sentences(tuning)[0]
    assert {row.name: row.runs for row in tuning.rows} == {"unchanged": 1, "-slow 1": 1, "-fast 1": 1}
    assert sentences(tuning)[-1].endswith("/t` with a larger --budget continues.")  # without it would end at once

    one, _ = tuned(tmp_path / "one", MadeRunner(), SLOW, FAST, budget_s=50.0)
    assert [row.name for row in one.rows] == ["unchanged"]  # what found no time has no row: it was not dropped
    two, _ = tuned(tmp_path / "two", MadeRunner(), SLOW, FAST, budget_s=70.0)
    assert [row.standing for row in two.rows] == [Standing.UNCHANGED, Standing.RACING]  # nor is that out, so far
    slower = replace(tuning, leader="-slow 1")  # by all runs it may look faster than it was beside the unchanged job
    assert sentences(slower)[0] == "The budget is spent: so far nothing was faster than the unchanged job."

    none, _ = tuned(tmp_path / "none", MadeRunner(), SLOW, FAST, budget_s=10.0)  # the first run took it all
    assert sentences(none)[0] == "The budget is spent: so far only the unchanged job has run."


def test_a_variant_has_the_patience_of_three_unchanged_runs(tmp_path: Path) -> None:
    runner = MadeRunner()
    tuned(tmp_path / "t", runner, FAST)
    limits = {variant.name: limit for variant, limit in zip(runner.variants, runner.limits, strict=True)}
    assert limits["-fast 1"] == 60.0
    told = MadeRunner()
    tuned(tmp_path / "u", told, FAST, timeout_s=7.0)
    assert set(told.limits) == {7.0}


def test_the_script_is_never_written_over(tmp_path: Path) -> None:
    tuning, _ = tuned(tmp_path / "t", MadeRunner(), FAST)
    script = tmp_path / "job.sh"
    write_script(tuning, str(script))
    lines = script.read_text().splitlines()
    assert (lines[0], lines[-1]) == ("#!/bin/sh", tuning.best_command)
    assert all(line.startswith("#") and "SBATCH" not in line for line in lines[:-1])
    with pytest.raises(ClearwayError, match="exists already"):
        write_script(tuning, str(script))


def test_the_script_asks_slurm_for_what_the_race_had(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tuning, _ = tuned(tmp_path / "t", MadeRunner(), FAST)
    had = {"SLURM_JOB_ID": "7", "SLURM_ARRAY_TASK_ID": "3", "SLURM_ARRAY_JOB_ID": "6", "SLURM_JOB_NUM_NODES": "2"}
    for name, value in (had | {"SLURM_NTASKS": "4", "SLURM_CPUS_PER_TASK": "2"}).items():
        monkeypatch.setenv(name, value)
    write_script(tuning, str(tmp_path / "job-%A_%a.sh"))
    lines = (tmp_path / "job-6_3.sh").read_text().splitlines()
    assert lines[:4] == ["#!/bin/sh", "#SBATCH --nodes=2", "#SBATCH --ntasks=4", "#SBATCH --cpus-per-task=2"]
    with pytest.raises(ClearwayError, match=r"job-6_3\.sh' exists already"):
        write_script(tuning, str(tmp_path / "job-%A_%a.sh"))


def test_runs_made_before_an_interruption_are_counted(capsys: pytest.CaptureFixture[str]) -> None:
    Lines(already=3).ended(Sample("-fast 1", 2, "r", 3.0, None, "ended with 139"), None, None)
    assert capsys.readouterr().err == "clearway: run 4, round 2, -fast 1: ended with 139\n"
    bar = Bar(Plan(("true",), (Variant("one"), Variant("two")), rounds=3, warm_up=False), already=2)
    assert (bar._progress.tasks[0].completed, bar._progress.tasks[0].total) == (2, 6)


def test_core_hours_are_of_a_run_where_steps_are_iterations(tmp_path: Path) -> None:
    """Of pw.x and the like nobody makes a million."""
    track = tuned(tmp_path / "t", MadeRunner(), FAST)[1]
    track.basis = Basis.STEP
    for engine, basis in (("LAMMPS", Basis.STEP), ("Quantum ESPRESSO", Basis.WALL), ("CP2K", Basis.WALL)):
        assert cost_basis(track, engine) is basis
    track.basis = Basis.DAY
    assert cost_basis(track, "CP2K") is Basis.DAY


def test_why_in_the_words_of_the_ledger() -> None:
    before = Ledger(100.0, 45.0, 42.0, 8.0, 5.0, 0.0, 0.0, 0.0, 0.0)
    after = Ledger(50.0, 44.0, 1.0, 3.0, 2.0, 0.0, 0.0, 0.0, 0.0)
    bound = Setting("binding", "bound to cores", Change(), MayChange.NOTHING)
    said = why_sentences("Of 2 ranks, 42 % waited.", (bound,), {"binding": "ranks wait for a core"}, before, after, 0.5)
    assert said[0] == "The unchanged job: of 2 ranks, 42 % waited."
    assert said[1] == "bound to cores: ranks wait for a core."
    assert said[2] == (
        "As shares of the time of the unchanged job: waiting for a core from 42.0 % to 1.0 %; "
        "MPI waiting from 8.0 % to 3.0 %; MPI moving data from 5.0 % to 2.0 %."
    )


def test_a_task_is_read_back(tmp_path: Path) -> None:
    task = Task(COMMAND, "/somewhere", budget_s=1800.0, steps=500)
    write_task(tmp_path, task)
    assert read_task(tmp_path) == task
    (tmp_path / "tune.json").write_text("{}")
    with pytest.raises(ClearwayError, match="cannot continue from"):
        read_task(tmp_path)
    with pytest.raises(ClearwayError, match="must be a share"):
        checked(Task(COMMAND, "/", within=2.0))


def test_what_lies_beside_the_working_directory_is_found_from_a_copy(tmp_path: Path) -> None:
    (tmp_path / "job").mkdir()
    (tmp_path / "topol.tpr").touch()
    task = Task(("gmx_mpi", "mdrun", "-s", "../topol.tpr", "-o", "../none.trr"), str(tmp_path / "job"))
    assert task.runnable == ("gmx_mpi", "mdrun", "-s", str(tmp_path / "topol.tpr"), "-o", "../none.trr")
    assert task.plan().fresh


def test_a_folder_that_is_too_large_is_not_copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "traj.trr").write_bytes(b"x" * 1000)
    check_size(tmp_path)
    monkeypatch.setattr("clearway.tune.task.LARGEST_COPY", 999)
    with pytest.raises(ClearwayError, match="each run needs a copy"):
        check_size(tmp_path)


def test_folders_of_ways_that_look_alike_differ() -> None:
    one, other = option("-a", "b c"), option("-a", "b-c")
    assert slug((one,)) != slug((other,))
    assert slug(()).startswith("unchanged-")
