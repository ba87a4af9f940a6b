"""What a site calls its kinds of nodes: Slurm's features, which `sbatch --constraint` takes."""

from __future__ import annotations

import re
from collections.abc import Sequence

from clearway.job.slurm_state import asked


def features_of(hosts: Sequence[str]) -> dict[str, frozenset[str]]:
    """By host; nothing of those that Slurm does not know, or where there is no Slurm."""
    if not hosts:
        return {}
    told = asked(["scontrol", "show", "node", "--oneliner", ",".join(hosts)])
    found = {}
    for line in told.splitlines():
        name, features = re.search(r"\bNodeName=(\S+)", line), re.search(r"\bActiveFeatures=(\S+)", line)
        if name and features and features[1] != "(null)":
            found[name[1]] = frozenset(features[1].split(","))
    return found
