"""Run on each host by a launcher: prints what the host is, for `discover` to read.

In short numbered lines, for launchers mix the output of ranks, whole lines at best.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable

from clearway.cluster.model import Cluster
from clearway.cluster.read import this_machine
from clearway.cluster.toml_read import parse_cluster
from clearway.cluster.toml_write import write_cluster

PIECE = 200  # characters
_LINE = re.compile(r"clearway-host (\S+) (\d+)/(\d+) ([A-Za-z0-9+/=]*)")


def lines(cluster: Cluster) -> list[str]:
    text = base64.b64encode(write_cluster(cluster).encode()).decode()
    pieces = [text[at : at + PIECE] for at in range(0, len(text), PIECE)]
    name = cluster.hosts[0].name
    return [f"clearway-host {name} {at}/{len(pieces)} {piece}" for at, piece in enumerate(pieces)]


def clusters_in(output: str) -> Iterable[Cluster]:
    """What hosts told, in the order of their first lines; a host that was cut short is left out."""
    told: dict[str, dict[int, str]] = {}
    wholes: dict[str, int] = {}
    for match in _LINE.finditer(output):
        told.setdefault(match[1], {})[int(match[2])] = match[4]
        wholes[match[1]] = int(match[3])
    for name, pieces in told.items():
        if len(pieces) == wholes[name]:
            text = "".join(pieces[at] for at in range(len(pieces)))
            yield parse_cluster(base64.b64decode(text).decode(), f"host {name}")


if __name__ == "__main__":
    print("\n".join(lines(this_machine())), flush=True)
