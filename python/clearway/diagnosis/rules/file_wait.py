"""Ranks wait for data from files, or for files to take it."""

from __future__ import annotations

from collections.abc import Iterator

from clearway.base import quantities as q
from clearway.base.whole import is_whole
from clearway.diagnosis.facts import Case, mpi_io, mpi_requests
from clearway.diagnosis.facts.counters import process_rises
from clearway.diagnosis.facts.file_time import (
    claims,
    file_system,
    file_times,
    mpi_io_s,
    on_network,
    read_anew,
    shares,
    worst_paths,
)
from clearway.diagnosis.facts.scratch import MEMORY_BYTES_PER_S
from clearway.diagnosis.facts.tables.files import File
from clearway.diagnosis.finding import Evidence
from clearway.diagnosis.rules import Suspicion
from clearway.run.layout import FILE_STDIO

TITLE = "Ranks wait for files"
REMEDIES = ("checkpoint-interval", "io-cache", "local-scratch", "mpi-io")
WORTH_NAMING = 0.05  # of the time in reading and writing
AGAIN = 2.0  # times over: what is read as often is worth keeping in memory


def examine(case: Case) -> Suspicion | None:
    """Claims what was lost to reading and writing, but for prints and tiny writes. Run delay is no part of it."""
    data = shares(case).data
    lost_s = case.losses.io_s * data
    if lost_s <= 0:
        return None
    spent_s = file_times(case).data_s
    worst = [(path, seconds) for path, seconds in worst_paths(case, spent_s) if seconds > WORTH_NAMING * spent_s.sum()]
    rows = {file.path: file for file in case.tables.files}
    evidence = [
        Evidence("in reading and writing", f"{case.tables.ledger.io_s * data:.2f} rank-seconds", "ledger: file I/O"),
        *(_file(case, rows[path], seconds) for path, seconds in worst),
        *mpi_io.evidence(case),
        *mpi_requests.evidence(case),
        *(_from_the_disk(case) if not worst or any(rows[path].bytes_read for path, _ in worst) else ()),
        *_memory(case),
    ]
    says = " ".join(filter(None, (_says(case, rows, worst), mpi_requests.advice(case))))
    return Suspicion(claims(case, data), says, tuple(evidence), confidence=0.9)


def _file(case: Case, file: File, seconds: float) -> Evidence:
    moved = file.bytes_read + file.bytes_written
    rate = f", {q.bytes_(moved / seconds)}/s" if moved else ""
    again = f", read {file.reread_factor:.1f} times over" if (file.reread_factor or 0) >= 1.5 else ""
    system = file_system(case, file.path) or "unknown file system"
    return Evidence(file.path, f"{q.seconds(seconds)}, {q.bytes_(moved)}{rate}{again}", system)


def _from_the_disk(case: Case) -> Iterator[Evidence]:
    share = _fetched(case)
    if share > 0:
        yield Evidence("of the reads came from a disk", q.percent(share), "/proc/self/io over the ranks' reads")


def _fetched(case: Case) -> float:
    """What came from a local disk came from no page cache. The block layer does not see network file systems."""
    read = sum(file.bytes_read for file in case.tables.files)
    fetched = sum(process_rises(case, "process.read_bytes").values())
    return min(fetched / read, 1.0) if read > 0 else 0.0


def _memory(case: Case) -> Iterator[Evidence]:
    limit = case.fact("process.cgroup_memory_bytes")
    if limit and is_whole(limit):
        yield Evidence("memory of the control group", q.bytes_(int(limit)), "memory.max: page cache included")


def _says(case: Case, rows: dict[str, File], worst: list[tuple[str, float]]) -> str:
    if not worst:
        return _of_no_file(case, rows)
    path, seconds = worst[0]
    file, system = rows[path], file_system(case, path)
    said = [f"Ranks waited {_doing(file)}, longest {path}{f' on {system}' if system else ''}."]
    if on_network(system):
        said.append("It is on a network file system, which other jobs may use at the same time.")
    if (file.reread_factor or 0) >= AGAIN and _fetched(case) > 0.5:
        said.append(
            f"It was read {file.reread_factor:.1f} times over, and {q.percent(_fetched(case))} of all that the ranks "
            f"read came from a disk. If the file is kept in memory, it is read from the disk only once."
        )
    if (file.reread_factor or 0) >= AGAIN and file.bytes_read + file.bytes_written > MEMORY_BYTES_PER_S * seconds:
        said.append(
            "It was read at the speed of memory: the kernel's page cache holds it, and another cache is hardly faster."
        )
    if again := read_anew(file):
        said.append(again)
    if file.deleted and file.bytes_written:
        said.append("It was deleted before the end: a scratch file that need not have reached a disk.")
        if _is_stream(case, path):
            said.append(
                "It is written through C's stdio, which the I/O cache does not support: put it on a local disk, or in "
                "memory (TMPDIR)."
            )
    return " ".join(said)


def _of_no_file(case: Case, rows: dict[str, File]) -> str:
    """No file took a share worth naming: the time is the MPI's own, or that of a great many files."""
    times = worst_paths(case, file_times(case).data_s, len(rows))
    if mpi_io_s(case) >= sum(seconds for _, seconds in times):
        return "Ranks waited in MPI-IO calls."
    where: dict[str, float] = {}
    for path, seconds in times:
        system = file_system(case, path) or "an unknown file system"
        where[system] = where.get(system, 0.0) + seconds
    worst = max(where, key=lambda system: where[system])
    network = " It is a network file system, which other jobs may use at the same time." if on_network(worst) else ""
    return (
        f"Ranks waited for {len(times):,} files, none of which took more than {q.percent(WORTH_NAMING)} of that time, "
        f"most of them on {worst}.{network} Programs do so when they start: they read libraries, or Python's modules."
    )


def _is_stream(case: Case, path: str) -> bool:
    data = case.run.files.data
    return bool((data["flags"][data["path"] == path.encode()] & FILE_STDIO).any())


def _doing(file: File) -> str:
    if file.bytes_read and file.bytes_written:
        return "reading and writing"
    return "writing" if file.bytes_written else "reading"
