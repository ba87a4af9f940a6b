"""The calls of a recorded job: what each process did before and in each, and what it needed (needs.py).

Where calls are a sample, only stretches of time that are kept whole are here; each begins and ends for itself.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clearway.base.distinct import distinct
from clearway.ledger import Account
from clearway.ledger.again.latency import rounds
from clearway.ledger.again.needs import NO_CALL, SAME_INSTANT_S, Needs, Rows
from clearway.ledger.again.off_core import held_off_core
from clearway.ledger.divisible_calls import Units
from clearway.ledger.open_calls import UNDIVIDED
from clearway.ledger.stalls import overlap_s, union
from clearway.ledger.timelines import COMPUTE, UNKNOWN, begins_s, elsewhere_s, outside, spread_the_rest
from clearway.run import Run
from clearway.run.layout import EventKind, FunctionClass

_Seconds = NDArray[np.float64]
_Numbers = NDArray[np.int64]


@dataclass(frozen=True)
class JobCalls:
    """Columns by call, sorted by process, then stretch, then time. The last of a process in a stretch is no call: it
    stands for the stretch's end.
    """

    process: _Numbers
    function: _Numbers
    comm: _Numbers
    bytes: _Numbers
    first: _Numbers  # by process: its first; one longer than there are processes
    begins: NDArray[np.bool_]  # whether the process begins a stretch with it
    clock_s: _Seconds  # where `begins`: when
    covered_s: _Seconds  # by process: how long its stretches are
    open_s: _Seconds  # by process: moving data, or not known to be waiting, in the call in which its record ends
    outside_s: _Seconds  # calls x DOING: what the process did before it
    transfer_s: _Seconds
    undivided_s: _Seconds  # the part of transfer_s that may be waiting
    held_s: _Seconds  # the part of transfer_s in which another rank of the collective stood still for a timeout
    stall_s: _Seconds
    core_wait_s: _Seconds  # in the call
    off_core_s: _Seconds  # the part of transfer_s in which a rank of it may have been without a core ...
    off_core: _Numbers  # ... and the process of that one
    kept_wait_s: _Seconds  # waiting in it of which nobody knows for whom
    all_meet: NDArray[np.bool_]  # all processes come together in it
    rounds: tuple[_Numbers, _Numbers]  # messages between hosts that follow on each other in it: at least, at most
    needs: Rows  # by call, what must have been entered before it goes on: calls, and from len(self) on meetings
    meetings: Rows  # calls that must all have been entered
    whole: bool  # every call of the job is here

    def __len__(self) -> int:
        return len(self.process)

    @property
    def processes(self) -> int:
        return len(self.first) - 1


def job_calls(run: Run, books: Account) -> JobCalls:
    """Makes it of a Run's events."""
    return _Maker(run, books).made()


