"""A lost packet that nothing but the timer notices stalls its connection for 200 ms.

That is Linux' least retransmission timeout, made for the Internet. In an all-to-all every rank waits for the one that
stalls. On a cluster's own network a round trip takes well below a millisecond.
"""

from __future__ import annotations

from collections.abc import Iterator

from clearway.base.quantities import count
from clearway.cluster.hosts.faults.model import Fault, fault, shown
from clearway.cluster.hosts.state import State
from clearway.diagnosis import host_faults

LONG_US = 100_000
KERNEL_US = 200_000  # where the kernel has no tcp_rto_min_us
OFTEN = 1e-5  # of the segments
WAITED_FOR = ("tcp.timeouts", "tcp.probe_recoveries")


def find(state: State) -> Iterator[Fault]:
    for_all_us = state.number("tcp.rto_min_us") or KERNEL_US
    for card in state.cards:
        name = f"link.{card}.rto_min_ms"
        by_route_ms = state.number(name)
        if by_route_ms is None or (by_route_ms * 1000 or for_all_us) < LONG_US:
            continue
        waits = sum(state.number(counter) or 0 for counter in WAITED_FOR)
        segments = state.number("tcp.segments_sent")
        evidence = [shown(state, name, f"{by_route_ms:g} ms" if by_route_ms else "the kernel's default")]
        if state.number("tcp.rto_min_us"):
            evidence.append(shown(state, "tcp.rto_min_us", f"{for_all_us / 1000:g} ms"))
        counters = [counter for counter in (*WAITED_FOR, "tcp.segments_sent") if state.number(counter) is not None]
        evidence += [shown(state, each, f"{count(state.number(each))} since the host started") for each in counters]
        yield fault(
            __name__,
            __doc__,
            f"A lost packet stalls a connection over {card} for {by_route_ms or for_all_us / 1000:g} ms",
            tuple(evidence),
            remedies=(host_faults.shorter_timeout(card),),
            serious=bool(segments and waits / segments > OFTEN),
        )
