"""The simulated network's part in place of the law of moving data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from clearway.base import quantities as q
from clearway.cluster import Cluster
from clearway.predict.cache import Cache
from clearway.predict.scaling.answer import Figure, LineLaw, NetworkPart
from clearway.predict.scaling.fit import DRAWS
from clearway.predict.scaling.network import Calls, network_s
from clearway.predict.scaling.runs import NOTHING, STALL, TRANSFER, Laws, Numbers, Runs
from clearway.predict.scaling.sites import expected_count

MPIS = {"openmpi": "Open MPI", "mpich": "MPICH"}


@dataclass(frozen=True)
class NamedCluster:
    """Where the network's part is simulated."""

    name: str
    cluster: Cluster
    cache: Cache | None = None


def parts_of(runs: Runs, laws: Laws, targets: Sequence[int], on: NamedCluster) -> list[NetworkPart | None]:
    """By target. Held against the Runs on most ranks, if they used a network."""
    most, recorded_s = runs.ranks[-1], 0.0
    collectives = collectives_of(runs)
    check = None
    if runs.all[-1].hosts > 1:
        last = [run for run in runs.all if run.ranks == most]
        recorded_s = sum(run.lines[TRANSFER] + run.lines[STALL] for run in last) / len(last) / most
        check = network_s(on.cluster, calls_at(runs, laws, most), most, collectives, on.cache).seconds / max(
            recorded_s, 1e-12
        )
    parts: list[NetworkPart | None] = []
    for target in targets:
        told = network_s(on.cluster, calls_at(runs, laws, target), target, collectives, on.cache)
        parts.append(NetworkPart(on.name, told.hosts, told.seconds, check, told.left_out, told.collectives))
    return parts


def collectives_of(runs: Runs) -> str | None:
    """Whose algorithms the Runs' MPI has. None, for the cluster's own, where that is not known or not one."""
    (one, *others) = {run.collectives for run in runs.all}
    return None if others else one


def calls_at(runs: Runs, laws: Laws, ranks: int) -> list[Calls]:
    """Of each site: as recorded, or as its laws have it, exact or not."""
    recorded = next((run for run in runs.all if run.ranks == ranks), None)
    made = []
    for site, (calls, nbytes) in laws.items():
        own = recorded.sites.get(site, NOTHING) if recorded else NOTHING
        numbers = [
            float(count) if recorded else expected_count(runs, site, which, law, ranks)
            for which, (count, law) in enumerate(((own.calls, calls), (own.bytes, nbytes)))
        ]
        if numbers[0] > 0:
            made.append(Calls(site, numbers[0] / ranks, numbers[1] / numbers[0]))
    return made


def simulated(
    line: LineLaw, drawn: list[Numbers] | None, parts: Sequence[NetworkPart], random: np.random.Generator
) -> tuple[LineLaw, list[Numbers] | None]:
    """The line with the simulated seconds in place of its law. Bounds: as simulated, and that corrected by the Runs."""
    if not parts or line.line not in (TRANSFER, STALL):
        return line, drawn
    at = tuple(_around(part) if line.line == TRANSFER else Figure(0.0, 0.0, 0.0) for part in parts)
    told = replace(line, at=at, law=f"simulated on {parts[0].cluster}", sureness=None)
    if drawn is None:
        return told, None
    return told, [random.uniform(one.low, one.high, DRAWS) for one in at]


def _around(part: NetworkPart) -> Figure:
    corrected = part.seconds / part.check if part.check else part.seconds
    return Figure(part.seconds, min(part.seconds, corrected), max(part.seconds, corrected))


def network_notes(runs: Runs, parts: Sequence[NetworkPart | None]) -> list[str]:
    first = next((part for part in parts if part), None)
    if first is None:
        return []
    off = "The Runs used no network, so the error of the simulated seconds is not known."
    if first.check is not None:
        off = (
            f"On {runs.ranks[-1]} ranks the simulated network takes {first.check:.2f} times what was recorded. The "
            f"bounds reach from the simulated time to that time corrected by this ratio."
        )
    whose = "as in the Runs" if collectives_of(runs) else "as the cluster's file says: the Runs' MPI is not known"
    said = [off, f"Collective operations are simulated with the algorithms of {MPIS[first.collectives]}, {whose}."]
    if first.left_out > 0.01:
        said.append(f"{q.percent(first.left_out)} of the bytes are moved by calls that are not simulated.")
    return said
