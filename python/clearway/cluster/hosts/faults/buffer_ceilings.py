"""Socket buffers may not grow to what the links hold.

A connection sends no faster than its buffers per round trip: rate × round-trip time must fit. An MPI that asks for
more (`btl_tcp_sndbuf`, P4_SOCKBUFSIZE) silently gets net.core.rmem_max and wmem_max, and no more.
"""

from __future__ import annotations

from collections.abc import Iterator

from clearway.base.quantities import bytes_
from clearway.cluster.hosts.faults.model import Fault, fault, shown
from clearway.cluster.hosts.state import State
from clearway.diagnosis import host_faults

ROUND_TRIP_S = 0.002  # across a switch with full buffers, and a host that is computing
LEAST_BYTES = 2**20  # what Duke (2004) found to be enough on gigabit Ethernet
CEILINGS = ("tcp.rmem_max_bytes", "tcp.wmem_max_bytes", "tcp.rmem_most_bytes", "tcp.wmem_most_bytes")


def needed_bytes(state: State) -> int:
    """By the fastest card, to a power of two."""
    speeds = [state.number(f"link.{card}.speed_mbit") or 0 for card in state.cards]
    product = max(speeds, default=0) * 1e6 / 8 * ROUND_TRIP_S
    return max(LEAST_BYTES, 1 << (int(product) - 1).bit_length() if product else 0)


def find(state: State) -> Iterator[Fault]:
    needed = needed_bytes(state)
    low = [name for name in CEILINGS if (state.number(name) or needed) < needed]
    if low:
        yield fault(
            __name__,
            __doc__,
            f"Socket buffers cannot grow to {bytes_(needed)}, what these links carry in {ROUND_TRIP_S * 1000:g} ms",
            tuple(shown(state, name, bytes_(state.number(name))) for name in low),
            remedies=(host_faults.larger_buffers(needed),),
        )
