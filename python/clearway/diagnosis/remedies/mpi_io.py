"""The other of Open MPI's two ways to write files through MPI: ROMIO instead of its own OMPIO, or the reverse."""

from __future__ import annotations

from clearway.base import quantities as q
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.file_time import in_reads_and_writes_s, mpi_io_s, mpi_syncs_s
from clearway.diagnosis.facts.open_mpi import is_told_romio
from clearway.diagnosis.finding import Finding
from clearway.diagnosis.remedies import Offer
from clearway.job.change import Change

EXCLUDES: frozenset[str] = frozenset()
MOST_OF_IT = 0.5  # of the time in reading and writing


def offer(case: Case, finding: Finding) -> Offer | None:
    """No gain is promised: on NFS and Lustre it has been a factor of a hundred (open-mpi/ompi#4446), elsewhere none."""
    spent_s = mpi_io_s(case) - mpi_syncs_s(case)  # these wait for the disk with either
    if case.family != "openmpi" or spent_s <= MOST_OF_IT * in_reads_and_writes_s(case):
        return None
    romio = is_told_romio(case)
    return Offer(
        what=f"use {'OMPIO' if romio else 'ROMIO'} for MPI-IO",
        why=f"{q.seconds(spent_s)} of all ranks went into MPI_File calls; which of the two is faster depends on the "
        f"file system",
        gain=None,
        change=Change(parameters=(("io", "ompio" if romio else "^ompio"),)),
    )
