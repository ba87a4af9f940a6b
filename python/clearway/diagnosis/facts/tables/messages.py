"""Message figures: the histogram of sizes, the aggregate, the matrix, the share of polling."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from clearway.diagnosis.facts.tables.traffic import Matrix, Traffic
from clearway.ledger import Account
from clearway.run import Run
from clearway.run.layout import FunctionClass


@dataclass(frozen=True, slots=True)
class SizeBin:
    """Messages whose size lies in [low_bytes, high_bytes]."""

    low_bytes: int
    high_bytes: int
    count: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Messages:
    """Message sizes and directions: histogram, aggregate, who sends how much to whom."""

    histogram: tuple[SizeBin, ...]
    aggregate_bytes: int
    matrix: Matrix
    calls: int  # MPI calls of all kinds
    poll_share: float  # share of those that are MPI_Iprobe, MPI_Test…
    mpi_user_ratio: float | None  # time in MPI ÷ time outside MPI


def messages(run: Run, books: Account, traffic: Traffic) -> Messages:
    """Everything about messages. Sizes are what a call sends; calls that only receive are not counted again."""
    calls, classes = run.calls, run.functions.classes()
    count = calls.data["count"].astype(np.float64)
    total = float(count.sum())
    polls = float(count[classes[calls.function] == FunctionClass.POLL].sum())
    mpi_s = float(books.mpi_s.sum())
    outside_s = float(books.ledger["wall_s"].sum()) - mpi_s
    return Messages(
        histogram=_histogram(traffic),
        aggregate_bytes=int(traffic.sent.sum()),
        matrix=traffic.matrix(),
        calls=int(total),
        poll_share=polls / total if total else 0.0,
        mpi_user_ratio=mpi_s / outside_s if outside_s > 0 and total else None,
    )


def size_range(size_bin: int) -> tuple[int, int]:
    """Smallest and largest size in a bin of CallCell.size_bin."""
    return (0, 0) if size_bin <= 0 else (1 << (size_bin - 1), (1 << size_bin) - 1)


def _histogram(traffic: Traffic) -> tuple[SizeBin, ...]:
    cells = traffic.run.calls.data[traffic.sending]
    if not len(cells):
        return ()
    bins = np.minimum(cells["size_bin"], 64)
    count = np.bincount(bins, cells["count"].astype(np.float64))
    size = np.bincount(bins, cells["bytes"].astype(np.float64))
    rows = []
    for number in np.flatnonzero(count).tolist():
        low, high = size_range(number)
        rows.append(SizeBin(low, high, int(count[number]), int(size[number])))
    return tuple(rows)
