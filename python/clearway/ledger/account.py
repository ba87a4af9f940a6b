"""The ledger: every second of every process on exactly one line. docs/ledger.md tells how and why."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clearway.ledger.collectives import collective_units
from clearway.ledger.cpu_time import not_run_s
from clearway.ledger.divisible_calls import Units, joined
from clearway.ledger.newcomers import for_newcomers_s, meet_other_side
from clearway.ledger.one_sided import one_sided_units
from clearway.ledger.open_calls import OpenCalls, open_calls
from clearway.ledger.point_to_point import message_units
from clearway.ledger.split import Split, split
from clearway.ledger.stalls import Intervals, peer_processes, stalled
from clearway.ledger.starting import INIT, Starting, starting
from clearway.ledger.strata import weights
from clearway.run.layout import FunctionClass
from clearway.run.run import Run

# Lines of the ledger, as in page.Ledger; wall_s is their sum plus residue_s. undivided_s is part of transfer.
LINES = ("compute_s", "core_wait_s", "mpi_wait_s", "mpi_transfer_s", "mpi_stall_s", "io_s", "other_s")

LEDGER = np.dtype([(name, np.float64) for name in ("wall_s", *LINES, "residue_s", "mpi_undivided_s")])

# Calls that wait for nobody: their time moves data or is overhead, and being off the core in them is a loss.
AT_ONCE = (FunctionClass.START, FunctionClass.COLLECTIVE_START, FunctionClass.LOCAL)
NOT_MPI_TIME = (FunctionClass.LIFE, FunctionClass.MPI_IO, FunctionClass.FILE_OPERATION)


@dataclass(frozen=True)
class Account:
    """The ledger of each process, and the divided calls from which it was made (for tables of other shapes)."""

    ledger: NDArray[np.void]  # LEDGER, by process index
    mpi_s: NDArray[np.float64]  # all MPI time by process, without MPI_Init, MPI_Finalize and MPI-IO
    units: Units
    weight: NDArray[np.float64]  # by unit
    split: Split  # by unit
    no_unit_s: NDArray[np.float64]  # by process, of mpi_s: in calls that are no units, as polls that found nothing
    functions: NDArray[np.void]  # FUNCTION_SPLIT, by function number, all processes
    socket_peers: NDArray[np.int32]  # by socket row: process at the other end, or -1
    stalls: Intervals
    open_calls: OpenCalls  # that the record ends in
    starting: Starting  # who waited in MPI_Init; in the ledger that is waiting like any other
    newcomers_s: NDArray[np.float64]  # by process: waiting for processes that are started, or connect; so it is this


FUNCTION_SPLIT = np.dtype(
    [(name, np.float64) for name in ("time_s", "wait_s", "transfer_s", "stall_s", "core_wait_s", "undivided_s")]
)


def account(run: Run) -> Account:
    """Makes the ledger of a Run."""
    peers = peer_processes(run)
    stalls = stalled(run, peers)
    units = joined(collective_units(run), message_units(run), one_sided_units(run))
    meet_other_side(run, units)
    weight = weights(run, units)
    newcomers_s = for_newcomers_s(run, units, weight)
    parts = split(units, stalls)
    inside = open_calls(run, stalls)
    begins = starting(run)
    table = _MpiTable(run, units, weight, parts, inside, begins, newcomers_s)
    ledger = _ledger(run, table)
    return Account(
        ledger=ledger,
        mpi_s=table.mpi_s,
        units=units,
        weight=weight,
        split=parts,
        no_unit_s=table.no_unit_s,
        functions=table.by_function,
        socket_peers=peers,
        stalls=stalls,
        open_calls=inside,
        starting=begins,
        newcomers_s=np.bincount(units.process, newcomers_s, minlength=len(run.processes)).astype(np.float64),
    )


class _MpiTable:
    """MPI time of the main threads by process and by function, exact, with the weighted split laid over it."""

    def __init__(
        self,
        run: Run,
        units: Units,
        weight: NDArray[np.float64],
        parts: Split,
        inside: OpenCalls,
        begins: Starting,
        newcomers_s: NDArray[np.float64],  # by unit
    ) -> None:
        self.processes = len(run.processes)
        classes = run.functions.classes()
        self.functions = len(classes)
        calls, main = run.calls, run.calls.main
        process, function = calls.process[main], calls.function[main]
        cell_s = run.seconds(process, calls.data["ticks"][main])
        delay_s = np.minimum(calls.data["run_delay_ns"][main] * 1e-9, cell_s)
        everyone = np.arange(self.processes, dtype=np.int32)
        time_s = self._sum(process, function, cell_s) + self._sum(everyone, run.main_call, inside.time_s)
        delay = self._sum(process, function, delay_s)

        is_mpi = ~np.isin(classes, NOT_MPI_TIME)
        is_mpi[0] = True
        wait_s = self._sum(units.process, units.function, weight * parts.wait_s + newcomers_s)
        stall_s = self._sum(units.process, units.function, weight * parts.stall_s)
        core_s = self._sum(units.process, units.function, np.where(newcomers_s > 0, 0.0, weight * parts.core_wait_s))
        covered_s = self._sum(units.process, units.function, weight * units.duration_s)
        open_s = self._sum(units.process, units.function, np.where(newcomers_s > 0, 0.0, weight * parts.undivided_s))
        for seconds, of_open in ((wait_s, inside.wait_s), (stall_s, inside.stall_s)):
            seconds += self._sum(everyone, run.main_call, of_open)
        covered_s += self._sum(everyone, run.main_call, inside.wait_s + inside.stall_s)
        at_once = np.isin(classes, AT_ONCE)
        core_s[:, at_once] = delay[:, at_once]
        uncovered_s = np.maximum(time_s - covered_s, 0.0)
        uncovered_s[:, at_once] = 0.0
        undivided_s = open_s + uncovered_s
        transfer_s = np.maximum(time_s - wait_s - stall_s - core_s, 0.0)

        self.mpi_s = time_s[:, is_mpi].sum(axis=1)
        self.wait_s = wait_s[:, is_mpi].sum(axis=1)
        self.stall_s = stall_s[:, is_mpi].sum(axis=1)
        self.core_wait_s = core_s[:, is_mpi].sum(axis=1)
        self.undivided_s = np.minimum(undivided_s, transfer_s)[:, is_mpi].sum(axis=1)
        self.no_unit_s = uncovered_s[:, is_mpi].sum(axis=1)
        is_init = run.functions.named(*INIT)
        self.start_wait_s = np.minimum(begins.wait_s, time_s[:, is_init].sum(axis=1))
        wait_s[:, is_init] += self.start_wait_s[:, np.newaxis] * _shares(time_s[:, is_init])
        self.life_s = time_s[:, classes == FunctionClass.LIFE].sum(axis=1)
        in_files = classes == FunctionClass.MPI_IO
        self.io_wait_s = wait_s[:, in_files].sum(axis=1)  # for others that had opened the same file
        self.io_s = time_s[:, in_files].sum(axis=1) - self.io_wait_s
        self.io_delay_s = np.maximum(delay[:, in_files].sum(axis=1) - self.io_wait_s, 0.0)
        self.by_function = np.zeros(self.functions, FUNCTION_SPLIT)
        for name, values in (
            ("time_s", time_s),
            ("wait_s", wait_s),
            ("transfer_s", np.where(is_mpi, transfer_s, 0.0)),
            ("stall_s", stall_s),
            ("core_wait_s", core_s),
            ("undivided_s", np.where(is_mpi, np.minimum(undivided_s, transfer_s), 0.0)),
        ):
            self.by_function[name] = values.sum(axis=0)

    def _sum(
        self, process: NDArray[np.int32], function: NDArray[np.int32], values: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Sums as a table: process x function."""
        key = process.astype(np.int64) * self.functions + function
        table = np.bincount(key, values, minlength=self.processes * self.functions)
        return table.reshape(self.processes, self.functions).astype(np.float64)


