"""Reads and writes that the MPI makes for MPI-IO, of kinds at which file systems are slow, and what these cost.

The kinds, and how many make them worth a word, are Drishti's (https://github.com/hpc-io/drishti-io); the seconds are
ours.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from clearway.base import quantities as q
from clearway.diagnosis.facts import Case
from clearway.diagnosis.finding import WORTH_SAYING, Evidence


@dataclass(frozen=True, slots=True)
class Kind:
    """Requests that have something in common."""

    field: str  # of Run.mpi_files
    what: str
    part: float  # of all requests, at least
    calls: int = 1  # at least


KINDS = (
    Kind("small_requests", "requests below 1 MiB", part=0.10, calls=1_000),
    Kind("backward_requests", "requests that go back in the file", part=0.20, calls=1_000),
    Kind("misaligned_requests", "requests that begin within a block of 4 KiB", part=0.10),
)
SMALL = KINDS[0]
MANY_OF_A_CALL = 8  # requests: fewer may be the blocks that a rank's data has in the file


@dataclass(frozen=True, slots=True)
class Requests:
    """Of all ranks. `otherwise_s`: what as much took where it was not of this kind; None where all is of it."""

    kind: Kind
    calls: int
    bytes: int
    seconds: float
    otherwise_s: float | None

    @property
    def cost_s(self) -> float:
        return self.seconds - (self.otherwise_s or 0.0)


def costly_requests(case: Case) -> list[Requests]:
    """The kinds that are frequent, and cost as much as a finding has to."""
    every = [made for kind in KINDS if (made := _requests(case, kind)) is not None]
    return [made for made in every if made.cost_s >= WORTH_SAYING * case.tables.ledger.wall_s > 0]


def evidence(case: Case) -> Iterator[Evidence]:
    for made in costly_requests(case):
        took = (
            f"{made.calls:,} of {q.bytes_(made.bytes / made.calls)} on average, {q.seconds(made.seconds)} of all ranks"
        )
        beside = "" if made.otherwise_s is None else f"; {q.seconds(made.otherwise_s)} at the speed of the others"
        yield Evidence(made.kind.what, took + beside, "libc's reads and writes in MPI_File calls")


def advice(case: Case) -> str:
    """A sentence, where small requests cost something that collective calls, or their settings, may give back."""
    data = case.run.mpi_files.data
    alone, together = (
        int(data[f"{how}_reads"].sum()) + int(data[f"{how}_writes"].sum()) for how in ("independent", "collective")
    )
    small = next((made for made in costly_requests(case) if made.kind is SMALL), None)
    if small is None:
        return ""
    if alone <= together:
        return _of_collective_calls(small, _sums(case, "requests")[1] / together)
    return (
        "Most of these are small requests from single ranks: with collective calls (MPI_File_write_at_all) the MPI "
        "would combine them into large ones."
    )


def _of_collective_calls(small: Requests, bytes_of_call: float) -> str:
    each_bytes = small.bytes / small.calls
    if bytes_of_call < MANY_OF_A_CALL * each_bytes:
        return ""
    return (
        f"The program's calls are collective and move {q.bytes_(bytes_of_call)} a rank, but the MPI makes requests of "
        f"{q.bytes_(each_bytes)} of them. What it combines is decided by hints where the file is opened (MPI_Info: "
        f"`cb_buffer_size`, `romio_cb_write`, `romio_ds_write`), by the file that ROMIO_HINTS names, and in OMPIO by "
        f"`--mca fcoll`: see whether one of these keeps them so small."
    )


def _requests(case: Case, kind: Kind) -> Requests | None:
    calls, moved, seconds = _sums(case, kind.field)
    all_calls, all_bytes, all_s = _sums(case, "requests")
    if calls < max(kind.calls, kind.part * all_calls, 1):
        return None
    other_calls, other_bytes, other_s = all_calls - calls, all_bytes - moved, all_s - seconds
    if other_calls <= 0 or other_bytes <= 0:
        return Requests(kind, calls, moved, seconds, None)
    by_bytes_s, by_calls_s = other_s * moved / other_bytes, other_s * calls / other_calls
    # What is small is so by definition: gathered, its bytes count. Else the others may have been larger or smaller.
    otherwise_s = by_bytes_s if kind is SMALL else max(by_bytes_s, by_calls_s)
    return Requests(kind, calls, moved, seconds, min(otherwise_s, seconds))


def _sums(case: Case, field: str) -> tuple[int, int, float]:
    """Calls, bytes and seconds over all ranks."""
    rows = case.run.mpi_files
    sums = rows.data[field]
    return int(sums[:, 0].sum()), int(sums[:, 1].sum()), float(case.run.seconds(rows.process, sums[:, 2]).sum())
