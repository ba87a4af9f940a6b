"""Large packets vanish on their way to a host, and nobody says so: a black hole of Path MTU discovery (RFC 2923)."""

from __future__ import annotations

from collections.abc import Sequence

from clearway.base import quantities as q
from clearway.diagnosis.facts import Case, unreturned
from clearway.diagnosis.facts.packet_loss import SWALLOWED, kind_of_loss, swallowed
from clearway.diagnosis.facts.part_of_loss import late_in_turns_s
from clearway.diagnosis.facts.silences import Silence, common_host, lasts_to_the_end, silences, stretches
from clearway.diagnosis.finding import Evidence
from clearway.diagnosis.rules import Suspicion

TITLE = "Large packets do not reach a host"
REMEDIES = ("host-mtu-probing",)


def examine(case: Case) -> Suspicion | None:
    """Claims the stalls, and the waits for those that stalled."""
    if case.losses.stall_s <= 0 or kind_of_loss(case) != SWALLOWED:
        return None
    some = swallowed(silences(case))
    times = stretches(some)
    lasted = q.seconds(sum(end_s - begin_s for begin_s, end_s in times))
    host, at = common_host(case, some, toward=True), common_host(case, some, toward=False)
    to = host or (f"{at} or did not leave it" if at else "some hosts")
    size = max(each.segment_bytes for each in some)
    says = (
        f"From second {times[0][0]:.1f} on, packets with {q.count(size)} bytes of data did not reach {to}. They were "
        f"sent again and again, for {lasted}; {_passed(some, host or at or 'they')}. "
        f"A switch, a tunnel or a card on the path carries only packets smaller than the hosts' MTU, and drops others "
        f"silently. Test which size passes (ping -M do -s 1472 {host or at or 'HOST'}), and set the same MTU "
        f"everywhere."
    )
    evidence = (
        Evidence("connections that lost large packets", str(len(some)), "tcp_info: SACKed segments behind a gap"),
        Evidence("longest silence", q.seconds(max(each.length_s for each in some)), "of one connection"),
        Evidence("retransmission timeouts", str(sum(each.timeouts for each in some)), "in these silences"),
        Evidence("ranks stalled", f"{case.tables.ledger.mpi_stall_s:.2f} rank-seconds", "ledger"),
        *_asked(some, host or "these hosts"),
    )
    if lasts_to_the_end(case, some):
        held_up = unreturned.claims(case, unreturned.open_s(case, range(case.ranks)))
        return Suspicion({"stall_s": case.losses.stall_s, **held_up}, says, evidence, unreturned.CERTAIN)
    claims = {"stall_s": case.losses.stall_s, "wait_s": late_in_turns_s(case, "stall_s")}
    return Suspicion(claims, says, evidence, confidence=0.95)


def _passed(some: Sequence[Silence], to: str) -> str:
    passed = max(each.passed_bytes for each in some)
    if passed:
        return f"packets of up to {q.count(passed)} bytes arrived, when Clearway sent some"
    return f"smaller ones came through, and what {to} sent did, too"


def _asked(some: Sequence[Silence], to: str) -> tuple[Evidence, ...]:
    passed = max(each.passed_bytes for each in some)
    if not passed:
        return ()
    lost = min(each.vanished_bytes for each in some if each.vanished_bytes)
    sizes = f"{q.count(passed)} bytes, not {q.count(lost)}"
    return (Evidence(f"packets that {to} answered", sizes, "UDP from the recorder, answered by ICMP"),)
