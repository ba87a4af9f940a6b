"""The memory of other ranks is accessed a few bytes at a time."""

from __future__ import annotations

from clearway.base import quantities as q
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.tables.calls import CallRow
from clearway.diagnosis.finding import Evidence
from clearway.diagnosis.rules import Suspicion
from clearway.run.layout import FunctionClass

TITLE = "Memory of other ranks is accessed a few bytes at a time"
REMEDIES = ()
SMALL_BYTES = 1024  # on average
MANY = 1000  # by each rank: a few per step are what a program needs
COPIED_BYTES_PER_S = 1e9  # at least, by one large access inside a host
EACH = ("MPI_Win_lock", "MPI_Win_unlock", "MPI_Win_flush", "MPI_Win_flush_local")  # are called for single accesses
TOGETHER = ("MPI_Win_fence", "MPI_Win_complete", "MPI_Win_wait")  # end what all ranks did to a window
NEARLY_EACH = 0.5  # so many accesses at least, as such calls: then they are made for single ones, too


def examine(case: Case) -> Suspicion | None:
    """Claims what the small accesses took, with their locks and flushes, beyond what one copy of all bytes would have.

    Not the waits for targets that compute, which another rule has.
    """
    name = FunctionClass.ONE_SIDED.name.lower()
    rows = [row for row in case.tables.mpi_calls if row.function_class == name]
    accesses = [row for row in rows if row.bytes > 0]
    count, bytes_ = sum(row.count for row in accesses), sum(row.bytes for row in accesses)
    if count < MANY * case.ranks or bytes_ > SMALL_BYTES * count:
        return None
    fences = [row for row in rows if row.function in TOGETHER and row.count > NEARLY_EACH * count]
    with_locks = accesses + [row for row in rows if row.function in EACH] + fences
    lost_s = sum(row.transfer_s for row in with_locks) - bytes_ / COPIED_BYTES_PER_S
    if lost_s <= 0:
        return None
    most = max(accesses, key=lambda row: row.count)
    synchronise = "fence" if fences else "lock or flush"
    says = (
        f"{q.count(count)} accesses to the memory of other ranks moved {q.bytes_(bytes_ / count)} each, most of them "
        f"by {most.function}. Each call has a fixed cost, however few bytes it moves. Combine them in the program: one "
        f"call with a larger count or a derived datatype, and one {synchronise} for many calls. With Global Arrays "
        f"(NWChem), use larger tasks and patches, or fewer ranks."
    )
    return Suspicion({"transfer_s": lost_s}, says, tuple(_evidence(row) for row in with_locks), confidence=0.6)


def _evidence(row: CallRow) -> Evidence:
    each = q.seconds(row.transfer_s / row.count)
    return Evidence(f"moving data in {row.function}", f"{row.transfer_s:.2f} rank-seconds", f"{row.count:,} × {each}")
