"""The fast fabric (InfiniBand, Omni-Path, RoCE) that the hosts have, where the job goes by TCP."""

from __future__ import annotations

from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.settings_in_force import parameter, variable
from clearway.diagnosis.finding import Finding
from clearway.diagnosis.remedies import Offer
from clearway.job.change import Change

EXCLUDES = frozenset({"network-card"})


def offer(case: Case, finding: Finding) -> Offer | None:
    """No gain is promised: the record has no speed of a fabric that was not used."""
    if finding.rule != "slower-fabric":
        return None
    change = _without_tcp(case)
    if change is None:
        return None
    return Offer(
        what="let the MPI choose the network itself",
        why="a setting makes it use TCP; without that it takes the fastest network that it finds"
        if _was_told(case)
        else "no recorded setting makes it use TCP; if it is built without UCX, it will say so",
        gain=None,
        change=change,
    )


def _without_tcp(case: Case) -> Change | None:
    """What keeps the MPI on TCP, taken back."""
    if case.family == "openmpi":
        return None if parameter(case, "pml") == "ucx" else Change(parameters=(("pml", "ucx"),))
    transports = variable(case, "UCX_TLS")
    if transports and "tcp" in transports.split(","):
        return Change(environment=(("UCX_TLS", "all"), ("UCX_NET_DEVICES", "all")))
    if variable(case, "FI_PROVIDER") in ("tcp", "sockets"):
        return Change(environment=(("FI_PROVIDER", "^tcp"),))
    return None


def _was_told(case: Case) -> bool:
    """Other MPIs are offered a change only where they were."""
    if case.family != "openmpi":
        return True
    layers, messaging = parameter(case, "btl") or "", parameter(case, "pml") or ""
    return (not layers.startswith("^") and "tcp" in layers.split(",")) or messaging in ("ob1", "^ucx")
