"""Made jobs on a network: hosts with cards, ranks that move data, connections with the kernel's figures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any

from python.made_runs import Machine, Rank, SegmentKind

from clearway.diagnosis.facts import Case, open_case
from clearway.run import load

GIGABIT = {"speed_mbit": "1000", "duplex": "full"}
GIGABIT_PAYLOAD = 1448 / 1538 * 125e6  # bytes/s

USUAL = {
    "bytes_sent": 100_000_000,
    "busy_time_us": 8_000_000,
    "min_rtt_us": 200,
    "rtt_us": 200,
    "send_buffer_bytes": 4_000_000,
    "receive_buffer_bytes": 6_000_000,
}


@dataclass
class Job:
    """`hosts` hosts with `per_host` ranks each, in a row. All ranks move data for `moving_s` of their 10 s.

    Every host has a card eth0 with the address 10.0.0.HOST (hosts are counted from 1); `cards` gives each
    more facts by its name, and eth1 has 10.1.0.HOST.
    """

    hosts: int = 2
    per_host: int = 1
    moving_s: float = 8.0
    function: str = "MPI_Alltoall"
    nbytes: int = 1_000_000
    cards: Mapping[str, Mapping[str, str]] = field(default_factory=lambda: {"eth0": GIGABIT})
    facts: dict[int, dict[str, str]] = field(default_factory=dict)  # of single hosts, by number
    counted: dict[int, dict[str, int]] = field(default_factory=dict)  # likewise; they rise from 0
    ranks: list[Rank] = field(init=False)

    def __post_init__(self) -> None:
        size = self.hosts * self.per_host
        machines = [Machine(name=f"node{number + 1}") for number in range(self.hosts)]
        self.ranks = [Rank(rank, size, machine=machines[rank // self.per_host]) for rank in range(size)]
        for rank in self.ranks:
            rank.collective(self.function, 1.0, 1.0 + self.moving_s, nbytes=self.nbytes)

    def host_of(self, rank: int) -> int:
        return rank // self.per_host + 1

    def connect(
        self, first: int, second: int, card: int = 0, back: Mapping[str, Any] | None = None, **sending: Any
    ) -> Job:
        """A connection over eth`card`: what `first` sends, and `back`, what `second` sends. Times in µs."""
        self._end(first, second, card, sending)
        self._end(second, first, card, {"bytes_sent": 0, "busy_time_us": 0} if back is None else back)
        return self

    def all_connected(self, **sending: Any) -> Job:
        """Every rank to every other."""
        for first, second in combinations(range(len(self.ranks)), 2):
            self.connect(first, second, back=sending, **sending)
        return self

    def _end(self, owner: int, other: int, card: int, figures: Mapping[str, Any]) -> None:
        ends = [bytes([10, card, 0, self.host_of(rank)]) + bytes(12) for rank in (owner, other)]
        self.ranks[owner].add(
            SegmentKind.SOCKETS,
            family=2,
            local_address=ends[0],
            local_port=6000 + 100 * owner + other,
            peer_address=ends[1],
            peer_port=6000 + 100 * other + owner,
            **{**USUAL, **figures},
        )

    def case(self, directory: Path) -> Case:
        for rank in self.ranks:
            rank.write(directory)
        for number in range(1, self.hosts + 1):
            machine = self.ranks[(number - 1) * self.per_host].machine
            said = {**_cards(number, self.cards), **self.facts.get(number, {})}
            record = Rank(0, 1, machine=machine).host_record(
                said, {name: (0, rise) for name, rise in self.counted.get(number, {}).items()}
            )
            (directory / f"host.{machine.name}.00000000.cwr").write_bytes(record)
        return open_case(load(directory))


def _cards(number: int, cards: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    facts = {"tcp.wmem_max": "212992", "tcp.rmem_max": "212992"}
    facts |= {"tcp.wmem": "4096 16384 4194304", "tcp.rmem": "4096 131072 6291456"}
    for name, said in cards.items():
        network = f"10.{name.removeprefix('eth')}.0"
        facts |= {f"net.{name}.addresses": f"{network}.{number}", f"net.{name}.networks": f"{network}.0/24"}
        facts |= {f"net.{name}.{key}": value for key, value in said.items()}
    return facts
