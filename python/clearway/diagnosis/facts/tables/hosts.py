"""What the hosts said of themselves. Names of facts and counters are those of native/recorder/host."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field

from clearway.run import Run
from clearway.run.run import HostRecord

SHOWN = {"host.cores", "host.memory_bytes", "host.kernel", "tcp.congestion_control"}


@dataclass(frozen=True, slots=True)
class Interface:
    """A network interface's counters over the job."""

    name: str
    speed_mbit: int | None
    duplex: str | None
    received_bytes: int
    sent_bytes: int
    drops: int
    errors: int
    pause_received: int | None
    pause_sent: int | None


@dataclass(frozen=True, slots=True)
class Host:
    """What a host said of itself, once at the start and once at the end."""

    name: str
    ranks: int
    cores: int | None
    memory_bytes: int | None
    kernel: str
    congestion_control: str
    retransmitted_segments: int | None  # retransmits of the whole host during the job
    timeouts: int | None
    steal_s: float | None
    interfaces: tuple[Interface, ...]
    facts: dict[str, str] = field(default_factory=dict)  # all other facts, by name


def hosts(run: Run) -> tuple[Host, ...]:
    """One row a host that has ranks, in order of its first rank; hosts without a record of their own are bare."""
    ranks = Counter(run.processes["host"].tolist())
    said = {record.name: record for record in run.hosts}
    return tuple(
        _host(said.get(name, HostRecord(name, {}, {})), ranks[index]) for index, name in enumerate(run.host_names)
    )


def _host(record: HostRecord, ranks: int) -> Host:
    facts = record.facts
    steal_ms = _rise(record, "cpu.steal_ms")
    interface_facts = _by_interface(facts)
    return Host(
        name=record.name,
        ranks=ranks,
        cores=_number(facts.get("host.cores")),
        memory_bytes=_number(facts.get("host.memory_bytes")),
        kernel=facts.get("host.kernel", ""),
        congestion_control=facts.get("tcp.congestion_control", ""),
        retransmitted_segments=_rise(record, "tcp.RetransSegs"),
        timeouts=_rise(record, "tcpext.TCPTimeouts"),
        steal_s=None if steal_ms is None else steal_ms * 1e-3,
        interfaces=_interfaces(record, interface_facts),
        facts={name: value for name, value in facts.items() if name not in SHOWN},
    )


def _interfaces(record: HostRecord, facts: dict[str, dict[str, str]]) -> tuple[Interface, ...]:
    rises: dict[str, dict[str, int]] = defaultdict(dict)
    for name in record.counters:
        split = _interface_and_key(name)
        rise = _rise(record, name)
        if split and rise is not None:
            rises[split[0]][split[1]] = rise
    found = []
    for name in sorted(set(facts) | set(rises)):
        counted, said = rises.get(name, {}), facts.get(name, {})
        found.append(
            Interface(
                name=name,
                speed_mbit=_number(said.get("speed_mbit")),
                duplex=said.get("duplex"),
                received_bytes=counted.get("rx_bytes", 0),
                sent_bytes=counted.get("tx_bytes", 0),
                drops=counted.get("rx_dropped", 0) + counted.get("tx_dropped", 0),
                errors=counted.get("rx_errors", 0) + counted.get("tx_errors", 0),
                pause_received=_pauses(counted, "rx"),
                pause_sent=_pauses(counted, "tx"),
            )
        )
    return tuple(found)


def _pauses(counted: dict[str, int], direction: str) -> int | None:
    """Pause frames, where the driver counts them. Drivers count one frame under several names: the largest."""
    found = [
        rise
        for key, rise in counted.items()
        if "pause" in key.lower() and direction in key.lower() and "duration" not in key.lower()
    ]
    return max(found) if found else None


def _by_interface(facts: dict[str, str]) -> dict[str, dict[str, str]]:
    result: dict[str, dict[str, str]] = defaultdict(dict)
    for name, value in facts.items():
        split = _interface_and_key(name)
        if split:
            result[split[0]][split[1]] = value
    return result


def _interface_and_key(name: str) -> tuple[str, str] | None:
    """ "net.eth0.100.rx_bytes" is ("eth0.100", "rx_bytes"): a VLAN's name has a dot, a key has none."""
    if not name.startswith("net."):
        return None
    interface, _, key = name[4:].rpartition(".")
    return (interface, key) if interface else None


def _rise(record: HostRecord, name: str) -> int | None:
    counted = record.counters.get(name)
    return None if counted is None else max(counted[1] - counted[0], 0)


def _number(value: str | None) -> int | None:
    """A non-negative whole number; None for anything else ("-1" is how the kernel says that a speed is unknown)."""
    return int(value) if value and value.isascii() and value.isdigit() and len(value) < 20 else None
