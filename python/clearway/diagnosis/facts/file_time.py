"""Time in file functions by what they were for, and the file systems that the files are on."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePath

import numpy as np
from numpy.typing import NDArray

from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.mpi_io import mpi_io
from clearway.diagnosis.facts.once import once
from clearway.diagnosis.facts.output import is_output
from clearway.diagnosis.facts.part_of_loss import waits_without_cause_s
from clearway.diagnosis.facts.tables.files import TIMES, File
from clearway.ledger.cpu_time import SHORTEST_CALL_S
from clearway.run.layout import FILE_LINES, FILE_STDIO, FILE_SYNCHRONOUS, FILE_UNBUFFERED, text

LARGE_BYTES = 1 << 20  # moved per open: closing such a file writes data back, closing a small one is bookkeeping
SMALL_BYTES = 512  # written by a call: the call then takes longer than the bytes do
TEXT_BYTES = 128  # moved by a call: a few numbers
# Recorded, `fprintf` of a number took 250 (AMD EPYC) to 630 ns (Intel Xeon), `fscanf` 320; `fwrite`, `fputs`, `fgets`
# up to 125.
TEXT_CALL_S = 180e-9
MANY_CALLS = 10_000  # of one rank to one file
BYTES_PER_S = 3e9  # of large writes into the page cache
NO_FILES = ("/proc", "/sys")  # the kernel's own answers; an MPI reads thousands while it starts
OFTEN = 5.0  # times over, by one rank
FLUSHES = "MPI_File_sync"
NETWORK = ("nfs", "nfs4", "cifs", "smb3", "lustre", "gpfs", "beegfs", "ceph", "glusterfs", "pvfs2", "afs", "9p")


@dataclass(frozen=True, slots=True)
class FileTimes:
    """Seconds over all ranks by row of Run.files."""

    sync_s: NDArray[np.float64]  # until data is on the disk: fsync, and writes with O_SYNC
    metadata_s: NDArray[np.float64]  # opening, closing, looking for, renaming, deleting
    output_s: NDArray[np.float64]  # printing: to standard output and error, to the program's own log
    small_s: NDArray[np.float64]  # writing a few bytes a call: what large writes would not have taken
    small_reads_s: NDArray[np.float64]  # the same of reading, as far as the rank's core worked for it
    text_s: NDArray[np.float64]  # in the C library itself, which makes text of numbers, or numbers of text
    data_s: NDArray[np.float64]  # reading and writing besides, without what the C library only copies in its memory


@dataclass(frozen=True, slots=True)
class Shares:
    """Of the loss to files; they add up to 1 at most, or are all 0. `data` has all of MPI-IO but its flushes, `kernel`
    what the kernel says of itself (NO_FILES).

    What is missing from 1 is time in calls of which no row tells: no finding may claim that.
    """

    sync: float = 0.0
    metadata: float = 0.0
    output: float = 0.0
    small: float = 0.0
    small_reads: float = 0.0
    text: float = 0.0
    kernel: float = 0.0
    data: float = 0.0
    locks: float = 0.0


@once
def file_times(case: Case) -> FileTimes:
    data, process = case.run.files.data, case.run.files.process

    are_files = ~_are_of_the_kernel(case)

    def spent(*kinds: str) -> NDArray[np.float64]:
        seconds = (case.run.seconds(process, data[f"{kind}_ticks"]) for kind in kinds)
        return are_files * np.sum([*seconds], axis=0) if len(data) else np.zeros(0)

    synchronous = (data["flags"] & FILE_SYNCHRONOUS) != 0
    large = (data["read_bytes"] + data["written_bytes"]) >= LARGE_BYTES * np.maximum(data["opens"], 1)
    written_s, closed_s = spent("write"), spent("close")
    sync_s = spent("sync") + np.where(synchronous, written_s, 0.0)
    written_s = np.where(synchronous, 0.0, written_s)
    output_s = np.where(is_output(case), written_s, 0.0)
    written_s = written_s - output_s
    small_s = np.where(writes_little(case), np.maximum(written_s - data["written_bytes"] / BYTES_PER_S, 0.0), 0.0)
    read_s, at_work = spent("read", "seek"), at_work_share(case)[process]
    few_bytes = reads_little(case)
    small_reads_s = np.where(few_bytes, np.maximum(read_s * at_work - data["read_bytes"] / BYTES_PER_S, 0.0), 0.0)
    moved_s = read_s - small_reads_s + written_s - small_s
    worked_s = moved_s * at_work
    text_s = np.where(_makes_text(case, worked_s) & ~few_bytes, worked_s, 0.0)
    copied_s = np.where(_copies_little(case), worked_s, 0.0)
    return FileTimes(
        sync_s=sync_s,
        metadata_s=spent("open", "metadata") + np.where(large, 0.0, closed_s),
        output_s=output_s,
        small_s=small_s,
        small_reads_s=small_reads_s,
        text_s=text_s,
        data_s=moved_s - np.maximum(text_s, copied_s) + np.where(large, closed_s, 0.0),
    )


def kernel_s(case: Case) -> NDArray[np.float64]:
    """By row of Run.files: in calls for files that the kernel makes up while they are read."""
    data, process = case.run.files.data, case.run.files.process
    seconds = sum((case.run.seconds(process, data[name]) for name in TIMES), np.zeros(len(data)))
    result: NDArray[np.float64] = np.where(_are_of_the_kernel(case), seconds, 0.0)
    return result


def at_work_share(case: Case) -> NDArray[np.float64]:
    """By process: of its main thread's time in file functions, what its core worked for it, at least.

    Whatever time the thread neither ran, nor was ready to run, nor was blocked elsewhere it may have waited for a file.
    """
    cells, processes = case.run.threads.data, case.run.processes
    io_s = case.books.ledger["io_s"]
    elsewhere_s = (cells["cpu_ns"] + cells["run_delay_ns"] + cells["blocked_outside_ns"]) * 1e-9
    elsewhere_s += _blocked_in_mpi_s(case)
    waited_s = np.clip(processes["end_s"] - processes["begin_s"] - elsewhere_s, 0.0, None)
    result: NDArray[np.float64] = np.clip(1 - waited_s / np.maximum(io_s, 1e-12), 0.0, 1.0)
    return result


def _blocked_in_mpi_s(case: Case) -> NDArray[np.float64]:
    """By process, at least: MPI_Init waits for the launcher. Of short calls the CPU time is not known."""
    calls, cells = case.run.calls, case.run.threads.data
    process = calls.process[calls.main]
    long_s = (
        case.run.seconds(process, calls.data["ticks"][calls.main]) - SHORTEST_CALL_S * calls.data["count"][calls.main]
    )
    mpi_s = np.bincount(process, long_s, minlength=case.ranks)
    result: NDArray[np.float64] = np.clip(
        mpi_s - (cells["cpu_in_mpi_ns"] + cells["run_delay_in_mpi_ns"]) * 1e-9, 0.0, None
    )
    return result


def _copies_little(case: Case) -> NDArray[np.bool_]:
    """By row of Run.files: many calls of C's stdio, of few bytes each: their cores wait for no file."""
    data = case.run.files.data
    calls = data["reads"].astype(np.float64) + data["writes"]
    little = data["read_bytes"] + data["written_bytes"] < TEXT_BYTES * calls
    result: NDArray[np.bool_] = _kept_back(case) & little & (calls >= MANY_CALLS) & ~reads_little(case)
    return result


