"""/dev/shm is too small for the ranks of a full host.

MPIs put the messages between ranks of one host there: about 16 MB a rank and more. Where it is full, ranks fail at the
start, are killed by SIGBUS, or go by slower ways. Containers have 64 MB unless told otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator

from clearway.base.quantities import bytes_
from clearway.cluster.hosts.faults.model import Fault, Remedy, fault, shown
from clearway.cluster.hosts.state import State

A_CORE_BYTES = 32 * 2**20


def find(state: State) -> Iterator[Fault]:
    size, cores = state.number("memory.shm_bytes"), state.number("processor.threads")
    if size is None or cores is None or size >= cores * A_CORE_BYTES:
        return
    needed_mib = int(2 * cores * A_CORE_BYTES) >> 20
    yield fault(
        __name__,
        __doc__,
        f"/dev/shm has {bytes_(size)} for {cores:g} cores",
        (shown(state, "memory.shm_bytes", bytes_(size)), shown(state, "processor.threads")),
        remedies=(Remedy("memory.shm", f"{needed_mib}Mi"),),
    )