class _Maker:
    def __init__(self, run: Run, books: Account) -> None:
        self.run, self.books = run, books
        self.processes = len(run.processes)
        events = run.events
        in_files = run.functions.classes()[events.function] == FunctionClass.MPI_IO  # as other file I/O: between calls
        chosen = np.flatnonzero(events.kept & (events.kind != EventKind.BEGUN) & ~in_files)
        stretch = self._stretches(chosen)
        ends = self._ends(chosen, stretch)
        # Events of one function at one entry of a process are one call; each collective is one.
        function = np.append(events.function[chosen], np.full(len(ends), -1))
        alone = np.append(events.kind[chosen] == EventKind.COLLECTIVE, np.ones(len(ends), np.bool_))
        process = np.concatenate([events.process[chosen], ends["process"]]).astype(np.int64)
        stretch = np.concatenate([stretch, ends["stretch"]])
        entry_s = np.concatenate([events.entry_s[chosen], ends["at_s"]])
        is_end = np.arange(len(process)) >= len(chosen)
        order = np.lexsort((entry_s, is_end, stretch, process))
        process, stretch, entry_s, is_end = process[order], stretch[order], entry_s[order], is_end[order]
        is_new = np.ones(len(order), np.bool_)
        is_new[1:] = (np.diff(process) != 0) | (np.diff(stretch) != 0) | (np.diff(entry_s) != 0)
        is_new[1:] |= (np.diff(function[order]) != 0) | alone[order][1:]
        self.first_row = np.flatnonzero(is_new)
        number = np.cumsum(is_new) - 1
        self.call_of = np.full(len(events) + 1, NO_CALL, np.int64)  # by event; the last for ends
        event = np.append(chosen, np.full(len(ends), len(events)))[order]
        self.call_of[event[~is_end]] = number[~is_end]
        self.event = np.where(is_end[self.first_row], -1, event[self.first_row])
        self.process, self.stretch = process[self.first_row], stretch[self.first_row]
        exit_s = np.append(events.exit_s, -np.inf)[event]
        exit_s = np.where(is_end, entry_s, exit_s)
        self.entry_s = entry_s[self.first_row]
        self.exit_s = np.maximum.reduceat(exit_s, self.first_row) if len(order) else exit_s
        self.is_end = is_end[self.first_row]
        self._one_after_the_other()

    def _stretches(self, chosen: _Numbers) -> _Numbers:
        """By event: the number of the stretch of time in which it ended."""
        run = self.run
        if run.event_level == 0:
            self.begin_s = np.zeros(1)
            self.end_s = np.array([float(run.processes["end_s"].max(initial=0.0))])
            return np.zeros(len(chosen), np.int64)
        window_ns = run.event_window_ms * 1_000_000
        realtime_ns = run.realtime_zero_ns + (run.events.exit_s[chosen] * 1e9).astype(np.int64)
        window = realtime_ns // window_ns
        windows = np.unique(window)
        begins = np.append(True, np.diff(windows) != 1)[: len(windows)]
        stretch = np.cumsum(begins) - 1
        last = np.append(np.flatnonzero(begins)[1:] - 1, len(windows) - 1)[: int(begins.sum())]
        self.begin_s = (windows[begins] * window_ns - run.realtime_zero_ns) * 1e-9
        self.end_s = ((windows[last] + 1) * window_ns - run.realtime_zero_ns) * 1e-9
        return stretch[np.searchsorted(windows, window)]

    def _ends(self, chosen: _Numbers, stretch: _Numbers) -> NDArray[np.void]:
        """One row for each process in each stretch in which it made a call."""
        process = self.run.events.process[chosen]
        first, _ = distinct(process, stretch)
        ends = np.zeros(len(first), [("process", np.int64), ("stretch", np.int64), ("at_s", np.float64)])
        ends["process"], ends["stretch"] = process[first], stretch[first]
        ends["at_s"] = np.minimum(self.end_s[ends["stretch"]], self.run.processes["end_s"][ends["process"]])
        return ends

    def _one_after_the_other(self) -> None:
        """Calls of one process do not overlap: those of other threads wait for those before them."""
        begin_s = begins_s(self.run, self.books)
        new = np.ones(len(self.process), np.bool_)
        new[1:] = (np.diff(self.process) != 0) | (np.diff(self.stretch) != 0)
        self.begins = new
        self.clock_s = np.maximum(self.begin_s[self.stretch], begin_s[self.process])
        firsts = np.flatnonzero(new)
        ends = np.append(firsts, len(new))[1:]  # of none, too
        for first, last in zip(firsts.tolist(), ends.tolist(), strict=True):
            own = slice(first, last)
            left_s = np.maximum.accumulate(np.append(self.clock_s[first], self.exit_s[own][:-1]))
            self.entry_s[own] = np.maximum(self.entry_s[own], left_s)
            self.exit_s[own] = np.maximum(self.exit_s[own], self.entry_s[own])
        self.before_s = np.append(-np.inf, self.exit_s[:-1])[: len(new)]
        self.before_s[new] = self.clock_s[new]
        length_s = self.exit_s[ends - 1] - self.clock_s[firsts]
        self.covered_s = np.bincount(self.process[firsts], length_s, minlength=self.processes).astype(np.float64)

    def made(self) -> JobCalls:
        run = self.run
        count = len(self.process)
        needs = Needs(run, self.process, self.stretch, self.entry_s, self.exit_s, self.call_of)
        unit, units = self._units()
        split = self.books.split
        mine = unit >= 0
        own = unit[mine]

        def of_unit(values: _Seconds) -> _Seconds:
            column = np.zeros(count)
            column[mine] = values[own]
            return column

        duration_s = self.exit_s - self.entry_s
        wait_s = np.minimum(of_unit(split.wait_s), duration_s)
        ready_s = np.full(count, -np.inf)
        ready_s[mine] = units.ready_s[own]
        known_s = needs.explain(wait_s, ready_s, self.is_end)
        kept_wait_s = np.maximum(wait_s - known_s, 0.0)
        kept_wait_s[kept_wait_s < SAME_INSTANT_S] = 0.0
        rest_s = np.maximum(duration_s - known_s - kept_wait_s, 0.0)
        stall_s = np.minimum(of_unit(split.stall_s), rest_s)
        core_wait_s = np.minimum(of_unit(split.core_wait_s), rest_s - stall_s)
        transfer_s = rest_s - stall_s - core_wait_s
        ready_s = self.entry_s + known_s + kept_wait_s
        # The ledger takes run delay to have fallen into the wait first; it may as well have come after that.
        delay_s = of_unit(units.run_delay_s.astype(np.float64))
        off_core_s, holder = held_off_core(
            run.messages, run.collectives, self.call_of, ready_s, self.exit_s, core_wait_s, delay_s
        )
        event = np.maximum(self.event, 0)
        none = len(run.events) == 0

        def of_event(column: NDArray[np.generic]) -> _Numbers:
            return np.zeros(count, np.int64) if none else np.where(self.is_end, 0, column[event].astype(np.int64))

        return JobCalls(
            process=self.process,
            function=of_event(run.events.function),
            comm=of_event(run.events.comm),
            bytes=of_event(run.events.bytes),
            first=np.searchsorted(self.process, np.arange(self.processes + 1)),
            begins=self.begins,
            clock_s=self.clock_s,
            covered_s=self.covered_s,
            open_s=self._open_s(),
            outside_s=self._outside_s(),
            transfer_s=transfer_s,
            undivided_s=np.minimum(of_unit(split.undivided_s), transfer_s),
            held_s=np.minimum(self._held_s(ready_s, stall_s), transfer_s),
            stall_s=stall_s,
            core_wait_s=core_wait_s,
            off_core_s=np.minimum(off_core_s, transfer_s),
            off_core=self.process[holder] if count else holder,
            kept_wait_s=kept_wait_s,
            all_meet=needs.all_meet,
            rounds=self._rounds(known_s),
            needs=needs.of_call(),
            meetings=needs.meetings(),
            whole=run.event_level == 0,
        )

    def _units(self) -> tuple[_Numbers, Units]:
        """By call: the divided call of the ledger, or -1."""
        units = self.books.units
        unit = np.full(len(self.process) + 1, -1, np.int64)
        unit[self.call_of[units.event]] = np.arange(len(units))
        return unit[:-1], units

    def _held_s(self, ready_s: _Seconds, stall_s: _Seconds) -> _Seconds:
        """By call, of collectives: from `ready_s` on, while a rank stood still for a timeout, the call's own less."""
        held_s = np.zeros(len(self.process))
        if not len(held_s):
            return held_s
        found, stalls = self.run.collectives, self.books.stalls
        call = self.call_of[found.events]
        stood_still = (call >= 0) & (stall_s[call] > 0)
        for instance in np.unique(found.instance[stood_still]).tolist():
            members = call[found.first[instance] : found.first[instance + 1]]
            members = members[members >= 0]
            begin_s, end_s = ready_s[members], self.exit_s[members]
            theirs = [stalls[process] for process in self.process[members].tolist() if process in stalls]
            near = [each[(each[:, 1] > begin_s.min()) & (each[:, 0] < end_s.max())] for each in theirs]
            silent = union(np.concatenate(near))
            if len(silent):
                held_s[members] = np.maximum(overlap_s(silent, begin_s, end_s) - stall_s[members], 0.0)
        return held_s

    def _rounds(self, known_s: _Seconds) -> tuple[_Numbers, _Numbers]:
        """By call. What was sent before the call may have been on its way meanwhile: at least none, then."""
        told = np.flatnonzero(self.call_of[:-1] >= 0)
        call = self.call_of[:-1][told]
        least, most = (np.zeros(len(self.process), np.int64) for _ in range(2))
        for column, of_event in zip((least, most), rounds(self.run), strict=True):
            np.maximum.at(column, call, of_event[told])
        collective = np.zeros(len(self.process), np.bool_)
        collective[call] = self.run.events.kind[told] == EventKind.COLLECTIVE
        return np.where(collective | (known_s > 0), least, 0), most

    def _outside_s(self) -> _Seconds:
        """What each process did since the call before, as its events tell, and as the ledger knows of the whole job."""
        run, events = self.run, self.run.events
        figures = (events.run_delay_before_s, events.io_before_s, events.blocked_before_s)
        told = np.flatnonzero(self.call_of[:-1] >= 0)
        call, count = self.call_of[:-1][told], len(self.process)
        before_s = np.zeros((count, len(figures)))
        for column, figure in enumerate(figures):
            before_s[:, column] = np.bincount(call, figure[told], minlength=count)
        length_s = np.maximum(self.entry_s - self.before_s, 0.0)
        done_s = outside(length_s, before_s)
        rest = elsewhere_s(run, self.books)
        firsts = np.searchsorted(self.process, np.arange(self.processes + 1))
        for process in range(self.processes):
            own = slice(firsts[process], firsts[process + 1])
            here = float(length_s[own].sum()) / max(float(self.books.ledger["wall_s"][process]), 1e-12)
            part = 1.0 if run.event_level == 0 else min(here, 1.0)
            spread_the_rest(done_s[own], {doing: part * float(column[process]) for doing, column in rest.items()})
        # Nobody left the call in which a record ends, so that it looks like computing up to the end.
        ends = np.flatnonzero(self.is_end & (self.stretch == self.stretch.max(initial=0)))
        inside_s = np.minimum(self.books.open_calls.time_s[self.process[ends]], done_s[ends, COMPUTE])
        done_s[ends, COMPUTE] -= inside_s
        done_s[ends, UNKNOWN] += inside_s
        return done_s

    def _open_s(self) -> _Seconds:
        opened, classes = self.books.open_calls, self.run.functions.classes()[self.run.main_call]
        rest_s: _Seconds = np.where(np.isin(classes, UNDIVIDED), 0.0, opened.time_s - opened.wait_s - opened.stall_s)
        return rest_s
