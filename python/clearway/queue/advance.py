"""Going on: what is done, what is under way, what is missing; and the missing pieces submitted, again if need be."""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from clearway.base.errors import ClearwayError
from clearway.queue import results
from clearway.queue.jobs import Job, claimed, is_being_submitted, note, read_jobs, unclaim
from clearway.queue.results import Result
from clearway.queue.sbatch import RUNS, TO_COME, RefusedError, of_whom, states_of, submitted
from clearway.queue.submission import Submission, environment_in, read_submission
from clearway.queue.work import Work

LOGS = "logs"
SCRIPT = "task.sh"


@dataclass(frozen=True, slots=True)
class Standing:
    """How far it is: numbers of pieces."""

    wanted: int
    done: int
    running: int
    waiting: int
    missing: tuple[int, ...]  # nobody has them
    worn_out: tuple[int, ...]  # of the missing: tried as often as they may be without a person
    cancelled: bool  # somebody took a job of ours away
    ended: tuple[str, ...]  # how Slurm says that tasks ended whose pieces are missing: "OUT_OF_MEMORY"
    jobs: tuple[int, ...]  # of Slurm, that are still to end

    @property
    def is_complete(self) -> bool:
        return self.done >= self.wanted


def look(directory: Path, work: Work) -> Standing:
    """Changes nothing. Raises ClearwayError."""
    jobs = read_jobs(directory)
    states = states_of([array for job in jobs for array in job.arrays])
    wanted, done = set(work.wanted()), results.pieces(directory)
    running: set[int] = set()
    waiting: set[int] = set()
    for job in jobs:
        if is_being_submitted(directory, job):
            waiting.update(piece for task in job.tasks for piece in task)
        for at, task in enumerate(job.tasks):
            state = job.state(at, states)
            running.update(task if state in RUNS else ())
            waiting.update(task if state in TO_COME else ())
    missing = sorted(wanted - done - running - waiting)
    ended = {job.state(at, states) for job in jobs for at, task in enumerate(job.tasks) if {*task} & {*missing}}
    tried = Counter(piece for job in jobs for task in job.tasks for piece in task)
    tries = read_submission(directory).tries
    alive = sorted({number for (number, _), state in states.items() if state in RUNS | TO_COME})
    return Standing(
        wanted=len(wanted),
        done=len(wanted & done),
        running=len(running & wanted - done),
        waiting=len(waiting & wanted - done - running),
        missing=tuple(missing),
        worn_out=tuple(piece for piece in missing if tried[piece] >= tries),
        cancelled=bool(jobs)
        and any(state == "CANCELLED" for (job, _), state in states.items() if job in jobs[-1].arrays),
        ended=tuple(sorted(ended - {"CANCELLED", "COMPLETED"})),
        jobs=tuple(alive),
    )


def advance(directory: Path, work: Work, by_a_person: bool) -> Standing:
    """Submits what nobody has, or, where all is done, writes what came out.

    A person may ask for what was tried often enough, or taken out of the queue; a job of ours may not. It waits until
    no task is left: else each that fails at once would bring forth an array of its own.
    """
    standing = look(directory, work)
    if standing.is_complete:
        work.finish()
        return standing
    pieces = standing.missing
    if not by_a_person:
        pieces = (
            ()
            if standing.cancelled or standing.running or standing.waiting
            else tuple(sorted(set(pieces) - set(standing.worn_out)))
        )
    if not pieces:
        return standing
    _submit(directory, work, read_submission(directory), pieces)
    return look(directory, work)


def _submit(directory: Path, work: Work, submission: Submission, pieces: Sequence[int]) -> None:
    tasks = _dealt(work, pieces, submission.tasks)
    before = len(read_jobs(directory))
    job = claimed(directory, before + 1, tasks)
    if job is None:
        return
    logs = directory / LOGS
    logs.mkdir(exist_ok=True)
    script = _script(directory)
    environment = environment_in(directory)
    try:
        arrays = [*_arrays(directory, work, submission, job, [str(script), str(job.number)])]
    except BaseException as error:
        unclaim(directory, job)
        if isinstance(error, RefusedError) and not before and not results.pieces(directory):
            _remove(directory)
        raise
    note(directory, job, arrays, None)
    note(directory, job, arrays, _gathering(submission, logs, arrays, script, environment))


