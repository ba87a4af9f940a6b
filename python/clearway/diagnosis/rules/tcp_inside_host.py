"""Ranks of one host exchange their data by TCP instead of shared memory."""

from __future__ import annotations

from collections import defaultdict

from clearway.base import quantities as q
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.bytes_sent import sent_inside_hosts
from clearway.diagnosis.facts.card_loads import loads
from clearway.diagnosis.facts.open_mpi import own_parameter_file
from clearway.diagnosis.facts.settings_in_force import parameter
from clearway.diagnosis.finding import Evidence
from clearway.diagnosis.rules import Suspicion

TITLE = "Ranks of one host communicate over TCP instead of shared memory"
REMEDIES = ("shared-memory",)
MOST_OF_IT = 0.5  # of what a rank sends to ranks of its own host; some MPIs keep connections for a few bytes
SHARED_MEMORY_BYTES_PER_S = 4e9  # what copies through memory reach on machines of the last ten years


def examine(case: Case) -> Suspicion | None:
    inside = [each for each in case.connections if each.inside_host]
    moved = sum(each.sender.bytes_sent for each in inside)
    ranks = {each.from_rank for each in inside}
    if moved == 0 or moved < MOST_OF_IT * sent_inside_hosts(case.tables):
        return None
    share = _share(case)
    if share <= 0:
        return None
    hosts = {each.from_host for each in inside}
    return Suspicion(
        claims={"transfer_s": share * case.losses.transfer_s},
        says=(
            f"{len(ranks):,} ranks exchange data with ranks of their own host over TCP. Shared memory copies it once, "
            f"without the kernel's TCP stack.{_who_says_so(case)}"
        ),
        evidence=(
            Evidence("sent by TCP inside hosts", q.bytes_(moved), f"tcp_info of {len(inside):,} connections"),
            Evidence("hosts concerned", f"{len(hosts):,} of {case.tables.job.hosts:,}", "addresses of connections"),
            Evidence("ranks concerned", f"{len(ranks):,} of {case.tables.job.ranks:,}", "owners of connections"),
        ),
        confidence=0.9,
    )


def _who_says_so(case: Case) -> str:
    """Where neither the command line nor the environment does."""
    kept = own_parameter_file(case) if case.family == "openmpi" else None
    if kept is None or parameter(case, "btl") is not None or parameter(case, "pml") is not None:
        return ""
    return f" Nothing in the command or the environment says so: look for `btl` in {kept}, which the ranks read."


def _share(case: Case) -> float:
    """Of all moving of data, what shared memory would save.

    Of each rank's, what is left without the wire between hosts belongs to its own host by the share of the bytes;
    copying them would take some of it too.
    """
    inside: dict[int, int] = defaultdict(int)
    every: dict[int, int] = defaultdict(int)
    for each in case.connections:
        for rank in (each.from_rank, each.to_rank):
            every[rank] += each.sender.bytes_sent
            inside[rank] += each.sender.bytes_sent if each.inside_host else 0
    wire_s = {load.link.host: load.wire_s or 0.0 for load in reversed(loads(case.connections))}
    saved_s = 0.0
    for row in case.tables.ranks:
        if inside[row.rank]:
            here_s = max(row.ledger.mpi_transfer_s - wire_s.get(row.host, 0.0), 0.0)
            here_s *= inside[row.rank] / every[row.rank]
            saved_s += max(here_s - inside[row.rank] / SHARED_MEMORY_BYTES_PER_S, 0.0)
    return saved_s / case.tables.ledger.mpi_transfer_s if case.tables.ledger.mpi_transfer_s > 0 else 0.0
