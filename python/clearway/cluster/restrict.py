"""A cluster, as far as it was given to a job."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from clearway.base.errors import ClearwayError
from clearway.cluster.model import Cluster, Host


def restrict(cluster: Cluster, allowed: Sequence[Host], source: str) -> Cluster:
    """The hosts that `allowed` names, in its order and with its numbers of ranks; all else as in `cluster`.

    Raises ClearwayError for a host that the cluster does not have.
    """
    known = {name: host for host in cluster.hosts for name in _names(host)}
    found: dict[str, Host] = {}
    for each in allowed:
        host = known.get(each.name) or known.get(each.name.partition(".")[0])
        if host is None:
            raise ClearwayError(
                f"{source} gives host '{each.name}' to this job, but the cluster has no such host",
                f"the cluster has {', '.join(host.name for host in cluster.hosts[:4])}"
                + (" …" if len(cluster.hosts) > 4 else ""),
            )
        before = found[host.name].slots if host.name in found else None
        found[host.name] = replace(host, slots=each.slots if before is None else before + (each.slots or 0))
    return replace(cluster, hosts=tuple(found.values()))


def _names(host: Host) -> list[str]:
    """All that it answers to."""
    return [host.name, host.name.partition(".")[0], *(card.host_name for card in host.cards if card.host_name)]
