"""A host that data reaches slower than its card could take it: by what its connections carried while they were busy.

A host says how fast its own card is; how fast the switch sends to it, it does not know. But a connection is busy
until all is acknowledged, and what waits in front of a slow port shows in its round trips.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import median

from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.connections import Connection
from clearway.diagnosis.facts.share_lost import transfer_s
from clearway.diagnosis.facts.slow_links import slow_links

CARRYING = 0.02  # of what the busiest connection does: what greets its other end now and then tells no rate
SLOWER = 0.75  # of what reaches the others
QUEUED = 2.0  # times as long as between the others
MOSTLY_HELD_BACK = 0.5  # of the time that it is busy
LEAST_QUEUE_S = 3e-4  # less may be the time that hosts take to answer
SEGMENTS = 2  # that wait in front of the port: small messages fill no longer queue
SEGMENT_BYTES = 1448
MOST_LOST = 0.005  # of the segments: beyond, losses are what slows it


@dataclass(frozen=True, slots=True)
class SlowWay:
    """With the rates at which data reached it, and should, in bytes/s."""

    host: str
    bytes_per_s: float
    usual_bytes_per_s: float
    queue_s: float  # what packets wait on the way
    usual_queue_s: float
    busy_s: Mapping[int, float]  # by rank: of connections to the host that it is one end of


def slow_way(case: Case) -> SlowWay | None:
    """That to the host in front of which the queue is longest, if it is one."""
    between = [each for each in case.connections if not each.inside_host and each.sender.busy_s > 0]
    most_bytes = max((each.sender.bytes_sent for each in between), default=0)
    between = [each for each in between if each.sender.bytes_sent >= CARRYING * most_bytes]
    to_host: dict[str, list[Connection]] = defaultdict(list)
    for each in between:
        to_host[each.to_host].append(each)
    longest = max(to_host, key=lambda host: queue_of(to_host[host]), default="")
    known = (one.load.link.host for one in slow_links(case.tables, case.connections))  # rule link-speed
    return _examined(between, longest) if longest and longest not in known else None


def share_lost(case: Case, way: SlowWay) -> float:
    """Of all rank-seconds of moving data, the share that a sound way would save.

    Of the time in which a rank's data was on this way; and of as much again, in which it waited for ranks that this way
    had held up.
    """
    moving_s = transfer_s(case.tables)
    total_s = sum(moving_s.values())
    held_s = sum(min(2 * busy_s, moving_s.get(rank, 0.0)) for rank, busy_s in way.busy_s.items())
    return (1 - way.bytes_per_s / way.usual_bytes_per_s) * held_s / total_s if total_s > 0 else 0.0


def _examined(between: list[Connection], host: str) -> SlowWay | None:
    to_it = [each for each in between if each.to_host == host]
    among_others = [each for each in between if host not in (each.from_host, each.to_host) and not _held_back(each)]
    if not to_it or len({each.to_host for each in among_others}) < 2:
        return None
    rate, usual = _carried(to_it), _usual(to_it, among_others)
    slower = median(map(speed_of, to_it)) < SLOWER * median(map(speed_of, among_others))
    queue_s, usual_s = queue_of(to_it), queue_of(among_others)
    queued = queue_s > max(QUEUED * usual_s, LEAST_QUEUE_S, SEGMENTS * SEGMENT_BYTES / max(rate, 1.0))
    sent = sum(each.sender.bytes_sent for each in to_it)
    lost = sum(each.sender.lost for each in to_it) > MOST_LOST * sent / SEGMENT_BYTES
    if lost or not (queued and slower and rate < SLOWER * usual):
        return None
    busy_s: dict[int, float] = defaultdict(float)
    for each in to_it:
        busy_s[each.from_rank] += busy_of(each)
        busy_s[each.to_rank] += busy_of(each)
    return SlowWay(host, rate, usual, queue_s, usual_s, busy_s)


def _held_back(each: Connection) -> bool:
    """By a buffer or the receiver's window: such a connection keeps no queue, whatever its way is like."""
    limited_s = each.sender.rwnd_limited_s + each.sender.sndbuf_limited_s
    return limited_s > MOSTLY_HELD_BACK * each.sender.busy_s


def _usual(to_it: Iterable[Connection], among_others: Iterable[Connection]) -> float:
    """What its card takes; where that is not known, what reached other hosts."""
    cards = [each.bytes_per_s for each in to_it if each.bytes_per_s]
    if cards:
        return min(cards)
    reaching: dict[str, list[Connection]] = defaultdict(list)
    for each in among_others:
        reaching[each.to_host].append(each)
    return median(map(_carried, reaching.values()))


def busy_of(each: Connection) -> float:
    """While its receiver took what came."""
    return each.sender.busy_s - each.sender.rwnd_limited_s - each.sender.stall_s


def speed_of(each: Connection) -> float:
    return each.sender.bytes_sent / max(busy_of(each), 1e-6)


def _carried(some: Iterable[Connection]) -> float:
    """Bytes a second while the busiest of them was: at least as much as in truth, for others may be busy later."""
    carrying = list(some)
    return sum(each.sender.bytes_sent for each in carrying) / max(max(map(busy_of, carrying)), 1e-6)


def queue_of(some: Iterable[Connection]) -> float:
    """What round trips take longer than the shortest, typically: the queues on the way."""
    return median(each.sender.rtt_s - each.round_trip_s for each in some)
