"""What is asked for and what comes of it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from clearway.cluster.model import Card, Host, Network


@dataclass(frozen=True, slots=True)
class Request:
    ranks: int | None = None
    """None: as many as the hosts hold."""
    per_host: int | None = None
    threads: int = 1
    """Cores for each rank."""
    network: str | None = None
    most_per_sub_switch: int | None = None
    """Hosts on one part of the switch."""
    spread: bool = False
    """Over all hosts, rather than on the fewest that hold the ranks."""
    order: str = "block"
    """"block": neighbouring ranks share a host; "cyclic": they are on different ones."""
    hyper_threads: bool = False
    """Two ranks may share a core, each on a hardware thread of its own."""


@dataclass(frozen=True, slots=True)
class Seat:
    """A rank's place."""

    rank: int
    host: Host
    cpus: tuple[int, ...]
    """Hardware threads, by the kernel's numbers. Empty: the rank is not bound."""


@dataclass(frozen=True)
class Placement:
    seats: tuple[Seat, ...]
    """In the order of ranks."""
    network: Network | None
    """The one for messages; None: it is not known."""
    choice: bool = False
    """Whether the hosts are on other networks as well, so that the MPI must be told which."""
    threads: int = 1
    """Cores for each rank, as asked for: where those of the hosts are not known, the launcher has to give them."""

    @cached_property
    def hosts(self) -> tuple[Host, ...]:
        """In the order of their first ranks."""
        return tuple({seat.host.name: seat.host for seat in self.seats}.values())

    @cached_property
    def by_host(self) -> dict[str, tuple[Seat, ...]]:
        """The seats on each host, in the order of ranks."""
        found: dict[str, list[Seat]] = {}
        for seat in self.seats:
            found.setdefault(seat.host.name, []).append(seat)
        return {name: tuple(seats) for name, seats in found.items()}

    @property
    def binds(self) -> bool:
        return all(seat.cpus for seat in self.seats)

    def card(self, host: Host) -> Card | None:
        return None if self.network is None else host.card(self.network.name)

    def name_of(self, host: Host) -> str:
        """The host's name on the network for messages."""
        card = self.card(host)
        return host.name if card is None or card.host_name is None else card.host_name
