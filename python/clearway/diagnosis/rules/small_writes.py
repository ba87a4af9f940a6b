"""Files are written a few bytes at a time."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from clearway.base import quantities as q
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.file_time import SMALL_BYTES, claims, file_system, file_times, shares, worst_paths
from clearway.diagnosis.facts.unbuffered import unbuffered
from clearway.diagnosis.finding import Evidence
from clearway.diagnosis.rules import Suspicion
from clearway.run.layout import FILE_UNBUFFERED, text

TITLE = "Files are written a few bytes at a time"
REMEDIES = ("io-cache",)
WORTH_NAMING = 0.05  # of the time in such writes
MANY_PIECES = 10  # of a write through MPI-IO: its view of the file has gaps


def examine(case: Case) -> Suspicion | None:
    """Claims what such writes took longer than a few large ones with the same bytes would have."""
    data, spent_s = case.run.files.data, file_times(case).small_s
    little = spent_s > 0
    small = shares(case).small
    if case.losses.io_s * small <= 0:
        return None
    calls, written = int(data["writes"][little].sum()), int(data["written_bytes"][little].sum())
    seconds = float(spent_s.sum())
    worst = [one for one in worst_paths(case, spent_s) if one[1] > WORTH_NAMING * seconds]
    evidence = (
        Evidence("written", f"{calls:,} times, {q.bytes_(written / calls)} each", "calls of all ranks, mean"),
        Evidence("in that", q.seconds(seconds), "time in these calls, less what the bytes need"),
        Evidence("a call", q.seconds(seconds / calls), "mean"),
        *(
            Evidence(path, q.seconds(time_s), file_system(case, path) or "unknown file system")
            for path, time_s in worst
        ),
    )
    path = worst[0][0]
    each, block = written / calls, 128 * SMALL_BYTES
    says = (
        f"{calls:,} writes of {q.bytes_(each)} on average, most of them to {path}. Each is a system call of its own, "
        f"which costs more than writing its bytes: blocks of {q.bytes_(block)} would need one call in "
        f"{round(block / max(each, 1)):,}."
    )
    if (data["flags"][little] & FILE_UNBUFFERED).any():
        says += " The program has switched off the C library's buffer, which would combine them (setvbuf)."
    says += unbuffered(case, path)
    says += _in_pieces(case, path)
    return Suspicion(claims(case, small), says, evidence, confidence=0.93)


def _in_pieces(case: Case, path: str) -> str:
    """Of writes that each rank makes by itself; collective ones may have been cut on purpose."""
    cells, folder = case.run.mpi_files.data, Path(case.fact("process.cwd") or "/")
    named = [os.path.normpath(folder / text(each)) for each in cells["path"]]  # the program may say "../x"
    those = np.array([each == path for each in named], np.bool_)
    writes, pieces = int(cells["independent_writes"][those].sum()), int(cells["requests"][those, 0].sum())
    if writes == 0 or pieces < MANY_PIECES * writes:
        return ""
    return (
        f" The program made {writes:,} writes through MPI-IO there, each rank by itself, and the MPI cut each into "
        f"{round(pieces / writes):,} pieces, as the rank's view of the file has gaps. In collective ones "
        f"(MPI_File_write_all, MPI_File_write_at_all) it can put the pieces of all ranks together into blocks."
    )
