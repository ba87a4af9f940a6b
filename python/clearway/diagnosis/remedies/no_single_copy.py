"""An MPI that does not try to read other ranks' memory: it copies twice, and does not fail."""

from __future__ import annotations

from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.namespaces import apart
from clearway.diagnosis.facts.open_mpi import shared_memory_layer
from clearway.diagnosis.facts.settings_in_force import parameter, variable
from clearway.diagnosis.facts.transport import UCX, transport
from clearway.diagnosis.finding import Finding
from clearway.diagnosis.remedies import Offer
from clearway.job.change import Change

EXCLUDES: frozenset[str] = frozenset()


def offer(case: Case, finding: Finding) -> Offer | None:
    """No gain: where the MPI has noticed by itself it is so already."""
    change = _without(case) if apart(case) else None
    if change is None:
        return None
    return Offer(
        what="turn off the MPI's direct copies from other ranks' memory",
        why="this saves no time, but a job that fails or hangs because of it then works",
        gain=None,
        change=change,
    )


def _without(case: Case) -> Change | None:
    if transport(case) == UCX:
        return None if variable(case, "UCX_TLS") else Change(environment=(("UCX_TLS", "^cma"),))
    if case.family == "openmpi":
        name, value = ("btl_vader_single_copy_mechanism", "none")
        if shared_memory_layer(case) == "sm":
            name, value = "smsc", "^cma"
        return None if parameter(case, name) else Change(parameters=((name, value),))
    if case.family in ("mpich", "intel"):
        name = "FI_SHM_DISABLE_CMA"
        return None if variable(case, name) else Change(environment=((name, "1"),))
    return None
