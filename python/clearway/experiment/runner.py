"""Runs a variant once, recorded, to its end or to its time limit."""

from __future__ import annotations

import os
import re
import shutil
import stat
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from clearway.base.errors import ClearwayError
from clearway.base.installed import RECORDER, find_program
from clearway.engines.kept_log import keep_log
from clearway.experiment.journal import RUNS
from clearway.experiment.leftovers import MARK, end_leftovers
from clearway.experiment.measure import figures_of
from clearway.experiment.patience import attended
from clearway.experiment.plan import Variant
from clearway.experiment.printed_figure import PrintedFigure
from clearway.experiment.sample import Figures
from clearway.experiment.variant_command import Line, LineOf
from clearway.experiment.watchdog import Watchdog, watch_over
from clearway.job import journal
from clearway.job.out_of_memory import Killed, killed_since, killed_so_far
from clearway.testbed.job import end_group
from clearway.testbed.outcome import TIMED_OUT

OUTPUT = "output.txt"  # of the job, in its Run directory
TAIL_BYTES = 4096
LEAST_BYTES = 64 << 10  # on a disk that has less, logs and records are cut off
ERROR = re.compile(
    r"\berror\b(?! message)|\bSignal: "  # "ERROR: …", "Fatal error:", not "errorcode"
    r"|^(?:Inconsistency in user input|Invalid (?:input|value|call)|Feature not implemented|Out of memory"
    r"|File not found):$"  # of GROMACS, which says why in the next lines
    r"|^clearway-record: cannot run "  # there is no such program
    r"|attempt to run as root|not enough slots available",  # of Open MPI, which ends with general advice
    re.IGNORECASE,
)
MOST_LINES = 3
OPEN_MPI_SAYS = (
    "Primary job  terminated normally, but ",
    "mpirun detected that one or more processes exited with non-zero status",
)
LARGEST_LINKED = 1 << 28  # bytes of a file that is copied in the place of a link to it


@dataclass(frozen=True, slots=True)
class Ran:
    """How a run ended: with figures, or with a fault."""

    spent_s: float
    figures: Figures | None
    fault: str = ""


@dataclass(frozen=True, slots=True)
class Runner:
    """Knows how each variant is started, and where."""

    line_of: LineOf
    working_directory: Path
    fresh: bool = False  # each run in a copy of the working directory
    figure: PrintedFigure | None = None  # of progress, that the job prints
    log_kept: bool = False  # a copy of the engine's log, beside the record

    def command(self, variant: Variant) -> list[str]:
        """What a person would type to have it so. Raises ClearwayError."""
        return self.line_of(variant).asked()

    def run(self, variant: Variant, directory: Path, timeout_s: float | None) -> Ran:
        """Runs it once; `directory` becomes the Run directory. Raises ClearwayError where it cannot be started."""
        with self.prepared(variant, directory) as attempt:
            attempt.start()
            return attempt.ended(timeout_s)

    @contextmanager
    def prepared(self, variant: Variant, directory: Path) -> Iterator[Attempt]:
        """All that comes before the start; what still runs when the block ends is ended."""
        shutil.rmtree(directory, ignore_errors=True)  # of a run that was interrupted
        directory.mkdir(parents=True)
        copy = directory / "working-directory" if self.fresh else None
        if copy is not None:
            _copy(self.working_directory, copy)
        attempt = Attempt(self, self.line_of(variant), directory, copy or self.working_directory)
        try:
            yield attempt
        finally:
            attempt.end()
            if copy is not None:
                shutil.rmtree(copy, ignore_errors=True)


def run_together(jobs: Sequence[tuple[Runner, Path]], variant: Variant, timeout_s: float | None) -> list[Ran]:
    """Runs it several times at once, each as its own Runner starts it. Raises ClearwayError."""
    with ExitStack() as stack:
        attempts = [stack.enter_context(runner.prepared(variant, directory)) for runner, directory in jobs]
        until = time.monotonic() + (timeout_s or 0.0)

        def left_s() -> float | None:
            return None if timeout_s is None else max(1.0, until - time.monotonic())

        for attempt in attempts:
            attempt.start()

        return [attempt.ended(left_s()) for attempt in attempts]


@dataclass
class Attempt:
    """One run, from its start to what it tells."""

    runner: Runner
    line: Line
    directory: Path
    where: Path
    begin: float = field(default_factory=time.monotonic)
    killed_before: Killed = field(default_factory=killed_so_far)
    entry: journal.Journal | None = None
    job: subprocess.Popen[bytes] | None = None
    watchdog: Watchdog | None = None  # should we be killed

    def start(self) -> None:
        line, output = self.line, self.directory / OUTPUT
        self.entry = journal.begin(self.directory, line.typed(), output, line.is_script)
        recorder = [str(find_program(RECORDER)), "-o", str(self.directory)]
        # A script may launch it several times, in a loop: each then has a token of its own.
        recorder += [] if line.is_script else ["--job", self.entry.job]
        command = [*line.prefix, *line.words(recorder)]
        with output.open("wb") as stdout, _input() as stdin:
            self.begin = time.monotonic()
            try:
                self.job = subprocess.Popen(
                    command,
                    env={**line.whole_environment, MARK: self.entry.job},
                    cwd=self.where,
                    stdin=stdin,
                    stdout=stdout,
                    stderr=stdout,
                    start_new_session=True,
                )
            except OSError as error:
                raise ClearwayError(
                    f"cannot run '{command[0]}': {error.strerror}", "is it spelled right, and its module loaded?"
                ) from None
        self.watchdog = watch_over(self.job.pid, line.whole_environment)

    def ended(self, timeout_s: float | None) -> Ran:
        assert self.job is not None and self.entry is not None
        code = attended(self.job, timeout_s, self._end_rest)
        spent_s = time.monotonic() - self.begin
        self._call_off()
        killed = killed_since(self.killed_before, killed_so_far())
        journal.end(self.directory, self.entry, TIMED_OUT if code is None else code, killed)
        if left_bytes(self.directory) < LEAST_BYTES:
            raise ClearwayError(
                f"the disk of '{self.directory}' is full: what ran last may have failed for that, and does not count",
                "free some space; the same command with --resume, where it has that, goes on from here",
            )
        fault = fault_of(code, timeout_s, self.directory / OUTPUT)
        if fault:
            return Ran(spent_s, None, fault)
        output, is_script = self.directory / OUTPUT, self.line.is_script
        ran = Ran(spent_s, *figures_of(self.directory, spent_s, output, self.runner.figure, is_script))
        if self.runner.log_kept:
            keep_log(self.directory)
        return ran

    def end(self) -> None:
        """What nobody waited for."""
        if self.job is not None and self.job.poll() is None:
            end_group(self.job)
            self._end_rest()
        self._call_off()

    def _end_rest(self) -> None:
        self.line.kill_rest()
        if self.entry is not None:
            end_leftovers(self.entry.job)

    def _call_off(self) -> None:
        if self.watchdog is not None:
            self.watchdog.call_off()


