"""What ranks were blocked in while they were in MPI_Init.

There the program waits for more than MPI: for what MPI loads and asks (libraries, name servers), and for whatever
watches the process. Samples say "in an MPI call", not in which; but of each thing that was found they say when it was
found first and last.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from clearway.ledger.account import Account
from clearway.ledger.blocked import Part, activity_name, seconds_of_a_sample
from clearway.run.layout import Activity, Place, text
from clearway.run.run import Run, to_seconds

LINE = "other_s"
# What a thread does also when it only waits for other ranks, or what has a finding of its own.
TELL_NOTHING = (
    Activity.RUNNING,
    Activity.BLOCKED,
    Activity.SLEEPING,
    Activity.OTHER_THREAD,
    Activity.SIGNAL,
    Activity.STOPPED,
    Activity.TRACED,
)


def parts_in_init(run: Run, books: Account) -> tuple[Part, ...]:
    """Estimated seconds of MPI_Init, by process and by what was found."""
    cells, begins = run.activities, books.starting
    chosen = np.flatnonzero((cells.data["place"] == Place.MPI) & ~np.isin(cells.data["activity"], TELL_NOTHING))
    process, rows = cells.process[chosen], cells.data[chosen]
    exit_s, of_process = begins.exit_s[process], run.processes[process]
    first_s, last_s = (to_seconds(of_process, rows[name]) for name in ("first_ticks", "last_ticks"))
    share = _share_before(first_s, last_s, exit_s, books.mpi_s[process])
    seconds = share * rows["samples"] * seconds_of_a_sample(run)[process]
    return tuple(
        Part(one, LINE, activity_name(int(row["activity"])), text(row["object"]), float(time_s), int(row["samples"]))
        for one, row, time_s in zip(process.tolist(), rows, seconds, strict=True)
        if time_s > 0
    )


def _share_before(
    first_s: NDArray[np.float64], last_s: NDArray[np.float64], exit_s: NDArray[np.float64], later_s: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Of the samples of each row, those before MPI_Init returned: all, or as its time is to that of later calls."""
    inside_s = np.clip(exit_s - first_s, 0.0, None)
    some = np.divide(inside_s, inside_s + later_s, out=np.zeros(len(first_s)), where=inside_s > 0)
    result: NDArray[np.float64] = np.where(last_s <= exit_s, 1.0, some)
    return result
