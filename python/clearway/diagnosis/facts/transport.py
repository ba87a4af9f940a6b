"""By what a job's messages go between hosts: whose words for buffers and cards it understands."""

from __future__ import annotations

from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.settings_in_force import parameter, variable

OPEN_MPI_TCP = "btl"  # Open MPI's own, the byte transfer layer "tcp"
UCX = "ucx"
LIBFABRIC = "ofi"
UNKNOWN = ""


def transport(case: Case) -> str:
    """The library that moves the messages, UNKNOWN where the record does not tell."""
    if case.family == "openmpi":
        layer = parameter(case, "pml") or ""
        return UCX if layer == "ucx" else LIBFABRIC if layer == "cm" else OPEN_MPI_TCP
    if case.family == "mpich":
        device = case.fact("mpi.device") or ""  # "ch4:ucx ofi": the first is taken where nothing is said
        chosen = variable(case, "MPIR_CVAR_CH4_NETMOD") or device.removeprefix("ch4:").split(" ")[0]
        return chosen if chosen in (UCX, LIBFABRIC) else UNKNOWN
    return LIBFABRIC if case.family == "intel" else UNKNOWN


def goes_by_tcp(case: Case) -> bool:
    """Whether ranks of different hosts exchange by TCP."""
    return case.tables.job.hosts > 1 and bool(case.tables.sockets)