def left_bytes(directory: Path) -> int:
    """That we may still write there."""
    told = os.statvfs(directory)
    return told.f_frsize * (told.f_bfree if os.geteuid() == 0 else told.f_bavail)


def fault_of(code: int | None, timeout_s: float | None, output: Path) -> str:
    """What was wrong with a run, in a sentence; empty where nothing was."""
    if code == 0:
        return ""
    if code is None:
        return f"did not end within {timeout_s:.0f} s"
    with output.open("rb") as file:
        file.seek(max(0, output.stat().st_size - TAIL_BYTES))
        lines = file.read().decode("utf-8", "replace").split("\n")
    said = _complaint(lines)
    return f"ended with exit code {code}" + (f": {said}" if said else "")


def _complaint(lines: Sequence[str]) -> str:
    """The first line that speaks of an error, with the next if those say which; else the program's last."""
    told = [line.strip() for line in lines if line.strip(" -*=#\r\t")]
    at = next((at for at, line in enumerate(told) if ERROR.search(line)), None)
    if at is None:
        return next((line.strip() for line in reversed(_not_open_mpis(lines)) if line.strip(" -*=#\r\t")), "")
    said = told[at : at + 1]
    for line in told[at + 1 : at + MOST_LINES]:
        if not said[-1].endswith(":") and not line[:1].islower():  # the next part of a wrapped sentence
            break
        said.append(line)
    return " ".join(said)


def _not_open_mpis(lines: Sequence[str]) -> list[str]:
    """Without what its mpirun says of any process that ends with an exit code, up to a line of dashes."""
    found, within = [], False
    for line in lines:
        within = line.startswith(OPEN_MPI_SAYS) or (within and not line.startswith("-----"))
        if not within:
            found.append(line)
    return found


def _input() -> IO[bytes]:
    """Our standard input from its beginning, if it is a file; else nothing: only one run could read it."""
    try:
        is_file = stat.S_ISREG(os.fstat(0).st_mode)
    except OSError:
        is_file = False
    return Path("/proc/self/fd/0" if is_file else os.devnull).open("rb")


def _copy(source: Path, target: Path) -> None:
    """All of `source`, without Runs, the folder that the comparison itself is in, and those of others.

    What goes while it is copied, temporary files of jobs that run there, is not missed.
    """

    def without(folder: str, names: list[str]) -> list[str]:
        paths = [Path(folder, name) for name in names]
        return [path.name for path in paths if target.is_relative_to(path) or (path / RUNS).exists() or _is_run(path)]

    try:
        try:
            shutil.copytree(source, target, symlinks=True, ignore=without)
        except shutil.Error as error:
            if any(os.path.lexists(each[0]) for each in error.args[0]):
                raise
        _lead_outside(source, target)
    except OSError as error:
        raise ClearwayError(
            f"cannot copy '{source}': {_first_reason(error)}",
            "each run gets a copy of the working directory: free some space, or start in a folder of input files only",
        ) from None


def _is_run(path: Path) -> bool:
    return (path / journal.NAME).exists() and any(path.glob("*.cwr"))


def _lead_outside(source: Path, target: Path) -> None:
    """Relative links out of `source`, to inputs that several jobs share, would lead nowhere from `target`.

    A file is copied: a job that writes through such a link would change the user's own.
    """
    home = os.path.realpath(source)
    for folder, folders, files in os.walk(target):
        for name in (*folders, *files):
            copy = Path(folder, name)
            if not copy.is_symlink() or copy.readlink().is_absolute():
                continue
            own = os.path.realpath(source / Path(folder).relative_to(target))
            aim = Path(os.path.normpath(Path(own, copy.readlink())))
            if aim.is_relative_to(home) or not aim.exists():
                continue
            copy.unlink()
            if aim.is_file() and aim.stat().st_size <= LARGEST_LINKED:
                shutil.copy2(aim, copy)
            else:
                copy.symlink_to(aim)


def _first_reason(error: OSError) -> str:
    """Of shutil.Error, which lists all that could not be copied, the first."""
    failed = error.args[0] if isinstance(error, shutil.Error) else None
    told = str(failed[0][2]) if isinstance(failed, list) else str(error)
    return re.sub(r"^\[Errno \d+\] ", "", told)
