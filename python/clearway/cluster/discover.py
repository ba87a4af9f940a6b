"""The hosts that a launcher reaches, each asked what it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from clearway.cluster.hosts.ask import clusters_under
from clearway.cluster.model import Cluster
from clearway.cluster.this_machine import put_together, this_machine


def discover(launcher: Sequence[str], environment: Mapping[str, str]) -> Cluster:
    """Starts a program of ours under `launcher`; without one, looks at this machine. Raises ClearwayError."""
    return put_together(clusters_under(launcher, environment) if launcher else [this_machine()])
