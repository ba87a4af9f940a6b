"""The choice by a Run alone: what suffers, and the algorithm of its MPI that is made for that. Nothing was measured."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from clearway.base import quantities as q
from clearway.diagnosis.diagnose import diagnose
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.collectives import STEERED
from clearway.diagnosis.facts.eager import EAGER_WORDS, MOST_BYTES, asked_first_bytes
from clearway.diagnosis.facts.tables.calls import CollectiveRow
from clearway.diagnosis.facts.transport import goes_by_tcp, transport
from clearway.tune.files.model import OWN, Choice, Left, Library, Settings, Step
from clearway.tune.files.mpis import Mpi

# Findings with one of these remedies are about how collectives move their data.
ASK_FOR_IT = frozenset({"flow", "alltoall-algorithm", "allgather-algorithm", "eager-limit"})
LEAST_RANKS = 3  # of two, each has one partner only
LEAST_SHARE = 0.02  # of what all of these operations lose
LEAST_BYTES = 1024  # smaller blocks fit into any buffer


@dataclass(frozen=True, slots=True)
class ByRun:
    choices: tuple[Choice, ...]
    everywhere: Settings
    left: tuple[Left, ...]
    lacking: tuple[str, ...]


def by_run(mpi: Mpi, library: Library, path: str, case: Case, measured: Collection[tuple[str, int]]) -> ByRun:
    """Leaves out `measured`: operations on so many ranks that sweeps were given for."""
    found = [one.finding.title for one in diagnose(case) if ASK_FOR_IT & one.offers.keys()]
    rows = _rows(case)
    by_place: dict[tuple[str, int], list[CollectiveRow]] = {}
    for row in rows:
        by_place.setdefault((_operation(row), row.communicator_size), []).append(row)
    wanted = {place: each for place, each in by_place.items() if place not in measured}
    if not found:
        why = f"'{path}' shows no fault in it"
        return ByRun((), (), tuple(Left(*place, why) for place in wanted), ())
    choices: list[Choice] = []
    left: list[Left] = []
    lacking: list[str] = []
    eager = _eager(case)
    for place, each in wanted.items():
        suffers = [row for row in each if row.high_bytes >= LEAST_BYTES and _lost_s(row) >= LEAST_SHARE * _all(rows)]
        algorithm = mpi.flowing(place[0], library, eager)
        if place[1] < LEAST_RANKS or not suffers:
            left.append(Left(*place, f"in '{path}' next to nothing is lost in it"))
        elif algorithm is None:
            left.append(Left(*place, mpi.lacks(place[0])))
            lacking.append(f"MPI_{place[0].capitalize()}: {mpi.lacks(place[0])}; --flow can order it.")
        else:
            choices.append(_choice(place, algorithm, suffers, path, found, case))
    return ByRun(tuple(choices), mpi.everywhere(library, eager) if choices else (), tuple(left), tuple(lacking))


def _rows(case: Case) -> list[CollectiveRow]:
    return [row for row in case.tables.collectives if row.function in STEERED]


def _operation(row: CollectiveRow) -> str:
    return row.function.removeprefix("MPI_").lower()


def _lost_s(row: CollectiveRow) -> float:
    return row.stall_s + row.transfer_s


def _all(rows: Iterable[CollectiveRow]) -> float:
    return sum(map(_lost_s, rows))


def _choice(
    place: tuple[str, int], algorithm: str, rows: list[CollectiveRow], path: str, found: list[str], case: Case
) -> Choice:
    steps: list[Step] = []
    until = 0
    for row in sorted(rows, key=lambda one: one.low_bytes):
        if row.low_bytes > until:
            steps += [Step(until, OWN)] if steps else []
            steps.append(Step(row.low_bytes, algorithm))
        until = max(until, row.high_bytes + 1)
    lost = f"{q.seconds(_all(rows))} in it, {q.seconds(sum(row.stall_s for row in rows))} of them stalled by loss"
    because = f"'{path}' says \"{found[0]}\" ({lost}, summed over ranks); not measured: see how to prove it below"
    return Choice(*place, case.tables.job.hosts, tuple(steps), until, because)


def _eager(case: Case) -> int | None:
    """Up to which size messages are to be sent without asking the receiver first; None: as it is."""
    if transport(case) not in EAGER_WORDS or not goes_by_tcp(case):
        return None
    limit = asked_first_bytes(case)
    return min(limit, MOST_BYTES) if limit is not None else None
