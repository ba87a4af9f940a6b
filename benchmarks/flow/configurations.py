"""What `make bench-flow` measures: MPIs × hosts × ranks a host × buffers, and where it keeps what it found."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
WORK = REPOSITORY / "build/bench-flow"
RESULTS = REPOSITORY / "benchmarks/flow/results"
NOTE = RESULTS / "note.txt"
PAGE = REPOSITORY / "docs/flow-benchmark.md"

MPIS = ("openmpi", "mpich", "openmpi5", "mpich5", "impi")
HOSTS = ("4", "8", "12")
BUFFERS = ("20k", "64k", "deep")
RATE = "20mbit"  # at higher rates the cores of one machine are the limit, not the links
SIZES = {1: "256..1Mi:4", 2: "256..256Ki:4"}  # by ranks a host; each host's port carries four times as much for two
PER_HOST_2 = (("8", "20k"), ("8", "deep"), ("4", "20k"))  # hosts and buffers

# What the table for the flow library is chosen from. The largest sizes are left out: what is best at 256 kB is best
# above, and measuring takes long.
TABLE_SIZES = "256..256Ki:4"
CHUNKS = "+token:12000,chunk:8000"
ALTERNATIVES = {
    1: ("ordered", f"ordered{CHUNKS}", f"pairwise{CHUNKS}", "own"),
    2: ("hierarchical", f"hierarchical{CHUNKS}", f"port_pairs{CHUNKS}", "own"),
}


@dataclass(frozen=True, slots=True, order=True)
class Configuration:
    """One testbed and one MPI on it."""

    mpi: str
    per_host: int
    hosts: int
    buffer: str

    @property
    def name(self) -> str:
        return f"{self.mpi}-{self.hosts}x{self.per_host}-{self.buffer}"

    @property
    def testbed(self) -> str:
        return f"--hosts {self.hosts} --per-host {self.per_host} --rate {RATE} --buffer {self.buffer} --mpi {self.mpi}"

    @property
    def result(self) -> Path:
        """The sweep as JSON: the MPI's own and the flow library's choice, at all sizes."""
        return RESULTS / f"{self.name}.json"

    @property
    def alternatives(self) -> Path:
        """The sweep that the table was chosen from."""
        return RESULTS / f"{self.name}.alternatives.json"

    @property
    def table(self) -> Path:
        return WORK / f"{self.name}.table"


def configurations(
    mpis: list[str], hosts: list[str], buffers: list[str], per_host: list[str]
) -> Iterator[Configuration]:
    """The product; of two ranks a host only some: what is most telling first."""
    for ranks, buffer, count, mpi in itertools.product(map(int, per_host), buffers, hosts, mpis):
        if ranks == 1 or (count, buffer) in PER_HOST_2:
            yield Configuration(mpi, ranks, int(count), buffer)
