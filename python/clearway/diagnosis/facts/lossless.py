"""What would come back if the network lost no packet: for `clearway what-if --network lossless` and for the finding.

For certain no call stands still for a timeout any more. At best it moves its data sooner, too:

- not waiting, inside a collective, for a rank that stands still;
- in a collective that losses slow down, in what it takes where nothing is lost. Where most exchanges lost nothing,
  these tell it; else it is what the links need, which leaves out what the algorithm costs without any loss;
- without what lost packets took that were sent again before a timeout (quick_repairs.py).
"""

from __future__ import annotations

from math import exp

import numpy as np
from numpy.typing import NDArray

from clearway.diagnosis.facts import Case, quick_repairs
from clearway.diagnosis.facts.least_time import operations
from clearway.diagnosis.facts.once import once
from clearway.diagnosis.facts.recorded_calls import comes_back_s, recorded_calls
from clearway.ledger.again.calls import JobCalls
from clearway.ledger.again.kinds import beyond_usual_s
from clearway.ledger.again.replay import Durations

MOST_UNSTALLED = 0.1  # of an operation's time: beyond, loss is what slows it (rule naive-collective leaves it alone)
MOST_DISTURBED = 0.5  # of the exchanges: beyond, hardly one tells what they take without losses

_Seconds = NDArray[np.float64]


@once
def sooner_without_losses_s(case: Case) -> _Seconds:
    """By recorded call: seconds of moving data, at best."""
    calls = recorded_calls(case).calls
    parts = (calls.held_s, _of_stalled_collectives_s(case, calls), quick_repairs.longer_s(case, calls))
    return np.minimum(np.maximum.reduce(parts), calls.transfer_s)


def without_losses(case: Case) -> Durations:
    """Of the recorded calls, at best."""
    calls = recorded_calls(case).calls
    transfer_s = calls.transfer_s - sooner_without_losses_s(case)
    return Durations(calls.outside_s, transfer_s, np.zeros(len(calls)), calls.core_wait_s)


@once
def lost_to_losses_s(case: Case) -> float:
    """Rank-seconds, at best. Where no call is on record, those of the timeouts."""
    if not len(case.run.events):
        return case.losses.stall_s
    return comes_back_s(case, without_losses(case))


def _of_stalled_collectives_s(case: Case, calls: JobCalls) -> _Seconds:
    """What was lost is sent again, and after each loss TCP sends less at a time."""
    rates = [each.bytes_per_s for each in case.connections if not each.inside_host and each.bytes_per_s]
    sooner_s = np.zeros(len(calls))
    if not rates:
        return sooner_s
    disturbed = _disturbed(case)
    usual_s = beyond_usual_s(calls, disturbed) if disturbed <= MOST_DISTURBED else None
    for each in operations(case.run, case.books):
        least_s = each.least_s(min(rates))
        if least_s is None or each.stalled_s <= MOST_UNSTALLED * each.moving_s:
            continue
        own = (calls.function == each.which[0]) & (calls.comm == each.which[1]) & (calls.transfer_s > 0)
        transfer_s = calls.transfer_s[own]
        beyond_s = np.maximum(transfer_s - least_s / (each.calls * each.ranks), 0.0)
        part = max(1 - least_s / each.moving_s, 0.0)
        if beyond_s.any():
            sooner_s[own] = beyond_s * (part * transfer_s.sum() / beyond_s.sum())
        if usual_s is not None and usual_s[own].any():
            sooner_s[own] = np.minimum(sooner_s[own], usual_s[own])
    return sooner_s


def _disturbed(case: Case) -> float:
    """The share of the exchanges that lost something, however it was sent again."""
    number, _ = quick_repairs.exchanges(case)
    lost = sum(max(each.sender.lost, each.sender.timeouts) for each in case.connections if not each.inside_host)
    return 1 - exp(-lost / number) if number > 0 else 1.0
