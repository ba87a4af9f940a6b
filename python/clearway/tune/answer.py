"""From a race that has ended to its answer."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from clearway.base.older_python import UTC
from clearway.experiment.compared_figure import mean_of, measured
from clearway.experiment.comparison import Basis, End
from clearway.experiment.interval import CONFIDENCE
from clearway.experiment.others import others_beside, said_of
from clearway.experiment.sample import Figures
from clearway.job.change import UNCHANGED as UNCHANGED_NAME
from clearway.tune.race import Answer, Race
from clearway.tune.reached import NOT_PASSED_ON
from clearway.tune.rounds import UNCHANGED
from clearway.tune.setting import Way, copies_of, name_of, results_may_change, shape_of
from clearway.tune.space import NotTried
from clearway.tune.track import Track
from clearway.tune.tuning import SCHEMA, Left, Row, Standing, Tuning
from clearway.tune.variants import INPUTS

S_PER_HOUR = 3600
HOURS_PER_DAY = 24
STEPS = 1_000_000
COST_OF = {Basis.DAY: "a ns", Basis.STEP: "a million steps"}
MAKES_MILLIONS = frozenset({"LAMMPS", "GROMACS", "NAMD", "Amber"})  # elsewhere a step may be an iteration of many
GOES_ON = {End.INTERRUPTED: "", End.BUDGET: " with a larger --budget", End.ROUNDS: " with more --rounds"}  # if told so

CommandOf = Callable[[Way], str]  # for the job script


@dataclass(frozen=True, slots=True)
class Given:
    """What the answer needs besides the race."""

    shape: tuple[int, int]  # of the unchanged job
    cores: int  # that the job may use: more threads than these share them
    engine: str
    not_tried: Sequence[NotTried]
    why: Callable[[Way], Sequence[str]]  # sentences, of the best way
    command_of: CommandOf


def answer_of(race: Race, track: Track, end: End, given: Given) -> Tuning:
    answer, leader = race.best()
    best = leader if answer is Answer.FASTER else UNCHANGED
    costs = cost_basis(track, given.engine)
    rows = [_row(way, race, track, given, costs, best) for way in race.rounds.ways.values() if way in race.rounds.ended]
    rows.sort(key=lambda row: (row.standing is not Standing.UNCHANGED, row.standing is Standing.THROWN_OUT,
                               -(row.speed or 0.0)))  # fmt: skip
    return Tuning(
        schema=SCHEMA,
        directory=str(track.directory),
        command=shlex.join(track.task.command),
        testbed=track.task.testbed,
        measured_at=datetime.now(UTC).isoformat(timespec="seconds"),
        answer=answer,
        best=name_of(best),
        best_command=given.command_of(best),
        leader=name_of(leader),
        why=tuple(given.why(best)),
        short=track.short.said,
        basis=track.basis,
        engine=given.engine or None,
        energies_compared=track.checks_energies,
        confidence=CONFIDENCE,
        within=track.task.within,
        runs=len(track.samples),
        spent_s=track.spent_s,
        end=end,
        core_hours_for=COST_OF.get(costs, "a run") if costs else "a run",
        rows=tuple(rows),
        not_tried=tuple(Left(one.knob, one.why) for one in given.not_tried),
        others=None if track.task.testbed else others_beside(measured(track.samples)),
    )


def cost_basis(track: Track, engine: str) -> Basis | None:
    """What core-hours are told for: of a job whose log counts iterations, itself."""
    return Basis.WALL if track.basis is Basis.STEP and engine not in MAKES_MILLIONS else track.basis


def _row(way: Way, race: Race, track: Track, given: Given, costs: Basis | None, best: Way) -> Row:
    name = name_of(way)
    figures = measured(track.of(name))
    ranks, threads = shape_of(way) or given.shape
    copies = copies_of(way)
    ratio = race.proved_ratio(way) or _ratio(race, way)
    interval = race.proof(way) if way != UNCHANGED else None
    return Row(
        name=name,
        command=given.command_of(way),
        copies=copies,
        ranks=ranks,
        threads=threads,
        may_change=results_may_change(way),
        standing=_standing(way, race, best),
        runs=len(figures),
        ns_per_day=mean_of(figures, lambda one: one.ns_per_day),
        s_per_step=mean_of(figures, lambda one: one.s_per_step),
        speed=1 / ratio if ratio else None,
        speed_low=1 / interval.high if interval else None,
        speed_high=1 / interval.low if interval else None,
        core_hours=core_hours(costs, figures, min(copies * ranks * threads, given.cores)),
        fault=track.fault_of(name) if name in race.rounds.out else "",
    )


def _ratio(race: Race, way: Way) -> float | None:
    """To the unchanged job: in the rounds of both, else by way of the shape that it ran beside."""
    direct = race.ratio(way, UNCHANGED)
    if direct is not None:
        return direct
    shape = tuple(setting for setting in way if setting.shape)
    beside, its = race.ratio(way, shape), race.ratio(shape, UNCHANGED)
    return beside * its if beside is not None and its is not None else None


def _standing(way: Way, race: Race, best: Way) -> Standing:
    if name_of(way) in race.rounds.out:
        return Standing.THROWN_OUT
    if way == UNCHANGED:
        return Standing.UNCHANGED
    if way == best:
        return Standing.BEST
    if way in race.cheaper:
        return Standing.FEWER_CORES
    if race.proof_from is None:
        return Standing.RACING
    return Standing.PROVED if way in race.finalists else Standing.DROPPED


def core_hours(basis: Basis | None, figures: Sequence[Figures], cores: int) -> float | None:
    """What the cores cost that the ranks' threads are meant for."""
    if basis is Basis.DAY:
        ns_per_day = mean_of(figures, lambda one: one.ns_per_day)
        return cores * HOURS_PER_DAY / ns_per_day if ns_per_day else None
    if basis is Basis.STEP:
        s_per_step = mean_of(figures, lambda one: one.s_per_step)
        return cores * s_per_step * STEPS / S_PER_HOUR if s_per_step else None
    wall_s = mean_of(figures, lambda one: one.wall_s)
    return cores * wall_s / S_PER_HOUR if wall_s else None


