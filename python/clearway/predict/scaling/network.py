"""The network's part on a described cluster: what the calls on so many ranks move there, simulated packet by packet.

For each call site a few calls are simulated, of the size and on the number of ranks that its laws tell, and count as
often as the law says. Messages go to the neighbours in the order of ranks: a Run of other ranks does not tell to whom.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from clearway.base.errors import ClearwayError
from clearway.cluster import Cluster
from clearway.predict.cache import Cache
from clearway.predict.jobs.lone_calls import LoneCall, activity_of, seconds_of_calls
from clearway.predict.scaling.measured import ALL, Site
from clearway.predict.simulated_cluster import Modelled, model_of

MESSAGES = ("MPI_Send", "MPI_Isend", "MPI_Sendrecv", "MPI_Ssend", "MPI_Issend", "MPI_Bsend", "MPI_Ibsend", "MPI_Rsend")


@dataclass(frozen=True, slots=True)
class Calls:
    """Of one site: how often a rank makes it, and the bytes of one."""

    site: Site
    number: float
    bytes: float


@dataclass(frozen=True, slots=True)
class Simulated:
    hosts: int
    seconds: float  # a rank, of all calls
    left_out: float  # share of the bytes of which there is no model
    collectives: str  # whose algorithms


def network_s(
    cluster: Cluster,
    calls: Sequence[Calls],
    ranks: int,
    collectives: str | None = None,
    cache: Cache | None = None,
    seed: int = 1,
) -> Simulated:
    """What a rank spends moving data, by these algorithms instead of the cluster's.

    Raises ClearwayError where the cluster has no room for the ranks.
    """
    model = room_for(cluster, ranks)
    if collectives:
        model = replace(model, stack=replace(model.stack, collectives=collectives))
    known = [(one, line_of(one, ranks)) for one in calls]
    asked = [(one, LoneCall((line,))) for one, line in known if line and ranks > 1]
    taken_s = seconds_of_calls([call for _, call in asked], ranks, model, cache, seed)
    seconds = sum(one.number * call_s for (one, _), call_s in zip(asked, taken_s, strict=True))
    moved = [(one.number * one.bytes, line) for one, line in known]
    whole = sum(amount for amount, _ in moved)
    left_out = sum(amount for amount, line in moved if not line)
    return Simulated(-(-ranks // model.per_host), seconds, left_out / whole if whole else 0.0, model.stack.collectives)


def room_for(cluster: Cluster, ranks: int) -> Modelled:
    """As many hosts as the ranks fill."""
    model = model_of(cluster, None, None, None)
    if ranks > model.hosts * model.per_host:
        raise ClearwayError(
            f"{ranks} ranks do not fit on the cluster's {model.hosts} hosts with {model.per_host} each",
            "give a cluster with more hosts, or fewer ranks after --to",
        )
    return model_of(cluster, -(-ranks // model.per_host), None, None)


def line_of(one: Calls, ranks: int) -> str:
    """An activity of a Script; "" for calls of which there is no model, as of those on some ranks only."""
    name, size = one.site.function.removesuffix("_c"), round(one.bytes)
    if name in MESSAGES:
        return f"sendrecv +1 {size} -1 {size}" if size else ""
    return activity_of(name, size, ranks) if one.site.on == ALL else ""
