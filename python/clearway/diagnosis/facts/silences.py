"""The silences of connections: times in which data was under way and nothing of it was acknowledged.

What else came in meanwhile tells what kind of way it was: selective acknowledgements (RFC 2018) are for packets that
did arrive. Where small packets arrive and large ones never do, the peer has what followed a gap, and is heard; and the
recorder itself asks the peer's host which sizes arrive (native/recorder/sockets/echo.hpp).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from clearway.diagnosis.facts import Case
from clearway.ledger.stalls import peer_processes
from clearway.run.run import to_seconds

APART_S = 0.5  # silences that follow each other closer are one trouble
TO_THE_END_S = 1.0  # of the record
AFTER_AN_OUTAGE = 4  # segments that a connection loses besides what was on its way: tries while it lasted
FEW_TIMES = 3  # that a way is interrupted in a job: what comes more often is no cable
LAST_FAILED = 0.4  # of a silence with three timeouts, each twice as late as the one before: 0.6 of 1.4 s
TWICE = 2  # timeouts in one silence: the network was at rest when the same was lost again
IN_A_ROW = 3  # timeouts in one silence: what was sent again twice was lost again, each time with the network at rest


@dataclass(frozen=True, slots=True)
class Silence:
    """Of what `process` sent, in seconds of the Run."""

    process: int
    peer: int  # process; -1: not in the record
    to_host: str  # of the peer
    begin_s: float
    end_s: float
    timeouts: int
    sacked: int  # segments that the peer has got beyond one that never came; the most that was seen
    in_flight: int  # segments on their way; 0: nothing was seen of it
    segment_bytes: int  # the largest that the connection sends
    passed_bytes: int  # the largest packet of the recorder's own that the peer's host answered; 0: none
    vanished_bytes: int  # the smallest that it did not, while smaller ones were answered; 0: none

    @property
    def length_s(self) -> float:
        return self.end_s - self.begin_s

    @property
    def has_gap(self) -> bool:
        return self.sacked > 0

    @property
    def lost_at_once(self) -> int:
        """Segments; 0 where nothing was seen of it."""
        return max(self.in_flight - self.sacked, 0)

    @property
    def is_long(self) -> bool:
        return self.timeouts >= IN_A_ROW


def silences(case: Case) -> list[Silence]:
    """Those that lasted, in the order of the record."""
    run, data = case.run, case.run.stalls.data
    if not len(data):
        return []
    peers = peer_processes(run)
    first = np.searchsorted(run.sockets.process, np.arange(len(run.processes) + 1))
    found = []
    for process, row in zip(run.stalls.process.tolist(), data, strict=True):
        cell = int(first[process]) + int(row["socket"])
        if cell >= first[process + 1] or row["end_ticks"] <= row["begin_ticks"]:
            continue
        begin_s, end_s = to_seconds(
            np.repeat(run.processes[process : process + 1], 2), np.array([row["begin_ticks"], row["end_ticks"]])
        ).tolist()
        found.append(
            Silence(
                process,
                int(peers[cell]),
                case.tables.ranks[peers[cell]].host if peers[cell] >= 0 else "",
                begin_s,
                end_s,
                int(row["timeouts"]),
                int(row["sacked"]),
                int(row["in_flight"]),
                int(run.sockets.data["mss"][cell]),
                int(row["passed_bytes"]),
                int(row["vanished_bytes"]),
            )
        )
    return found


def is_swallowed(silence: Silence, all_: Sequence[Silence]) -> bool:
    """Its large packets alone were lost: the peer had what came after them, and small ones of the peer came through.

    Where the recorder asked that host, on any connection, the answer decides: nothing else tells where the peer had
    nothing to send.
    """
    toward = [each for each in all_ if each.to_host == silence.to_host and _overlap_s(silence, each) > 0]
    if any(each.vanished_bytes or each.passed_bytes > each.segment_bytes for each in toward):
        return silence.is_long and any(each.vanished_bytes for each in toward)
    back = (each for each in all_ if (each.process, each.peer) == (silence.peer, silence.process) and each.is_long)
    nothing_back = any(_overlap_s(silence, each) > silence.length_s / 2 and not each.has_gap for each in back)
    # What the peer sends meanwhile is acknowledged: acknowledgements, which are small, do reach it. But not at the end,
    # when the way has come back: before the last try that failed, the last but one.
    its_own = (each for each in all_ if each.process == silence.peer and not each.is_long)
    until_s = silence.begin_s + LAST_FAILED * silence.length_s
    acknowledged = any(silence.begin_s - APART_S < each.begin_s and each.end_s < until_s for each in its_own)
    return silence.is_long and (silence.has_gap or acknowledged) and not nothing_back


def cut_off(case: Case, all_: Sequence[Silence]) -> list[Silence]:
    """Those of times in which one host and the others heard nothing of each other, either way, and nobody else was
    silent: a link that was down is that, even for less than a second. Where ports fill up data is lost one way, some
    packets arrive behind the gap, and it happens again and again. One way is enough where all others lost the same
    twice: after the first timeout each sends a single packet, and no port is full.
    """
    found: list[Silence] = []
    times = stretches(all_)
    for begin_s, end_s in times if len(times) <= FEW_TIMES else ():
        group = [each for each in all_ if each.begin_s < end_s and each.end_s > begin_s]
        host = common_host(case, group, toward=False)
        ways = {case.tables.ranks[each.process].host == host for each in group}
        peers = {each.peer if case.tables.ranks[each.process].host == host else each.process for each in group}
        many = len(peers) >= min(2, len({rank.host for rank in case.tables.ranks}) - 1)
        some_timed_out = any(each.timeouts for each in group)
        all_twice = len(peers) > 1 and all(each.timeouts >= TWICE for each in group)
        if (
            host
            and (len(ways) == 2 or all_twice)
            and many
            and some_timed_out
            and not any(each.has_gap for each in group)
        ):
            found += group
    if sum(socket.lost for socket in case.tables.sockets) > sum(each.in_flight + AFTER_AN_OUTAGE for each in found):
        return []  # ports that lose so much fill up
    return found


def lasts_to_the_end(case: Case, some: Sequence[Silence]) -> bool:
    """Nothing was heard again before the record ended."""
    record_s = float(case.run.processes["end_s"].max())
    return any(each.end_s > record_s - TO_THE_END_S for each in some)


def common_host(case: Case, some: Sequence[Silence], toward: bool) -> str:
    """The host to which (else: at one end of which) nearly all of that silence was; "" where there is none."""
    seconds: Counter[str] = Counter()
    for each in some:
        hosts = {case.tables.ranks[each.peer].host} if each.peer >= 0 else set()
        if not toward:
            hosts.add(case.tables.ranks[each.process].host)
        for host in hosts:
            seconds[host] += each.length_s  # type: ignore[assignment]
    host, most_s = max(seconds.items(), key=lambda item: item[1], default=("", 0.0))
    return host if most_s > 0.9 * sum(each.length_s for each in some) else ""


def ends(case: Case, some: Sequence[Silence]) -> tuple[str, ...]:
    """The hosts at one end of which nearly all of that silence was: one, or two that were silent to each other only."""
    seconds: Counter[str] = Counter()
    for each in some:
        both = {case.tables.ranks[process].host for process in (each.process, each.peer) if process >= 0}
        for host in both:
            seconds[host] += each.length_s  # type: ignore[assignment]
    all_s = sum(each.length_s for each in some)
    return tuple(sorted(host for host, silent_s in seconds.items() if silent_s > 0.9 * all_s))


def stretches(some: Sequence[Silence]) -> list[tuple[float, float]]:
    """(begin, end) in seconds of the Run: times in which at least one of them was, in order."""
    found: list[tuple[float, float]] = []
    for each in sorted(some, key=lambda each: each.begin_s):
        if found and each.begin_s <= found[-1][1] + APART_S:
            found[-1] = found[-1][0], max(found[-1][1], each.end_s)
        else:
            found.append((each.begin_s, each.end_s))
    return found


def _overlap_s(one: Silence, other: Silence) -> float:
    return min(one.end_s, other.end_s) - max(one.begin_s, other.begin_s)
