"""Counters of TCP and the switch: retransmits, timeouts, dropped packets."""

from __future__ import annotations

import contextlib
import dataclasses
import json
from pathlib import Path

from clearway.base.errors import ClearwayError
from clearway.testbed.kernel import in_namespace, run_tool
from clearway.testbed.layout import SWITCH, Layout

ASKED_AGAIN = 3  # on a busy machine the kernel may find no room for its answer: "No buffer space available"


@dataclasses.dataclass(frozen=True, slots=True)
class Counters:
    """Sums over all hosts, including the launcher's own connections."""

    segments: int = 0  # sent by TCP
    retransmits: int = 0  # retransmitted segments
    timeouts: int = 0  # of the retransmission timer; each stalls a connection for at least 200 ms
    drops: int = 0  # at the switch's ports

    def since(self, before: Counters) -> Counters:
        return Counters(*(a - b for a, b in zip(dataclasses.astuple(self), dataclasses.astuple(before), strict=True)))


def parse_proc(text: str) -> dict[str, int]:
    """Of /proc/net/snmp and netstat: 'Tcp: NAME…' above 'Tcp: NUMBER…'."""
    lines = [line.split() for line in text.splitlines()]
    values = {}
    for names, numbers in zip(lines[::2], lines[1::2], strict=True):
        for name, number in zip(names[1:], numbers[1:], strict=True):
            values[f"{names[0]}{name}"] = int(number)
    return values


def _tcp_of_this_namespace() -> tuple[int, int, int]:
    proc = Path("/proc/thread-self/net")
    values = parse_proc((proc / "snmp").read_text() + (proc / "netstat").read_text())
    return values["Tcp:OutSegs"], values["Tcp:RetransSegs"], values["TcpExt:TCPTimeouts"]


def switch_drops(layout: Layout) -> int:
    command = ["tc", "-n", layout.namespace(SWITCH), "-s", "-j", "qdisc", "show"]
    for _ in range(ASKED_AGAIN):
        with contextlib.suppress(ClearwayError):
            return drops_in(run_tool(command))
    return drops_in(run_tool(command))


def drops_in(queues: str) -> int:
    return sum(queue["drops"] for queue in json.loads(queues))


def read_counters(layout: Layout) -> Counters:
    tcp = [in_namespace(layout.namespace(host.name), _tcp_of_this_namespace) for host in layout.everyone]
    segments, retransmits, timeouts = (sum(column) for column in zip(*tcp, strict=True))
    return Counters(segments, retransmits, timeouts, switch_drops(layout))
