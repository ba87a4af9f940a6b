"""A job tuned: first run, diagnosis, race, answer."""

from __future__ import annotations

import os
import shlex
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from clearway.base.errors import ClearwayError
from clearway.diagnosis.diagnose import diagnose
from clearway.diagnosis.facts import Case, open_case
from clearway.engines.kept_log import kept_log
from clearway.experiment.compared_figure import basis_of
from clearway.experiment.comparison import End
from clearway.experiment.journal import read_samples
from clearway.experiment.runner import OUTPUT, Runner
from clearway.experiment.same_work import TELLS_PROGRESS
from clearway.experiment.variant_command import LineOf
from clearway.job.command_line import read_command
from clearway.ledger.totals import Ledger
from clearway.page.build import with_findings
from clearway.predict.cache import user_cache
from clearway.run import load
from clearway.tune.answer import Given, answer_of
from clearway.tune.foretold import foretold
from clearway.tune.knobs import Short, engine_knobs, knobs_for
from clearway.tune.learned import Kind, Lesson, began_with, file_of_user, kind_of, learn, said_of, way_of
from clearway.tune.race import Answer, Race
from clearway.tune.rounds import UNCHANGED
from clearway.tune.rules import Rules
from clearway.tune.seen import Seen, seen_in
from clearway.tune.setting import Setting, Way, copies_of, name_of
from clearway.tune.side_by_side import cores_here, script_of
from clearway.tune.space import NotTried, Tried, divisions, fewer_cores, settings, shapes
from clearway.tune.task import Task, check_size
from clearway.tune.track import Quiet, Track, Watch
from clearway.tune.tuning import Tuning
from clearway.tune.variants import Variants
from clearway.tune.why import why_sentences

PASSING = ("/dev/", "/proc/", "/sys/", "/run/", "/tmp/", "/var/tmp/")  # what is written there is no result


@dataclass
class Seeded:
    """A track, and what its first run says."""

    track: Track
    seen: Seen
    sentence: str  # of its page
    shapes: Tried
    kind: Kind  # of job, for what is learned of it
    began: Lesson | None = None  # of an earlier race

    def settings_for(self, way: Way) -> Tried:
        return settings(self.seen, way, self.track.task.within)


def tune(task: Task, directory: Path, line_of: LineOf, watch: Watch | None = None) -> Tuning:
    """Runs what is missing, and says what came out. Ctrl-C ends it, too. Raises ClearwayError."""
    seeded = seed(task, directory, line_of, watch or Quiet())
    tried: dict[Way, Tried] = {}

    def settings_for(way: Way) -> Sequence[Setting]:
        tried[way] = seeded.settings_for(way)
        return tried[way].settings

    def doubted_for(way: Way) -> Sequence[Setting]:
        return seeded.settings_for(way).doubted

    rules = Rules(task.within, task.rounds, task.seed)
    hint = way_of(seeded.began, seeded.seen) if seeded.began else UNCHANGED
    race = Race(seeded.shapes.settings, settings_for, seeded.track.run, rules, hint, doubted_for)
    try:
        end = race.go()
        if task.fewer_cores and end in (End.CLEAR, End.ROUNDS):
            race.show(fewer_cores(seeded.seen, race.best()[1]))
    except KeyboardInterrupt:
        end = End.INTERRUPTED
    tuning = _answer(seeded, race, end, tried)
    if task.learned:
        refuted = race.hint_held is False or (race.hint_held is True and tuning.answer is Answer.NOTHING)
        learn(file_of_user(), seeded.kind, tuning, race.best()[1], seeded.began if refuted else None)
    return tuning


def dry(task: Task, directory: Path, line_of: LineOf, watch: Watch | None = None) -> tuple[Tried, Tried]:
    """What would be tried: shapes, and settings in the job's own shape. Runs the job once. Raises ClearwayError."""
    seeded = seed(task, directory, line_of, watch or Quiet())
    return seeded.shapes, seeded.settings_for(UNCHANGED)


def seed(task: Task, directory: Path, line_of: LineOf, watch: Watch) -> Seeded:
    """The first run, and what it says. Raises ClearwayError where the job cannot be tuned, or fails as it was typed."""
    track = _track(task, directory, line_of, watch)
    first = track.first_run()
    run = directory / first.run
    if first.figures is None:
        raise ClearwayError(
            f"cannot tune the job: unchanged, it {first.fault}",
            f"its output is in {run / OUTPUT}; give a new directory with -o",
        )
    case = open_case(load(run))
    _refuse_outside(case, directory)
    _refuse_several(case)
    found = diagnose(case)
    track.basis = basis_of([first])
    engine = track.variants.engine
    if engine is not None:
        track.short = engine.shortened(track.variants.program, task.steps, task.run_s, first.figures.s_per_step)
    seen = seen_in(case, found, task.command, kept_log(run), *((engine.THREADS, engine.RANKS) if engine else ()))
    seen = replace(
        seen,
        engine="" if seen.programs > 1 and engine is None else seen.engine,
        tells_work=track.basis in TELLS_PROGRESS or task.same_work,
        on_testbed=bool(task.testbed),
        measured_steps=track.short.measured_steps,
        folder=task.working_directory,
        foretold=foretold(case, task.testbed, user_cache(), watch.simulates),
    )
    kind = kind_of(seen, engine.SIZE if engine else "", task)
    began = began_with(directory, kind, file_of_user() if task.learned else None)
    placed = divisions(seen) if task.side_by_side else shapes(seen, task.within)
    return Seeded(track, seen, with_findings(case, found).sentence, placed, kind, began)


