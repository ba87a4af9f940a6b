"""Message figures: the histogram of sizes, the aggregate, the matrix, the share of polling."""

from __future__ import annotations

import numpy as np

from clearway.ledger import Account
from clearway.page.build.traffic import Traffic
from clearway.page.model import Messages, SizeBin
from clearway.run import Run
from clearway.run.layout import FunctionClass


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
