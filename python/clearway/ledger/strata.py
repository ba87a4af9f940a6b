"""What share of all calls a recorded one stands for.

Events are a sample; the times in the call cells are exact. Long calls are all recorded and stand for themselves.
The short ones of a stratum (one process, function and communicator) together stand for what its cells hold beyond
the long ones, so that the weighted calls add up to the exact time.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from clearway.ledger.divisible_calls import Units
from clearway.run.layout import FunctionClass
from clearway.run.run import Run

# Every call of these classes leaves an event, so the sample stands for all of them. Of the others (the wait
# family) only calls that completed a receive do, and the rest must not be taken for more of the same.
EVERY_CALL = (FunctionClass.COLLECTIVE, FunctionClass.SEND, FunctionClass.RECEIVE, FunctionClass.SEND_RECEIVE)

# A sample much thinner than its level explains (calls that came in bursts, dropped events) is not stretched
# further than this beyond the expected factor; what it then leaves uncovered counts as undivided.
THIN_SAMPLE = 4.0


def weights(run: Run, units: Units) -> NDArray[np.float64]:
    """One factor per unit; the sum of factor x duration over a stratum never exceeds its exact time."""
    classes = run.functions.classes()
    calls = run.calls
    main = calls.main
    every_call = np.isin(classes, EVERY_CALL)
    cell_key = _key(run, calls.process[main], calls.function[main], calls.comm[main], every_call)
    strata, cell_stratum = np.unique(cell_key, return_inverse=True)
    seconds = run.seconds(calls.process[main], calls.data["ticks"][main])
    exact_s = np.bincount(cell_stratum, seconds, minlength=len(strata))
    if not len(strata) or not len(units):
        return np.zeros(len(units))

    unit_key = _key(run, units.process, units.function, units.comm, every_call)
    stratum = np.minimum(np.searchsorted(strata, unit_key), len(strata) - 1)
    known = strata[stratum] == unit_key
    duration_s = units.duration_s
    is_long = units.long(run.event_level) & known
    is_short = units.kept & ~is_long & known
    long_s = np.bincount(stratum, duration_s * is_long, minlength=len(strata))
    short_s = np.bincount(stratum, duration_s * is_short, minlength=len(strata))

    expected = float(1 << run.event_level)
    function_of = np.zeros(len(strata), np.int32)
    function_of[cell_stratum] = calls.function[main]
    most = np.where(every_call[function_of], THIN_SAMPLE * expected, expected)
    with np.errstate(divide="ignore", invalid="ignore"):
        long_weight = np.where(long_s > exact_s, exact_s / long_s, 1.0)
        short_weight = np.maximum(exact_s - long_s, 0.0) / short_s
    short_weight = np.where(short_s > 0, np.minimum(short_weight, most), 0.0)
    result: NDArray[np.float64] = is_long * long_weight[stratum] + is_short * short_weight[stratum]
    return result


def _key(
    run: Run,
    process: NDArray[np.int32],
    function: NDArray[np.int32],
    comm: NDArray[np.int32],
    every_call: NDArray[np.bool_],
) -> NDArray[np.int64]:
    functions, comms = len(run.functions.all), len(run.communicators.all)
    own_comm = np.where(every_call[function], comm, 0)  # a wait is on no communicator, its messages are
    key: NDArray[np.int64] = (process.astype(np.int64) * functions + function) * comms + own_comm
    return key