def thrown_out(tuning: Tuning) -> list[str]:
    """A sentence for each."""
    return [f"{row.name} {row.fault}." for row in tuning.rows if row.standing is Standing.THROWN_OUT]


def sentences(tuning: Tuning) -> list[str]:
    """What the race comes to."""
    said = [_verdict(tuning), *tuning.why, *(f"Thrown out: {one}" for one in thrown_out(tuning))]
    copies = next((row.copies for row in tuning.rows if row.name == tuning.best), 1)
    if copies > 1:
        said.append(
            f"Speeds are of the {copies} simulations together. Each has a directory with its input: sim1, sim2 …"
        )
    made = f"{tuning.directory}/{INPUTS}/"
    if tuning.best != UNCHANGED_NAME and made in tuning.best_command:
        said.append(f"The line reads an input in {made}: keep it, or copy its lines into yours.")
    if not tuning.energies_compared and any(row.runs for row in tuning.rows[1:]):
        said.append("No energies were compared, because the log has none. Compare them before you rely on the result.")
    said += said_of(tuning.others)
    if tuning.end in GOES_ON and tuning.answer is not Answer.FASTER:
        said.append(f"`clearway tune --resume {shlex.quote(tuning.directory)}`{GOES_ON[tuning.end]} continues.")
    return said


def _verdict(tuning: Tuning) -> str:
    rows = {row.name: row for row in tuning.rows}
    if tuning.end is End.BASELINE_FAILED:
        return f"The unchanged job failed, so there is nothing to compare with: it {rows[UNCHANGED_NAME].fault}."
    if tuning.answer is Answer.FASTER:
        row = rows[tuning.best]
        assert row.speed is not None and row.speed_low is not None and row.speed_high is not None
        return f"{row.name}: {row.speed:.2f} times ({row.speed_low:.2f} to {row.speed_high:.2f}) as fast as unchanged."
    if tuning.answer is Answer.NOTHING:
        thrown = [row.fault for row in tuning.rows if row.standing is Standing.THROWN_OUT]
        if thrown and len(thrown) == len(tuning.rows) - 1 and all(one.endswith(NOT_PASSED_ON) for one in thrown):
            return f"Nothing was tried: {NOT_PASSED_ON}. Give the launcher's own command line after `--`."
        if len(tuning.rows) == 1:
            return "Nothing was tried: no option was found that could help."
        return f"Nothing to gain: {_nothing(tuning)}"
    ended = {End.INTERRUPTED: "It was interrupted", End.BUDGET: "The budget is spent"}.get(
        tuning.end, "It is not clear"
    )
    if not any(row.runs for row in tuning.rows[1:]):
        return f"{ended}: so far only the unchanged job has run."
    leader = rows.get(tuning.leader)
    if leader is None or leader.speed is None or leader.speed <= 1 or leader.standing is Standing.UNCHANGED:
        return f"{ended}: so far nothing was faster than the unchanged job."
    return f"{ended}: so far {leader.name} looks {leader.speed:.2f} times as fast as unchanged, but that is not proved."


def _nothing(tuning: Tuning) -> str:
    """What is known of those that were tried, by all runs together."""
    tried = [row for row in tuning.rows if row.standing in (Standing.PROVED, Standing.DROPPED, Standing.RACING)]
    if not tried:
        return "no variant finished with the same results."
    none = f"none of {len(tried)} variants, nor any combination of their settings, is"
    who = none if len(tried) > 1 else f"{tried[0].name} is not"
    return f"{who} {100 * tuning.within:g} % faster, with {100 * tuning.confidence:g} % certainty."
