"""How collective operations went where `--flow` steered them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from clearway.run import Run
from clearway.run.layout import text

OWN = "own"
EARLIER_JOB = 1  # what a trial began with (Beginning in native/collectives/course.hpp)


@dataclass(frozen=True, slots=True)
class FlowWay:
    """One way of making a collective call: the MPI's own, or an algorithm of Clearway's."""

    candidate: str  # "own", or as `clearway run --flow-algorithm` takes it
    calls: int  # of one rank
    time_s: float | None  # of a call, on the slowest rank, when last measured


@dataclass(frozen=True, slots=True)
class FlowRow:
    """How one collective operation went at one size, over all communicators of that many ranks on that many hosts."""

    operation: str
    ranks: int
    hosts: int
    communicators: int
    low_bytes: int | None  # of the blocks; None where they have no size known to all ranks
    high_bytes: int | None
    calls: int  # of one rank, over the communicators
    chosen: str | None  # the way settled on; None: still trying
    chosen_calls: int  # of the calls, those made this way
    time_s: float | None  # of a call made the chosen way
    own_s: float | None  # what a call took the MPI's own way, in the same job
    gain: float | None  # own_s over time_s
    trial_calls: int | None  # of the trial, those that went another way than the chosen one; None: not recorded
    regret_s: float | None  # what they took above the chosen way's time
    remembered: int  # of the communicators, those that began with what an earlier job had found
    challenges: int  # how often, after the trial, another way was tried again
    ways: tuple[FlowWay, ...]  # most calls first


@dataclass(slots=True)
class _Course:
    """One communicator, operation and size: the cells of all its ways, by candidate: calls and nanoseconds a call."""

    operation: str
    ranks: int
    hosts: int
    low_bytes: int
    high_bytes: int
    challenges: int
    chosen: str | None = None
    trial: tuple[int, int] | None = None  # calls that went elsewhere, and the nanoseconds that they cost
    remembered: bool = False
    ways: dict[str, tuple[int, int]] = field(default_factory=dict)

    @property
    def key(self) -> tuple[str, int, int, int, int, str]:
        """What courses that go into one row have in common."""
        return self.operation, self.ranks, self.hosts, self.low_bytes, self.high_bytes, self.chosen or ""


def flow(run: Run) -> tuple[FlowRow, ...]:
    """One row an operation, size and choice; communicators of equal shape are taken together. Most time first."""
    alike: dict[tuple[str, int, int, int, int, str], list[_Course]] = defaultdict(list)
    for course in _courses(run):
        alike[course.key].append(course)
    rows = [_row(courses) for courses in alike.values()]
    return tuple(sorted(rows, key=lambda row: (-(row.time_s or 0.0) * row.calls, row.operation, row.low_bytes or 0)))


def _courses(run: Run) -> Iterable[_Course]:
    courses: dict[tuple[int, int], _Course] = {}
    for file, cell in zip(run.flow.process.tolist(), run.flow.data, strict=True):
        course = courses.setdefault(
            (file, int(cell["course"])),
            _Course(
                operation=text(bytes(cell["operation"])),
                ranks=int(cell["ranks"]),
                hosts=int(cell["hosts"]),
                low_bytes=int(cell["low_bytes"]),
                high_bytes=int(cell["high_bytes"]),
                challenges=int(cell["challenges"]),
            ),
        )
        candidate = text(bytes(cell["candidate"]))
        course.ways[candidate] = int(cell["calls"]), int(cell["time_ns"])
        if cell["chosen"]:
            course.chosen = candidate
    for file, trial in zip(run.flow_trials.process.tolist(), run.flow_trials.data, strict=True):
        if tried := courses.get((file, int(trial["course"]))):
            tried.trial = int(trial["calls_elsewhere"]), int(trial["regret_ns"])
            tried.remembered = int(trial["began"]) == EARLIER_JOB
    return courses.values()


def _row(courses: list[_Course]) -> FlowRow:
    first = courses[0]
    ways = {way.candidate: way for way in _ways(courses)}
    chosen, own = ways.get(first.chosen or ""), ways.get(OWN)
    time_s, own_s = chosen.time_s if chosen else None, own.time_s if own else None
    trials = [course.trial for course in courses if course.trial is not None]
    sized = first.high_bytes > 0
    return FlowRow(
        operation=first.operation,
        ranks=first.ranks,
        hosts=first.hosts,
        communicators=len(courses),
        low_bytes=first.low_bytes if sized else None,
        high_bytes=first.high_bytes if sized else None,
        calls=sum(way.calls for way in ways.values()),
        chosen=first.chosen,
        chosen_calls=chosen.calls if chosen else 0,
        time_s=time_s,
        own_s=own_s,
        gain=own_s / time_s if own_s and time_s else None,
        trial_calls=sum(calls for calls, _ in trials) if trials else None,
        regret_s=sum(cost_ns for _, cost_ns in trials) * 1e-9 if trials else None,
        remembered=sum(course.remembered for course in courses),
        challenges=sum(course.challenges for course in courses),
        ways=tuple(sorted(ways.values(), key=lambda way: (-way.calls, way.candidate))),
    )


def _ways(courses: list[_Course]) -> Iterator[FlowWay]:
    """Each candidate over all courses; its time is the mean over those that measured it."""
    for candidate in dict.fromkeys(name for course in courses for name in course.ways):
        cells = [course.ways[candidate] for course in courses if candidate in course.ways]
        measured = [time_ns for _, time_ns in cells if time_ns > 0]
        time_s = sum(measured) / len(measured) * 1e-9 if measured else None
        yield FlowWay(candidate, sum(calls for calls, _ in cells), time_s)
