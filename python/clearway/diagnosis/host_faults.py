"""What is wrong with a host by what it says of itself, and the setting that mends it.

Said once: `clearway host check` asks before a job, rules and remedies ask of what a job's record says.
"""

from __future__ import annotations

from dataclasses import dataclass

MADE_FOR_CLUSTERS = ("cubic", "reno", "dctcp", "htcp")  # the others steer by round trips, which here are those of hosts
SHM_A_RANK_BYTES = 64 << 20  # more than any MPI takes: docs/remedies.md
LEAST_TIMEOUT = "50ms"  # ample within a cluster
MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class Remedy:
    """A setting that fixes a fault; the setting says how safe it is."""

    setting: str  # as given to `clearway host apply`
    value: str
    device: str = ""  # network card; "" if the setting is not for a card

    @property
    def command(self) -> str:
        device = f" --device {self.device}" if self.device else ""
        return f"sudo clearway host apply {self.setting}={self.value}{device}"


MARKS = Remedy("tcp.ecn", "on")
PROBING = Remedy("tcp.mtu_probing", "on")
CUBIC = Remedy("tcp.congestion_control", "cubic")


def shorter_timeout(card: str) -> Remedy:
    return Remedy("tcp.rto_min", LEAST_TIMEOUT, card)


def flow_control(card: str) -> Remedy:
    return Remedy("link.flow_control", "on", card)


def negotiation(card: str) -> Remedy:
    return Remedy("link.negotiation", "on", card)


def larger_buffers(bytes_: int) -> Remedy:
    return Remedy("tcp.buffers", f"{max(1, -(-bytes_ // MIB))}Mi")


def room_for(ranks: int) -> Remedy:
    """For the shared memory of so many."""
    return Remedy("memory.shm", f"{ranks * SHM_A_RANK_BYTES // MIB}Mi")


def is_made_for_clusters(congestion_control: str) -> bool:
    return congestion_control in MADE_FOR_CLUSTERS


def runs_below(speed_mbit: float | None, supported_mbit: float | None) -> bool:
    """Whether a card could be faster; not where it does not say."""
    return speed_mbit is not None and supported_mbit is not None and speed_mbit < supported_mbit


def is_half(duplex: str | None) -> bool:
    """As ethtool says it, or the kernel: "Half", "half"."""
    return duplex is not None and duplex.lower() == "half"


def is_off(pause: str | None) -> bool:
    """A card that cannot say is not blamed."""
    return pause == "off"
