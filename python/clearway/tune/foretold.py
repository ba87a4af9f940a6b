"""What the simulator says of the job's collectives: how long they would take by the MPI's other algorithms, and in the
order of `--flow`, on the network that the job ran on.

An MPI chooses an algorithm for all communicators alike, so the calls on all of them count together, by rank. What a way
would give is what such calls took in the record, without waiting for late ranks, less what they are simulated to take:
of the rank that spends most in them. Where the simulator knows what the MPI chooses itself, it is the part of them by
which the way is simulated to be faster than that: then what the simulator is off by counts on both sides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from clearway.base.errors import ClearwayError
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.eager import EAGER_WORDS, eager_limit_bytes
from clearway.diagnosis.facts.settings_in_force import parameter, variable
from clearway.diagnosis.facts.transport import transport
from clearway.diagnosis.remedies import flow
from clearway.job.change import Change
from clearway.predict.cache import Cache
from clearway.predict.jobs.lone_calls import ON_VECTORS, seconds_of_calls
from clearway.predict.jobs.recorded import recorded_collectives
from clearway.predict.simulated_cluster import Modelled
from clearway.tune.asked_calls import Calls, worth_asking
from clearway.tune.files.mpis import Mpi, mpi_named
from clearway.tune.own_network import own_networks
from clearway.tune.schedules_of_mpis import Steps, steps_of

MOST_SEGMENTS = 3_000_000  # of TCP, in all simulations of a network: they take some seconds
CALLS = 10  # of each size at most: where packets are lost, calls differ
AS_LONG = 0.9  # of what was recorded: simulated times are off by that
FLOW = "flow"
BY_FLOW = {"alltoall": ("ordered", "pairwise", "node_ordered", "bruck"),
           "alltoallv": ("ordered", "pairwise", "node_ordered"),
           "allgather": ("direct", "ring", "bruck"), "allgatherv": ("direct", "ring")}  # fmt: skip
OWN = ""  # the MPI's own choice, as far as it is modelled
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
    own_s: float | None = None  # simulated by the MPI's own choice; None where that is not modelled

    @property
    def sums(self) -> bool:
        """Whether vectors are added up, perhaps in another order."""
        return self.function in ("MPI_Reduce", "MPI_Allreduce")


@dataclass(frozen=True, slots=True)
class _Way:
    function: str
    name: str
    change: Change
    calls: Sequence[tuple[Calls, tuple[Steps, ...]]]  # each by the fastest of these

    @property
    def asked(self) -> list[tuple[Calls, Steps]]:
        return [(one, each) for one, several in self.calls for each in several]


def foretold(
    case: Case, testbed: str, cache: Cache | None, begins: Callable[[], None] = lambda: None
) -> tuple[Foretold, ...]:
    """What gives most first. Nothing where the job's network, or its MPI, is not modelled, or the simulator fails.

    `begins` is told before the first simulation. Of networks that differ in their buffers it was one on which the job's
    own algorithms take as long as they did. Where the record does not tell which these are, the slowest takes as long
    at least.
    """
    mpi, calls = mpi_named(case.family), worth_asking(case)
    if mpi is None or not calls or case.tables.flow:
        return ()
    ways = [*_of_the_mpi(case, mpi, calls), *_by_flow(calls)]
    found: list[Foretold] = []
    try:
        networks = own_networks(case, testbed)
        if networks:
            begins()
        for network in networks:
            found = _on(network, case, ways, cache)
            if all(_as_slow(each) for each in _by_function(found)):
                break
    except ClearwayError:
        return ()
    return tuple(sorted(found, key=lambda one: -one.gives))


def _as_slow(ways: Sequence[Foretold]) -> bool:
    """As the recorded calls of this function."""
    own_s = ways[0].own_s
    return AS_LONG * ways[0].recorded_s <= (max(one.simulated_s for one in ways) if own_s is None else own_s)


def _by_function(found: Sequence[Foretold]) -> list[list[Foretold]]:
    functions = dict.fromkeys(one.function for one in found if one.function)
    return [[one for one in found if one.function == function] for function in functions]


def _on(network: Modelled, case: Case, ways: Sequence[_Way], cache: Cache | None) -> list[Foretold]:
    asked = list(dict.fromkeys(each for way in ways for each in way.asked))
    taken_s = _simulated(case, network, asked, cache)

    def simulated_s(way: _Way, rank: int) -> float:
        return sum(
            one.number * min(taken_s[one, each] for each in several) for one, several in way.calls if rank in one.ranks
        )

    own = {way.function: way for way in ways if way.name == OWN}
    found = []
    for way in ways:
        if way.name == OWN:
            continue
        recorded_s, rank = _of_the_busiest([one for one, _ in way.calls])
        by_way_s = simulated_s(way, rank)
        own_s = simulated_s(own[way.function], rank) if way.function in own else None
        saved_s = recorded_s - by_way_s if not own_s else recorded_s * (1 - by_way_s / own_s)
        found.append(Foretold(way.function, way.name, way.change, recorded_s, by_way_s, saved_s / case.wall_s, own_s))
    return found


def _of_the_busiest(calls: Iterable[Calls]) -> tuple[float, int]:
    """What the rank that spends most in these calls spends there, and which one it is."""
    recorded_s: dict[int, float] = {}
    for one in calls:
        for rank in one.ranks:
            recorded_s[rank] = recorded_s.get(rank, 0.0) + one.recorded_s
    rank = max(recorded_s, key=lambda rank: (recorded_s[rank], -rank))
    return recorded_s[rank], rank


def _of_the_mpi(case: Case, mpi: Mpi, calls: Sequence[Calls]) -> list[_Way]:
    ways = []
    for function in dict.fromkeys(one.function for one in calls):
        own = [one for one in calls if one.function == function]
        operation = own[0].operation
        for name in mpi.algorithms(operation):
            steps = [_steps(case, name, one) for one in own]
            if None not in steps:
                change = _change(case.family, mpi.forced(operation, name))
                known = [(one, (each,)) for one, each in zip(own, steps, strict=True) if each is not None]
                ways.append(_Way(function, name, change, known))
        if operation in ON_VECTORS and _own_is_modelled(case, mpi, operation):
            ways.append(_Way(function, OWN, Change(), [(one, (((operation, ""),),)) for one in own]))
    return ways


def _steps(case: Case, name: str, calls: Calls) -> Steps | None:
    """None where no Schedule does the same on all of its communicators."""
    eager_bytes = eager_limit_bytes(case) if transport(case) in EAGER_WORDS else None
    asked = calls.asked(case.run.processes["host"].tolist(), eager_bytes)
    found = {steps_of(case.family, name, one) for one in asked}
    return found.pop() if len(found) == 1 else None


def _own_is_modelled(case: Case, mpi: Mpi, operation: str) -> bool:
    """The simulator knows what the MPI chooses, and nobody has told it to do otherwise."""
    words = {name for each in mpi.algorithms(operation) for name, _ in mpi.forced(operation, each)}
    told = any(variable(case, name) or parameter(case, name.removeprefix(PARAMETER)) for name in words)
    return recorded_collectives(case.run) is not None and not told


def _by_flow(calls: Sequence[Calls]) -> list[_Way]:
    ordered = [one for one in calls if one.operation in BY_FLOW]
    if not ordered:
        return []
    ways = [
        (one, tuple(((one.operation.removesuffix("v"), schedule),) for schedule in BY_FLOW[one.operation]))
        for one in ordered
    ]
    return [_Way("", FLOW, flow.CHANGE, ways)]


def _change(family: str, settings: Sequence[tuple[str, str]]) -> Change:
    if family == "openmpi":  # whose launcher hands parameters on to other hosts
        return Change(parameters=tuple((name.removeprefix(PARAMETER), value) for name, value in settings))
    return Change(environment=tuple(settings))


def _simulated(
    case: Case, model: Modelled, asked: Sequence[tuple[Calls, Steps]], cache: Cache | None
) -> dict[tuple[Calls, Steps], float]:
    """What a call takes a rank."""
    places = tuple(case.run.processes["host"].tolist())
    steps = max(1, min(CALLS, MOST_SEGMENTS // sum(one.segments for one, _ in asked)))
    lone = [one.by(each, case.ranks) for one, each in asked]
    taken_s = seconds_of_calls(lone, case.ranks, model, cache, places=places, steps=steps)
    return dict(zip(asked, taken_s, strict=True))
