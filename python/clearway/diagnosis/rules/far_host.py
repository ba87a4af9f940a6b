"""One host is further away than the others are from each other, and each exchange with it takes that much longer."""

from __future__ import annotations

from clearway.base import quantities as q
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.far_hosts import far_host
from clearway.diagnosis.finding import Evidence
from clearway.diagnosis.rules import Suspicion

TITLE = "One host is far from the others"
REMEDIES = ("one-switch", "leave-host-out")
LEAST = 0.05  # of the wall-clock: less may well be hidden behind what ranks compute meanwhile


def examine(case: Case) -> Suspicion | None:
    """Claims half the difference of the round trips for each call that moves data from or to that host."""
    far = far_host(case)
    moving_s = case.tables.ledger.mpi_transfer_s
    if far is None or moving_s <= 0:
        return None
    claims = {"transfer_s": far.moving_s / moving_s * case.losses.transfer_s, "wait_s": far.late_s}
    if sum(claims.values()) < LEAST * case.ranks * case.wall_s:
        return None
    return Suspicion(
        claims=claims,
        says=(
            f"A packet to {far.host} and back takes {q.seconds(far.round_trip_s)}, between the other hosts "
            f"{q.seconds(far.usual_s)}: each exchange with it waits that much longer. Ask for hosts on one switch "
            f"(Slurm: --switches=1), leave out {far.host}, or see which way its packets take (traceroute)."
        ),
        evidence=(
            Evidence(f"round trip to {far.host}", q.seconds(far.round_trip_s), "tcpi_min_rtt, to the nearest host"),
            Evidence("between the others", q.seconds(far.usual_s), "tcpi_min_rtt, median of the pairs of hosts"),
            Evidence("calls that it slows down", q.count(far.calls), "recorded calls, over all ranks"),
            Evidence("longer by", f"{far.moving_s:.2f} rank-seconds", "half the difference, once per call"),
        ),
        confidence=0.85,
    )
