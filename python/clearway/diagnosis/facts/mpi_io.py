"""Where the time in MPI-IO went: waiting for ranks that came later, in the files, and between the ranks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from clearway.base import quantities as q
from clearway.diagnosis.facts import Case
from clearway.diagnosis.finding import Evidence

KINDS = ("independent", "collective", "opening")


@dataclass(frozen=True, slots=True)
class MpiIo:
    """Rank-seconds of all ranks, and how often they called."""

    waited_s: float  # in collective calls, before the last rank had come
    in_files_s: float  # in libc's file functions, which the MPI called
    between_s: float  # the rest: moving data between ranks, agreeing, the MPI's own work
    collective: int  # reads and writes that ranks made together
    independent: int  # and by themselves


def mpi_io(case: Case) -> MpiIo | None:
    """None where no file was opened through MPI-IO, or the record is older than its account of these."""
    rows = [row for row in case.tables.mpi_calls if row.function_class == "mpi_io"]
    files = case.run.mpi_files
    if not rows or not len(files.data):
        return None
    in_files_s = sum(float(case.run.seconds(files.process, files.data[f"{kind}_file_ticks"]).sum()) for kind in KINDS)
    all_s, waited_s = sum(row.time_s for row in rows), sum(row.wait_s for row in rows)
    in_files_s = min(in_files_s, all_s - waited_s)

    def calls(kind: str) -> int:
        return int(files.data[f"{kind}_reads"].sum()) + int(files.data[f"{kind}_writes"].sum())

    return MpiIo(waited_s, in_files_s, all_s - waited_s - in_files_s, calls("collective"), calls("independent"))


def evidence(case: Case) -> Iterator[Evidence]:
    told = mpi_io(case)
    if told is None:
        return
    yield Evidence("MPI-IO: waiting for later ranks", f"{q.seconds(told.waited_s)} of all ranks", "events of the calls")
    yield Evidence(
        "MPI-IO: in the files", f"{q.seconds(told.in_files_s)} of all ranks", "file functions inside the calls"
    )
    yield Evidence("MPI-IO: between the ranks", f"{q.seconds(told.between_s)} of all ranks", "the rest of the calls")
    yield Evidence("reads and writes", f"{told.collective:,} collective, {told.independent:,} independent", "MPI calls")
