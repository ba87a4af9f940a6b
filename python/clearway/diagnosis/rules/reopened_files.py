"""Files are opened through MPI-IO and closed again and again, each time by all ranks together."""

from __future__ import annotations

from clearway.base import quantities as q
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.file_time import claims, in_reads_and_writes_s
from clearway.diagnosis.finding import Evidence
from clearway.diagnosis.rules import Suspicion

TITLE = "Files are opened through MPI-IO again and again"
REMEDIES = ()
OPENS, CLOSES = "MPI_File_open", "MPI_File_close"
MANY = 100  # by each rank
FEW_FILES = 0.1  # of the times that a file was opened: a new file must be opened


def examine(case: Case) -> Suspicion | None:
    """Claims the time in these calls, but for what one time for each file takes, and for waits for late ranks."""
    rows = {row.function: row for row in case.tables.mpi_calls if row.function in (OPENS, CLOSES)}
    all_s, files = in_reads_and_writes_s(case), len(set(case.run.mpi_files.data["path"].tolist()))
    opens = rows.get(OPENS)
    if opens is None or opens.count < MANY * case.ranks or all_s <= 0 or files == 0:  # an old record has no names
        return None
    a_rank = opens.count / case.ranks
    if files > FEW_FILES * a_rank:
        return None
    spent_s = sum(row.time_s - row.wait_s for row in rows.values())
    says = (
        f"Each rank opened {'one file' if files == 1 else f'{files:,} files'} {a_rank:,.0f} times through MPI-IO: "
        f"opening and closing one took {q.seconds(spent_s / a_rank / case.ranks)} each time. All ranks must "
        f"take part, look at the file and agree. Open each once and keep it open; MPI_File_sync makes others see what "
        f"was written."
    )
    evidence = tuple(
        Evidence(row.function, f"{q.seconds(row.time_s)} in {row.count:,} calls", "MPI calls, all ranks")
        for row in rows.values()
    )
    lost_s = spent_s * (1 - files / a_rank)
    return Suspicion(claims(case, min(lost_s / all_s, 1.0)), says, evidence, confidence=0.93)
