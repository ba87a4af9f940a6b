"""What the ranks lost, by cause: the ledger, with each wait charged to what held up the rank that was waited for.

A rank that reads a file for a second while seven others wait for it costs eight rank-seconds, all of them for the
file. Where the calls are on record, ledger/delays.py tells why each was waited for. The rest of a rank's waiting is
charged to what the rank that waits least does longer than it, in the whole job.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from clearway.ledger.account import Account
from clearway.ledger.delays import Delays
from clearway.ledger.ending import ending
from clearway.ledger.stalls import difference, overlap_s, union
from clearway.ledger.starting import latest
from clearway.ledger.timelines import BLOCKED, COMPUTE, CORE_WAIT, IO, STALL, TRANSFER
from clearway.run.run import Run

# What may make a rank late, as a line of the ledger, and the cause that its being late is charged to.
LATE = {
    "compute_s": "imbalance_s",
    "core_wait_s": "core_wait_s",
    "mpi_transfer_s": "transfer_s",
    "io_s": "io_s",
    "other_s": "blocked_s",
}
# What a rank that was waited for did longer, and the cause.
DONE = {CORE_WAIT: "core_wait_s", TRANSFER: "transfer_s", IO: "io_s", BLOCKED: "blocked_s", STALL: "stall_s"}


@dataclass(frozen=True, slots=True)
class Losses:
    """Rank-seconds by cause, the waits of others included. They add up to the wall-clock."""

    stall_s: float  # TCP retransmission timeouts
    transfer_s: float  # moving data
    core_wait_s: float  # runnable, but no core
    io_s: float  # in file functions
    imbalance_s: float  # waiting for ranks that compute longer, always the same ones
    wait_s: float  # waiting for ranks whose being late has no cause that lasts
    blocked_s: float  # blocked outside MPI and files, starting and stopping
    start_wait_s: float = 0.0  # waiting in MPI_Init for ranks that came late to it
    compute_s: float = 0.0  # computing: no loss in itself, but some of it may be needless


def losses(run: Run, books: Account, charged: Delays) -> Losses:
    """The losses of a Run.

    Waits during a timeout of any other rank are charged to it. The rest is charged as `charged` has it; what that does
    not know, to what the rank that waits least does longer than those that wait, in proportion; what that cannot hold
    stays `wait_s`. So do waits for ranks that computed longer, but for those that did so in the whole job.
    """
    ledger = books.ledger
    for_stalls_s = _waits_for_stalls(len(run.processes), books)
    start_s = np.minimum(books.starting.wait_s, ledger["mpi_wait_s"])
    newcomers_s = np.minimum(books.newcomers_s, ledger["mpi_wait_s"] - start_s)
    rest_s = np.maximum(ledger["mpi_wait_s"] - start_s - newcomers_s - for_stalls_s, 0.0)
    lost = {cause: float(ledger[line].sum()) for line, cause in LATE.items()}
    lost["imbalance_s"] = 0.0  # computing itself is no loss
    lost["stall_s"] = float(ledger["mpi_stall_s"].sum() + for_stalls_s.sum())

    known_s = charged.by_process(len(run.processes))
    known_s[:, STALL] = np.maximum(known_s[:, STALL] - for_stalls_s, 0.0)
    known_s = known_s[:, [COMPUTE, *DONE]]
    known_s *= np.minimum(rest_s / np.maximum(known_s.sum(axis=1), 1e-12), 1.0)[:, np.newaxis]
    for column, cause in enumerate(DONE.values(), start=1):
        lost[cause] += float(known_s[:, column].sum())
    lasting_s = np.minimum(known_s[:, 0], _longest_compute_s(ledger, charged))
    lost["imbalance_s"] += float(lasting_s.sum())
    left_s = rest_s - known_s.sum(axis=1)
    kept_s = left_s.sum() + (known_s[:, 0] - lasting_s).sum() + newcomers_s.sum()
    together = _before_the_end(run, books, _since_init(run, books))
    for line, caused_s in _waits_for_the_latest(together, rest_s, left_s).items():
        lost[LATE[line]] += caused_s
        kept_s -= caused_s
    made = Losses(
        wait_s=max(float(kept_s), 0.0),
        start_wait_s=float(start_s.sum()),
        compute_s=float(ledger["compute_s"].sum()),
        **lost,
    )
    return replace(made, blocked_s=max(made.blocked_s, 0.0))


def _longest_compute_s(ledger: NDArray[np.void], charged: Delays) -> NDArray[np.float64]:
    """By process: what it waited for the one that computes longest, as far as that computes longer in the whole job."""
    compute_s: NDArray[np.float64] = ledger["compute_s"]
    longest = int(np.argmax(compute_s))
    for_it = charged.late == longest
    waited_s = np.bincount(charged.process[for_it], charged.causes_s[for_it, COMPUTE], minlength=len(compute_s))
    longer_s: NDArray[np.float64] = np.minimum(waited_s, compute_s[longest] - compute_s)
    return longer_s


def _waits_for_stalls(processes: int, books: Account) -> NDArray[np.float64]:
    """By process: the part of its waiting during which another process stood still for a timeout.

    A stall counts where the process that it hit had nobody to wait for, else it held up no one.
    """
    units = books.units
    until_s = np.clip(units.ready_s, units.entry_s, units.exit_s)
    waiting = until_s > units.entry_s
    waits = np.stack([units.entry_s[waiting], until_s[waiting]], axis=1)
    waiter = units.process[waiting]
    order = np.argsort(waiter, kind="stable")
    of_process = np.split(waits[order], np.searchsorted(waiter[order], np.arange(1, processes)))
    holding = [difference(stalls, union(of_process[process])) for process, stalls in books.stalls.items()]
    if not sum(map(len, holding)) or not len(waits):
        return np.zeros(processes)
    held_s = books.weight[waiting] * overlap_s(union(np.concatenate(holding)), waits[:, 0], waits[:, 1])
    limited: NDArray[np.float64] = np.minimum(
        np.bincount(waiter, held_s, minlength=processes), books.ledger["mpi_wait_s"] - books.starting.wait_s
    )
    return limited


def _since_init(run: Run, books: Account) -> NDArray[np.void]:
    """The ledger without what made a rank late to MPI_Init: nobody waited for that later on."""
    last = latest(run, books.ledger, books.starting, LATE)
    if last is None:
        return books.ledger
    ledger = books.ledger.copy()
    for line, seconds in last.longer_s.items():
        ledger[line][last.process] -= seconds
    return ledger


def _before_the_end(run: Run, books: Account, ledger: NDArray[np.void]) -> NDArray[np.void]:
    """The ledger without what the last rank did when the others stood in MPI_Finalize: they waited for it only there.

    Lines are of the whole job. What it did most of beyond the others is taken to be what it did then.
    """
    ends = ending(run, books)
    if ends is None or not ends.wait_s.any():
        return ledger
    last = int(np.argmax(ends.entry_s))
    left_s = float(ends.entry_s[last] - np.median(np.delete(ends.entry_s, last)))
    more_s = {line: float(ledger[line][last] - np.median(np.delete(ledger[line], last))) for line in LATE}
    ledger = ledger.copy()
    for line in sorted(more_s, key=lambda line: -more_s[line]):
        taken_s = min(max(more_s[line], 0.0), left_s)
        ledger[line][last] -= taken_s
        left_s -= taken_s
    return ledger


def _waits_for_the_latest(
    ledger: NDArray[np.void], rest_s: NDArray[np.float64], left_s: NDArray[np.float64]
) -> dict[str, float]:
    """Rank-seconds of `left_s` by the line in which the latest process spent longer than those that wait."""
    latest = int(np.argmin(rest_s))
    excess_s = {line: np.maximum(ledger[line][latest] - ledger[line], 0.0) for line in LATE}
    all_s = np.maximum(sum(excess_s.values()), 1e-12)
    charged = np.minimum(left_s, all_s) / all_s
    return {line: float((charged * part).sum()) for line, part in excess_s.items()}
