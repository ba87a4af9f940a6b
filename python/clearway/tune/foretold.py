"""What the simulator says of the job's collectives: how long they would take by the MPI's other algorithms, and in the
order of `--flow`, on the network that the job ran on.

Only calls of all ranks are asked about, and only all-to-alls and allgathers: of these an MPI has several algorithms,
and their order decides what the ports of a switch must hold. What a way would give is what such calls took in the
record, without waiting for late ranks, less what they are simulated to take.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

from clearway.base.errors import ClearwayError
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.tables.calls import CollectiveRow
from clearway.diagnosis.remedies import flow
from clearway.job.change import Change
from clearway.predict.cache import Cache
from clearway.predict.jobs.lone_calls import LoneCall, activity_of, seconds_of_calls
from clearway.predict.simulated_cluster import Modelled
from clearway.tune.files.mpis import Mpi, mpi_named
from clearway.tune.own_network import own_networks

FUNCTIONS = ("MPI_Alltoall", "MPI_Alltoallv", "MPI_Allgather", "MPI_Allgatherv")
LEAST_RANKS = 3  # of two, each has one partner only
MOST_SEGMENTS = 3_000_000  # of TCP, in all simulations of a network: they take some seconds
MOST_OF_A_CALL = 400_000  # likewise
LEAST_SHARE = 0.01  # of the wall-clock, in calls of one size: less is not asked about
CALLS = 10  # of each size at most: where packets are lost, calls differ
SEGMENT_BYTES = 1448
AS_LONG = 0.9  # of what was recorded: simulated times are off by that
FLOW = "flow"
# The Schedules that move data as the MPIs' algorithms do, from their sources; those that none moves alike are left out.
OPEN_MPI = {"linear": "direct", "basic_linear": "direct", "pairwise": "ordered", "modified_bruck": "bruck",
            "bruck": "bruck", "recursive_doubling": "recursive_doubling", "ring": "ring"}  # fmt: skip
MPICH = {"brucks": "bruck", "scattered": "direct", "pairwise": "pairwise",  # of a power of two ranks, else as "ordered"
         "recursive_doubling": "recursive_doubling", "ring": "ring"}  # fmt: skip
INTEL = {"bruck": "bruck", "isend_irecv": "direct", "pairwise": "pairwise", "recursive_doubling": "recursive_doubling",
         "ring": "ring"}  # fmt: skip
SCHEDULES = {"openmpi": OPEN_MPI, "mpich": MPICH, "intel": INTEL}
BY_FLOW = {"alltoall": ("ordered", "pairwise", "node_ordered", "bruck"),
           "alltoallv": ("ordered", "pairwise", "node_ordered"),
           "allgather": ("direct", "ring", "bruck"), "allgatherv": ("direct", "ring")}  # fmt: skip
PARAMETER = "OMPI_MCA_"


@dataclass(frozen=True, slots=True)
class Foretold:
    """A way to make the calls of one function; or, by `--flow`, of all of them."""

    function: str  # "MPI_Alltoall"; empty: all that it can order
    way: str  # "pairwise"
    change: Change
    recorded_s: float  # what they take a rank as the job was typed, waiting for others left out
    simulated_s: float
    gives: float  # of the wall-clock


@dataclass(frozen=True, slots=True)
class _Calls:
    """Of one function and size, by a rank."""

    function: str
    block_bytes: int
    number: int
    recorded_s: float

    @property
    def operation(self) -> str:
        return self.function.removeprefix("MPI_").lower()

    @property
    def kind(self) -> str:
        return self.operation.removesuffix("v")

    def segments(self, ranks: int) -> int:
        """Of a call."""
        return ranks * ranks * -(-self.block_bytes // SEGMENT_BYTES)

    def by(self, schedule: str, ranks: int) -> LoneCall:
        nbytes = self.block_bytes * (ranks if self.kind == "alltoall" else 1)
        return LoneCall(activity_of(self.function, nbytes, ranks), **{self.kind: schedule})


def foretold(
    case: Case, testbed: str, cache: Cache | None, begins: Callable[[], None] = lambda: None
) -> tuple[Foretold, ...]:
    """What gives most first. Nothing where the job's network, or its MPI, is not modelled, or the simulator fails.

    `begins` is told before the first simulation. Of networks that differ in their buffers it was one on which the job's
    own algorithm takes as long as it did. Which one that is, the record does not tell; but on that network the slowest
    takes as long at least.
    """
    mpi, calls = mpi_named(case.family), _worth_asking(case)
    if mpi is None or not calls or case.tables.flow or case.ranks < LEAST_RANKS:
        return ()
    ways = [*_of_the_mpi(case, mpi, calls), _by_flow(calls)]
    found: list[Foretold] = []
    try:
        networks = own_networks(case, testbed)
        if networks:
            begins()
        for network in networks:
            found = _on(network, case, ways, cache)
            if all(
                max(one.simulated_s for one in each) >= AS_LONG * each[0].recorded_s for each in _by_function(found)
            ):
                break
    except ClearwayError:
        return ()
    return tuple(sorted(found, key=lambda one: -one.gives))


def _by_function(found: Sequence[Foretold]) -> list[list[Foretold]]:
    functions = dict.fromkeys(one.function for one in found if one.function)
    return [[one for one in found if one.function == function] for function in functions]


def _on(network: Modelled, case: Case, ways: Sequence[_Way], cache: Cache | None) -> list[Foretold]:
    asked = list(dict.fromkeys((one, by) for way in ways for one, schedules in way.calls for by in schedules))
    taken_s = _simulated(case, network, asked, cache)
    found = []
    for way in ways:
        recorded_s = sum(one.recorded_s for one, _ in way.calls)
        simulated_s = sum(
            one.number * min(taken_s[one, schedule] for schedule in schedules) for one, schedules in way.calls
        )
        gives = (recorded_s - simulated_s) / case.wall_s
        found.append(Foretold(way.function, way.name, way.change, recorded_s, simulated_s, gives))
    return found


@dataclass(frozen=True, slots=True)
class _Way:
    function: str
    name: str
    change: Change
    calls: Sequence[tuple[_Calls, tuple[str, ...]]]  # each by the fastest of these Schedules


def _worth_asking(case: Case) -> list[_Calls]:
    found = []
    for function in FUNCTIONS:
        rows = [row for row in case.tables.collectives if row.function == function and row.high_bytes > 0]
        factor = _by_all_bytes(case, function, rows)
        for row in rows:
            taken_s = (row.time_s - row.wait_s) / case.ranks
            one = _Calls(function, max(1, round(factor * _middle_bytes(row))), row.count, taken_s)
            if row.communicator_size == case.ranks and taken_s >= LEAST_SHARE * case.wall_s:
                found += [one] if one.segments(case.ranks) <= MOST_OF_A_CALL else []
    return found


def _middle_bytes(row: CollectiveRow) -> float:
    """Of the sizes of a block that the row counts together: the table knows them to a factor of two."""
    return sqrt(max(row.low_bytes, 1) * row.high_bytes)


def _by_all_bytes(case: Case, function: str, rows: Sequence[CollectiveRow]) -> float:
    """Exact bytes, all calls together, by what the rows' middles come to. With one row that makes its size exact."""
    exact = sum(row.bytes for row in case.tables.mpi_calls if row.function == function)
    blocks = ((row, row.communicator_size if "alltoall" in function.lower() else 1) for row in rows)
    middles = sum(row.count * row.communicator_size * each * _middle_bytes(row) for row, each in blocks)
    return exact / middles if exact and middles else 1.0


