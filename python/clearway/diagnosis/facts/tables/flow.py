"""How collective operations went where `--flow` steered them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from clearway.run import Run
from clearway.run.layout import text

OWN = "own"
EARLIER_JOB = 1  # what a trial began with (Beginning in native/collectives/trial.hpp)


@dataclass(frozen=True, slots=True)
class FlowWay:
    """One way of making a collective call: the MPI's own, or an algorithm of Clearway's."""

    candidate: str  # "own", or as given to `clearway run --flow-algorithm`
    calls: int  # calls of one rank
    time_s: float | None  # time of a call on the slowest rank, when last measured


@dataclass(frozen=True, slots=True)
class FlowRow:
    """How one collective operation went at one size, over all communicators of that many ranks on that many hosts."""

    operation: str
    ranks: int
    hosts: int
    communicators: int
    low_bytes: int | None  # size of the blocks; None if ranks do not know a common size
    high_bytes: int | None
    calls: int  # calls of one rank, over all communicators
    chosen: str | None  # the way chosen; None: the trial goes on
    chosen_calls: int  # calls made the chosen way
    time_s: float | None  # time of a call made the chosen way
    own_s: float | None  # time of a call made the MPI's own way, in the same job
    gain: float | None  # own_s ÷ time_s
    trial_calls: int | None  # calls of the trial made another way than the chosen one; None: not recorded
    regret_s: float | None  # additional time of those calls
    remembered: int  # communicators that started with the result of an earlier job
    challenges: int  # how often another way was tried again after the trial
    ways: tuple[FlowWay, ...]  # most calls first


@dataclass(slots=True)
class _Trial:
    """One communicator, operation and size: the cells of all its ways, by candidate: calls and nanoseconds a call."""

    operation: str
    ranks: int
    hosts: int
    low_bytes: int
    high_bytes: int
    challenges: int
    chosen: str | None = None
    cost: tuple[int, int] | None = None  # calls that went elsewhere, and the nanoseconds that they cost
    remembered: bool = False
    ways: dict[str, tuple[int, int]] = field(default_factory=dict)

    @property
    def key(self) -> tuple[str, int, int, int, int, str]:
        """What trials that go into one row have in common."""
        return self.operation, self.ranks, self.hosts, self.low_bytes, self.high_bytes, self.chosen or ""


def flow(run: Run) -> tuple[FlowRow, ...]:
    """One row an operation, size and choice; communicators of equal shape are taken together. Most time first."""
    alike: dict[tuple[str, int, int, int, int, str], list[_Trial]] = defaultdict(list)
    for trial in _trials(run):
        alike[trial.key].append(trial)
    rows = [_row(trials) for trials in alike.values()]
    return tuple(sorted(rows, key=lambda row: (-(row.time_s or 0.0) * row.calls, row.operation, row.low_bytes or 0)))


def _trials(run: Run) -> Iterable[_Trial]:
    trials: dict[tuple[int, int], _Trial] = {}
    for file, cell in zip(run.flow.process.tolist(), run.flow.data, strict=True):
        trial = trials.setdefault(
            (file, int(cell["trial"])),
            _Trial(
                operation=text(bytes(cell["operation"])),
                ranks=int(cell["ranks"]),
                hosts=int(cell["hosts"]),
                low_bytes=int(cell["low_bytes"]),
                high_bytes=int(cell["high_bytes"]),
                challenges=int(cell["challenges"]),
            ),
        )
        candidate = text(bytes(cell["candidate"]))
        trial.ways[candidate] = int(cell["calls"]), int(cell["time_ns"])
        if cell["chosen"]:
            trial.chosen = candidate
    for file, record in zip(run.flow_trials.process.tolist(), run.flow_trials.data, strict=True):
        if tried := trials.get((file, int(record["trial"]))):
            tried.cost = int(record["calls_elsewhere"]), int(record["regret_ns"])
            tried.remembered = int(record["began"]) == EARLIER_JOB
    return trials.values()


def _row(trials: list[_Trial]) -> FlowRow:
    first = trials[0]
    ways = {way.candidate: way for way in _ways(trials)}
    chosen, own = ways.get(first.chosen or ""), ways.get(OWN)
    time_s, own_s = chosen.time_s if chosen else None, own.time_s if own else None
    costs = [trial.cost for trial in trials if trial.cost is not None]
    sized = first.high_bytes > 0
    return FlowRow(
        operation=first.operation,
        ranks=first.ranks,
        hosts=first.hosts,
        communicators=len(trials),
        low_bytes=first.low_bytes if sized else None,
        high_bytes=first.high_bytes if sized else None,
        calls=sum(way.calls for way in ways.values()),
        chosen=first.chosen,
        chosen_calls=chosen.calls if chosen else 0,
        time_s=time_s,
        own_s=own_s,
        gain=own_s / time_s if own_s and time_s else None,
        trial_calls=sum(calls for calls, _ in costs) if costs else None,
        regret_s=sum(cost_ns for _, cost_ns in costs) * 1e-9 if costs else None,
        remembered=sum(trial.remembered for trial in trials),
        challenges=sum(trial.challenges for trial in trials),
        ways=tuple(sorted(ways.values(), key=lambda way: (-way.calls, way.candidate))),
    )


def _ways(trials: list[_Trial]) -> Iterator[FlowWay]:
    """Each candidate over all trials; its time is the mean over those that measured it."""
    for candidate in dict.fromkeys(name for trial in trials for name in trial.ways):
        cells = [trial.ways[candidate] for trial in trials if candidate in trial.ways]
        measured = [time_ns for _, time_ns in cells if time_ns > 0]
        time_s = sum(measured) / len(measured) * 1e-9 if measured else None
        yield FlowWay(candidate, sum(calls for calls, _ in cells), time_s)
