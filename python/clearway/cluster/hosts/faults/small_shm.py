"""/dev/shm is too small for the ranks of a full host.

MPIs put the messages between ranks of one host there: about 16 MB a rank and more. Where it is full, ranks fail at the
start, are killed by SIGBUS, or go by slower ways. Containers have 64 MB unless told otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator

from clearway.base.quantities import bytes_
from clearway.cluster.hosts.faults.model import Fault, fault, shown
from clearway.cluster.hosts.state import State
from clearway.diagnosis import host_faults

A_CORE_BYTES = host_faults.SHM_A_RANK_BYTES // 2  # below it, a rank a core has no room


def find(state: State) -> Iterator[Fault]:
    size, cores = state.number("memory.shm_bytes"), state.number("processor.threads")
    if size is None or cores is None or size >= cores * A_CORE_BYTES:
        return
    yield fault(
        __name__,
        __doc__,
        f"/dev/shm has {bytes_(size)} for {cores:g} cores",
        (shown(state, "memory.shm_bytes", bytes_(size)), shown(state, "processor.threads")),
        remedies=(host_faults.room_for(int(cores)),),
    )
