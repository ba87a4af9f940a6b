"""Where wall-clock goes, by what causes it: the names of the ledger's losses for a person."""

from __future__ import annotations

CAUSES = {  # all that the losses of a Run add up from, as the lines of the page's ledger are called
    "compute_s": "computing",
    "core_wait_s": "waiting for a core",
    "imbalance_s": "waiting for ranks that compute longer",
    "wait_s": "waiting for ranks that come late",
    "start_wait_s": "waiting in MPI_Init",
    "transfer_s": "moving data",
    "stall_s": "waiting out lost packets",
    "io_s": "reading and writing files",
    "blocked_s": "starting, stopping and being blocked",
}
