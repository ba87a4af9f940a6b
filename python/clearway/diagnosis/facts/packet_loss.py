"""What kind of packet loss a job met: ports that fill up, packets lost by chance, a way that was interrupted, or one
that swallows large packets.

The record does not see the switch. It tells by what its own connections had on their way.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from math import exp, log
from statistics import mean, median

from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.host_cards import PAYLOAD
from clearway.diagnosis.facts.silences import AFTER_AN_OUTAGE, Silence, cut_off, is_swallowed, silences

CROWDED, SCATTERED, INTERRUPTED, SWALLOWED = "crowded", "scattered", "interrupted", "swallowed"

ANY_PORT_HOLDS = 12  # segments toward one host: a connection may begin with ten of them
SEGMENT_BYTES = 1448
ENOUGH_LOST, MOST, ALIKE = 4, 0.75, 1.5  # segments; of them; times what the others are sent on average
BY_ACCIDENT = 0.001  # that so many of them are on their way to one host, where all lose alike
FAR_MORE = 3.0  # times
SEVERAL = 2  # segments
FULL = 16  # segments' time that a round trip takes longer than the shortest: a queue has filled


def kind_of_loss(case: Case) -> str:
    """CROWDED where nothing speaks against it."""
    all_ = silences(case)
    all_s = sum(each.length_s for each in all_)
    long_s = sum(each.length_s for each in all_ if each.is_long)
    if long_s > all_s / 2 and not _loses_besides(case, all_):
        swallowed_s = sum(each.length_s for each in swallowed(all_))
        return SWALLOWED if swallowed_s > long_s / 2 else INTERRUPTED
    if sum(each.length_s for each in cut_off(case, all_)) > all_s / 2:
        return INTERRUPTED
    if losing_host(case):
        return SCATTERED
    on_the_way = _segments_toward(case)
    few = on_the_way is not None and on_the_way <= ANY_PORT_HOLDS
    return SCATTERED if few and not _several_at_once(all_) else CROWDED


def swallowed(all_: list[Silence]) -> list[Silence]:
    """Those in which large packets alone were lost."""
    return [each for each in all_ if is_swallowed(each, all_)]


def _loses_besides(case: Case, all_: list[Silence]) -> bool:
    """Whether a host loses far more than its long silences can have: one retransmission after the other by accident."""
    in_silence = sum(each.in_flight + AFTER_AN_OUTAGE for each in all_ if each.is_long)
    return sum(socket.lost for socket in case.tables.sockets) > FAR_MORE * in_silence and bool(losing_host(case))


def _several_at_once(all_: list[Silence]) -> bool:
    """Whether what stood still had typically lost several segments together, as a port without room does.

    By chance one is lost, or what was sent again in its place.
    """
    seen = [each.lost_at_once for each in all_ if each.lost_at_once]
    return bool(seen) and median(seen) >= SEVERAL


def queues_filled(case: Case) -> bool:
    """Whether data of connections that stalled typically stood in a queue."""
    waits = [
        (each.sender.rtt_s - each.round_trip_s) * each.bytes_per_s / PAYLOAD
        for each in case.connections
        if each.sender.stall_s > 0 and not each.inside_host and each.bytes_per_s
    ]
    return bool(waits) and median(waits) > FULL * SEGMENT_BYTES / PAYLOAD


def losing_host(case: Case) -> str:
    """To which nearly all was on its way that was lost, though no more is sent to it than to the others; "" for none.

    Ports that fill up lose where most comes in. What loses beside others that carry as much without is a bad link.
    """
    lost: Counter[str] = Counter()
    sent: Counter[str] = Counter()
    for each in case.connections:
        if not each.inside_host:
            lost[each.to_host] += each.sender.lost
            sent[each.to_host] += each.sender.bytes_sent
    (host, most), *_ = [*lost.most_common(1), ("", 0)]
    others = [sent[other] for other in sent if other != host]
    if len(others) < 2 or most < max(ENOUGH_LOST, MOST * lost.total()) or sent[host] > ALIKE * mean(others):
        return ""
    return host if len(sent) * _at_least(most, lost.total(), sent[host] / sent.total()) < BY_ACCIDENT else ""


def _at_least(most: int, of: int, share: float) -> float:
    """The probability that so many of them or more have what each has with the probability `share`.

    Chernoff's bound: figures of any size are no trouble to it.
    """
    part = most / of
    if part <= share:
        return 1.0
    rest = (1 - part) * log((1 - part) / (1 - share)) if part < 1 else 0.0
    return exp(-of * (part * log(part / share) + rest))


def _segments_toward(case: Case) -> float | None:
    """Segments that connections have on their way to one host at a time, typically; None where it is not known.

    The congestion windows of those that lose; a port that drops although so little comes has not filled up.
    """
    toward: dict[str, int] = defaultdict(int)
    for each in case.connections:
        if each.inside_host:
            continue
        if each.sender.cwnd <= 0:
            return None
        if each.sender.lost:
            toward[each.to_host] += each.sender.cwnd
    return median(toward.values()) if len(toward) > 1 else None
