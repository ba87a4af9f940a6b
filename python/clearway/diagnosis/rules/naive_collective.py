"""One collective operation takes most of the moving of data, and far longer than its bytes need."""

from __future__ import annotations

from math import log2

from clearway.base import quantities as q
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.full_buffers import receive_limits, send_limits, share_lost
from clearway.diagnosis.facts.host_cards import mbit
from clearway.diagnosis.facts.latency import FEWEST_BYTES
from clearway.diagnosis.facts.least_time import Operation, operations
from clearway.diagnosis.facts.slow_ways import slow_way
from clearway.diagnosis.finding import Evidence
from clearway.diagnosis.rules import Suspicion

TITLE = "One collective operation takes far longer than its bytes need"
REMEDIES = ("allgather-algorithm", "alltoall-algorithm", "flow")
MOST_OF_IT = 0.4  # of all moving of data
FAR_LONGER = 2.0  # than the bytes take; good algorithms over TCP stay below
MOST_STALLED = 0.1  # of its time: beyond, packet loss or socket buffers are the matter


def examine(case: Case) -> Suspicion | None:
    rates = [each.bytes_per_s for each in case.connections if not each.inside_host and each.bytes_per_s]
    if not rates or _held_by_buffers(case) > MOST_STALLED or slow_way(case) is not None:
        return None
    rate, moving_s = min(rates), case.tables.ledger.mpi_transfer_s
    for operation in operations(case.run, case.books)[:1]:
        wire_s = operation.least_s(rate)
        if wire_s is None:
            return None
        least_s = wire_s + _on_their_way_s(case, operation)
        if not _is_naive(operation, least_s, moving_s):
            return None
        ratio = operation.moving_s / least_s
        return Suspicion(
            claims={"transfer_s": (operation.moving_s - least_s) / moving_s * case.losses.transfer_s},
            says=(
                f"{operation.function} takes {q.percent(operation.moving_s, moving_s)} of the time in which data "
                f"moves, {ratio:.1f} times as long as its bytes need on these links. This happens when all data goes "
                f"through one rank, or crosses a link several times."
            ),
            evidence=_evidence(operation, least_s, rate),
            confidence=0.75,
        )
    return None


def _held_by_buffers(case: Case) -> float:
    """The share of moving data that socket buffers held up: that is no fault of an algorithm."""
    limits = (*send_limits(case.tables, case.connections), *receive_limits(case.tables, case.connections))
    return share_lost(case.tables, limits)


def _on_their_way_s(case: Case, operation: Operation) -> float:
    """Rank-seconds of the rounds that no algorithm of this kind does without, to the furthest host and back."""
    between = (each.round_trip_s for each in case.connections if not each.inside_host)
    furthest_s = max((each for each in between if 0 < each < 1), default=0.0)
    return operation.ranks * operation.calls * 2 * log2(operation.ranks) * furthest_s


def _is_naive(operation: Operation, least_s: float, moving_s: float) -> bool:
    large = (operation.least_bytes or 0.0) / operation.ranks >= FEWEST_BYTES
    dominant = operation.moving_s >= MOST_OF_IT * moving_s
    undisturbed = operation.stalled_s <= MOST_STALLED * operation.moving_s
    return large and dominant and undisturbed and operation.moving_s >= FAR_LONGER * least_s


def _evidence(operation: Operation, least_s: float, rate: float) -> tuple[Evidence, ...]:
    calls = operation.calls * operation.ranks
    return (
        Evidence("calls", f"{q.count(operation.calls)} on {operation.ranks} ranks", "exact count"),
        Evidence("contributed by a rank", q.bytes_(operation.bytes), "mean of the calls"),
        Evidence("time of a call", q.seconds(operation.moving_s / calls), "ledger: moving data"),
        Evidence(
            "what its bytes need",
            q.seconds(least_s / calls),
            f"{q.bytes_(operation.least_bytes)} at {mbit(rate)}",
        ),
    )
