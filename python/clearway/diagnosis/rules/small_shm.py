"""/dev/shm has no room for the memory through which the MPI moves messages inside a host."""

from __future__ import annotations

from collections import defaultdict

from clearway.base import quantities as q
from clearway.base.whole import is_whole
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.tables.hosts import Host
from clearway.diagnosis.finding import Evidence
from clearway.diagnosis.rules import Suspicion

TITLE = "/dev/shm is too small for the MPI"
REMEDIES = ("shm-size", "host-shm")
SEGMENT_BYTES = 4 << 20  # of each rank: what Open MPI's and UCX's shared memory begin with


def examine(case: Case) -> Suspicion | None:
    """Claims the moving of data that went by TCP inside hosts; all of the job where it ended in MPI_Init."""
    short = [host for host in case.tables.hosts if host.ranks > 1 and _free(host) < host.ranks * SEGMENT_BYTES]
    if not short:
        return None
    evidence = (
        Evidence(f"free in /dev/shm on {short[0].name}", q.bytes_(_free(short[0])), "statvfs, before MPI_Init"),
        Evidence("needed there", f"at least {q.bytes_(short[0].ranks * SEGMENT_BYTES)}", f"{short[0].ranks} ranks"),
    )
    if case.tables.job.exit_code and all(rank.state == "started" for rank in case.tables.ranks):
        says = (
            f"The job ended before MPI_Init had returned, and /dev/shm on {short[0].name} has too little room for the "
            f"MPI's shared memory: that may be why."
        )
        claims = {"compute_s": case.losses.compute_s, "blocked_s": case.losses.blocked_s}
        return Suspicion(claims, says, evidence, confidence=0.7)
    moved, lost_s = _by_tcp_inside(case, {host.name for host in short})
    if lost_s <= 0:
        return None
    tcp = Evidence("sent by TCP inside hosts", q.bytes_(moved), "tcp_info of the connections")
    says = (
        f"/dev/shm on {short[0].name} has too little room for the MPI's shared memory, so ranks of one host exchange "
        f"their data through TCP."
    )
    return Suspicion({"transfer_s": lost_s}, says, (*evidence, tcp), confidence=0.97)


def _free(host: Host) -> float:
    free = host.facts.get("shm.free_bytes", "")
    return float(free) if is_whole(free) else float("inf")


def _by_tcp_inside(case: Case, hosts: set[str]) -> tuple[int, float]:
    """Bytes, and of each rank's moving of data the part that they are of all that it exchanged by TCP."""
    inside: dict[int, int] = defaultdict(int)
    every: dict[int, int] = defaultdict(int)
    for each in case.connections:
        for rank in (each.from_rank, each.to_rank):
            every[rank] += each.sender.bytes_sent
            inside[rank] += each.sender.bytes_sent if each.inside_host and each.from_host in hosts else 0
    moving_s = case.tables.ledger.mpi_transfer_s
    here_s = sum(
        row.ledger.mpi_transfer_s * inside[row.rank] / every[row.rank] for row in case.tables.ranks if every[row.rank]
    )
    share = here_s / moving_s if moving_s > 0 else 0.0
    return sum(inside.values()) // 2, share * case.losses.transfer_s
