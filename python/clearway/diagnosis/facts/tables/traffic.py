"""Who sent how many bytes, to whom.

Every byte is counted where it is sent. A point-to-point cell names its receiver; what a rank sends in an
all-to-all is taken to go evenly to all members of the communicator, itself included.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clearway.run import Run
from clearway.run.layout import FunctionClass

MATRIX_ROWS = 64
SENDING = (
    FunctionClass.SEND,
    FunctionClass.SEND_RECEIVE,
    FunctionClass.START,
    FunctionClass.COLLECTIVE,
    FunctionClass.COLLECTIVE_START,
    FunctionClass.ONE_SIDED,
)
TO_PEER = (FunctionClass.SEND, FunctionClass.SEND_RECEIVE, FunctionClass.START, FunctionClass.ONE_SIDED)


@dataclass(frozen=True, slots=True)
class Matrix:
    """Point-to-point and alltoall bytes from row to column; ranks are folded into blocks when there are many."""

    block: int  # ranks per row
    bytes: list[list[float]]


def carries_nothing_away(name: str) -> bool:
    """MPI_Irecv, MPI_Recv_init, MPI_Get, MPI_Barrier: of a class that sends, but without data of its own.

    A persistent send counts where it is started; what a partitioned one sends is not recorded.
    """
    lower = name.lower()
    if lower.removesuffix("_c").endswith("send_init") or lower.startswith("mpi_pready"):
        return True
    only_receives = ("recv" in lower and "sendrecv" not in lower) or lower.startswith(("mpi_get", "mpi_rget"))
    return only_receives or "barrier" in lower


class Traffic:
    """`sending` marks the call cells that send; `sent` and `received` are bytes by process index."""

    def __init__(self, run: Run) -> None:
        self.run = run
        classes = run.functions.classes()
        names = [function.name for function in run.functions.all]
        sends = np.isin(classes, SENDING) & ~np.array([carries_nothing_away(name) for name in names])
        calls = run.calls
        starts = np.array([name in ("MPI_Start", "MPI_Startall") for name in names])  # of receives, too
        self.sending = sends[calls.function] & ~(starts[calls.function] & (calls.data["bytes"] == 0))
        self.bytes = np.where(self.sending, calls.data["bytes"], 0).astype(np.float64)
        processes = len(run.processes)
        self.sent = np.bincount(calls.process, self.bytes, minlength=processes)

        ranks = run.processes["rank"]
        peer = calls.data["peer"]
        target = np.minimum(np.searchsorted(ranks, peer), processes - 1)
        self.to_peer = self.sending & np.isin(classes[calls.function], TO_PEER) & (ranks[target] == peer)
        self.target = target
        all_to_all = np.array(["alltoall" in name.lower() and "neighbor" not in name.lower() for name in names])
        self.spread = self.sending & all_to_all[calls.function] & (calls.comm > 0)
        received = np.bincount(target[self.to_peer], self.bytes[self.to_peer], minlength=processes)
        self.received = received.astype(np.float64)  # numpy counts in integers where there is nothing to count
        self._members = self._spread_members()
        for members, by_process in self._members:
            self.received[members] += by_process.sum() / len(members)

    def _spread_members(self) -> list[tuple[NDArray[np.int64], NDArray[np.float64]]]:
        """For each communicator with all-to-alls: its members, and the bytes that each process sent in them."""
        calls, processes = self.run.calls, len(self.run.processes)
        comms, bytes_, process = calls.comm[self.spread], self.bytes[self.spread], calls.process[self.spread]
        order = np.argsort(comms, kind="stable")
        comms, bytes_, process = comms[order], bytes_[order], process[order]
        first = np.append(np.flatnonzero(np.diff(comms, prepend=-1)), len(comms))
        found = []
        for begin, end in zip(first[:-1].tolist(), first[1:].tolist(), strict=True):
            members = np.array(sorted(self.run.communicators.all[comms[begin]].members), np.int64)
            if len(members):
                by_process = np.bincount(process[begin:end], bytes_[begin:end], processes).astype(np.float64)
                found.append((members, by_process))
        return found

    def matrix(self) -> Matrix:
        """Bytes from row to column, ranks folded into at most MATRIX_ROWS blocks of equal size."""
        processes = len(self.run.processes)
        block = -(-processes // MATRIX_ROWS)
        rows = -(-processes // block)
        block_of = np.arange(processes) // block
        calls = self.run.calls
        source, target = block_of[calls.process[self.to_peer]], block_of[self.target[self.to_peer]]
        folded = np.bincount(source * rows + target, self.bytes[self.to_peer], minlength=rows * rows)
        table = folded.astype(np.float64).reshape(rows, rows)
        for members, by_process in self._members:
            share = np.bincount(block_of[members], minlength=rows) / len(members)
            table += np.outer(np.bincount(block_of, by_process, minlength=rows), share)
        return Matrix(block=int(block), bytes=table.tolist())
