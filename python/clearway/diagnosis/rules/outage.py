"""Nothing got through between some hosts for a while, and TCP waited."""

from __future__ import annotations

from collections.abc import Sequence

from clearway.base import quantities as q
from clearway.diagnosis.facts import Case, unreturned
from clearway.diagnosis.facts.packet_loss import INTERRUPTED, kind_of_loss
from clearway.diagnosis.facts.part_of_loss import late_in_turns_s
from clearway.diagnosis.facts.silences import (
    TO_THE_END_S,
    Silence,
    common_host,
    cut_off,
    ends,
    lasts_to_the_end,
    silences,
    stretches,
)
from clearway.diagnosis.finding import Evidence
from clearway.diagnosis.rules import Suspicion

TITLE = "The network between hosts was interrupted, and TCP waits"
REMEDIES = ()


def examine(case: Case) -> Suspicion | None:
    """Claims the stalls, and the waits for those that stalled."""
    if case.losses.stall_s <= 0 or kind_of_loss(case) != INTERRUPTED:
        return None
    all_ = silences(case)
    long = [each for each in all_ if each.is_long] or cut_off(case, all_)
    hosts = ends(case, long)
    where = f" between {' and '.join([*hosts, 'the others'][:2])}" if hosts else ""
    ports = f"the cable and the switch port of {' or '.join(hosts)}"
    says = (
        f"{_when(case, stretches(long))} of {q.seconds(case.wall_s)}, no data moved{where}: {_how(long)} Look for a "
        f"link that went down{f' ({ports})' if hosts else ''}, or a route or "
        f"filter that changed; the kernel logs of the hosts (dmesg) and the log of the switch show "
        f"when.{_one_way(case, long)}"
    )
    evidence = (
        Evidence("connections silent", str(len({(each.process, each.peer) for each in long})), "tcp_info, sampled"),
        Evidence("longest silence", q.seconds(max(each.length_s for each in long)), "of one connection"),
        Evidence("retransmission timeouts", str(sum(each.timeouts for each in long)), "in these silences"),
        Evidence("ranks stalled", f"{case.tables.ledger.mpi_stall_s:.2f} rank-seconds", "ledger"),
    )
    if lasts_to_the_end(case, long):
        held_up = unreturned.claims(case, unreturned.open_s(case, range(case.ranks)))
        return Suspicion({"stall_s": case.losses.stall_s, **held_up}, says, evidence, unreturned.CERTAIN)
    claims = {"stall_s": case.losses.stall_s, "wait_s": late_in_turns_s(case, "stall_s")}
    return Suspicion(claims, says, evidence, confidence=0.95)


def _how(long: Sequence[Silence]) -> str:
    if any(each.is_long for each in long):
        return "what TCP sent again was lost again, time after time. Congestion does not last that long."
    return "nothing came through either way, and no other host lost anything. Congestion affects one direction only."


def _when(case: Case, times: list[tuple[float, float]]) -> str:
    """ "From second 3.0 to second 6.1, 3.10 s"; "3 times, first from second 3.0 to second 6.1, 9.20 s in all" """
    record_s = float(case.run.processes["end_s"].max())
    (begin_s, end_s), number = times[0], len(times)
    lasted = "to the end of the record" if end_s > record_s - TO_THE_END_S else f"to second {end_s:.1f}"
    all_s = q.seconds(sum(end - begin for begin, end in times))
    if number == 1:
        return f"From second {begin_s:.1f} {lasted}, {all_s}"
    return f"{number} times, first from second {begin_s:.1f} {lasted}, {all_s} in all"


def _one_way(case: Case, long: Sequence[Silence]) -> str:
    """Where nothing that the host sent was lost. Large packets alone may be: only a small one behind them tells."""
    host = common_host(case, long, toward=True)
    if not host or any(case.tables.ranks[each.process].host == host for each in long):
        host = common_host(case, long, toward=False) or "the hosts"
        came_back = stretches(long)[-1][1] < float(case.run.processes["end_s"].max()) - TO_THE_END_S
        return "" if came_back else f" Or only large packets do not get through (ping -M do -s 1472 to {host})."
    return (
        f" Only what was sent to {host} was lost: see also whether large packets reach it (ping -M do -s 1472 {host})."
    )
