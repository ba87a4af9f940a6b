"""There is a faster network than Ethernet, and its library may be left unused.

An InfiniBand or Omni-Path card moves messages without the kernel. An MPI that cannot use it falls back to TCP, and says
nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

from clearway.base.quantities import bytes_
from clearway.cluster.hosts.faults.model import Fault, fault, shown
from clearway.cluster.hosts.state import State

LEAST_LOCKED_BYTES = 2**30


def find(state: State) -> Iterator[Fault]:
    if not state.text("network.fabrics"):
        return
    locked = state.number("memory.locked_most_bytes")  # None: unlimited
    if locked is not None and locked < LEAST_LOCKED_BYTES:
        yield fault(
            __name__,
            __doc__,
            f"Programs may lock only {bytes_(locked)} of memory, too little for {state.text('network.fabrics')}",
            (shown(state, "network.fabrics"), shown(state, "memory.locked_most_bytes", bytes_(locked))),
            advice="'* - memlock unlimited' in /etc/security/limits.d/, and LimitMEMLOCK=infinity for the batch system",
        )
