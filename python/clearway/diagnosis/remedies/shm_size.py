"""Shared memory of the MPI put elsewhere, where /dev/shm is too small for it."""

from __future__ import annotations

from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.open_mpi import shared_memory_layer
from clearway.diagnosis.facts.settings_in_force import parameter, variable
from clearway.diagnosis.facts.transport import UCX, transport
from clearway.diagnosis.finding import Finding
from clearway.diagnosis.remedies import Offer
from clearway.job.change import Change

EXCLUDES: frozenset[str] = frozenset()
ELSEWHERE = "/tmp"  # a folder of every host; MPIs remove their files there


def offer(case: Case, finding: Finding) -> Offer | None:
    """gain = 1: a file that is mapped is memory, too."""
    change = _elsewhere(case)
    if change is None:
        return None
    return Offer(
        what=f"put the MPI's shared memory under {ELSEWHERE}",
        why="/dev/shm is too small for it; a mapped file elsewhere works as well",
        gain=1.0,
        change=change,
    )


def _elsewhere(case: Case) -> Change | None:
    if case.family == "openmpi":
        layer = shared_memory_layer(case)
        names = (f"btl_{layer}_backing_directory", "shmem_mmap_backing_file_base_dir")
        told = [name for name in names if parameter(case, name)]
        return None if told else Change(parameters=tuple((name, ELSEWHERE) for name in names))
    if transport(case) == UCX and variable(case, "UCX_POSIX_DIR") is None:
        return Change(environment=(("UCX_POSIX_DIR", ELSEWHERE),))
    return None
