"""Open MPI's OMPIO reads and writes the files of MPI-IO, on a network file system or slowly."""

from __future__ import annotations

from clearway.base import quantities as q
from clearway.diagnosis.facts import Case, mpi_io, mpi_requests
from clearway.diagnosis.facts.file_time import (
    FLUSHES,
    claims,
    file_system,
    in_reads_and_writes_s,
    mpi_io_s,
    mpi_syncs_s,
    on_network,
)
from clearway.diagnosis.facts.open_mpi import uses_ompio
from clearway.diagnosis.finding import Evidence
from clearway.diagnosis.rules import Suspicion

TITLE = "Open MPI's OMPIO is slow on this file system"
ELSEWHERE = "MPI-IO by Open MPI's OMPIO is slow"
REMEDIES = ("mpi-io", "local-scratch")
MOST_OF_IT = 0.5  # of the time in files
NETWORK_WORDS = (
    "Open MPI writes such files with OMPIO, which there locks them and splits them into small pieces. ROMIO, which "
    "Open MPI also has, was up to a hundred times as fast on such file systems: it is worth a try."
)
OTHER_WORDS = (  # what of it is OMPIO's, what the file system's and what the program's small accesses, is not known
    "Open MPI reads and writes such files with OMPIO. It also has ROMIO: only a trial shows which is faster here."
)
SLOW_BYTES_PER_S = 50e6  # of all ranks together, while one of them at least is in a call
SHOWN = 3


def examine(case: Case) -> Suspicion | None:
    """Claims what the calls of MPI-IO took: a bound, for the file itself has a part in it.

    Those that flush wait for the disk, whichever library asks (rule sync-storm).
    """
    spent_s = mpi_io_s(case) - mpi_syncs_s(case)
    all_s = in_reads_and_writes_s(case)
    if not uses_ompio(case) or spent_s <= 0 or spent_s <= MOST_OF_IT * all_s:
        return None
    system = file_system(case, case.fact("process.cwd") or "")
    rows = [row for row in case.tables.mpi_calls if row.function_class == "mpi_io" and row.function != FLUSHES]
    moved = sum(row.bytes for row in rows)
    rate = moved * case.ranks / spent_s
    if not on_network(system) and (not moved or rate > SLOW_BYTES_PER_S):
        return None
    where = f"the job's folder is on {system}" if system else "its file system is not known"
    says = (
        f"{q.seconds(spent_s / case.ranks)} per rank went into MPI_File calls, at {q.bytes_(rate)} a second in all; "
        f"{where}. {NETWORK_WORDS if on_network(system) else OTHER_WORDS}"
    )
    evidence = (
        *(
            Evidence(
                row.function, f"{q.seconds(row.time_s)} in {row.count:,} calls, {q.bytes_(row.bytes)}", "MPI calls"
            )
            for row in sorted(rows, key=lambda row: -row.time_s)[:SHOWN]
        ),
        *mpi_io.evidence(case),
        *mpi_requests.evidence(case),
        *([Evidence("the job's folder", system, "mounts of the host")] if system else []),
    )
    title = "" if on_network(system) else ELSEWHERE
    return Suspicion(claims(case, spent_s / all_s), says, evidence, confidence=0.91, title=title)
