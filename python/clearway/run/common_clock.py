"""Puts the times of all machines of a Run on the axis of the first one (see align.py for the bounds)."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from clearway.run.clock_offsets import Bounds, Correction, correction
from clearway.run.layout import FunctionClass
from clearway.run.run import Run

# Collectives in which no member can leave before every member has entered.
SYNCHRONISING = (
    "MPI_Barrier",
    "MPI_Allreduce",
    "MPI_Allgather",
    "MPI_Allgatherv",
    "MPI_Alltoall",
    "MPI_Alltoallv",
    "MPI_Alltoallw",
    "MPI_Reduce_scatter",
    "MPI_Reduce_scatter_block",
)


@dataclass(slots=True)
class _Meetings:
    """What bounds clocks: per collective instance and machine the last entry and first exit; per message both ends."""

    instance: NDArray[np.int64]
    machine: NDArray[np.int64]
    last_entry_s: NDArray[np.float64]
    first_exit_s: NDArray[np.float64]
    sender: NDArray[np.int32]
    receiver: NDArray[np.int32]
    sent_s: NDArray[np.float64]
    received_s: NDArray[np.float64]

    def move(self, machine: int, by: Correction) -> None:
        """Adds the correction to this machine's times."""
        mine = self.machine == machine
        for times, chosen in (
            (self.last_entry_s, mine),
            (self.first_exit_s, mine),
            (self.sent_s, self.sender == machine),
            (self.received_s, self.receiver == machine),
        ):
            times[chosen] += by.offset_s + by.drift * times[chosen]


def align_machines(run: Run) -> Run:
    """The Run with all times on the axis of rank 0's machine, its clock error set, notes on what could not be."""
    meetings = _meetings(run)
    machines = int(run.processes["machine"].max()) + 1
    corrections: dict[int, Correction] = {0: Correction(0.0, 0.0, 0.0)}
    while True:
        found = _next_corrections(meetings, corrections, machines)
        if not found:
            break
        for machine, change in found.items():
            meetings.move(machine, change)
        corrections.update(found)
    events, processes = run.events, run.processes
    offset_s, drift = np.zeros(machines), np.zeros(machines)
    for machine, change in corrections.items():
        offset_s[machine], drift[machine] = change.offset_s, change.drift
    of_event = processes["machine"][events.process]
    own_offset_s, stretch = offset_s[processes["machine"]], 1.0 + drift[processes["machine"]]
    zero_s = float((own_offset_s + stretch * processes["begin_s"]).min())
    for times in (events.entry_s, events.exit_s):
        times += offset_s[of_event] + drift[of_event] * times - zero_s
    for name in ("begin_s", "recording_s", "end_s", "origin_s"):
        processes[name] = own_offset_s + stretch * processes[name] - zero_s
    processes["seconds_per_tick"] *= stretch
    processes["aligned"] = np.isin(processes["machine"], list(corrections))
    loose = machines - len(corrections)
    notes = run.notes
    if loose:
        unknown = "how long their ranks waited for each other is not known"
        why = "too few calls in common"
        notes += (f"The clocks of {loose} of {machines} machines could not be aligned ({why}): {unknown}.",)
    error_s = None if loose else max(change.error_s for change in corrections.values())
    realtime_zero_ns = run.realtime_zero_ns + round(zero_s * 1e9)
    return replace(run, notes=notes, clock_error_s=error_s, realtime_zero_ns=realtime_zero_ns)


def _next_corrections(meetings: _Meetings, known: dict[int, Correction], machines: int) -> dict[int, Correction]:
    """Corrections of the machines that share calls with one whose clock is settled."""
    settled = np.zeros(machines, np.bool_)
    settled[list(known)] = True
    instances = int(meetings.instance.max()) + 1 if len(meetings.instance) else 0
    last_entry = np.full(instances, -np.inf)
    first_exit = np.full(instances, np.inf)
    theirs = settled[meetings.machine]
    np.maximum.at(last_entry, meetings.instance[theirs], meetings.last_entry_s[theirs])
    np.minimum.at(first_exit, meetings.instance[theirs], meetings.first_exit_s[theirs])
    shared = np.isfinite(first_exit)[meetings.instance] & ~theirs
    inherited = max(change.error_s for change in known.values())
    found: dict[int, Correction] = {}
    for machine in np.flatnonzero(~settled).tolist():
        at = np.flatnonzero(shared & (meetings.machine == machine))
        instance = meetings.instance[at]
        to_us = (meetings.receiver == machine) & settled[meetings.sender]
        from_us = (meetings.sender == machine) & settled[meetings.receiver]
        entered, left = meetings.last_entry_s[at], meetings.first_exit_s[at]
        sent, received = meetings.sent_s[from_us], meetings.received_s[to_us]
        bounds = Bounds(
            upper_at_s=np.concatenate([entered, sent]),
            upper_s=np.concatenate([first_exit[instance] - entered, meetings.received_s[from_us] - sent]),
            lower_at_s=np.concatenate([left, received]),
            lower_s=np.concatenate([last_entry[instance] - left, meetings.sent_s[to_us] - received]),
        )
        change = correction(bounds)
        if change is not None:
            found[machine] = replace(change, error_s=change.error_s + inherited)
    return found


def _meetings(run: Run) -> _Meetings:
    events, machine_of = run.events, run.processes["machine"].astype(np.int64)
    collectives = run.collectives
    blocking = run.functions.classes() == FunctionClass.COLLECTIVE
    synchronising = (run.functions.named(*SYNCHRONISING) & blocking)[collectives.function]
    members = np.repeat(synchronising, np.diff(collectives.first))
    position, instance = collectives.events[members], collectives.instance[members]
    machines = int(machine_of.max()) + 1
    key = instance * machines + machine_of[events.process[position]]
    order = np.argsort(key, kind="stable")
    position, key = position[order], key[order]
    first = np.flatnonzero(np.diff(key, prepend=-1))
    sends, receives = run.messages.sends, run.messages.receives
    sender, receiver = machine_of[events.process[sends]], machine_of[events.process[receives]]
    across = sender != receiver
    sends, receives = sends[across], receives[across]
    empty = np.empty(0)
    return _Meetings(
        instance=key[first] // machines,
        machine=key[first] % machines,
        last_entry_s=np.maximum.reduceat(events.entry_s[position], first) if len(first) else empty,
        first_exit_s=np.minimum.reduceat(events.exit_s[position], first) if len(first) else empty,
        sender=sender[across].astype(np.int32),
        receiver=receiver[across].astype(np.int32),
        sent_s=events.entry_s[sends],
        received_s=events.exit_s[receives],
    )
