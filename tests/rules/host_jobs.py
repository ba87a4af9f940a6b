"""Made jobs for the rules about hosts, processes and files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from python.made_runs import Machine, Rank, SegmentKind

from clearway.diagnosis.facts import Case, open_case
from clearway.run import load

SECOND_NS = 10**9


@dataclass
class MadeHost:
    """A host of a made job: what it says of itself. Counters rise from 0."""

    name: str = "node0"
    facts: dict[str, str] = field(default_factory=lambda: {"host.cores": "4"})
    counters: dict[str, int] = field(default_factory=dict)
    boot_id: str = ""  # of its own, where none is given

    @property
    def machine(self) -> Machine:
        return Machine(self.name, self.boot_id or f"boot of {self.name}")


def steps_of(world: Sequence[Rank], compute_s: Sequence[float], steps: int = 5) -> None:
    """Each rank computes, in each step as long as its figure says; then all meet in an MPI_Allreduce."""
    for step in range(steps):
        begin_s = step * max(compute_s)
        for rank, own_s in zip(world, compute_s, strict=True):
            rank.collective("MPI_Allreduce", begin_s + own_s, begin_s + max(compute_s))
    for rank in world:
        rank.end_s = steps * max(compute_s)


def ranks_on(*hosts: MadeHost, per_host: int = 1, cpus: str = "0-3") -> list[Rank]:
    """Ranks in the order of the hosts."""
    size = len(hosts) * per_host
    world = [Rank(rank, size, machine=hosts[rank // per_host].machine) for rank in range(size)]
    for rank in world:
        rank.fact("process.cpus_allowed", cpus)
    return world


def off_the_core(rank: Rank, seconds: float) -> None:
    """The rank was ready to run for so long without a core, outside MPI; the rest of its time it was running."""
    rank.thread["run_delay_ns"] = round(seconds * SECOND_NS)
    rank.thread["cpu_ns"] = round((rank.end_s - seconds) * SECOND_NS)


def count(rank: Rank, name: str, rise: int) -> None:
    rank.add(SegmentKind.COUNTERS, name=name.encode(), first=0, last=rise)


def case_of(world: Sequence[Rank], directory: Path, *hosts: MadeHost) -> Case:
    directory.mkdir(parents=True, exist_ok=True)
    for rank in world:
        rank.write(directory)
    for host in hosts:
        record = Rank(-1, 0, machine=host.machine).host_record(
            host.facts, {name: (0, rise) for name, rise in host.counters.items()}
        )
        (directory / f"host.{host.name}.0.cwr").write_bytes(record)
    return open_case(load(directory))
