"""Collective operations that get out of step because their blocks wait for the receiver's answer."""

from __future__ import annotations

from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.collectives import STEERED, told
from clearway.diagnosis.facts.eager import eager_limit_bytes
from clearway.diagnosis.facts.least_time import Operation, operations
from clearway.diagnosis.facts.transport import OPEN_MPI_TCP, goes_by_tcp, transport

LONGER = 1.2  # than the bytes take: exchanges that stay in step come to 1.0 to 1.1
NAIVE = 2.0  # beyond, it is more than an answer that is waited for: rule naive-collective
MOST_STALLED = 0.1  # of an operation's time: beyond, packets are lost, and rule congestion-loss has it
# Where a higher limit gave it back: 6.9 s became 3.6 s. MPICH over UCX takes no less when it does not ask (blocks of
# 55,700 bytes: 2.85 s asked, 2.98 s and 3.05 s sent at once).
SHOWN = (OPEN_MPI_TCP,)
FASTEST_BYTES_PER_S = 1.25e9  # 10 Gbit/s: above, it is a core that limits TCP, not the link


def slowest_link(case: Case) -> float | None:
    """Bytes/s of the slowest card between ranks; None where none tells."""
    rates = [each.bytes_per_s for each in case.connections if not each.inside_host and each.bytes_per_s]
    return min(rates, default=None)


def awaiting_answers(case: Case) -> list[tuple[Operation, float]]:
    """Those operations, each with the rank-seconds that its bytes need."""
    rate = slowest_link(case)
    if rate is None or rate > FASTEST_BYTES_PER_S or not goes_by_tcp(case) or transport(case) not in SHOWN:
        return []
    if told(case, "alltoall") or told(case, "allgather"):
        return []  # who names an algorithm has named its pattern: that may be what takes long
    limit = eager_limit_bytes(case)
    return [(each, least) for each in operations(case.run, case.books) if (least := _least_s(each, rate, limit))]


def times_as_long(case: Case) -> float:
    """As their bytes need, whatever the rate of the links; 1 where there are none."""
    slow = awaiting_answers(case)
    return sum(each.moving_s for each, _ in slow) / sum(least_s for _, least_s in slow) if slow else 1.0


def block_bytes(operation: Operation) -> float:
    """What a rank sends to one other: an allgather sends the same to each."""
    return operation.bytes if "llgather" in operation.function else operation.bytes / operation.ranks


def _least_s(operation: Operation, bytes_per_s: float, limit_bytes: int) -> float | None:
    """What its bytes need, where they are sent in blocks above the limit and take longer, but not by packet loss."""
    least_s = operation.least_s(bytes_per_s)
    if operation.function.removesuffix("_c") not in STEERED or not least_s or block_bytes(operation) < limit_bytes:
        return None
    undisturbed = operation.stalled_s <= MOST_STALLED * operation.moving_s
    longer = LONGER * least_s <= operation.moving_s < NAIVE * least_s
    return least_s if undisturbed and longer else None
