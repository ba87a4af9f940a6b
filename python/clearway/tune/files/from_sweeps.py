"""The choice by measurement: of all ways in which the MPI itself was measured, the fastest at each size.

A way is an algorithm, and what else the MPI was told. An algorithm can be chosen for each size; all else holds for
every message. So what holds for all is chosen first, by its gain over all sizes together, then the algorithm at each
size.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import harmonic_mean

from clearway.base import quantities as q
from clearway.base.errors import ClearwayError
from clearway.bench.flow_table import speed_of
from clearway.bench.sweep import OWN as OWN_CURVE
from clearway.diagnosis.facts.eager import MOST_BYTES
from clearway.tune.files.model import OWN, Choice, Left, Library, Settings, Step
from clearway.tune.files.mpis import Mpi
from clearway.tune.files.sources import Measured

WORTH = 1.03  # what a way must gain before it takes the place of the MPI's own
# With a larger eager limit, the way that keeps its order by itself is taken unless another is so much faster: in a
# sweep all ranks begin each call together; where calls follow each other, pairwise exchange falls out of step.
IN_STEP = 1.05
FLOWS_BETTER = 1.05  # from here on it is said that the MPI lacks something

Place = tuple[str, int]  # operation, ranks
Speeds = dict[int, float]  # bytes/s by block size


@dataclass(slots=True)
class Measurements:
    """What the sweeps tell."""

    hosts: dict[Place, int] = field(default_factory=dict)
    where: dict[Place, list[tuple[str, str]]] = field(default_factory=lambda: defaultdict(list))  # path, date
    ways: dict[Settings, dict[Place, dict[str, Speeds]]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(lambda: defaultdict(dict)))
    )
    flow: dict[Place, Speeds] = field(default_factory=lambda: defaultdict(dict))
    skipped: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class BySweeps:
    choices: tuple[Choice, ...]
    everywhere: Settings
    left: tuple[Left, ...]
    lacking: tuple[str, ...]
    skipped: tuple[str, ...]
    places: frozenset[Place]  # what was measured, whatever came of it


def by_sweeps(mpi: Mpi, library: Library, measured: Sequence[Measured]) -> BySweeps:
    """Raises ClearwayError where two sweeps cannot be told apart by the MPI."""
    known = _measurements(mpi, measured)
    base = min(known.ways, key=len, default=())
    everywhere = _everywhere(known, base)
    choices, left, lacking = [], [], []
    unmeasured: Settings = ()
    for place in known.hosts:
        own = known.ways[base].get(place, {}).get(OWN, {})
        steady = mpi.flowing(place[0], library, MOST_BYTES) if everywhere != base else None
        chosen = _choice(known, place, everywhere, own, steady)
        if chosen is None and _ways(known, place) == 1 and known.hosts[place] > 1:
            chosen, besides = _made_for_it(mpi, library, known, place, own)
            unmeasured = besides or unmeasured
        if chosen is None:
            left.append(Left(*place, _why_left(known, place, own)))
        else:
            choices.append(chosen)
        lacking += _lacking(known, mpi, library, place, everywhere)
    useful = tuple({**dict(everywhere), **dict(unmeasured)}.items()) if choices else ()
    return BySweeps(tuple(choices), useful, tuple(left), tuple(lacking), tuple(known.skipped), frozenset(known.hosts))


def _measurements(mpi: Mpi, measured: Sequence[Measured]) -> Measurements:
    known = Measurements()
    speeds: dict[tuple[Place, tuple[Settings, str] | str], dict[int, list[float]]] = defaultdict(dict)
    common = set.intersection(*(set(each.sweep.settings.items()) for each in measured)) if len(measured) > 1 else set()
    for each in measured:
        sweep, place = each.sweep, (each.sweep.operation, each.sweep.ranks)
        if known.hosts.setdefault(place, sweep.hosts) != sweep.hosts:
            raise ClearwayError(
                f"{place[0]} on {place[1]} ranks was measured on {known.hosts[place]} hosts and on {sweep.hosts}: an "
                f"MPI's rules distinguish communicators only by their number of ranks",
                "give the sweeps of only one of them",
            )
        told = mpi.told(sweep.operation, sweep.settings)
        if told is None:
            known.skipped.append(
                f"{each.path}: a tuning file of this MPI cannot express the settings that the MPI had there"
            )
            continue
        algorithm, rest = told
        besides = tuple(sorted(set(rest) - common))
        known.where[place].append((each.path, sweep.measured_at))
        for curve in sweep.curves:
            way = (besides, algorithm) if curve.candidate == OWN_CURVE else curve.candidate
            for point in curve.points:
                if (speed := speed_of(point, sweep.interleaved)) is not None:
                    speeds[place, way].setdefault(point.block_bytes, []).append(speed)
    for (where, way), by_size in speeds.items():
        means = {size: harmonic_mean(each) for size, each in by_size.items()}  # equal work, all times together
        if isinstance(way, str):
            best = known.flow[where]  # --flow takes the fastest of its ways
            best.update({size: max(speed, best.get(size, 0.0)) for size, speed in means.items()})
        else:
            known.ways[way[0]][where][way[1]] = means
    return known


def _everywhere(known: Measurements, base: Settings) -> Settings:
    """What gives most over all sizes at which the MPI was measured as it is."""
    points = [
        (place, size, speed)
        for place, algorithms in known.ways.get(base, {}).items()
        for size, speed in algorithms.get(OWN, {}).items()
    ]
    scores = {}
    for settings, places in known.ways.items():
        best = [_best_at(places.get(place, {}), size) for place, size, _ in points]
        if all(one is not None for one in best):
            gains = [math.log(one[1] / speed) for one, (_, _, speed) in zip(best, points, strict=True) if one]
            scores[settings] = sum(gains)
    if base not in scores:
        return base
    leader = max(scores, key=lambda settings: scores[settings])
    return leader if scores[leader] > scores[base] + len(points) * math.log(WORTH) else base


def _best_at(algorithms: Mapping[str, Speeds], size: int, steady: str | None = None) -> tuple[str, float] | None:
    """The fastest; the MPI's own choice unless another is clearly faster, and `steady` unless it is much slower."""
    there = {name: speeds[size] for name, speeds in algorithms.items() if size in speeds}
    if not there:
        return None
    name = max(there, key=lambda one: there[one])
    if steady in there and there[name] < IN_STEP * there[steady]:
        return steady, there[steady]
    if OWN in there and there[name] < WORTH * there[OWN]:
        name = OWN
    return name, there[name]


