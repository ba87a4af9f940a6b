"""A scenario: which hosts, links, buffers and MPI, which algorithm at which size. All of it follows from a seed."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from dataclasses import dataclass, replace

MPIS = ("openmpi", "mpich", "openmpi5", "mpich5", "impi")
ALGORITHMS = (
    "direct",
    "lam",
    "ordered",
    "ordered+barrier",
    "ordered+token:12000",
    "pairwise",
    "pairwise+barrier",
    "pairwise+token:12000,chunk:8000",
    "bruck",
    "node_ordered",
    "node_ordered+barrier",
    "port_pairs",
)
BUFFER_KB = (4.0, 256.0)
ROUND_TRIP_US = (200.0, 20_000.0)
BLOCK_BYTES = (64.0, 1_048_576.0)
DEEP, NEAR = 0.2, 0.5  # of the draws: nothing is lost; no latency besides the links'
UNLIMITED_MBIT = 100_000
LONGEST_CALL_S = 0.4  # that the wire needs: a scenario has at least seven calls in three seconds


@dataclass(frozen=True, slots=True)
class Ranges:
    """What draws differ in. All ranks share the cores of one machine, however many there are."""

    hosts: range
    most_ranks: int
    rate_mbit: tuple[float, float]


NARROW = Ranges(range(2, 9), 10, (5.0, 40.0))
WIDE = Ranges(range(2, 13), 24, (5.0, 200.0))
NARROW_SEEDS = (1, 228420, 365928)  # measured before there were wider ranges


@dataclass(frozen=True, slots=True)
class Scenario:
    seed: int
    number: int
    mpi: str
    algorithm: str
    hosts: int
    per_host: int  # ranks
    rate_mbit: int
    buffer_kb: int | None  # of each switch port; None: deep
    latency_us: int  # from host to host, besides what the links take: half a round trip
    block_bytes: int

    @property
    def testbed(self) -> str:
        """As `clearway bench --testbed` reads it."""
        buffer = "deep" if self.buffer_kb is None else f"{self.buffer_kb}k"
        words = f"--hosts {self.hosts} --rate {self.rate_mbit}mbit --buffer {buffer} --per-host {self.per_host}"
        return f"{words} --latency-us {self.latency_us} --mpi {self.mpi}"

    @property
    def unlimited(self) -> Scenario:
        """The same ranks on links that let everything pass at once: what takes time there is the processor."""
        return replace(self, rate_mbit=UNLIMITED_MBIT, buffer_kb=None, latency_us=0)

    @property
    def ranks(self) -> int:
        return self.hosts * self.per_host

    @property
    def bytes_through_a_card(self) -> int:
        """Of a call, in each direction."""
        return self.per_host * (self.ranks - self.per_host) * self.block_bytes


def ranges_of(seed: int) -> Ranges:
    return NARROW if seed in NARROW_SEEDS else WIDE


def draws(seed: int, count: int) -> Iterator[Scenario]:
    """The first so many of this seed: they stay the same, however many are asked for."""
    return (draw(seed, number) for number in range(count))


def draw(seed: int, number: int) -> Scenario:
    chance = random.Random(f"clearway grid {seed} {number}")
    ranges = ranges_of(seed)
    while True:
        per_host = chance.choice((1, 1, 2))
        hosts = chance.choice([each for each in ranges.hosts if each * per_host <= ranges.most_ranks])
        scenario = Scenario(
            seed,
            number,
            MPIS[number % len(MPIS)],
            chance.choice(ALGORITHMS),
            hosts,
            per_host,
            round(evenly_by_logarithm(chance, ranges.rate_mbit)),
            None if chance.random() < DEEP else round(evenly_by_logarithm(chance, BUFFER_KB)),
            0 if chance.random() < NEAR else round(evenly_by_logarithm(chance, ROUND_TRIP_US) / 2),
            round(evenly_by_logarithm(chance, BLOCK_BYTES)),
        )
        if scenario.bytes_through_a_card * 8e-6 / scenario.rate_mbit <= LONGEST_CALL_S:
            return scenario


def evenly_by_logarithm(chance: random.Random, ends: tuple[float, float]) -> float:
    least, most = ends
    return math.exp(chance.uniform(math.log(least), math.log(most)))
