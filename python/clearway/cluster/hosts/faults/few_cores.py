"""A control group allows less than the host's cores, which an MPI does not see.

It starts a rank for each core of the host, and all of them are stopped again and again.
"""

from __future__ import annotations

from collections.abc import Iterator

from clearway.cluster.hosts.faults.model import Fault, fault, shown
from clearway.cluster.hosts.state import State


def find(state: State) -> Iterator[Fault]:
    quota, threads = state.number("processor.quota_cores"), state.number("processor.threads")
    if quota is not None and threads is not None and quota < threads:
        yield fault(
            __name__,
            __doc__,
            f"The control group allows {quota:g} of {threads:g} cores",
            (shown(state, "processor.quota_cores"), shown(state, "processor.threads")),
            advice="start fewer ranks, or raise the limit (docker run --cpus, CPUQuota of the unit, the batch system)",
        )
