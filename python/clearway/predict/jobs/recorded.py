"""What a recorded job did, call by call: the matter from which a replay is made."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from clearway.base import quantities as q
from clearway.base.errors import ClearwayError
from clearway.cluster import Stack
from clearway.diagnosis.facts.granted_processors import allowed
from clearway.run import Run
from clearway.run.layout import FunctionClass, SegmentKind
from clearway.run.run import to_seconds

HINT = "record the job again: clearway run --timeline -o DIR -- mpirun …"
COLLECTIVES = {"Open MPI": "openmpi", "MPICH": "mpich"}  # by how the library's own words of its version begin
LOOKS_TWICE = {"Open MPI": True, "MPICH": False, "Intel(R) MPI": False}  # likewise

_Fact = TypeVar("_Fact")


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """Of MPI, with the events (positions in Run.events) that it left; none where nobody's data hung on it."""

    entry_s: float
    exit_s: float
    function_class: int
    events: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class RecordedRank:
    begin_s: float
    """MPI_Init returned, on the first rank."""
    end_s: float
    """MPI_Finalize was entered."""
    calls: tuple[RecordedCall, ...]
    """In order."""


def recorded_ranks(run: Run) -> list[RecordedRank]:
    """By process index. Raises ClearwayError where the Run does not tell every single call."""
    if not run.has_timeline:
        raise ClearwayError(f"there is no timeline in {run.directory}", HINT)
    if run.event_level > 0 or run.dropped[SegmentKind.EVENTS]:
        raise too_many(run)
    there, all_ = len(run.processes), int(run.processes["world_size"].max())
    if there < all_:
        raise ClearwayError(
            f"{all_ - there} of {q.plural(all_, 'rank')} left no record in {run.directory}: what the others waited for "
            f"is not known",
            "give a Run that has all ranks",
        )
    begin_s = min(_instant(run, process, "mpi_begin") for process in range(len(run.processes)))
    events_of = _events_by_call(run)
    classes = run.functions.classes()
    is_mpi = ~np.isin(classes, (FunctionClass.FILE_OPERATION, FunctionClass.LIFE, FunctionClass.LOCAL))
    ranks = []
    for timeline in run.timelines():
        record, process = run.records[timeline.process], timeline.process
        if any(segment.kind is SegmentKind.TIMELINE and segment.written > segment.count for segment in record.segments):
            raise too_many(run)
        entry_s, exit_s = timeline.entry_s, timeline.exit_s
        chosen = np.flatnonzero(is_mpi[timeline.function])
        chosen = chosen[np.argsort(entry_s[chosen], kind="stable")]
        calls = tuple(
            RecordedCall(
                float(entry_s[at]),
                float(exit_s[at]),
                int(classes[timeline.function[at]]),
                # Of calls at the same instant, as in a predicted Run, the first has the events of all.
                tuple(events_of.pop((process, int(timeline.function[at]), float(entry_s[at])), ())),
            )
            for at in chosen.tolist()
        )
        ranks.append(RecordedRank(begin_s, _instant(run, process, "mpi_end"), calls))
    if len(ranks) != len(run.processes):
        raise ClearwayError("some ranks have no timeline", HINT)
    return ranks


def as_recorded(stack: Stack, run: Run, keeps: Collection[str] = ()) -> Stack:
    """With the recorded MPI's algorithms and progress loop, bound ranks as far as they were, and without a skew: recorded
    ranks are out of step by themselves.

    `keeps` what of it was asked for: "collectives", "looks_twice", "skew".
    """
    looks_twice = None if "looks_twice" in keeps else recorded_looks(run)
    return replace(
        stack,
        collectives=stack.collectives if "collectives" in keeps else recorded_collectives(run) or stack.collectives,
        looks_twice=stack.looks_twice if looks_twice is None else looks_twice,
        skew_us=stack.skew_us if "skew" in keeps else 0,
        bound=stack.bound or has_cores_of_its_own(run),
    )


def has_cores_of_its_own(run: Run) -> bool:
    """Whether each rank of all hosts may use processors that no other may; on a testbed all hosts have the same."""
    masks = [allowed(text) for text in run.fact("process.cpus_allowed").values()]
    return len(masks) == len(run.processes) and all(masks) and sum(map(len, masks)) == len(set().union(*masks))


def recorded_collectives(run: Run) -> str | None:
    """Whose algorithms the recorded MPI has, as `mpi.collectives` names them; None if they are not known."""
    return _by_library(run, COLLECTIVES)


def recorded_looks(run: Run) -> bool | None:
    """Whether the recorded MPI goes on only after a look in vain, as `mpi.looks_twice` has it; None if not known.

    So does Open MPI: its event loop reads until it finds nothing. What a look costs is the cluster's.
    """
    return _by_library(run, LOOKS_TWICE)


def _by_library(run: Run, facts: Mapping[str, _Fact]) -> _Fact | None:
    library = run.fact("mpi.library").get(0, "")
    return next((fact for begin, fact in facts.items() if library.startswith(begin)), None)


def too_many(run: Run) -> ClearwayError:
    """With how many calls there were on the rank that made most."""
    calls = run.calls
    most = max(int(calls.data["count"][calls.process == process].sum()) for process in range(len(run.processes)))
    return ClearwayError(
        "the timeline is too short for all calls of the job",
        f"record the job again with --timeline={2 * most}, or with fewer steps",
    )


def _instant(run: Run, process: int, name: str) -> float:
    ticks: NDArray[np.uint64] = run.records[process].header[name]["ticks"].reshape(1)
    if not ticks[0] and not len(run.events):
        raise ClearwayError(f"no MPI calls are recorded in {run.directory}", "give the Run of an MPI job")
    if not ticks[0]:
        raise ClearwayError("the record does not show when MPI began and ended", "give the Run of a job that has ended")
    return float(to_seconds(run.processes[process], ticks)[0])


def _events_by_call(run: Run) -> dict[tuple[int, int, float], list[int]]:
    """A call is known by its process, its function, and the instant of its entry."""
    found: dict[tuple[int, int, float], list[int]] = defaultdict(list)
    events = run.events
    keys = zip(events.process.tolist(), events.function.tolist(), events.entry_s.tolist(), strict=True)
    for position, key in enumerate(keys):
        found[key].append(position)
    return found
