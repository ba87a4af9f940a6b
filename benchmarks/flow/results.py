"""What has been measured, as the page and a test read it: sweeps kept in the repository, a file a configuration.

The first sweeps were not kept. Their figures, as the page had printed them, are in results/published.json; they count
for configurations that have not been measured again. How many calls stood behind such a figure follows from the method:
calls were made until the time was spent.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from configurations import RATE, RESULTS, Configuration

from clearway.base.units import parse_rate_bps

PUBLISHED = RESULTS / "published.json"
CARRIED = 1448 / 1514  # of a link's rate, by TCP
LEAST_CALLS = 3  # fewer are no figure


@dataclass(frozen=True, slots=True)
class Measured:
    """One configuration's sweep, as clearway bench wrote it, or its published figures in the same form."""

    configuration: Configuration
    sweep: dict[str, Any]
    is_published: bool = False  # neither its calls nor their spread were kept

    def points(self, candidate: str) -> dict[int, dict[str, Any]]:
        """By size in bytes, those that rest on enough calls."""
        curves = {curve["candidate"]: curve["points"] for curve in self.sweep["curves"]}
        points = curves.get(candidate, [])
        return {point["block_bytes"]: point for point in points if calls_of(point) >= LEAST_CALLS}


def calls_of(point: dict[str, Any]) -> int:
    return int(point["calls"]) if "calls" in point else len(point["calls_ns"])


def load(everything: Iterable[Configuration], alternatives: bool = False) -> list[Measured]:
    published = json.loads(PUBLISHED.read_text())
    measured = []
    for configuration in everything:
        path = configuration.alternatives if alternatives else configuration.result
        if path.exists():
            measured.append(Measured(configuration, json.loads(path.read_text())))
        elif kept := published["configurations"].get(configuration.name):
            sweep = sweep_of(configuration, kept, published, alternatives)
            measured.append(Measured(configuration, sweep, is_published=True))
    return measured


def sweep_of(
    configuration: Configuration, kept: dict[str, Any], published: dict[str, Any], alternatives: bool
) -> dict[str, Any]:
    """Published figures in the form of a sweep."""
    figures = kept["alternatives" if alternatives else "figures"]
    method = published["method_of_alternatives" if alternatives else "method"]
    curves = [
        {
            "candidate": candidate,
            "points": [
                {
                    "block_bytes": int(size),
                    "share_of_limit": share,
                    "timeouts": timeouts[0] if timeouts else 0,
                    "calls": calls_made(configuration, int(size), share, method),
                }
                for size, (share, *timeouts) in row.items()
            ],
        }
        for candidate, row in figures.items()
    ]
    return {"mpi": kept["mpi"], "machine": published["measured"], "curves": curves}


def calls_made(configuration: Configuration, block_bytes: int, share: float, method: dict[str, Any]) -> int:
    """Until the time was spent, but no fewer than some, and no more than asked for."""
    ranks, per_host = configuration.hosts * configuration.per_host, configuration.per_host
    bytes_a_port = per_host * (ranks - per_host) * block_bytes
    call_s = bytes_a_port * 8 / (parse_rate_bps(RATE) * CARRIED) / share
    return min(int(method["calls"]), max(int(method["least_calls"]), math.ceil(method["budget_s"] / call_s)))
