"""The ledger over time, summed over ranks: one row a slice of the job's time."""

from __future__ import annotations

from dataclasses import dataclass

from clearway.ledger.account import LINES
from clearway.ledger.strip import Strip


@dataclass(frozen=True, slots=True)
class Slice:
    """Rank-seconds of a stretch of the job's time. The slices of each line add up to the ledger."""

    begin_s: float  # seconds since the job's first process started
    end_s: float
    phase: int | None  # last argument of MPI_Pcontrol; None if the program does not call it
    wall_s: float  # rank-seconds of this slice
    compute_s: float
    core_wait_s: float
    mpi_wait_s: float
    mpi_transfer_s: float
    mpi_stall_s: float
    io_s: float
    other_s: float
    residue_s: float  # wall_s minus the lines: how inexact their place in time is
    parallel_s: float | None = None  # part of wall_s with main threads in parallel regions; None if unknown
    cpu_s: float | None = None  # CPU time of all threads; None if unknown


def slices(strip: Strip | None) -> tuple[Slice, ...]:
    if strip is None:
        return ()
    edges_s = (strip.edges_s - strip.edges_s[0]).tolist()
    wall_s, sums_s = strip.wall_s.sum(axis=0).tolist(), strip.sums_s.tolist()
    nothing: list[float | None] = [None] * strip.slices
    parallel_s = strip.parallel_s.sum(axis=0).tolist() if strip.threads_known else nothing
    cpu_s = strip.cpu_s.sum(axis=0).tolist() if strip.threads_known else nothing
    phases = [None] * strip.slices if strip.phase is None else strip.phase.tolist()
    rows = zip(edges_s, edges_s[1:], phases, wall_s, sums_s, parallel_s, cpu_s, strict=False)
    return tuple(
        Slice(
            begin_s,
            end_s,
            phase,
            wall,
            **dict(zip(LINES, lines, strict=True)),
            residue_s=wall - sum(lines),
            parallel_s=parallel,
            cpu_s=cpu,
        )
        for begin_s, end_s, phase, wall, lines, parallel, cpu in rows
    )
