"""Runs a variant once, recorded, to its end or to its time limit."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from clearway.base.errors import ClearwayError
from clearway.base.installed import RECORDER, find_program
from clearway.engines.kept_log import keep_log
from clearway.experiment.journal import RUNS
from clearway.experiment.measure import figures_of
from clearway.experiment.patience import attended
from clearway.experiment.plan import Variant
from clearway.experiment.printed_figure import PrintedFigure
from clearway.experiment.sample import Figures
from clearway.experiment.variant_command import LineOf
from clearway.job import journal
from clearway.testbed.outcome import TIMED_OUT

OUTPUT = "output.txt"  # of the job, in its Run directory
TAIL_BYTES = 4096


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
        """What a person would type. Raises ClearwayError."""
        return self.line_of(variant).typed()

    def run(self, variant: Variant, directory: Path, timeout_s: float | None) -> Ran:
        """Runs it once; `directory` becomes the Run directory. Raises ClearwayError where it cannot be started."""
        shutil.rmtree(directory, ignore_errors=True)  # of a run that was interrupted
        directory.mkdir(parents=True)
        copy = directory / "working-directory" if self.fresh else None
        if copy is not None:
            _copy(self.working_directory, copy)
        begin = time.monotonic()
        try:
            code, wall_s = self._recorded(variant, directory, copy or self.working_directory, timeout_s)
            spent_s = time.monotonic() - begin
            fault = fault_of(code, timeout_s, directory / OUTPUT)
            if fault:
                return Ran(spent_s, None, fault)
            ran = Ran(spent_s, *figures_of(directory, wall_s, directory / OUTPUT, self.figure))
            if self.log_kept:
                keep_log(directory)
            return ran
        finally:
            if copy is not None:
                shutil.rmtree(copy, ignore_errors=True)

    def _recorded(
        self, variant: Variant, directory: Path, where: Path, timeout_s: float | None
    ) -> tuple[int | None, float]:
        """Exit code (None: it had to be ended) and wall-clock."""
        line = self.line_of(variant)
        entry = journal.begin(directory, line.typed(), directory / OUTPUT)
        command = [*line.prefix, *line.words([str(find_program(RECORDER)), "-o", str(directory), "--job", entry.job])]
        with (directory / OUTPUT).open("wb") as output, _input() as stdin:
            begin = time.monotonic()
            try:
                job = subprocess.Popen(
                    command,
                    env=line.whole_environment,
                    cwd=where,
                    stdin=stdin,
                    stdout=output,
                    stderr=output,
                    start_new_session=True,
                )
            except OSError as error:
                raise ClearwayError(f"cannot run '{command[0]}': {error.strerror}") from None
            code = attended(job, timeout_s, line.kill_rest)
            wall_s = time.monotonic() - begin
        journal.end(directory, entry, TIMED_OUT if code is None else code)
        return code, wall_s


def fault_of(code: int | None, timeout_s: float | None, output: Path) -> str:
    """What was wrong with a run, in a sentence; empty where nothing was."""
    if code == 0:
        return ""
    if code is None:
        return f"did not end within {timeout_s:.0f} s"
    with output.open("rb") as file:
        file.seek(max(0, output.stat().st_size - TAIL_BYTES))
        lines = file.read().decode("utf-8", "replace").split("\n")
    last = next((line.strip() for line in reversed(lines) if line.strip(" -*=#\r\t")), "")
    return f"ended with {code}" + (f": {last}" if last else "")


def _input() -> IO[bytes]:
    """Our standard input from its beginning, if it is a file; else nothing: only one run could read it."""
    try:
        is_file = stat.S_ISREG(os.fstat(0).st_mode)
    except OSError:
        is_file = False
    return Path("/proc/self/fd/0" if is_file else os.devnull).open("rb")


def _copy(source: Path, target: Path) -> None:
    """All of `source`, without the folder that the comparison itself is in, and those of earlier ones."""

    def without(folder: str, names: list[str]) -> list[str]:
        paths = [Path(folder, name) for name in names]
        return [path.name for path in paths if target.is_relative_to(path) or (path / RUNS).exists()]

    try:
        shutil.copytree(source, target, symlinks=True, ignore=without)
    except (OSError, shutil.Error) as error:
        raise ClearwayError(f"cannot copy '{source}': {error}", "make room, or leave out --fresh") from None
