"""What laws are made of: the seconds, calls and bytes of one Run, summed over its ranks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from clearway.base import quantities as q
from clearway.base.errors import ClearwayError
from clearway.diagnosis.facts import Case, open_case
from clearway.diagnosis.facts.counters import machines
from clearway.diagnosis.facts.granted_processors import granted_number
from clearway.engines.speed import Engine
from clearway.ledger.account import LINES
from clearway.predict.jobs.recorded import recorded_collectives
from clearway.run import Run, load
from clearway.run.layout import FunctionClass

NO_SITE = (FunctionClass.FILE_OPERATION, FunctionClass.LIFE)
ALL, SOME, ONE = "all ranks", "some ranks", "one rank"  # on whose communicator; "" where the call has none


@dataclass(frozen=True, slots=True, order=True)
class Site:
    """Where a program calls MPI, as far as a Run tells: which function, and on what kind of communicator."""

    function: str
    on: str


@dataclass(frozen=True, slots=True)
class Count:
    calls: int
    bytes: int
    seconds: float
    wait_s: float  # of these, waiting for other ranks


@dataclass(frozen=True)
class Measured:
    directory: str
    program: str
    ranks: int
    hosts: int
    cores: int | None  # that the job may use on all hosts together
    complete: bool
    wall_s: float  # rank-seconds
    lines: Mapping[str, float]  # of the ledger: rank-seconds
    sites: Mapping[Site, Count]
    engine: Engine | None  # what its log tells of how much it did
    arguments: str  # of the program: other ones may be other work
    collectives: str | None = None  # whose algorithms the MPI has; None if they are not known


def measure(directory: str | Path) -> Measured:
    """Raises ClearwayError where there is no Run that can be read."""
    return measured_of(open_case(load(directory)))


def measured_of(case: Case) -> Measured:
    ledger, job = case.books.ledger, case.tables.job
    all_ = int(case.run.processes["world_size"].max())
    if case.ranks < all_:
        raise ClearwayError(
            f"{all_ - case.ranks} of {q.plural(all_, 'rank')} left no record in {case.run.directory}",
            "give Runs that have all ranks",
        )
    return Measured(
        directory=str(case.run.directory),
        program=job.program,
        ranks=case.ranks,
        hosts=job.hosts,
        cores=_cores(case),
        complete=job.complete,
        wall_s=float(ledger["wall_s"].sum()),
        lines={line: float(ledger[line].sum()) for line in LINES},
        sites=_sites(case),
        engine=case.tables.engine,
        arguments=job.command.partition(" ")[2],
        collectives=recorded_collectives(case.run),
    )


def _cores(case: Case) -> int | None:
    granted = [granted_number(case, members) for members in machines(case).values()]
    return sum(number or 0 for number in granted) if all(granted) else None


def _sites(case: Case) -> dict[Site, Count]:
    run, books = case.run, case.books
    seconds = run.seconds(run.calls.process, run.calls.data["ticks"])
    waits = books.weight * books.split.wait_s
    found: dict[tuple[int, int], list[float]] = defaultdict(lambda: [0, 0, 0.0, 0.0])
    keys = zip(run.calls.function.tolist(), run.calls.comm.tolist(), strict=True)
    columns = (run.calls.data["count"].tolist(), run.calls.data["bytes"].tolist(), seconds.tolist())
    for key, *values in zip(keys, *columns, strict=True):
        for column, value in enumerate(values):
            found[key][column] += value
    pairs = books.units.function.astype(np.int64) * len(run.communicators.all) + books.units.comm
    each, place = np.unique(pairs, return_inverse=True)
    for pair, wait_s in zip(each.tolist(), np.bincount(place, waits, minlength=len(each)).tolist(), strict=True):
        key = divmod(pair, len(run.communicators.all))
        if key in found:
            found[key][3] += wait_s
    summed: dict[Site, list[float]] = defaultdict(lambda: [0, 0, 0.0, 0.0])
    for (function, comm), values in found.items():
        kind = run.functions.all[function]
        if kind.function_class not in NO_SITE and values[0]:
            site = Site(kind.name, _on(run, comm))
            summed[site] = [a + b for a, b in zip(summed[site], values, strict=True)]
    return {
        site: Count(int(calls), int(nbytes), time_s, min(wait_s, time_s))
        for site, (calls, nbytes, time_s, wait_s) in sorted(summed.items())
    }


def _on(run: Run, comm: int) -> str:
    communicator = run.communicators.all[comm]
    members = communicator.size + communicator.remote_size
    if not members:
        return ""
    if communicator.name == "MPI_COMM_SELF":
        return ONE
    return ALL if members >= int(run.processes["world_size"].max()) else ONE if members == 1 else SOME
