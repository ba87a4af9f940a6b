"""Time in file functions by what they were for, and the file systems that the files are on."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePath

import numpy as np
from numpy.typing import NDArray

from clearway.diagnosis.facts import Case
from clearway.run.layout import FILE_SYNCHRONOUS, text

LARGE_BYTES = 1 << 20  # moved per open: closing such a file writes data back, closing a small one is bookkeeping
NETWORK = ("nfs", "nfs4", "cifs", "smb3", "lustre", "gpfs", "beegfs", "ceph", "glusterfs", "pvfs2", "afs", "9p")


@dataclass(frozen=True, slots=True)
class FileTimes:
    """Seconds over all ranks by row of Run.files."""

    sync_s: NDArray[np.float64]  # until data is on the disk: fsync, and writes with O_SYNC
    metadata_s: NDArray[np.float64]  # opening, closing, looking for, renaming, deleting
    data_s: NDArray[np.float64]  # reading and writing


def file_times(case: Case) -> FileTimes:
    data, process = case.run.files.data, case.run.files.process

    def spent(*kinds: str) -> NDArray[np.float64]:
        seconds = (case.run.seconds(process, data[f"{kind}_ticks"]) for kind in kinds)
        return np.sum([*seconds], axis=0) if len(data) else np.zeros(0)

    synchronous = (data["flags"] & FILE_SYNCHRONOUS) != 0
    large = (data["read_bytes"] + data["written_bytes"]) >= LARGE_BYTES * np.maximum(data["opens"], 1)
    written_s, closed_s = spent("write"), spent("close")
    return FileTimes(
        sync_s=spent("sync") + np.where(synchronous, written_s, 0.0),
        metadata_s=spent("open", "metadata") + np.where(large, 0.0, closed_s),
        data_s=spent("read", "seek") + np.where(synchronous, 0.0, written_s) + np.where(large, closed_s, 0.0),
    )


def mpi_io_s(case: Case) -> float:
    return sum(row.time_s for row in case.tables.mpi_calls if row.function_class == "mpi_io")


def shares(case: Case) -> tuple[float, float, float]:
    """Of the loss to files: to syncing, to metadata, to moving data (and all of MPI-IO)."""
    times = file_times(case)
    sync_s, metadata_s = float(times.sync_s.sum()), float(times.metadata_s.sum())
    data_s = float(times.data_s.sum()) + mpi_io_s(case)
    all_s = sync_s + metadata_s + data_s
    return (sync_s / all_s, metadata_s / all_s, data_s / all_s) if all_s > 0 else (0.0, 0.0, 0.0)


def claims(case: Case, share: float) -> dict[str, float]:
    """That share of what files cost: their own time with the waits charged to it, and waits for ranks late in turns.

    A rank that reads longer than the others, now this one, now that one, delays them as computing of uneven length
    does: such waits are shared out by the time that the ranks spent on each.
    """
    lost = case.losses
    lates_s = lost.io_s + lost.compute_s + lost.core_wait_s + lost.stall_s + lost.transfer_s
    in_turns_s = lost.wait_s * lost.io_s / lates_s if lates_s > 0 else 0.0
    return {"io_s": share * lost.io_s, "wait_s": share * in_turns_s}


def worst_paths(case: Case, seconds: NDArray[np.float64], number: int = 3) -> list[tuple[str, float]]:
    """The files that took longest, over all ranks, with their seconds."""
    paths = case.run.files.data["path"]
    found, row = np.unique(paths, return_inverse=True)
    summed = np.bincount(row, seconds, minlength=len(found)) if len(found) else np.zeros(0)
    order = np.argsort(-summed, kind="stable")[:number]
    return [(text(found[at]), float(summed[at])) for at in order.tolist() if summed[at] > 0]


def file_system(case: Case, path: str) -> str:
    """What the file lies on: "nfs4 (server:/home)"; empty where the record does not tell."""
    best, said = -1, ""
    for kind, point, source in _mounts(fact for host in case.tables.hosts for fact in host.facts.items()):
        if PurePath(path).is_relative_to(point) and len(point) >= best:
            best, said = len(point), kind if source in (kind, "none") else f"{kind} ({source})"
    return said


def on_network(system: str) -> bool:
    return system.partition(" ")[0].startswith((*NETWORK, "fuse"))


def _mounts(facts: Iterable[tuple[str, str]]) -> Iterable[tuple[str, str, str]]:
    """Kind, mount point, source. The kernel writes a space in a name as \\040."""
    for name, value in facts:
        words = value.split(" ")
        if name.startswith("mount.") and len(words) == 3:
            yield words[0], words[1].replace("\\040", " "), words[2]
