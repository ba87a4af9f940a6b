"""What a sweep adds to the table that the flow library starts from (job/flow_table.py)."""

from __future__ import annotations

from pathlib import Path

from clearway.bench.sweep import FLOW, OWN, Point, Sweep
from clearway.job.flow_table import Entry, Key, Table, read_table, write_table

WORTH = 1.01  # what another algorithm must gain before it takes the place of the MPI's own


def best_of(sweep: Sweep) -> Table:
    """The fastest candidate at each size; the MPI's own wherever nothing is clearly faster."""
    table: Table = {}
    for block_bytes in sorted({point.block_bytes for curve in sweep.curves for point in curve.points}):
        speeds = {
            curve.candidate: speed
            for curve in sweep.curves
            for point in curve.points
            if point.block_bytes == block_bytes
            and curve.candidate != FLOW  # no algorithm, but a choice among them
            and (speed := speed_of(point, sweep.interleaved)) is not None
        }
        if not speeds:
            continue
        best = max(speeds, key=lambda name: speeds[name])
        if OWN in speeds and speeds[best] < WORTH * speeds[OWN]:
            best = OWN
        measured = ", ".join(f"{name} {speed / 1e6:.4g} MB/s" for name, speed in speeds.items())
        table[Key(sweep.operation, sweep.ranks, sweep.hosts, block_bytes)] = Entry(best, measured)
    return table


def speed_of(point: Point, interleaved: bool) -> float | None:
    """What points are compared by: all bytes by all time where packets were lost, for a stall costs what it lasts.

    Where none were, a call that took longer than others was held up by something else; the median does not mind it.
    """
    if point.fault:
        return None
    return point.median_bytes_per_s if interleaved or point.retransmits == 0 else point.mean_bytes_per_s


def save_table(sweep: Sweep, path: Path) -> None:
    """Adds the sweep's entries to the table in `path`; what was there for the same keys is replaced."""
    table = read_table(path) if path.is_file() else {}
    table.update(best_of(sweep))
    write_table(table, path)
