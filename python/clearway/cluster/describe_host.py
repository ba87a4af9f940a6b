"""Run on each host by a launcher: prints what the host is, for `discover` to read.

In short numbered lines, for launchers mix the output of ranks, whole lines at best.
"""

from __future__ import annotations

import base64
import os
import re
import sys
from collections.abc import Iterable

from clearway.cluster.files.read import parse_cluster
from clearway.cluster.files.write import write_cluster
from clearway.cluster.model import Cluster
from clearway.cluster.this_machine import this_machine

PIECE = 200  # characters
_LINE = re.compile(r"clearway-host (\S+) (\d+)/(\d+) ([A-Za-z0-9+/=]*)")


def lines(cluster: Cluster, teller: int) -> list[str]:
    """`teller` tells apart the ranks of a host: two may not have seen the same."""
    text = base64.b64encode(write_cluster(cluster).encode()).decode()
    pieces = [text[at : at + PIECE] for at in range(0, len(text), PIECE)]
    name = f"{cluster.hosts[0].name}:{teller}"
    return [f"clearway-host {name} {at}/{len(pieces)} {piece}" for at, piece in enumerate(pieces)]


def clusters_in(output: str) -> Iterable[Cluster]:
    """What ranks told, those first that had most to tell; one that was cut short is left out."""
    told: dict[str, dict[int, str]] = {}
    wholes: dict[str, int] = {}
    for match in _LINE.finditer(output):
        told.setdefault(match[1], {})[int(match[2])] = match[4]
        wholes[match[1]] = int(match[3])
    whole = {name: pieces for name, pieces in told.items() if len(pieces) == wholes[name]}
    for name, pieces in sorted(whole.items(), key=lambda each: -len(each[1])):
        text = base64.b64decode("".join(pieces[at] for at in range(len(pieces)))).decode()
        yield parse_cluster(text, f"host {name}")


if __name__ == "__main__":
    # At once: what is written in parts is mixed with what other ranks write.
    sys.stdout.flush()
    os.write(1, "".join(f"{line}\n" for line in lines(this_machine(), os.getpid())).encode())
