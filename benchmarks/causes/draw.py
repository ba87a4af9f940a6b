"""A draw: which faults, how strong, when and where, in which program under which MPI. All of it follows from a seed."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from diagnosis.real_engines import ENGINES

from causes.kinds import KINDS, Kind, When, Where
from causes.ranges import Range

# Of MPI calls, as the skeleton calls them (benchmarks/causes/skeleton/families.h).
FAMILIES = ("halo", "alltoall", "ialltoall", "neighbour", "probe", "fence", "lock", "allreduce")
LOADING = ("halo", "alltoall", "ialltoall", "neighbour", "allreduce")  # those that can fill a link
MPIS = ("openmpi", "mpich")
REAL = ("gromacs", "lammps", "pw.x")  # programs, each with an MPI of its own (diagnosis/real_engines.py)

STEP_S = Range(4e-3, 1e-1)  # computing in a step
BYTES = Range(64, 262144)  # to each peer
LINK_BYTES = Range(2048, 65536)  # the same, where links are slow
MOMENT = Range(0.1, 0.8)  # of the steps, before a fault that begins later
PERIOD = Range(3, 50)  # steps from one time to the next of a fault that comes now and then

BASE_S = 2.0  # that each rank computes, all steps together
LINK_BASE_S = 1.5  # that computing and moving data take on slow links, all steps together
CROWDED_BASE_S = 1.0  # where there are twice as many ranks as cores
MOST_LOST_S = 4.5  # by all faults together: no run takes more than 8 s
LINK_BPS = 20_000_000
LINK_STEP_S = 5e-3
TWO_AT_ONCE = 0.25  # of the draws in which that can be
PIPE_BYTES = 4096
ON_HOSTS = 0.15  # the same
IN_ENGINES = 0.3  # the same
ENGINE_BASE_S = 1.5  # of a real program, in which faults may be planted


@dataclass(frozen=True, slots=True)
class Planted:
    """One fault. Ranks and steps as the skeleton reads them."""

    kind: str
    where: Where
    when: When
    strength: float  # in the unit of its kind
    grain: float  # in the unit of its kind; 0: it has none
    amount_s: float  # that a chosen rank is to lose in a chosen step; 0: not planted in the program
    first: int  # chosen ranks, from this
    last: int  # to this
    begin: int  # chosen steps, from this one on
    every: int  # one of so many


@dataclass(frozen=True, slots=True)
class Draw:
    seed: int
    number: int
    held_out: bool
    mpi: str
    family: str  # of MPI calls, or a real program
    hosts: int  # 0: this machine itself
    per_host: int  # ranks
    threads: int
    steps: int
    compute_s: float  # of a step
    bytes: int
    faults: tuple[Planted, ...]

    @property
    def ranks(self) -> int:
        return self.per_host * max(self.hosts, 1)

    @property
    def fatal(self) -> bool:
        return any(KINDS[fault.kind].fatal for fault in self.faults)

    @property
    def in_network(self) -> bool:
        return any(KINDS[fault.kind].place == "network" for fault in self.faults)


def draws(seed: int, count: int, held_out: bool = False) -> Iterator[Draw]:
    """The first so many of this seed: any number in a row that begins at 0 is the same, however many are asked for."""
    for number in range(count):
        yield draw(seed, number, held_out)


def draw(seed: int, number: int, held_out: bool = False) -> Draw:
    chance = random.Random(f"clearway causes {seed} {number} {held_out}")
    name = dealt(seed, number, held_out)
    kind = KINDS[name]
    names = [name]
    on_hosts = kind.place == "anywhere" and chance.random() < ON_HOSTS
    if not kind.alone and chance.random() < TWO_AT_ONCE:
        names.append(chance.choice([other for other in KINDS if other != name and beside(KINDS[other], on_hosts)]))
    network = kind.place == "network"
    hosts = 4 if network else 2 if on_hosts else 0
    threads = 2 if name == "serial-thread" else 1
    per_host = 1 if network or threads == 2 else 2
    volume = int((LINK_BYTES if network else BYTES).draw(chance, held_out))
    if network:
        compute_s = LINK_STEP_S
        steps = int(LINK_BASE_S / (2 * compute_s + (hosts - 1) * volume * 8 / LINK_BPS))
    else:
        compute_s = STEP_S.draw(chance, held_out)
        steps = int((CROWDED_BASE_S if on_hosts else BASE_S) / compute_s)
    steps = max(steps, 8)
    engine = engine_of(seed, number, held_out) if not (network or on_hosts or threads > 1) else ""
    if engine and not all(KINDS[each].in_engines for each in names):
        engine = ""
    if engine:
        steps = max(int(ENGINE_BASE_S / compute_s), 8)
    mpi = chance.choice(MPIS)
    if engine:
        mpi = ENGINES[engine].mpi
    if on_hosts:
        mpi = "openmpi"  # a testbed's MPICH uses TCP inside hosts, too: a fault that nobody drew
    shape = _Job(hosts, max(hosts, 1) * per_host, steps, steps * compute_s * (2 if on_hosts else 1))
    return Draw(
        seed,
        number,
        held_out,
        mpi,
        engine or chance.choice(LOADING if network else FAMILIES),
        hosts,
        per_host,
        threads,
        steps,
        compute_s,
        volume,
        tuple(planted(each, shape, MOST_LOST_S / len(names), chance, held_out) for each in names),
    )


def engine_of(seed: int, number: int, held_out: bool) -> str:
    """The real program of this draw, as far as its faults can be planted in one; "" for a skeleton."""
    chance = random.Random(f"clearway causes {seed} engine {number} {held_out}")
    return chance.choice(REAL) if chance.random() < IN_ENGINES else ""


def dealt(seed: int, number: int, held_out: bool) -> str:
    """Kinds are dealt like cards: as many draws as there are kinds have them all."""
    cards = list(KINDS)
    random.Random(f"clearway causes {seed} cards {number // len(cards)} {held_out}").shuffle(cards)
    return cards[number % len(cards)]


def beside(other: Kind, on_hosts: bool) -> bool:
    """Whether it may come second."""
    return not other.alone and other.place in (("anywhere",) if on_hosts else ("anywhere", "here"))


@dataclass(frozen=True, slots=True)
class _Job:
    hosts: int
    ranks: int
    steps: int
    wall_s: float  # of all steps without a fault, about


def planted(name: str, job: _Job, most_s: float, chance: random.Random, held_out: bool) -> Planted:
    kind = KINDS[name]
    # Of two hosts with two ranks each one may have it: that is a place of its own.
    places: tuple[Where, ...] = (*kind.where, "one host") if job.hosts == 2 and len(kind.where) > 1 else kind.where
    where, when = chance.choice(places), chance.choice(kind.when)
    strength = kind.strength.draw(chance, held_out)
    grain = kind.grain.draw(chance, held_out) if kind.grain else 0.0
    rank = chance.randrange(job.ranks)
    begin, every = 0, 1
    if when == "since":
        begin = max(1, int(MOMENT.draw(chance, held_out) * job.steps))
    elif when == "now and then":
        every = max(2, min(int(PERIOD.draw(chance, held_out)), job.steps // 2))
        begin = every - 1
    first, last = {"one rank": (rank, rank), "one host": (2, 3), "all ranks": (0, job.ranks - 1)}[where]
    if kind.place == "network" and where == "one host":
        first = last = rank
    # Asleep for the whole of it before MPI_Init; of the steps that have it, each a part.
    chosen = 1 if name == "late-start" else len(range(begin, job.steps, every))
    lost_s = min(job.wall_s * strength / (1 - strength), most_s) if kind.strength_unit == "of the wall-clock" else 0.0
    if kind.unit.startswith("s "):
        grain = min(grain, float(f"{lost_s:.3g}"))  # once at least
    amount_s = lost_s / chosen
    if name == "slow-pipe":  # it holds some bytes, which are read while the rank computes
        amount_s += min(PIPE_BYTES / grain, every * job.wall_s / job.steps)
    return Planted(name, where, when, strength, grain, float(f"{amount_s:.3g}"), first, last, begin, every)