def _choice(known: Measurements, place: Place, everywhere: Settings, own: Speeds, steady: str | None) -> Choice | None:
    algorithms = known.ways.get(everywhere, {}).get(place, {})
    sizes = sorted({size for speeds in algorithms.values() for size in speeds})
    gains = {
        size: found[1] >= WORTH * own[size]
        for size in sizes
        if size in own and (found := _best_at(algorithms, size)) is not None
    }
    best = [
        (size, *found)
        for size in sizes
        if (found := _best_at(algorithms, size, steady if gains.get(size) else None)) is not None
    ]
    if not best or (own and not any(gains.values())):
        return None
    steps: list[Step] = []
    for size, algorithm, _ in best:
        if not steps or steps[-1].algorithm != algorithm:
            steps.append(Step(size, algorithm))
    ratio = sizes[-1] // sizes[-2] if len(sizes) > 1 else 2
    because = f"{_told_in(known.where[place])}: {', '.join(_point(point, own, known.flow[place]) for point in best)}"
    return Choice(*place, known.hosts[place], tuple(steps), sizes[-1] * max(ratio, 2), because)


def _told_in(sweeps: Sequence[tuple[str, str]]) -> str:
    if len(sweeps) == 1:
        return f"{sweeps[0][0]}, {sweeps[0][1]}"
    dates = sorted(date for _, date in sweeps)
    return f"{len(sweeps)} sweeps, {dates[0]} to {dates[-1]}"


