"""What is to be tuned, and for how long: all that must be known to begin, or to go on after an interruption."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath

from clearway.base.errors import ClearwayError
from clearway.base.output_file import whole_file
from clearway.base.read_back import from_text
from clearway.experiment.plan import Plan, Variant
from clearway.experiment.printed_figure import PrintedFigure, pattern_of
from clearway.job.change import UNCHANGED

TASK = "tune.json"
HINT = "give the directory that `clearway tune` printed"
LARGEST_COPY = 8 << 30


@dataclass(frozen=True, slots=True)
class Task:
    """As the user said it."""

    command: tuple[str, ...]  # as typed
    working_directory: str  # each run has a copy of it
    within: float = 0.03  # the best is known so well when the race ends
    run_s: float = 20.0  # a short run is to last so long, where the engine can be told
    steps: int | None = None  # of a short run, instead
    budget_s: float | None = None  # of all runs together
    timeout_s: float | None = None  # of one run
    rounds: int = 8  # of the proof, at most
    seed: int = 0
    testbed: str = ""
    figure: PrintedFigure | None = None
    same_work: bool = False
    side_by_side: bool = False  # how many of it on this node give most in all?
    fewer_cores: bool = False  # runs the best way on fewer cores, too: what does speed cost?
    learned: bool = True  # begins with what earlier races proved, and keeps what this one proves

    def plan(self) -> Plan:
        """As what starts runs wants to be told."""
        unchanged = (Variant(UNCHANGED),)
        return Plan(self.runnable, unchanged, fresh=True, testbed=self.testbed, figure=self.figure)

    @property
    def runnable(self) -> tuple[str, ...]:
        """The command for a copy of the working directory: what lies beside that is named absolutely."""
        here = Path(self.working_directory)
        return tuple(_from_copy(word, here) for word in self.command)


def checked(task: Task) -> Task:
    """`task`, if it can be done. Raises ClearwayError."""
    if not 0 < task.within < 1:
        raise ClearwayError(f"--within must be a share such as 3%, not {task.within:g}", "--within 3%")
    if task.rounds < 3:
        raise ClearwayError(
            f"--rounds must be at least 3, to tell a difference from chance, not {task.rounds}", "--rounds 3"
        )
    if task.steps is not None and task.steps < 1:
        raise ClearwayError(f"--steps must be at least 1, not {task.steps}", "--steps 1000")
    if task.figure is not None:
        pattern_of(task.figure.words)
    return task


def check_size(directory: Path) -> None:
    """Each run has a copy of it. Raises ClearwayError where that is too much to copy again and again."""
    size = 0
    for path in directory.rglob("*"):
        size += path.lstat().st_size if path.is_file() and not path.is_symlink() else 0
        if size > LARGEST_COPY:
            raise ClearwayError(
                f"'{directory}' has more than {LARGEST_COPY >> 30} GiB, and each run needs a copy of it",
                "start in a directory with only the input",
            )


def write_task(directory: Path, task: Task) -> None:
    with whole_file(directory / TASK) as stream:
        json.dump(dataclasses.asdict(task), stream, indent=1)
        stream.write("\n")


def read_task(directory: Path) -> Task:
    """Raises ClearwayError."""
    try:
        return from_text(Task, (directory / TASK).read_text(encoding="utf-8"))
    except OSError as error:
        raise ClearwayError(f"cannot read '{directory / TASK}': {error.strerror}", HINT) from None
    except ValueError as error:
        raise ClearwayError(f"cannot continue from '{directory / TASK}': {error}", HINT) from None


def _from_copy(word: str, here: Path) -> str:
    if ".." not in PurePath(word).parts or PurePath(word).is_absolute():
        return word
    path = here / word
    return str(path.resolve()) if path.exists() else word


def words_of(command: Sequence[str]) -> tuple[str, ...]:
    """Without the "--" that a command may begin with."""
    return tuple(command[1:] if command[:1] == ["--"] else command)