def _of_the_mpi(case: Case, mpi: Mpi, calls: Sequence[_Calls]) -> list[_Way]:
    schedules = SCHEDULES[case.family]
    ways = []
    for function in dict.fromkeys(one.function for one in calls):
        own = [one for one in calls if one.function == function]
        for name in mpi.algorithms(own[0].operation):
            schedule = _schedule(schedules, name, case.ranks)
            if schedule:
                change = _change(case.family, mpi.forced(own[0].operation, name))
                ways.append(_Way(function, name, change, [(one, (schedule,)) for one in own]))
    return ways


def _schedule(schedules: Mapping[str, str], name: str, ranks: int) -> str:
    power_of_two = ranks & (ranks - 1) == 0
    found = schedules.get(name, "")
    if found == "pairwise" and not power_of_two:
        return "ordered"
    return "" if found == "recursive_doubling" and not power_of_two else found


def _by_flow(calls: Sequence[_Calls]) -> _Way:
    return _Way("", FLOW, flow.CHANGE, [(one, BY_FLOW[one.operation]) for one in calls])


def _change(family: str, settings: Sequence[tuple[str, str]]) -> Change:
    if family == "openmpi":  # whose launcher hands parameters on to other hosts
        return Change(parameters=tuple((name.removeprefix(PARAMETER), value) for name, value in settings))
    return Change(environment=tuple(settings))


def _simulated(
    case: Case, model: Modelled, asked: Sequence[tuple[_Calls, str]], cache: Cache | None
) -> dict[tuple[_Calls, str], float]:
    """What a call takes a rank."""
    places = tuple(case.run.processes["host"].tolist())
    steps = max(1, min(CALLS, MOST_SEGMENTS // sum(one.segments(case.ranks) for one, _ in asked)))
    lone = [one.by(schedule, case.ranks) for one, schedule in asked]
    taken_s = seconds_of_calls(lone, case.ranks, model, cache, places=places, steps=steps)
    return dict(zip(asked, taken_s, strict=True))