def _track(task: Task, directory: Path, line_of: LineOf, watch: Watch) -> Track:
    working_directory = Path(task.working_directory)
    sections = read_command(task.runnable, os.environ).sections
    programs = [tuple(word for word in section.program if word != "--") for section in sections]
    program, engine = programs[0], knobs_for(programs[0])
    if any(knobs_for(other) is not engine for other in programs):
        engine = None  # options go to all programs of a command line, and another one would not know them
    refused = engine.refuses(program) if engine else ""
    if refused:
        raise ClearwayError(f"cannot tune this job as typed: {refused}", "change the command as the message says")
    check_size(working_directory)
    runner = Runner(line_of, working_directory, fresh=True, figure=task.figure, log_kept=True)
    variants = Variants(task.command, program, directory, engine, working_directory)
    short = engine.shortened(program, task.steps, task.run_s, None) if engine else Short()
    return Track(task, runner, directory, variants, read_samples(directory), watch, short)


def _refuse_outside(case: Case, directory: Path) -> None:
    """All variants would write there, one over the other. Raises ClearwayError."""
    for file in case.tables.files:
        inside = Path(file.path).is_relative_to(directory.resolve()) or file.path.startswith(PASSING)
        if file.bytes_written and not file.deleted and file.path.startswith("/") and not inside:
            raise ClearwayError(
                f"the job writes '{file.path}', outside its working directory",
                "let it write to its working directory: each run has a copy of that",
            )


def _refuse_several(case: Case) -> None:
    """Started by a script, so that its options were not seen before: the speed in one log is not that of the job.

    Raises ClearwayError.
    """
    engine = engine_knobs(case.tables.engine.name) if case.tables.engine else None
    lines = case.run.fact("process.command_line").values() if engine else ()
    said = next((word for line in lines for word in line.split() if engine and word in engine.SEVERAL), "")
    if said:
        raise ClearwayError(
            f"cannot tune this job: it has several simulations ({said}), and the speed is that of one of them",
            "tune one of them",
        )


def _answer(seeded: Seeded, race: Race, end: End, tried: Mapping[Way, Tried]) -> Tuning:
    track, seen = seeded.track, seeded.seen
    because = {knob: why for one in (seeded.shapes, *tried.values()) for knob, why in one.because.items()}
    ran = {one.knob for way in race.rounds.ended for one in way}
    left = tuple(_left(seeded, race, tried, ran).values())

    began = [said_of(seeded.began, race.hint)] if seeded.began and race.hint else []

    def why(best: Way) -> Sequence[str]:
        ledgers = [_last_ledger(track, way) for way in ((UNCHANGED, best) if best else ())]
        before, after = ledgers if len(ledgers) == 2 else (None, None)
        return began + why_sentences(seeded.sentence, best, because, before, after, race.proved_ratio(best))

    def command_of(way: Way) -> str:
        command = track.runner.command(track.variants.whole(way))
        copies = copies_of(way)
        return script_of(command, cores_here(), copies) if copies > 1 else shlex.join(command)

    return answer_of(
        race, track, end, Given((seen.ranks, seen.threads), sum(seen.cores), seen.engine, left, why, command_of)
    )


def _left(seeded: Seeded, race: Race, tried: Mapping[Way, Tried], ran: Collection[str]) -> dict[str, NotTried]:
    """What had no run, by knob: in another shape the same knob may have another reason, the first is enough."""
    if race.hint_held:
        why = "the race started from the result of an earlier one: with --no-learned they are tried"
        return {"": NotTried("all other settings", why)}
    in_own_shape = [] if tried else [seeded.settings_for(UNCHANGED)]  # it ended before them
    left: dict[str, NotTried] = {}
    for offered in (seeded.shapes, *tried.values(), *in_own_shape):
        for one in (*offered.not_reached(ran), *offered.left_alone(ran)):
            left.setdefault(one.knob, one)
    return left


def _last_ledger(track: Track, way: Way) -> Ledger | None:
    """Of the last run of the proof."""
    runs = track.of(name_of(way))
    try:
        return open_case(load(track.directory / runs[-1].run)).tables.ledger if runs else None
    except ClearwayError:
        return None
