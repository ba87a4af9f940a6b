"""What earlier races proved, by engine, size of the input and hosts: where the next race of such a job begins.

It is one small file that a person can read. What it says is only tried first: it counts in no proof.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from clearway.base.errors import ClearwayError
from clearway.base.json import plain
from clearway.base.kept_answers import cache_folder
from clearway.base.output_file import whole_file
from clearway.base.read_back import from_text
from clearway.base.whole import is_whole
from clearway.tune.race import Answer
from clearway.tune.seen import Seen
from clearway.tune.setting import Setting, Way, joined, name_of
from clearway.tune.space import divisions, settings, shapes
from clearway.tune.task import Task
from clearway.tune.tuning import Tuning

SCHEMA = "clearway-learned-1"
NAME = "learned.json"
BEGAN = "began-with.json"  # in the directory of a race: so that it goes on as it began
ALIKE = 2.0  # times as large, at most
MOST = 200  # the oldest go first
EVERYTHING = 0.0  # what was proved once is worth a look, whatever the first run says that it could give


@dataclass(frozen=True, slots=True)
class Kind:
    """Of a job: what is best is taken to be much the same within one."""

    engine: str
    size: float | None  # of the input, as the engine's log counts it: atoms, electrons
    hosts: int
    cores: int  # of the host with fewest
    testbed: str
    side_by_side: bool = False  # simulations, for most in all


@dataclass(frozen=True, slots=True)
class Lesson:
    """Of one race that proved something faster."""

    kind: Kind
    settings: tuple[str, ...]  # names
    speed: float  # times that of the unchanged job
    command: str  # as it was typed
    learned_at: str  # ISO 8601
    directory: str  # of the race


@dataclass(frozen=True, slots=True)
class Lessons:
    """All of the file."""

    schema: str = SCHEMA
    lessons: tuple[Lesson, ...] = ()


@dataclass(frozen=True, slots=True)
class Began:
    """Where a race began, and by which lesson."""

    lesson: Lesson | None = None


def file_of_user() -> Path:
    """In the user's cache folder (XDG Base Directory Specification)."""
    return cache_folder() / "tune" / NAME


def read_lessons(file: Path) -> tuple[Lesson, ...]:
    """Raises ClearwayError for a file that is there and says something else."""
    try:
        return from_text(Lessons, file.read_text(encoding="utf-8")).lessons
    except (FileNotFoundError, NotADirectoryError):
        return ()
    except OSError as error:
        raise ClearwayError(f"cannot read '{file}': {error.strerror}", "--no-learned runs without it") from None
    except ValueError as error:
        raise ClearwayError(f"'{file}' is damaged: {error}", "remove it, or pass --no-learned") from None


def write_lessons(file: Path, lessons: Sequence[Lesson]) -> None:
    """Raises ClearwayError where it cannot be written."""
    with suppress(OSError):  # if that fails, so does the writing, and says it
        file.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(file) as stream:
        json.dump(plain(Lessons(lessons=tuple(lessons[-MOST:]))), stream, ensure_ascii=False, indent=1)
        stream.write("\n")


def kind_of(seen: Seen, size_pattern: str, task: Task) -> Kind:
    size = seen.logged(size_pattern) if size_pattern else None
    return Kind(seen.engine, float(size) if size else None, len(seen.cores), min(seen.cores), task.testbed,
                task.side_by_side)  # fmt: skip


def nearest(kind: Kind, lessons: Sequence[Lesson]) -> Lesson | None:
    """Of those for such jobs that nearest in size; of equal ones the newest."""
    alike = [one for one in lessons if _apart(one.kind, kind) <= math.log(ALIKE)]
    return min(reversed(alike), key=lambda one: _apart(one.kind, kind), default=None)


def _apart(one: Kind, other: Kind) -> float:
    if replace(one, size=None) != replace(other, size=None) or not one.engine:
        return math.inf
    if one.size is None or other.size is None:
        return 0.0 if one.size == other.size else math.inf
    return abs(math.log(one.size / other.size)) if one.size > 0 < other.size else math.inf


def way_of(lesson: Lesson, seen: Seen) -> Way:
    """What of it this job can be told and does not say already; nothing, where its shape is not to be had."""
    placed = divisions(seen) if lesson.kind.side_by_side else shapes(seen, EVERYTHING)
    known = {one.name: one for one in placed.settings}
    shape = tuple(known[name] for name in lesson.settings if name in known)
    others: dict[str, Setting] = {one.name: one for one in settings(seen, shape, EVERYTHING).settings}
    return joined(shape, [others[name] for name in lesson.settings if name in others])


def began_with(directory: Path, kind: Kind, file: Path | None) -> Lesson | None:
    """The lesson that a race begins with: of the file; of its own beginning where it goes on. Raises ClearwayError."""
    kept = directory / BEGAN
    if kept.exists():
        return from_text(Began, kept.read_text(encoding="utf-8")).lesson
    lesson = nearest(kind, read_lessons(file)) if file else None
    with whole_file(kept) as stream:
        json.dump(plain(Began(lesson)), stream, ensure_ascii=False, indent=1)
    return lesson


def learn(file: Path, kind: Kind, tuning: Tuning, best: Way, refuted: Lesson | None) -> None:
    """Keeps what was proved, forgets what did not hold. Where nothing can be kept, the answer is there all the same."""
    with suppress(ClearwayError):
        _learn(file, kind, tuning, best, refuted)


def _learn(file: Path, kind: Kind, tuning: Tuning, best: Way, refuted: Lesson | None) -> None:
    before = read_lessons(file)
    left = [one for one in before if one != refuted]
    row = next((one for one in tuning.rows if one.name == tuning.best), None)
    if tuning.answer is Answer.FASTER and kind.engine and row is not None and row.speed:
        left = [one for one in left if one.kind != kind]
        names = tuple(setting.name for setting in best)
        left.append(Lesson(kind, names, row.speed, tuning.command, tuning.measured_at, tuning.directory))
    if tuple(left) != before:
        write_lessons(file, left)


def forget(file: Path, which: str) -> None:
    """All, or one by its number from 1. Raises ClearwayError."""
    if which == "all":
        file.unlink(missing_ok=True)
        return
    lessons = list(read_lessons(file))
    if not is_whole(which) or not 1 <= int(which) <= len(lessons):
        raise ClearwayError(
            f"there is no result '{which}' to forget",
            "`clearway tune --learned` shows their numbers; 'all' forgets all",
        )
    del lessons[int(which) - 1]
    write_lessons(file, lessons)


def said_of(lesson: Lesson, way: Way) -> str:
    """A sentence for the answer."""
    where = f"{lesson.command}, {lesson.learned_at[:10]}"
    return f"The race started from the result of an earlier one ({where}): {name_of(way)}."
