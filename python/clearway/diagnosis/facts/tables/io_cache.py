"""What the I/O cache did, how large it should have been, and what other sizes would have given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clearway.diagnosis.facts.tables.job import Job
from clearway.run import Run
from clearway.run.layout import text

HARDLY_MORE = 1.02  # times what has to be moved anyhow


@dataclass(frozen=True, slots=True)
class IoCacheSize:
    """What caches of another size would have done with the same reads and writes."""

    size_bytes: int  # memory of each process
    fetched_records: int  # records read from files, over all processes
    stored_records: int  # records written to files
    wall_s: float | None  # wall-clock of the job, estimated from the time of file accesses in this one


@dataclass(frozen=True, slots=True)
class IoCache:
    """What the I/O cache did with scratch files, over all processes that had some."""

    processes: int
    budget_bytes: int  # memory that one process may use if the other processes of its host need none
    record_bytes: int
    records: int  # records that fit into the memory of the process with most
    peak_records: int  # most records held by one process
    read_records: int  # records that the programs read
    fetched_records: int  # of these, records read from files
    written_records: int  # records that the programs wrote
    stored_records: int  # records written to files
    file_s: float | None  # time reading and writing files, over all processes
    evicted_serial: int  # evicted records of files that are read or written in order
    evicted_other: int
    lookups: int  # lookups in the hash table
    conflicts: int  # lookups that met another record first
    files: int  # files cached
    deleted_files: int  # cached files deleted before the end
    left_files: int  # cached files given back to the kernel
    store_errors: int  # writes to files that failed
    policy: str  # policy that decides what is evicted
    fits: bool  # there was always room for every record
    enough_bytes: int | None  # smallest memory with which hardly more than the minimum would have been read from files
    enough_wall_s: float | None  # wall-clock that the job would have had with it
    sizes: tuple[IoCacheSize, ...]  # the smallest first


def io_cache(run: Run, job: Job) -> IoCache | None:
    """None where no process had one."""
    cells = run.io_cache.data
    if not len(cells):
        return None

    def total(name: str) -> int:
        return int(cells[name].sum())

    largest = cells[np.argmax(cells["peak_records"])]
    spent_s = (total("fetch_ns") + total("store_ns")) * 1e-9
    moved = total("fetched_records") + total("stored_records")
    at_once = max(1, int(run.processes["world_size"].max()))  # programs without MPI run one after the other
    cost_s = spent_s / moved / at_once if moved and spent_s else None
    sizes = _sizes(run, None if cost_s is None else (job.wall_s - cost_s * moved, cost_s))
    enough = _enough(sizes)
    return IoCache(
        processes=len(cells),
        budget_bytes=int(largest["budget_bytes"]),
        record_bytes=int(largest["record_bytes"]),
        records=int(largest["records"]),
        peak_records=int(cells["peak_records"].max()),
        read_records=total("read_records"),
        fetched_records=total("fetched_records"),
        written_records=total("written_records"),
        stored_records=total("stored_records"),
        file_s=spent_s if spent_s or not moved else None,
        evicted_serial=total("evicted_serial"),
        evicted_other=total("evicted_other"),
        lookups=total("lookups"),
        conflicts=total("conflicts"),
        files=total("files"),
        deleted_files=total("deleted_files"),
        left_files=total("left_files"),
        store_errors=total("store_errors"),
        policy=text(bytes(largest["policy"])),
        fits=bool((cells["peak_records"] < cells["records"]).all()),
        enough_bytes=enough.size_bytes if enough else None,
        enough_wall_s=enough.wall_s if enough else None,
        sizes=sizes,
    )


def _sizes(run: Run, cost: tuple[float, float] | None) -> tuple[IoCacheSize, ...]:
    """The processes' curves added up. `cost`: seconds of the job without files, and for each record that moves."""
    data, process = run.io_sizes.data, run.io_sizes.process
    grid = np.unique(data["size_bytes"])
    fetched, stored = np.zeros(len(grid)), np.zeros(len(grid))
    for one in np.unique(process):
        curve = np.sort(data[process == one], order="size_bytes")
        fetched += _at(grid, curve, "fetched_records")
        stored += _at(grid, curve, "stored_records")
    return tuple(
        IoCacheSize(
            size_bytes=int(size),
            fetched_records=int(fetches),
            stored_records=int(stores),
            wall_s=None if cost is None else cost[0] + cost[1] * float(fetches + stores),
        )
        for size, fetches, stores in zip(grid.tolist(), fetched.tolist(), stored.tolist(), strict=True)
    )


def _at(grid: NDArray[np.uint64], curve: NDArray[np.void], name: str) -> NDArray[np.float64]:
    """A curve at the sizes of a grid: its value at the next smaller size of its own."""
    at = np.searchsorted(curve["size_bytes"], grid, side="right") - 1
    return curve[name][np.maximum(at, 0)].astype(np.float64)


def _enough(sizes: Sequence[IoCacheSize]) -> IoCacheSize | None:
    """The smallest size that moves hardly more than the largest."""
    if not sizes:
        return None
    least = sizes[-1].fetched_records + sizes[-1].stored_records
    return next(one for one in sizes if one.fetched_records + one.stored_records <= HARDLY_MORE * least)
