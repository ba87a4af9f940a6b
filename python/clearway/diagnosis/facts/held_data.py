"""Small messages that TCP keeps back in the sender's host until an earlier one is acknowledged (Nagle's algorithm)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.once import once
from clearway.diagnosis.facts.tables.sockets import endpoint

FEW = 5  # samples: any small message may be met in the moment before it leaves


@dataclass(frozen=True, slots=True)
class Held:
    """Of the connections of one rank to one peer."""

    seconds: float  # in which something was kept back
    samples: int  # that met it
    of_samples: int


@once
def held_data(case: Case) -> Mapping[str, Held]:
    """By peer ("10.0.0.1:41000"); of several ranks the one with most of it."""
    cells, process = case.run.sockets.data, case.run.sockets.process
    span_s = case.run.seconds(process, cells["last_ticks"] - cells["first_ticks"])
    most: dict[str, Held] = {}
    for row in (cells["held"] >= FEW).nonzero()[0].tolist():
        cell = cells[row]
        held, samples = int(cell["held"]), max(int(cell["samples"]), 1)
        one = Held(held / samples * float(span_s[row]), held, samples)
        peer = endpoint(int(cell["family"]), bytes(cell["peer_address"]), int(cell["peer_port"]))
        if peer not in most or most[peer].seconds < one.seconds:
            most[peer] = one
    return most
