"""Ticks to seconds.

All processes with the same boot id share one monotonic clock, and where the time-stamp counter is invariant (the
recorder uses it only then) one tick counter too. So one line, seconds = time_s + (ticks - ticks_origin) * rate,
holds for the whole machine; it is drawn through the Instants of all its processes. A process whose own Instants
lie off that line (another counter, a migrated virtual machine) gets a line of its own.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clearway.run.layout import INSTANT, joined

SLOWEST_TICK_S = 1e-6
FASTEST_TICK_S = 1e-11
NANOSECOND_S = 1e-9
OWN_LINE_BEYOND_S = 1e-3  # reading two clocks takes microseconds; a preemption between them is the exception
SHORTEST_BASELINE_S = 1e-3  # below it, the rate is not worth computing


@dataclass(frozen=True, slots=True)
class Line:
    """Monotonic seconds of a tick count: monotonic_s + (ticks - ticks) * seconds_per_tick, all relative to a base."""

    ticks: int
    monotonic_ns: int
    seconds_per_tick: float


def valid_instants(header: np.void) -> NDArray[np.void]:
    """The Instants of a header that were filled in, oldest first."""
    instants = np.concatenate(
        [header["start"][None], header["mpi_begin"][None], header["mpi_end"][None], header["heartbeat"]]
    )
    filled = instants[instants["ticks"] > 0]
    for name in ("monotonic_ns", "realtime_ns"):
        filled = filled[(filled[name] > 0) & (filled[name] < 1 << 62)]
    return filled[np.argsort(filled["monotonic_ns"], kind="stable")]


def fit(instants: NDArray[np.void]) -> Line | None:
    """The line through the outermost of the instants; None where they lie too close together or make no sense."""
    if len(instants) < 2:
        return None
    first, last = instants[0], instants[-1]
    elapsed_s = (int(last["monotonic_ns"]) - int(first["monotonic_ns"])) * NANOSECOND_S
    ticks = int(last["ticks"]) - int(first["ticks"])
    if elapsed_s < SHORTEST_BASELINE_S or ticks <= 0:
        return None
    rate = elapsed_s / ticks
    if not FASTEST_TICK_S <= rate <= SLOWEST_TICK_S:
        return None
    return Line(int(first["ticks"]), int(first["monotonic_ns"]), rate)


def off_line_s(line: Line, instants: NDArray[np.void]) -> NDArray[np.float64]:
    """How far each instant's monotonic clock lies from the line, in seconds."""
    monotonic_s = (instants["monotonic_ns"].astype(np.int64) - line.monotonic_ns) * NANOSECOND_S
    return monotonic_s - signed_ticks(instants["ticks"], line.ticks) * line.seconds_per_tick


def signed_ticks(ticks: NDArray[np.uint64], origin: int) -> NDArray[np.float64]:
    """ticks - origin, right for every pair of 64-bit counts less than 2^63 apart."""
    return (ticks - np.uint64(origin)).view(np.int64).astype(np.float64)


def machine_lines(instants_of: list[NDArray[np.void]]) -> tuple[list[Line], list[int]]:
    """One line per process of a machine, and the indices of those that needed their own.

    The machine's rate comes from the longest baseline there is. Its height is the median over processes, so that
    one process that was preempted between two clock readings does not move it.
    """
    pooled = joined(INSTANT, instants_of)
    pooled = pooled[np.argsort(pooled["monotonic_ns"], kind="stable")]
    shared = fit(pooled)
    if shared is not None:
        heights = [float(off_line_s(shared, own).max()) for own in instants_of if len(own)]
        raised_ns = round(float(np.median(heights)) / NANOSECOND_S)
        shared = Line(shared.ticks, shared.monotonic_ns + raised_ns, shared.seconds_per_tick)
    lines: list[Line] = []
    own_lines: list[int] = []
    for index, own in enumerate(instants_of):
        if shared is not None and (not len(own) or abs(off_line_s(shared, own).max()) <= OWN_LINE_BEYOND_S):
            lines.append(shared)
            continue
        line = fit(own)
        if line is None:
            rate = shared.seconds_per_tick if shared is not None else NANOSECOND_S
            ticks, monotonic_ns = (int(own[0]["ticks"]), int(own[0]["monotonic_ns"])) if len(own) else (0, 0)
            line = Line(ticks, monotonic_ns, rate)
        if shared is not None:
            own_lines.append(index)
        lines.append(line)
    return lines, own_lines
