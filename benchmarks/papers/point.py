"""What is simulated: a command line of clearway-simulate, and what came of it."""

from __future__ import annotations

import statistics
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from clearway.cluster.ready import named_cluster
from clearway.predict.collectives.request import Request
from clearway.predict.jobs.request import JobRequest, words
from clearway.predict.models import Script, make_script
from clearway.predict.simulated_cluster import Modelled, model_of

CALLS = 25  # as Kutzner et al. 2007 averaged over
SEED = 1


@dataclass(frozen=True, slots=True)
class Point:
    """Points that are equal are simulated once."""

    words: str
    arguments: tuple[str, ...]
    script: str | None = None
    """Of a whole job, whose one call is all of its steps; None: calls of a collective operation."""

    def option(self, name: str) -> str | None:
        """Its value in the command line; None where it is not there."""
        words = self.arguments
        return next((words[at + 1] for at, word in enumerate(words) if word == f"--{name}"), None)

    def with_option(self, name: str, value: int) -> Point:
        """The same with another value of an option that is there."""
        at = self.arguments.index(f"--{name}") + 1
        return replace(self, arguments=(*self.arguments[:at], str(value), *self.arguments[at + 1 :]))


@dataclass(frozen=True, slots=True)
class Call:
    duration_ns: int
    drops: int
    timeouts: int


@dataclass(frozen=True, slots=True)
class Outcome:
    calls: tuple[Call, ...]
    mpi_ns: tuple[int, ...] = ()
    """Of a job: what each rank spent in MPI."""

    @property
    def median_ns(self) -> float:
        """Of calls on connections that have found their windows: the first few may wait for acknowledgements."""
        return statistics.median(call.duration_ns for call in self.calls)

    @property
    def mean_ns(self) -> float:
        return statistics.mean(call.duration_ns for call in self.calls)

    @property
    def drops(self) -> int:
        return sum(call.drops for call in self.calls)


def outcome_of(told: Mapping[str, Any]) -> Outcome:
    if "calls" not in told:
        return Outcome((Call(told["duration_ns"], told["drops"], told["timeouts"]),), tuple(told.get("mpi_ns", ())))
    return Outcome(tuple(Call(call["duration_ns"], call["drops"], call["timeouts"]) for call in told["calls"]))


def ready_model(cluster: str, hosts: int, per_host: int | None = None) -> Modelled:
    return model_of(named_cluster(cluster), hosts, per_host, None)


def alltoall(model: Modelled, candidate: str, block_bytes: int, calls: int = CALLS) -> Point:
    request = Request("alltoall", model.hosts, model.per_host, model.network, model.stack, calls, 0, SEED)
    place = f"{candidate}, {block_bytes} bytes, {model.hosts} × {model.per_host} ranks"
    return Point(place, tuple(request.arguments(candidate, block_bytes)))


@dataclass(frozen=True, slots=True)
class Choice:
    """How a job's MPI does what there are several ways for."""

    alltoall: str
    alltoallv: str | None = None
    """As alltoall where nothing is said."""
    barrier_above_bytes: int = 0
    """Up to here an all-to-all goes without its barriers."""


def job(model: Modelled, workload: tuple[str, str], choice: Choice, steps: int) -> Point:
    """A program and its system on all of the model's ranks."""
    return job_of(model, make_script(*workload, model.hosts * model.per_host, model.speed, steps), choice)


def job_of(model: Modelled, script: Script, choice: Choice) -> Point:
    settings = JobRequest("", model, (), (), "ring", SEED).settings()
    choices = words(
        {
            "alltoall": choice.alltoall,
            "alltoallv": choice.alltoallv or choice.alltoall,
            "barrier-above": choice.barrier_above_bytes,
        }
    )
    place = f"{script.title}, {choice.alltoall}, {model.hosts} × {model.per_host} ranks"
    return Point(place, (*choices, *settings), script.text())