def _point(point: tuple[int, str, float], own: Speeds, flow: Speeds) -> str:
    size, _, speed = point
    beside = [f"unchanged {_speed(own[size])}"] if size in own else []
    beside += [f"--flow {_speed(flow[size])}"] if size in flow else []
    return f"{q.bytes_(size)} {_speed(speed)}" + (f" ({', '.join(beside)})" if beside else "")


def _speed(bytes_per_s: float) -> str:
    return f"{q.three_digits(bytes_per_s / 1e6)} MB/s"


def _made_for_it(
    mpi: Mpi, library: Library, known: Measurements, place: Place, own: Speeds
) -> tuple[Choice | None, Settings]:
    """Where --flow was measured to be faster, the MPI's algorithm that is made for that. It was not measured itself."""
    flow, beaten = known.flow[place], _beaten(known, place, own)
    if not beaten:
        return None, ()
    eager = next_power(max(beaten))
    algorithm = mpi.flowing(place[0], library, eager)
    if algorithm is None:
        return None, ()
    above = [size for size in own if size > beaten[-1]]
    points = ", ".join(f"{q.bytes_(size)} {_speed(own[size])} (--flow {_speed(flow[size])})" for size in beaten)
    because = f"{_told_in(known.where[place])}: unchanged {points}; the choice was not measured: measure.sh does that"
    choice = Choice(
        *place, known.hosts[place], (Step(beaten[0], algorithm),), min(above, default=2 * beaten[-1]), because
    )
    return choice, mpi.everywhere(library, eager)


def _beaten(known: Measurements, place: Place, own: Speeds) -> list[int]:
    """The sizes at which --flow was measured to be faster."""
    return [size for size in sorted(own) if known.flow[place].get(size, 0.0) > FLOWS_BETTER * own[size]]


def next_power(bytes_: int) -> int | None:
    """The power of two above, as a limit for messages to be sent at once; None where that would fill memories."""
    limit = 1 << bytes_.bit_length()
    return limit if limit <= MOST_BYTES else None


def _ways(known: Measurements, place: Place) -> int:
    return sum(len(places.get(place, {})) for places in known.ways.values())


def _why_left(known: Measurements, place: Place, own: Speeds) -> str:
    if not own:
        return "the MPI's own choice was not measured"
    ways = _ways(known, place)
    if ways < 2 and (not known.flow[place] or known.hosts[place] == 1):  # within a host there is no switch to flood
        return "only the MPI's own choice was measured: measure.sh measures its other algorithms"
    if ways < 2 and _beaten(known, place, own):
        return "--flow is faster than the MPI's own choice, but the MPI has nothing like it"
    if ways < 2:
        return "--flow is not faster than the MPI's own choice"
    return f"none of the {ways} measured ways is {100 * (WORTH - 1):.0f} % faster than the MPI's own choice"


def _lacking(known: Measurements, mpi: Mpi, library: Library, place: Place, everywhere: Settings) -> list[str]:
    """Where --flow is faster than the best of several ways of the MPI's own; or where the MPI has no other way."""
    operation, ranks = place
    algorithms = known.ways.get(everywhere, {}).get(place, {})
    beaten = [
        f"{speed / best[1]:.2f} times at {q.bytes_(size)}"
        for size, speed in sorted(known.flow[place].items())
        if (best := _best_at(algorithms, size)) is not None and speed > FLOWS_BETTER * best[1]
    ]
    can = mpi.flowing(operation, library, MOST_BYTES) is not None
    if not beaten or (can and _ways(known, place) < 2):
        return []
    what = "it has no algorithm that is as fast there" if can else mpi.lacks(operation)
    who = f"MPI_{operation.capitalize()} on {ranks} ranks"
    better = f"--flow is faster than the best measured way of {library.name}"
    return [f"{who}: {better}, {', '.join(beaten)}: {what}."]
