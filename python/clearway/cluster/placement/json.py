"""A Placement for other programs."""

from __future__ import annotations

import json

from clearway.base.output_file import whole_file
from clearway.cluster.placement.model import Placement


def write_json(placement: Placement, target: str) -> None:
    """One object; "-" is stdout. Raises ClearwayError where it cannot be written."""
    seats = [
        {"rank": s.rank, "host": s.host.name, "name": placement.name_of(s.host), "cpus": list(s.cpus)}
        for s in placement.seats
    ]
    network = placement.network
    with whole_file(target) as stream:
        json.dump({"network": network and network.name, "seats": seats}, stream, indent=1)
        stream.write("\n")