def _makes_text(case: Case, worked_s: NDArray[np.float64]) -> NDArray[np.bool_]:
    """By row of Run.files: many calls of C's stdio, of few bytes each, which the library keeps together.

    To copy so few takes a core next to no time. `worked_s`: in them, without waits for files, but with run delay.
    """
    data, process = case.run.files.data, case.run.files.process
    calls = data["reads"].astype(np.float64) + data["writes"]
    little = data["read_bytes"] + data["written_bytes"] < TEXT_BYTES * calls
    cells = case.run.threads.data
    in_calls_s = case.run.seconds(case.run.threads.process, cells["io_ticks"])
    running = np.clip(1 - cells["run_delay_in_io_ns"] * 1e-9 / np.maximum(in_calls_s, 1e-12), 0.0, 1.0)
    slow = worked_s * running[process] >= TEXT_CALL_S * calls
    result: NDArray[np.bool_] = _kept_back(case) & little & slow & (calls >= MANY_CALLS)
    return result


def _are_of_the_kernel(case: Case) -> NDArray[np.bool_]:
    return np.isin(case.run.files.data["path"], [name.encode() for name in NO_FILES])


def _kept_back(case: Case) -> NDArray[np.bool_]:
    flags = case.run.files.data["flags"]
    result: NDArray[np.bool_] = (flags & (FILE_STDIO | FILE_UNBUFFERED | FILE_LINES)) == FILE_STDIO
    return result


def synchronous_writes(case: Case) -> int:
    """Writes that return when the disk has the data, over all ranks."""
    data = case.run.files.data
    return int(data["writes"][(data["flags"] & FILE_SYNCHRONOUS) != 0].sum())


def writes_little(case: Case) -> NDArray[np.bool_]:
    """By row of Run.files: many writes of few bytes each, that come to the kernel one by one.

    A stream that keeps bytes back until there are many makes few writes of many prints.
    """
    data = case.run.files.data
    little = data["written_bytes"] < SMALL_BYTES * data["writes"].astype(np.float64)
    result: NDArray[np.bool_] = little & (data["writes"] >= MANY_CALLS) & ~_kept_back(case)
    return result


