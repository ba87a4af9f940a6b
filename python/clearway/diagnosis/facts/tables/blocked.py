"""What the ranks were doing when they were blocked: one row an activity and object."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from clearway.ledger import Account
from clearway.ledger.blocked import BEFORE_RECORD, UNNAMED, Part, parts
from clearway.ledger.blocked_in_init import parts_in_init
from clearway.run import Run
from clearway.run.layout import Activity

# By the activity's name: with an object, and without.
PHRASES = {
    "system_call": ("in system call {}", "in a system call"),
    "sleeping": ("sleeping", "sleeping"),
    "receiving": ("waiting for {}", "waiting for a connection"),
    "sending": ("waiting to write to {}", "waiting to write to a connection"),
    "accepting": ("waiting for a connection to port {}", "waiting for an incoming connection"),
    "input": ("waiting for input from {}", "waiting for input"),
    "lock": ("waiting for a lock on {}", "waiting for a lock"),
    "full_pipe": ("writing to a full pipe ({})", "writing to a full pipe"),
    "empty_pipe": ("reading from an empty pipe ({})", "reading from an empty pipe"),
    "child": ("waiting for a child ({})", "waiting for a child"),
    "other_thread": ("waiting for another thread", "waiting for another thread"),
    "signal": ("waiting for a signal", "waiting for a signal"),
    "memory": ("waiting for a page of memory", "waiting for a page of memory"),
    "file": ("reading or writing {}", "reading or writing a file"),
    "stopped": ("being stopped from outside (SIGSTOP)", "being stopped from outside (SIGSTOP)"),
    "traced": ("being stopped by {}, which traces it", "being stopped by a program that traces it"),
    BEFORE_RECORD: ("starting, before the record began", "starting, before the record began"),
    UNNAMED: (UNNAMED, UNNAMED),
}
FEW_OBJECTS = 3  # of one activity, that get a row each


@dataclass(frozen=True, slots=True)
class Blocked:
    """Seconds of all ranks in a line of the ledger, by what they were blocked in."""

    line: str  # "other_s", "io_s"
    activity: str  # "sleeping", "lock", "MPI_Init", "unnamed", …
    object: str  # for the rank with most seconds: "127.0.0.53:53", a path; "" for none
    objects: int  # number of different objects
    what: str  # in words: "waiting for a lock on /scratch/db"
    seconds: float  # summed over all ranks
    samples: int  # number of samples behind the estimate; 0: exact
    ranks: int  # number of ranks affected
    most_rank: int  # rank with most seconds
    most_s: float


def blocked(run: Run, books: Account) -> tuple[Blocked, ...]:
    """Most time first, what has no name last."""
    groups = (
        (line, activity, group) for (line, activity), all_ in _together(parts(run, books)) for group in _groups(all_)
    )
    return _sorted(run, groups)


def blocked_in_init(run: Run, books: Account) -> tuple[Blocked, ...]:
    """The same of MPI_Init alone, which has one row in the table: what has a name, one row an activity."""
    return _sorted(run, ((*what, all_) for what, all_ in _together(parts_in_init(run, books))))


def _together(found: Iterable[Part]) -> Iterable[tuple[tuple[str, str], list[Part]]]:
    together: dict[tuple[str, str], list[Part]] = defaultdict(list)
    for part in found:
        together[part.line, part.activity].append(part)
    return together.items()


def _sorted(run: Run, groups: Iterable[tuple[str, str, list[Part]]]) -> tuple[Blocked, ...]:
    rows = [_row(run, line, activity, group) for line, activity, group in groups]
    return tuple(sorted(rows, key=lambda row: (row.activity == UNNAMED, -row.seconds)))


def in_words(activity: int, object_: str) -> str:
    """What one thread was found doing."""
    name = Activity(activity).name.lower() if activity in set(Activity) else "blocked"
    if name == "blocked":
        return f"blocked in the kernel ({object_})" if object_ else "blocked"
    return _what(name, object_, 1 if object_ else 0)


def unnamed_s(rows: tuple[Blocked, ...]) -> float:
    return sum(row.seconds for row in rows if row.activity == UNNAMED)


def _groups(of_activity: list[Part]) -> list[list[Part]]:
    """One an object; where each rank has one of its own, all together."""
    by_object: dict[str, list[Part]] = defaultdict(list)
    for part in of_activity:
        by_object[part.object].append(part)
    return [of_activity] if len(by_object) > FEW_OBJECTS else list(by_object.values())


def _row(run: Run, line: str, activity: str, group: list[Part]) -> Blocked:
    by_object: dict[str, float] = defaultdict(float)
    by_process: dict[int, float] = defaultdict(float)
    for part in group:
        by_object[part.object] += part.seconds
        by_process[part.process] += part.seconds
    named = {object_: seconds for object_, seconds in by_object.items() if object_}
    first = max(named, key=lambda object_: named[object_], default="")
    most = max(by_process, key=lambda process: by_process[process])
    return Blocked(
        line=line,
        activity=activity,
        object=first,
        objects=len(named),
        what=_what(activity, first, len(named)),
        seconds=sum(by_process.values()),
        samples=sum(part.samples for part in group),
        ranks=len(by_process),
        most_rank=int(run.processes["rank"][most]),
        most_s=by_process[most],
    )


def _what(activity: str, first: str, objects: int) -> str:
    with_object, without = PHRASES.get(activity, (f"in {activity}", f"in {activity}"))
    others = f" and {objects - 1} more" if objects > 1 else ""
    return with_object.format(f"{first}{others}") if first else without
