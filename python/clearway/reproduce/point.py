"""What is simulated: a command line of clearway-simulate, and what came of it."""

from __future__ import annotations

import statistics
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from clearway.cluster.ready import named_cluster
from clearway.predict.modelled import Modelled, model_of
from clearway.predict.wish import Wish

CALLS = 25  # as Kutzner et al. 2007 averaged over
SEED = 1


@dataclass(frozen=True, slots=True)
class Point:
    """Points that are equal are simulated once."""

    words: str
    arguments: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Call:
    duration_ns: int
    drops: int
    timeouts: int


@dataclass(frozen=True, slots=True)
class Outcome:
    calls: tuple[Call, ...]

    @property
    def mean_ns(self) -> float:
        return statistics.mean(call.duration_ns for call in self.calls)

    @property
    def drops(self) -> int:
        return sum(call.drops for call in self.calls)


def outcome_of(told: Mapping[str, Any]) -> Outcome:
    return Outcome(tuple(Call(call["duration_ns"], call["drops"], call["timeouts"]) for call in told["calls"]))


def ready_model(cluster: str, hosts: int, per_host: int = 1) -> Modelled:
    return model_of(named_cluster(cluster), hosts, per_host, None)


def alltoall(model: Modelled, candidate: str, block_bytes: int, calls: int = CALLS) -> Point:
    wish = Wish("alltoall", model.hosts, model.per_host, model.network, model.stack, calls, 0, SEED)
    place = f"{candidate}, {block_bytes} bytes, {model.hosts} × {model.per_host} ranks"
    return Point(place, tuple(wish.arguments(candidate, block_bytes)))