def reads_little(case: Case) -> NDArray[np.bool_]:
    """By row of Run.files: many reads of few bytes each, of which each asks the kernel.

    A stream reads a block ahead, and gives it up where the program seeks.
    """
    data = case.run.files.data
    little = data["read_bytes"] < SMALL_BYTES * data["reads"].astype(np.float64)
    one_by_one = ~_kept_back(case) | seeks_often(case)
    result: NDArray[np.bool_] = little & (data["reads"] >= MANY_CALLS) & one_by_one
    return result


def seeks_often(case: Case) -> NDArray[np.bool_]:
    """By row of Run.files: for every second read, at least."""
    data = case.run.files.data
    result: NDArray[np.bool_] = 2.0 * data["seeks"] >= np.maximum(data["reads"], 1)
    return result


def mpi_io_s(case: Case) -> float:
    """In MPI-IO, but for waiting there for ranks that came later."""
    return sum(row.time_s - row.wait_s for row in case.tables.mpi_calls if row.function_class == "mpi_io")


def mpi_syncs_s(case: Case) -> float:
    """Of it, in calls that flush a file, or agree among the ranks that it is flushed."""
    return sum(row.time_s - row.wait_s for row in case.tables.mpi_calls if row.function == FLUSHES)


def in_reads_and_writes_s(case: Case) -> float:
    """Of all ranks, in MPI-IO and outside it; what MPI-IO spent in the files counts once."""
    told = mpi_io(case)
    times = file_times(case)
    return (
        mpi_io_s(case)
        - (told.in_files_s if told else 0.0)
        + float((times.small_reads_s + times.text_s + times.data_s).sum())
    )


@once
def shares(case: Case) -> Shares:
    times = file_times(case)
    parts = [
        float(part.sum())
        for part in (
            times.sync_s,
            times.metadata_s,
            times.output_s,
            times.small_s,
            times.small_reads_s,
            times.text_s,
            kernel_s(case),
            times.data_s,
        )
    ]
    told = mpi_io(case)  # what the MPI spent in the files is among their time already
    between_s = mpi_io_s(case) - (told.in_files_s if told else 0.0)
    of_flushes_s = min(max(mpi_syncs_s(case) - parts[0], 0.0), between_s)
    parts[0] += of_flushes_s
    parts[-1] += between_s - of_flushes_s
    # Calls for locks are among those that move no data; who waits in them waits for another process.
    locked_s = sum(row.seconds for row in case.tables.blocked if (row.line, row.activity) == ("io_s", "lock"))
    locked_s = min(locked_s, parts[1])
    parts[1] -= locked_s
    parts.append(locked_s)
    all_s = max(sum(parts), case.tables.ledger.io_s)
    return Shares(*(part / all_s for part in parts)) if all_s > 0 else Shares()


def claims(case: Case, share: float) -> dict[str, float]:
    """That share of what files cost: their own time with the waits charged to it, and waits for ranks late in turns.

    A rank that reads longer than the others, now this one, now that one, delays them as computing of uneven length
    does: such waits are shared out by the time that the ranks spent on each.
    """
    lost = case.losses
    lates_s = lost.io_s + lost.compute_s + lost.core_wait_s + lost.stall_s + lost.transfer_s
    in_turns_s = waits_without_cause_s(case) * lost.io_s / lates_s if lates_s > 0 else 0.0
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
    path = str(PurePath(case.fact("process.cwd") or "") / path)  # as the program gave it: "results/out"
    for kind, point, source in _mounts(fact for host in case.tables.hosts for fact in host.facts.items()):
        if PurePath(path).is_relative_to(point) and len(point) >= best:
            best, said = len(point), kind if source in (kind, "none") else f"{kind} ({source})"
    return said


def read_anew(file: File) -> str:
    """Advice on a file that holds the same each time that it is read; empty on others."""
    if (file.reread_factor or 0) < OFTEN or file.bytes_written:
        return ""
    return (
        f"It was read {file.reread_factor:.0f} times over, and no rank wrote to it. If it does not change, read it "
        f"once and keep what it holds: that spares what the program makes of it each time as well."
    )


def on_network(system: str) -> bool:
    return system.partition(" ")[0].startswith((*NETWORK, "fuse"))


def _mounts(facts: Iterable[tuple[str, str]]) -> Iterable[tuple[str, str, str]]:
    """Kind, mount point, source. The kernel writes a space in a name as \\040."""
    for name, value in facts:
        words = value.split(" ")
        if name.startswith("mount.") and len(words) == 3:
            yield words[0], words[1].replace("\\040", " "), words[2]
