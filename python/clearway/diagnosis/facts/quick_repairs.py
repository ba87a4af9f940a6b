"""What lost packets cost that TCP sent again without a timeout.

Such a repair takes about a round trip, and no counter tells when it happened. It holds nobody up while other data is
on its way: only what is lost towards the end of an exchange makes it longer. So what is known is how many were lost,
how long a round trip took, and how long the exchanges are that they were lost in.
"""

from __future__ import annotations

from collections import Counter
from math import exp

import numpy as np
from numpy.typing import NDArray

from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.connections import Connection
from clearway.diagnosis.facts.shared_processors import crowded
from clearway.diagnosis.facts.silences import silences
from clearway.ledger.again.calls import JobCalls
from clearway.ledger.again.kinds import beyond_usual_s

SEGMENT_BYTES = 1448
TIMER_S = 0.02  # two ticks of a kernel that counts a hundred a second: the shortest time after which TCP asks
PROBE = 3.0  # round trips: what is lost at the very end is asked for after two, and arrives in a third (RFC 8985)

_Seconds = NDArray[np.float64]


def repaired(case: Case) -> Counter[Connection]:
    """Segments that each connection between hosts lost, but for those that it waited out timeouts for."""
    waited_out: Counter[tuple[int, int]] = Counter()
    for silence in silences(case):
        waited_out[silence.process, silence.peer] += max(silence.timeouts, 1)
    process = case.run.process_of_rank
    lost: Counter[Connection] = Counter()
    for each in case.connections:
        if not each.inside_host and each.sender.needless is not None:
            ends = process.get(each.from_rank, -1), process.get(each.to_rank, -1)
            quick = max(each.sender.lost - waited_out[ends], 0)
            waited_out[ends] -= each.sender.lost - quick
            if quick:
                lost[each] = quick
    return lost


def longer_s(case: Case, calls: JobCalls) -> _Seconds:
    """By recorded call: what these repairs made it move data longer.

    Lost anywhere in an exchange of d seconds with round trips of r, a segment makes it longer by r²/2d on average, or
    by r - d/2 where it is shorter than a round trip; the last one by three. Exchanges that lose several do it once.
    That is the least: TCP sends less at a time afterwards, and asks for the end of what it sent by a timer. So what
    calls took longer than those that lost nothing counts, as far as these repairs can have made it so. Not where ranks
    share cores: there calls are uneven for that.
    """
    lost = repaired(case)
    segments = lost.total()
    number, exchange_s = exchanges(case)
    moving_s = float(case.books.ledger["mpi_transfer_s"].sum())
    if not segments or number <= 0 or exchange_s <= 0 or not calls.transfer_s.any():
        return np.zeros(len(calls))
    recorded = min(float(calls.transfer_s.sum()) / moving_s, 1.0)  # of all calls
    hit = 1 - exp(-segments / number)  # share of the exchanges
    delay_s = sum(n * _delay_s(each, exchange_s) for each, n in lost.items()) / segments
    evenly_s = recorded * hit * number * delay_s * case.ranks
    probe_s = max(PROBE * each.sender.rtt_s for each in lost) + TIMER_S
    beyond_s = np.zeros(len(calls)) if crowded(case) else beyond_usual_s(calls, hit)
    most_s = min(float(beyond_s.sum()), recorded * segments * probe_s * case.ranks)
    if most_s > evenly_s:
        shares_s, all_s = beyond_s, most_s
    else:
        shares_s, all_s = calls.transfer_s, min(evenly_s, float(calls.transfer_s.sum()))
    result: _Seconds = shares_s * (all_s / float(shares_s.sum()))
    return result


def _delay_s(each: Connection, exchange_s: float) -> float:
    """That a segment costs on average."""
    round_trip_s = each.sender.rtt_s
    late_s = round_trip_s**2 / (2 * exchange_s) if exchange_s > round_trip_s else round_trip_s - exchange_s / 2
    segment_s = SEGMENT_BYTES / each.bytes_per_s if each.bytes_per_s else 0.0
    return late_s + PROBE * round_trip_s * min(segment_s / exchange_s, 1.0)


def exchanges(case: Case) -> tuple[float, float]:
    """How many calls of a rank moved data, typically, and for how long each did."""
    moving_s = sum(row.transfer_s for row in case.tables.mpi_calls)
    if moving_s <= 0:
        return 0.0, 0.0
    calls = sum(row.count * row.transfer_s for row in case.tables.mpi_calls) / moving_s / case.ranks
    return calls, moving_s / case.ranks / max(calls, 1.0)
