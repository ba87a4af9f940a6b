"""What kind of packet loss a job met: ports that fill up, packets lost by chance, or a way that was interrupted.

The record does not see the switch. It tells by what its own connections had on their way.
"""

from __future__ import annotations

from collections import defaultdict
from statistics import median

import numpy as np

from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.host_cards import PAYLOAD

CROWDED, SCATTERED, INTERRUPTED = "crowded", "scattered", "interrupted"

IN_A_ROW = 3  # timeouts in one silence: what was sent again twice was lost again, each time with the network at rest
ANY_PORT_HOLDS = 12  # segments toward one host: a connection may begin with ten of them
SEGMENT_BYTES = 1448
FULL = 16  # segments' time that a round trip takes longer than the shortest: a queue has filled


def kind_of_loss(case: Case) -> str:
    """CROWDED where nothing speaks against it."""
    if _interrupted_share(case) > 0.5:
        return INTERRUPTED
    on_the_way = _segments_toward(case)
    return SCATTERED if on_the_way is not None and on_the_way <= ANY_PORT_HOLDS else CROWDED


def longest_silence_s(case: Case) -> float:
    stalls = case.run.stalls
    return float(case.run.seconds(stalls.process, _length(case)).max(initial=0.0))


def queues_filled(case: Case) -> bool:
    """Whether data of connections that stalled typically stood in a queue."""
    waits = [
        (each.sender.rtt_s - each.round_trip_s) * each.bytes_per_s / PAYLOAD
        for each in case.connections
        if each.sender.stall_s > 0 and not each.inside_host and each.bytes_per_s
    ]
    return bool(waits) and median(waits) > FULL * SEGMENT_BYTES / PAYLOAD


def _interrupted_share(case: Case) -> float:
    """Of the time in silences, the part in silences of many timeouts."""
    lengths_s = case.run.seconds(case.run.stalls.process, _length(case))
    in_a_row = case.run.stalls.data["timeouts"] >= IN_A_ROW
    all_s = float(lengths_s.sum())
    return float(lengths_s[in_a_row].sum()) / all_s if all_s > 0 else 0.0


def _length(case: Case) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    data = case.run.stalls.data
    return np.where(data["end_ticks"] > data["begin_ticks"], data["end_ticks"] - data["begin_ticks"], 0)


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
        if each.sender.retransmits:
            toward[each.to_host] += each.sender.cwnd
    return median(toward.values()) if len(toward) > 1 else None
