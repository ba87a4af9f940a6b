"""The files of a job, each once, summed over the ranks that opened it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from clearway.run import Run
from clearway.run.layout import FILE_DELETED, text

TIMES = tuple(f"{kind}_ticks" for kind in ("open", "read", "write", "seek", "sync", "close", "metadata"))
CALLS = ("opens", "reads", "writes", "seeks", "syncs", "closes", "metadata")


@dataclass(frozen=True, slots=True)
class File:
    """One file, over all ranks that opened it."""

    path: str
    ranks: int
    time_s: float
    calls: int
    bytes_read: int
    bytes_written: int
    mapped_bytes: int
    sequential_share: float | None  # share of reads and writes that continue the one before
    reread_factor: float | None  # bytes read over the extent of the file
    syncs: int
    deleted: bool


def files(run: Run) -> tuple[File, ...]:
    """One row a path, most time first."""
    data, process = run.files.data, run.files.process
    if not len(data):
        return ()
    paths, row = np.unique(data["path"], return_inverse=True)
    size = len(paths)

    def summed(*names: str) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        values = sum(data[name].astype(np.float64) for name in names)
        return np.bincount(row, values, minlength=size).astype(np.float64)

    seconds = sum(run.seconds(process, data[name]) for name in TIMES)
    time_s = np.bincount(row, seconds, minlength=size)
    moved = summed("reads", "writes")
    sequential = summed("sequential_reads", "sequential_writes")
    read_bytes = summed("read_bytes")
    extent = np.bincount(row, np.where(data["read_bytes"] > 0, data["extent_bytes"], 0).astype(np.float64), size)
    calls, written, mapped, syncs = summed(*CALLS), summed("written_bytes"), summed("mapped_bytes"), summed("syncs")
    pairs = np.unique(row * np.int64(len(run.processes)) + process)
    ranks = np.bincount(pairs // len(run.processes), minlength=size)
    deleted = np.bincount(row, (data["flags"] & FILE_DELETED) != 0, minlength=size) > 0
    return tuple(
        File(
            path=text(paths[at]),
            ranks=int(ranks[at]),
            time_s=float(time_s[at]),
            calls=int(calls[at]),
            bytes_read=int(read_bytes[at]),
            bytes_written=int(written[at]),
            mapped_bytes=int(mapped[at]),
            sequential_share=min(float(sequential[at] / moved[at]), 1.0) if moved[at] else None,
            reread_factor=float(read_bytes[at] / extent[at]) if extent[at] else None,
            syncs=int(syncs[at]),
            deleted=bool(deleted[at]),
        )
        for at in np.argsort(-time_s, kind="stable").tolist()
    )
