"""Packets are lost in the network, and ranks stand still for retransmission timeouts."""

from __future__ import annotations

from collections import Counter, defaultdict

from clearway.base import quantities as q
from clearway.diagnosis.facts import Case, quick_repairs
from clearway.diagnosis.facts.connections import Connection
from clearway.diagnosis.facts.lossless import lost_to_losses_s
from clearway.diagnosis.facts.packet_loss import CROWDED, SCATTERED, kind_of_loss, losing_host
from clearway.diagnosis.finding import Evidence
from clearway.diagnosis.rules import Suspicion

TITLE = "The network loses packets, and TCP waits out timeouts"
REPAIRED_TITLE = "The network loses packets"
REMEDIES = (
    "eager-limit",
    "alltoall-algorithm",
    "flow",
    "host-rto-min",
    "host-flow-control",
    "host-ecn",
    "host-congestion-control",
)
SCATTERED_REMEDIES = ("host-rto-min",)  # fuller or emptier ports change nothing
LEAST_REPAIRED = 0.04  # of the wall-clock, where it is estimated: calls differ by nearly as much anyway
WORTH_A_LINE = 0.01  # of all stalls, in one function


def examine(case: Case) -> Suspicion | None:
    lost_s = case.losses.stall_s
    connections = [socket for socket in case.tables.sockets if socket.stall_s > 0]
    if lost_s <= 0 or not connections:
        return _without_timeouts(case)
    kind = kind_of_loss(case)
    if kind not in (CROWDED, SCATTERED):
        return None  # rules outage and mtu-black-hole
    timeouts = sum(socket.timeouts for socket in connections)
    retransmits = sum(socket.retransmits for socket in case.tables.sockets)
    stalled_s = case.tables.ledger.mpi_stall_s
    evidence = [
        Evidence("stalled connections", f"{len(connections):,} of {len(case.tables.sockets):,}", "tcp_info, sampled"),
        Evidence("retransmission timeouts", f"{timeouts:,}", "tcpi_total_rto of the stalled connections"),
        Evidence("retransmitted segments", f"{retransmits:,}", "tcpi_total_retrans of all connections"),
        Evidence("ranks stalled", f"{stalled_s:.2f} rank-seconds", "silences of at least the minimum timeout"),
        Evidence("others waited for them", f"{lost_s - stalled_s:.2f} rank-seconds", "ledger: MPI waiting"),
        *_receivers(case),
        *_functions(case),
    ]
    claims = _claims(case)
    if (besides_s := sum(claims.values()) - claims["stall_s"]) > WORTH_A_LINE * stalled_s:
        source = "recorded calls, replayed without losses"
        evidence.append(Evidence("slower for losses besides", f"{besides_s:.2f} rank-seconds", source))
    if kind == SCATTERED:
        says = f"{_says(case, timeouts)} {_by_chance(case)}"
        return Suspicion(claims, says, tuple(evidence), 0.95, remedies=SCATTERED_REMEDIES)
    return Suspicion(claims, _says(case, timeouts), tuple(evidence), confidence=0.95)


def _without_timeouts(case: Case) -> Suspicion | None:
    """TCP noticed each loss by what arrived after it, and sent it again at once."""
    lost = quick_repairs.repaired(case)
    if not lost:
        return None
    longer_s = lost_to_losses_s(case)
    kind = kind_of_loss(case)
    if longer_s < LEAST_REPAIRED * case.ranks * case.wall_s or kind not in (CROWDED, SCATTERED) or longer_s <= 0:
        return None
    says = (
        f"{q.count(lost.total())} segments were lost and sent again without a timeout. Exchanges that lost some took "
        f"longer by up to a few round trips: a rank continues only when the last segment has arrived."
    )
    evidence = (
        Evidence("segments lost", q.count(lost.total()), "tcpi_total_retrans less tcpi_dsack_dups"),
        Evidence("of all segments", q.percent(lost.total() / _segments(case)), "bytes sent between hosts"),
        Evidence("round trip of those that lost", q.seconds(_round_trip_s(lost)), "tcpi_rtt"),
        Evidence("exchanges longer by", f"{longer_s:.2f} rank-seconds", "estimated from these"),
    )
    if kind == SCATTERED:
        return Suspicion(_claims(case), f"{says} {_by_chance(case)}", evidence, 0.8, title=REPAIRED_TITLE, remedies=())
    return Suspicion(_claims(case), says, evidence, 0.8, title=REPAIRED_TITLE)


def _segments(case: Case) -> float:
    between = sum(each.sender.bytes_sent for each in case.connections if not each.inside_host)
    return max(between / quick_repairs.SEGMENT_BYTES, 1.0)


def _round_trip_s(lost: Counter[Connection]) -> float:
    return sum(number * each.sender.rtt_s for each, number in lost.items()) / lost.total()


def _by_chance(case: Case) -> str:
    host = losing_host(case)
    if host:
        return (
            f"Nearly all of it was on its way to {host}, though the other hosts were sent as much: this looks like "
            f"packets lost by chance, at its cable, card or switch port, not like congestion."
        )
    return (
        "So little data was in flight to each host that any switch port can hold it: this looks like packets lost by "
        "chance, at a cable, card or port, not like congestion."
    )


def _claims(case: Case) -> dict[str, float]:
    """What `clearway what-if --network lossless` gives back at best."""
    left_s, claims = lost_to_losses_s(case), {}
    for cause in ("stall_s", "transfer_s"):
        claims[cause] = min(left_s, getattr(case.losses, cause))
        left_s -= claims[cause]
    return {**claims, "wait_s": left_s}


def _says(case: Case, timeouts: int) -> str:
    worst = _worst_function(case)
    where = f", most of it in {worst}" if worst else ""
    if timeouts == 0:  # the counter is of full timeouts: a tail loss probe may end as long a silence (RFC 8985)
        return (
            f"Data stood still after packets were lost{where}, until TCP probed for the end of what it had sent (a "
            f"tail loss probe). Such a silence is about as long as a timeout."
        )
    return (
        f"Data stood still until a timeout told TCP that packets were lost{where}. "
        f"Linux waits 200 ms or more before each timeout; there were {timeouts:,}."
    )


def _worst_function(case: Case) -> str:
    """The function with more than half of it, where there is one."""
    rows = [row for row in case.tables.mpi_calls if row.stall_s > 0]
    worst = max(rows, key=lambda row: row.stall_s, default=None)
    return worst.function if worst and worst.stall_s > 0.5 * sum(row.stall_s for row in rows) else ""


def _functions(case: Case) -> list[Evidence]:
    rows = sorted(case.tables.mpi_calls, key=lambda row: -row.stall_s)[:3]
    in_all_s = sum(row.stall_s for row in case.tables.mpi_calls)
    return [
        Evidence(f"stalled in {row.function}", f"{row.stall_s:.2f} rank-seconds", "ledger: stalls within calls")
        for row in rows
        if row.stall_s > WORTH_A_LINE * in_all_s
    ]


def _receivers(case: Case) -> list[Evidence]:
    """The host whose port loses most: data on its way to it stalls longest."""
    toward: dict[str, float] = defaultdict(float)
    for each in case.connections:
        toward[each.to_host] += each.sender.stall_s
    worst = max(toward, key=lambda host: toward[host], default="")
    if not worst or toward[worst] <= 0:
        return []
    share = toward[worst] / sum(toward.values())
    return [Evidence("receiver stalled most", f"{worst} ({100 * share:.0f} % of the stalls)", "ends of connections")]