def _shares(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Each row as parts of its sum."""
    result: NDArray[np.float64] = values / np.maximum(values.sum(axis=1, keepdims=True), 1e-12)
    return result


def _ledger(run: Run, mpi: _MpiTable) -> NDArray[np.void]:
    processes, cells = run.processes, run.threads.data
    ledger = np.zeros(len(processes), LEDGER)
    wall_s = processes["end_s"] - processes["begin_s"]
    unrecorded_s = processes["recording_s"] - processes["begin_s"]

    file_s = run.seconds(run.threads.process, cells["io_ticks"])
    file_delay_s = np.minimum(cells["run_delay_in_io_ns"] * 1e-9, file_s)
    blocked_s = cells["blocked_outside_ns"] * 1e-9
    claimed_s = unrecorded_s + file_s + mpi.mpi_s + mpi.io_wait_s + mpi.io_s + mpi.life_s
    outside_s = np.maximum(wall_s - claimed_s - blocked_s, 0.0)
    outside_delay_s = _outside_delay_s(cells, outside_s, claimed_s - unrecorded_s - file_s, unrecorded_s + file_s)

    ledger["wall_s"] = wall_s
    ledger["mpi_wait_s"] = mpi.wait_s + mpi.start_wait_s + mpi.io_wait_s
    ledger["mpi_stall_s"] = mpi.stall_s
    ledger["mpi_transfer_s"] = np.maximum(mpi.mpi_s - mpi.wait_s - mpi.stall_s - mpi.core_wait_s, 0.0)
    ledger["mpi_undivided_s"] = mpi.undivided_s
    ledger["io_s"] = file_s - file_delay_s + mpi.io_s - mpi.io_delay_s
    ledger["core_wait_s"] = outside_delay_s + file_delay_s + mpi.io_delay_s + mpi.core_wait_s
    ledger["other_s"] = blocked_s + unrecorded_s + np.maximum(mpi.life_s - mpi.start_wait_s, 0.0)
    measured = sum(ledger[name] for name in LINES)
    # What nothing else claims is computing. Where the claims exceed the wall-clock they overlap: that is shown
    # as a negative residue, not hidden in a smaller line.
    ledger["compute_s"] = np.maximum(wall_s - measured, 0.0)
    for name, seconds in not_run_s(run, ledger["compute_s"]).items():
        ledger[name] += seconds
        ledger["compute_s"] -= seconds
        measured = measured + seconds
    ledger["residue_s"] = wall_s - measured - ledger["compute_s"]
    return ledger


def _outside_delay_s(
    cells: NDArray[np.void],
    outside_s: NDArray[np.float64],
    mpi_s: NDArray[np.float64],
    elsewhere_s: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Run delay outside MPI and file functions.

    The recorder reads run delay around long stretches only. What fell into short MPI calls (with several ranks a
    core, each of them gives the core away many times a millisecond) is booked outside by mistake. The thread's CPU
    time tells how much at most can be true: it cannot have been off the core while it computed. The CPU time that
    was spent neither in long MPI calls nor (at most) elsewhere is shared out between the outside and the short calls.
    """
    booked_inside = np.minimum(cells["run_delay_in_mpi_ns"] + cells["run_delay_in_io_ns"], cells["run_delay_ns"])
    booked_s = (cells["run_delay_ns"] - booked_inside) * 1e-9
    long_calls_s = (cells["cpu_in_mpi_ns"] + cells["run_delay_in_mpi_ns"]) * 1e-9
    short_calls_s = np.maximum(mpi_s - long_calls_s, 0.0)
    cpu_s = np.maximum(
        (cells["cpu_ns"] - np.minimum(cells["cpu_in_mpi_ns"], cells["cpu_ns"])) * 1e-9 - elsewhere_s, 0.0
    )
    computed_s = cpu_s * outside_s / np.maximum(outside_s + short_calls_s, 1e-9)
    result: NDArray[np.float64] = np.minimum(booked_s, np.maximum(outside_s - computed_s, 0.0))
    return result
