"""Files that a job made for itself and read again: what they would gain in memory, and how much of it they need."""

from __future__ import annotations

import math
import os
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePath

import numpy as np

from clearway.base.whole import is_whole
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.file_time import SMALL_BYTES, file_times
from clearway.run.layout import (
    FILE_DELETED,
    FILE_DIRECT,
    FILE_EXISTED,
    FILE_PATH_CUT,
    FILE_SHARED,
    FILE_STDIO,
    FILE_SYNCHRONOUS,
    FILE_WRITTEN,
    text,
)

GROWTH_S = 1.5e-6  # of a call that makes a file longer: on ext4 (docs/io-cache-files.md)
MEMORY_BYTES_PER_S = 1e9  # of reads and writes there, cautiously
UNSUITED = FILE_DIRECT | FILE_PATH_CUT | FILE_SHARED | FILE_STDIO | FILE_SYNCHRONOUS  # to be served by a library
IN_MEMORY = ("/dev/shm/", "/run/")


@dataclass(frozen=True, slots=True)
class ScratchFile:
    """One file, over all processes that opened it."""

    path: str
    size_bytes: int
    data_s: float  # in reading and writing it
    write_s: float  # the part of it that was writing
    read_bytes: int
    written_bytes: int
    deleted: bool
    writes: int = 0

    @property
    def kept_s(self) -> float:
        """In memory: what programs move goes at its speed; what outlives them is written once, as fast as now, but
        where a call wrote little, in fewer calls. Each call that makes it longer tells the file system so, at once."""
        moved_s = (self.read_bytes + self.written_bytes) / MEMORY_BYTES_PER_S
        longer = min(1.0, self.size_bytes / self.written_bytes) if self.written_bytes else 0.0  # of the writes
        once = 0.0 if self.deleted else longer
        calls = min(1.0, self.written_bytes / max(self.writes, 1) / SMALL_BYTES)
        return moved_s + once * calls * self.write_s + longer * self.writes * GROWTH_S

    @property
    def gain_s(self) -> float:
        return self.data_s - self.kept_s


def scratch_files(case: Case) -> tuple[ScratchFile, ...]:
    """Those that would gain in memory, the largest gain first."""
    files = case.run.files
    times = file_times(case)
    write_s = case.run.seconds(files.process, files.data["write_ticks"]) if len(files) else np.zeros(0)
    rows: dict[str, list[int]] = defaultdict(list)
    for row, path in enumerate(files.data["path"].tolist()):
        rows[text(path)].append(row)
    found = []
    together = _opened_together(case)
    for path, at in rows.items():
        cells = files.data[at]
        flags = int(np.bitwise_or.reduce(cells["flags"]))
        new = bool((~cells["flags"] & FILE_EXISTED).any())  # to one of its processes, which made it
        if not new or not flags & FILE_WRITTEN or flags & UNSUITED or cells["mapped_bytes"].any():
            continue
        if path in together:
            continue
        if not path.startswith("/") or path.startswith(IN_MEMORY):  # "(other files)" are no file
            continue
        found.append(
            ScratchFile(
                path=path,
                size_bytes=int(cells["extent_bytes"].max()),
                data_s=float(times.data_s[at].sum() + times.small_s[at].sum()),
                write_s=float(write_s[at].sum()),
                read_bytes=int(cells["read_bytes"].sum()),
                written_bytes=int(cells["written_bytes"].sum()),
                deleted=bool(flags & FILE_DELETED),
                writes=int(cells["writes"].sum()),
            )
        )
    return tuple(sorted((one for one in found if one.gain_s > 0), key=lambda one: -one.gain_s))


def _opened_together(case: Case) -> set[str]:
    """Files that several processes have open at one time, through MPI-IO: no process may have one in its memory."""
    files, folder = case.run.mpi_files, PurePath(case.fact("process.cwd") or "/")
    processes: dict[str, set[int]] = defaultdict(set)
    for process, path in zip(files.process.tolist(), files.data["path"].tolist(), strict=True):
        processes[os.path.normpath(folder / text(path))].add(process)
    return {path for path, those in processes.items() if len(those) > 1}


def needed_bytes(case: Case, files: Iterable[ScratchFile]) -> int:
    """Of the memory of one host, for all of them. A file counts for each process that has it open, to be sure."""
    wanted = {one.path.encode() for one in files}
    run = case.run
    by_process = np.zeros(len(run.processes))
    for process, cell in zip(run.files.process.tolist(), run.files.data, strict=True):
        if bytes(cell["path"]) in wanted:
            by_process[process] += float(cell["extent_bytes"])
    if run.processes["world_size"].max() <= 1:  # programs that run one after the other, and hand files on
        return int(sum(one.size_bytes for one in files))
    return int(np.bincount(run.processes["host"], weights=by_process).max())


def budget_bytes(case: Case) -> int:
    """Memory that the I/O cache of this job has on one host; 0 where there is none."""
    cache = case.tables.io_cache
    if cache is None:
        return 0
    had, run = case.run.io_cache, case.run
    if run.processes["world_size"].max() <= 1 or not len(had.data):
        return cache.budget_bytes
    bytes_had = had.data["peak_records"] * had.data["record_bytes"]  # more in all where each rank has memory of its own
    return max(cache.budget_bytes, int(np.bincount(run.processes["host"][had.process], weights=bytes_had).max()))


def spare_bytes(case: Case) -> int | None:
    """Memory that the cache may take: half of what the least of the hosts, or of the control groups, had to spare."""
    spare = [
        available for host in case.run.hosts if (available := host.counters.get("memory.available_bytes", (0, 0))[0])
    ]
    limit = case.fact("process.cgroup_memory_bytes")
    if limit and is_whole(limit):
        spare.append(int(limit))
    return min(spare) // 2 if spare else None


def as_option(size_bytes: float) -> str:
    """A size as `--io-cache` takes it, rounded up to two digits: "78Mi", "1300Mi"."""
    mib = max(1, math.ceil(size_bytes / (1 << 20)))
    unit = 10 ** max(0, len(str(mib)) - 2)
    return f"{math.ceil(mib / unit) * unit}Mi"
