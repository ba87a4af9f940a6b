"""What a record cannot mean: that a thread was somewhere for longer than its process was recorded.

A record that was torn by a crash, or came from a damaged disk, must not make seconds that never passed.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from clearway.run.layout import SegmentKind

OVERLAP = 2.0  # of the time that passed: what is told twice is shown by the ledger, as residue, but not beyond reason
# Durations of one thread, by the kind of elements that have them.
TICKS = {
    SegmentKind.FILES: tuple(
        f"{kind}_ticks" for kind in ("open", "read", "write", "seek", "sync", "close", "metadata")
    ),
    SegmentKind.LOCKS: ("ticks",),
    SegmentKind.TEAMS: ("region_ticks", "work_ticks", "wait_ticks"),
    SegmentKind.THREADS: ("io_ticks",),
    SegmentKind.SOCKETS: ("stall_ticks",),
}
NANOSECONDS = {
    SegmentKind.THREADS: (
        *("run_delay_ns", "run_delay_in_mpi_ns", "run_delay_in_io_ns"),
        *("cpu_ns", "cpu_in_mpi_ns", "blocked_outside_ns"),
    ),
    SegmentKind.THREAD_USES: ("cpu_ns", "run_delay_ns"),
}
MOST_THREADS = 256  # of a process are in one file at a time
LEAST_S = 1.0  # what is told of a process that was killed at once may be more than its record is long
ABSURD = 1000.0  # times what can be: no clock and no kernel errs so much


def within(kind: SegmentKind, rows: NDArray[np.void], lived_s: float, seconds_per_tick: float) -> NDArray[np.void]:
    """The elements of a process that was recorded for `lived_s`, with what is longer cut to that."""
    limits = {
        **dict.fromkeys(TICKS.get(kind, ()), lived_s * OVERLAP / seconds_per_tick),
        **dict.fromkeys(NANOSECONDS.get(kind, ()), lived_s * OVERLAP * 1e9),
    }
    if kind == SegmentKind.FILES:
        limits = {name: most * MOST_THREADS for name, most in limits.items()}
    return _cut(rows, limits)


def is_absurd(kind: SegmentKind, rows: NDArray[np.void], lived_s: float, seconds_per_tick: float) -> bool:
    """Whether some duration is so long that the file must be damaged."""
    if not len(rows):
        return False
    lived_s = max(lived_s, LEAST_S)
    names = ("ticks", "max_ticks") if kind is SegmentKind.CALLS else TICKS.get(kind, ())
    most = {
        **dict.fromkeys(names, lived_s * ABSURD / seconds_per_tick),
        **dict.fromkeys(NANOSECONDS.get(kind, ()), lived_s * ABSURD * 1e9),
    }
    return any(rows[name].max() > limit * MOST_THREADS for name, limit in most.items())


def calls_within(
    cells: NDArray[np.void], main: NDArray[np.bool_], lived_s: float, seconds_per_tick: float
) -> NDArray[np.void]:
    """The call cells of a process, none longer than it lived. Those of its main thread come one after the other, and
    are reduced in proportion.
    """
    lived = lived_s / seconds_per_tick
    each = dict.fromkeys(("ticks", "min_ticks", "max_ticks"), lived * OVERLAP)
    cells = _cut(cells, {**each, "run_delay_ns": lived_s * OVERLAP * 1e9})
    told = float(cells["ticks"][main].sum(dtype=np.float64))
    if told <= lived * OVERLAP:
        return cells
    cells = cells.copy()
    cells["ticks"] = np.where(main, cells["ticks"] * (lived / told), np.minimum(cells["ticks"], lived)).astype(
        np.uint64
    )
    cells["run_delay_ns"] = np.minimum(cells["run_delay_ns"], np.uint64(lived_s * 1e9))
    return cells


def _cut(rows: NDArray[np.void], limits: dict[str, float]) -> NDArray[np.void]:
    longer = {name: most for name, most in limits.items() if len(rows) and rows[name].max() > most}
    if not longer:
        return rows
    rows = rows.copy()
    for name, most in longer.items():
        rows[name] = np.minimum(rows[name], np.uint64(most))
    return rows