def _remove(directory: Path) -> None:
    """Nothing has come of it, and it was empty when the command began. A shell's working directory stays, empty."""
    for path in directory.iterdir():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)
    if not directory.samefile(os.curdir):
        with contextlib.suppress(OSError):
            directory.rmdir()


def _arrays(directory: Path, work: Work, submission: Submission, job: Job, script: Sequence[str]) -> Iterator[int]:
    """An array for all tasks; where they differ in their options, one behind the other for each that are alike.

    Raises ClearwayError where Slurm takes nothing at all. What it does not take later is missing, and comes again.
    """
    environment = environment_in(directory)
    accepted: dict[tuple[str, ...], int] = {}
    last = None
    for own, group in groupby(range(len(job.tasks)), key=lambda at: tuple(work.options(job.tasks[at][0]))):
        tasks = [*group]
        behind: list[str] = [f"--dependency=afterany:{last}"] if last else []
        try:
            options = [*_options(submission, directory / LOGS, tasks), *own, *behind]
            accepted[own] = last = submitted(options, script, environment)
        except ClearwayError as error:
            if not own and not accepted:
                raise
            print(f"clearway: {error.message}", file=sys.stderr)
            if own and own not in accepted:
                for piece in (piece for at in tasks for piece in job.tasks[at]):
                    results.append(directory, Result(piece, "refused", work.refused(piece, error.message)))
            continue
        yield last


def _gathering(
    submission: Submission, logs: Path, arrays: Sequence[int], script: Path, environment: Mapping[str, str]
) -> int | None:
    """The job that goes on when the arrays have ended; None where Slurm does not take it: a person has to, then."""
    who = [*of_whom(submission.options), f"--job-name=clearway-{submission.kind}-gather", "--ntasks=1", "--nodes=1"]
    where = [f"--output={logs}/gather-%j.txt", f"--chdir={submission.working_directory}"]
    when = f"--dependency=afterany:{':'.join(map(str, arrays))}"
    try:
        return submitted([*who, *where, when], [str(script)], environment)
    except ClearwayError as error:
        print(f"clearway: the work does not continue by itself: {error.message}", file=sys.stderr)
        return None


def _dealt(work: Work, pieces: Sequence[int], most: int) -> tuple[tuple[int, ...], ...]:
    """In turn, so that neighbours, which often take alike, are not all in one task."""
    alike = len({tuple(work.options(piece)) for piece in pieces}) == 1
    count = min(len(pieces), most) if alike else len(pieces)
    return tuple(tuple(pieces[at::count]) for at in range(count))


def _options(submission: Submission, logs: Path, tasks: Sequence[int]) -> list[str]:
    """`tasks`: consecutive numbers."""
    beside = f"%{submission.at_once}" if submission.at_once else ""
    ours = [
        f"--job-name=clearway-{submission.kind}",
        f"--output={logs}/%A_%a.txt",
        "--open-mode=append",
        "--requeue",
        f"--chdir={submission.working_directory}",
    ]
    return [*ours, *submission.options, f"--array={tasks[0]}-{tasks[-1]}{beside}"]


def _script(directory: Path) -> Path:
    """The job's script; Slurm keeps a copy of its own when it is submitted."""
    path = directory / SCRIPT
    path.write_text(
        "#!/bin/sh\n"
        "# A task of a job array: its share of the work in this directory; without a number: what comes next.\n"
        f'exec {shlex.join(_ourselves())} task {shlex.quote(str(directory))} "$@"\n'
    )
    path.chmod(0o755)
    return path


def _ourselves() -> list[str]:
    """How the same Clearway is started on another host."""
    program = Path(sys.argv[0])
    if program.name == "clearway" and program.is_file():
        return [str(program.absolute())]
    return [sys.executable, "-m", "clearway"]
