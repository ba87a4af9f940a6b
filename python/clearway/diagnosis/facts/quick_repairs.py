"""What lost packets cost that TCP sent again without a timeout.

Such a repair takes about a round trip, and no counter tells when it happened. It holds nobody up while other data is
on its way: only what is lost towards the end of an exchange makes it longer. So what is known is how many were lost,
how long a round trip took, and how long the exchanges are that they were lost in.
"""

from __future__ import annotations

from collections import Counter
from math import exp

import numpy as np

from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.connections import Connection
from clearway.diagnosis.facts.shared_processors import crowded
from clearway.diagnosis.facts.silences import silences

SEGMENT_BYTES = 1448
TIMER_S = 0.02  # two ticks of a kernel that counts a hundred a second: the shortest time after which TCP asks
FEWEST_CALLS = 10  # of a rank and a function, to tell what is typical
PROBE = 3.0  # round trips: what is lost at the very end is asked for after two, and arrives in a third (RFC 8985)


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


def longer_s(case: Case) -> float:
    """Rank-seconds of moving data that these repairs cost, waits of others included.

    Lost anywhere in an exchange of d seconds with round trips of r, a segment makes it longer by r²/2d on average, or
    by r - d/2 where it is shorter than a round trip; the last one by three. Exchanges that lose several do it once.
    That is the least: TCP sends less at a time afterwards, and asks for the end of what it sent by a timer. So what
    calls took longer than those that lost nothing counts, and what others waited for that, as far as these repairs can
    have made it so. Not where ranks share cores: there calls are uneven for that.
    """
    lost = repaired(case)
    segments = lost.total()
    calls, exchange_s = _exchanges(case)
    if not segments or calls <= 0 or exchange_s <= 0:
        return 0.0
    delay_s = sum(n * _delay_s(each, exchange_s) for each, n in lost.items()) / segments
    hit = 1 - exp(-segments / calls)  # share of the exchanges
    probe_s = max(PROBE * each.sender.rtt_s for each in lost) + TIMER_S
    irregular_s = 0.0 if crowded(case) else min(_beyond_undisturbed_s(case, hit), segments * probe_s * case.ranks)
    return min(max(hit * calls * delay_s * case.ranks, irregular_s), case.losses.transfer_s)


def _beyond_undisturbed_s(case: Case, hit: float) -> float:
    """Rank-seconds by which calls moved data longer than those of their kind that lost nothing, waits included.

    The share `hit` of them lost something: they are the longer ones, and the median of the others is what such a call
    takes. Those that were shorter are taken off: what is only uneven adds up to nothing. Ranks that come together in
    each exchange wait for one of them that moved data longer than they, seldom where nothing is lost.
    """
    units, split = case.books.units, case.books.split
    moving_s = units.duration_s - split.wait_s - split.core_wait_s - split.stall_s - split.undivided_s
    key = units.process.astype(np.int64) * (int(units.function.max(initial=0)) + 1) + units.function
    beyond_s = 0.0
    for kind in np.unique(key[moving_s > 0]).tolist():
        mine = key == kind
        if int(mine.sum()) >= FEWEST_CALLS:
            longer_s = moving_s[mine] - np.quantile(moving_s[mine], (1 - hit) / 2)
            beyond_s += float((case.books.weight[mine] * longer_s).sum())
    waits_s = max(case.losses.transfer_s - case.tables.ledger.mpi_transfer_s, 0.0)
    return max(beyond_s, 0.0) + hit * waits_s


def _delay_s(each: Connection, exchange_s: float) -> float:
    """That a segment costs on average."""
    round_trip_s = each.sender.rtt_s
    late_s = round_trip_s**2 / (2 * exchange_s) if exchange_s > round_trip_s else round_trip_s - exchange_s / 2
    segment_s = SEGMENT_BYTES / each.bytes_per_s if each.bytes_per_s else 0.0
    return late_s + PROBE * round_trip_s * min(segment_s / exchange_s, 1.0)


def _exchanges(case: Case) -> tuple[float, float]:
    """How many calls of a rank moved data, typically, and for how long each did."""
    moving_s = sum(row.transfer_s for row in case.tables.mpi_calls)
    if moving_s <= 0:
        return 0.0, 0.0
    calls = sum(row.count * row.transfer_s for row in case.tables.mpi_calls) / moving_s / case.ranks
    return calls, moving_s / case.ranks / max(calls, 1.0)
