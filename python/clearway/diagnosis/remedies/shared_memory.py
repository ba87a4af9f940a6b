"""Shared memory between ranks of one host, where the job was told to do without."""

from __future__ import annotations

from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.open_mpi import shared_memory_layer
from clearway.diagnosis.facts.settings_in_force import parameter, variable
from clearway.diagnosis.finding import Finding
from clearway.diagnosis.remedies import Offer
from clearway.job.change import Change

EXCLUDES: frozenset[str] = frozenset()
UCX_SHARED = {
    "all",
    "sm",
    "shm",
    "mm",
    "posix",
    "sysv",
    "xpmem",
    "cma",
    "knem",
}  # ucx_info -d, and its names for several


def offer(case: Case, finding: Finding) -> Offer | None:
    """gain = 1: the finding counts what TCP takes beyond a copy in memory."""
    change = _put_back(case)
    if change is None or case.ranks <= case.tables.job.hosts:
        return None
    return Offer(
        what="let ranks of one host use shared memory",
        why="a message is then copied once or twice, instead of going through TCP",
        gain=1.0,
        change=change,
    )


def _put_back(case: Case) -> Change | None:
    """Shared memory added to what the job names; None where nothing that it says keeps it away."""
    if case.family == "openmpi":
        return _open_mpi(parameter(case, "btl"), shared_memory_layer(case))
    if variable(case, "MPIR_CVAR_NOLOCAL") in ("1", "yes", "true", "on"):
        return Change(environment=(("MPIR_CVAR_NOLOCAL", "0"),))
    transports = variable(case, "UCX_TLS")
    if case.family == "mpich" and transports and not transports.startswith("^"):
        return _ucx(transports.split(","))
    fabrics = variable(case, "I_MPI_FABRICS")
    if case.family == "intel" and fabrics == "ofi":
        return Change(environment=(("I_MPI_FABRICS", "shm:ofi"),))
    return None


def _ucx(names: list[str]) -> Change | None:
    if UCX_SHARED & set(names):
        return None
    return Change(environment=(("UCX_TLS", ",".join([*names, "sm"])),))


def _open_mpi(layers: str | None, shared: str) -> Change | None:
    names = layers.lstrip("^").split(",") if layers else []
    known = {"vader", "sm"} & set(names)
    if not layers or bool(known) != layers.startswith("^"):
        return None
    if layers.startswith("^"):
        kept = [name for name in names if name not in known]
        return (
            Change(parameters=(("btl", "^" + ",".join(kept)),))
            if kept
            else Change(parameters=(("btl", f"self,{shared},tcp"),))
        )
    return Change(parameters=(("btl", ",".join([*names, shared])),))
