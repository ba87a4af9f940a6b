"""Brings the records of one job together into a Run."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from clearway.run import clock, layout
from clearway.run.common_clock import align_machines
from clearway.run.directory import Found, find_records, read_launch
from clearway.run.events import SLICES, Events, concatenated, long_event_s, selected, thinning
from clearway.run.launches import process_start_ns
from clearway.run.layout import EventKind, SegmentKind, State, text
from clearway.run.names import Communicators, Functions, renumbered
from clearway.run.other_launches import OtherLaunches
from clearway.run.outside import outside
from clearway.run.pairing import find_collectives, find_messages
from clearway.run.plausible import calls_within, is_absurd, within
from clearway.run.queued import queued
from clearway.run.reader import Record, UnreadableRecordError
from clearway.run.run import PROCESS, Calls, HostRecord, Rows, Run, Waits, to_seconds

EVENT_AFTER_HEARTBEAT_S = 3600.0  # an event may be newer than the newest heartbeat, but hardly by more

_SOURCES = re.compile(r"comm\.([0-9]{1,5})\.sources")
_RANKS = re.compile(r"([0-9]{1,8}(,[0-9]{1,8})*)?")

LONGEST_NS = 1e18  # thirty years: beyond it, a tick count is garbage, and must not overflow

RANK_KINDS = frozenset(SegmentKind) - {
    SegmentKind.TIMELINE,
    SegmentKind.FLOW,
    SegmentKind.FLOW_TRIALS,
}
HOST_KINDS = frozenset({SegmentKind.FACTS, SegmentKind.COUNTERS})
ROW_KINDS = (
    SegmentKind.FILES,
    SegmentKind.SOCKETS,
    SegmentKind.STALLS,
    SegmentKind.FACTS,
    SegmentKind.COUNTERS,
    SegmentKind.ACTIVITIES,
    SegmentKind.READINGS,
    SegmentKind.THREAD_USES,
    SegmentKind.CONCURRENCY,
    SegmentKind.CORES,
    SegmentKind.CODE_RANGES,
    SegmentKind.CODE_SAMPLES,
    SegmentKind.TEAMS,
    SegmentKind.THREADS_AT,
    SegmentKind.MPI_FILES,
    SegmentKind.LOCKS,
)


def load(directory: str | os.PathLike[str]) -> Run:
    """Reads the newest job in `directory`, finished or still running. Raises ClearwayError."""
    path = Path(directory)
    found = find_records(path)
    launch, launch_note = read_launch(path)
    loader = _Loader(found)
    run = loader.run(path)
    notes = [*found.notes, *([launch_note] if launch_note else [])]
    if run.processes["machine"].max() > 0:
        run = align_machines(run)
    return replace(
        run,
        launch=launch,
        notes=(*notes, *run.notes),
        outside=outside(launch, found.processes),
        queued=queued(launch, found.processes),
        besides=found.besides,
    )


@dataclass(slots=True)
class _Parts:
    """Arrays of the processes read so far, by kind, with the index of their process."""

    arrays: list[NDArray[np.void]]
    processes: list[int]

    def rows(self, kind: SegmentKind) -> Rows:
        lengths = [len(array) for array in self.arrays]
        data = layout.joined(layout.ELEMENT[kind][0], self.arrays)
        return Rows(np.repeat(np.array(self.processes, np.int32), lengths), data)


class _Loader:
    """Reads record after record, turning each into its share of the Run's arrays."""

    def __init__(self, found: Found) -> None:
        self.found = found
        self.notes: list[str] = []
        self.records = [record for _, record in found.ranks]
        self.processes = np.zeros(len(self.records), PROCESS)
        self.functions = Functions()
        self.communicators = Communicators()
        self.threads = np.zeros(len(self.records), layout.THREAD_CELL)
        self.main_call = np.zeros(len(self.records), np.int32)
        self.rows = {kind: _Parts([], []) for kind in ROW_KINDS}
        self.waits: list[Waits] = []
        self.calls: list[Calls] = []
        self.events: list[Events] = []
        self.recorded_level = max(int(record.header["event_level"]) for record in self.records)
        self.thinning = 0
        self.dropped = np.zeros(16, np.uint64)
        self.sources: dict[tuple[int, int], tuple[int, ...]] = {}

    def run(self, directory: Path) -> Run:
        host_names = self._describe_processes()
        realtime_zero_ns = self._set_clocks()
        self.thinning = self._thinning()
        for process, record in enumerate(self.records):
            try:
                arrays = record.read(RANK_KINDS)
            except UnreadableRecordError as error:
                self.notes.append(f"{error.message}; only its header counts.")
                arrays = {kind: np.empty(0, layout.ELEMENT[kind][0]) for kind in RANK_KINDS}
            self._take(process, record, arrays)
        events = concatenated(self.events)
        flow, flow_trials = self._beside(self.found.flows, "collectives", SegmentKind.FLOW, SegmentKind.FLOW_TRIALS)
        io_cache, io_sizes = self._beside(
            self.found.io_caches, "the I/O cache", SegmentKind.IO_CACHE, SegmentKind.IO_SIZES
        )
        return Run(
            directory=directory,
            job=self.found.job,
            launch=None,
            notes=tuple(self.notes),
            records=tuple(self.records),
            processes=self.processes,
            host_names=host_names,
            functions=self.functions,
            communicators=self.communicators,
            threads=Rows(np.arange(len(self.records), dtype=np.int32), self.threads),
            main_call=self.main_call,
            waits=_joined_waits(self.waits),
            calls=_joined_calls(self.calls),
            events=events,
            event_level=self.event_level,
            event_window_ms=self._kept_window_ms(),
            collectives=find_collectives(events, self.communicators),
            started=find_collectives(events, self.communicators, EventKind.STARTED),
            sources=self.sources,
            messages=find_messages(events, self.processes["rank"]),
            posts=find_messages(events, self.processes["rank"], EventKind.POSTED),
            probes=find_messages(events, self.processes["rank"], EventKind.PROBED),
            files=self.rows[SegmentKind.FILES].rows(SegmentKind.FILES),
            sockets=self.rows[SegmentKind.SOCKETS].rows(SegmentKind.SOCKETS),
            stalls=self.rows[SegmentKind.STALLS].rows(SegmentKind.STALLS),
            facts=self.rows[SegmentKind.FACTS].rows(SegmentKind.FACTS),
            counters=self.rows[SegmentKind.COUNTERS].rows(SegmentKind.COUNTERS),
            activities=self.rows[SegmentKind.ACTIVITIES].rows(SegmentKind.ACTIVITIES),
            readings=self.rows[SegmentKind.READINGS].rows(SegmentKind.READINGS),
            thread_uses=self.rows[SegmentKind.THREAD_USES].rows(SegmentKind.THREAD_USES),
            concurrency=self.rows[SegmentKind.CONCURRENCY].rows(SegmentKind.CONCURRENCY),
            cores=self.rows[SegmentKind.CORES].rows(SegmentKind.CORES),
            code_ranges=self.rows[SegmentKind.CODE_RANGES].rows(SegmentKind.CODE_RANGES),
            code_samples=self.rows[SegmentKind.CODE_SAMPLES].rows(SegmentKind.CODE_SAMPLES),
            teams=self.rows[SegmentKind.TEAMS].rows(SegmentKind.TEAMS),
            mpi_files=self.rows[SegmentKind.MPI_FILES].rows(SegmentKind.MPI_FILES),
            locks=self.rows[SegmentKind.LOCKS].rows(SegmentKind.LOCKS),
            threads_at=self.rows[SegmentKind.THREADS_AT].rows(SegmentKind.THREADS_AT),
            hosts=self._hosts(),
            flow=flow,
            flow_trials=flow_trials,
            io_cache=io_cache,
            io_sizes=io_sizes,
            dropped=self.dropped,
            realtime_zero_ns=realtime_zero_ns,
            clock_error_s=0.0,
        )

    def _hosts(self) -> tuple[HostRecord, ...]:
        others = OtherLaunches(self.found)
        return tuple(others.counted(_host(record), record) for record in self.found.hosts)

    def _beside(self, records: list[Record], about: str, *kinds: SegmentKind) -> list[Rows]:
        """What files beside the ranks' hold, by kind. `process` of the rows is the number of the file."""
        parts = {kind: _Parts([], []) for kind in kinds}
        for file, record in enumerate(records):
            try:
                arrays = record.read(frozenset(kinds))
            except UnreadableRecordError as error:
                self.notes.append(f"{error.message}; its figures of {about} are missing.")
                continue
            for kind in kinds:
                parts[kind].arrays.append(arrays[kind])
                parts[kind].processes.append(file)
            self.dropped += record.header["dropped"]
        return [parts[kind].rows(kind) for kind in kinds]

    def _describe_processes(self) -> tuple[str, ...]:
        hosts: dict[str, int] = {}
        machines: dict[bytes, int] = {}
        for row, (rank, record) in zip(self.processes, self.found.ranks, strict=True):
            header = record.header
            boot_id = bytes(header["boot_id"]) or bytes(header["host"])
            row["rank"] = rank
            row["aligned"] = True
            row["host"] = hosts.setdefault(text(bytes(header["host"])), len(hosts))
            row["machine"] = machines.setdefault(boot_id, len(machines))
            for name in ("pid", "state", "exit_code", "world_size", "event_level"):
                row[name] = header[name]
        return tuple(hosts)

    def _set_clocks(self) -> int:
        """Gives every process its line from ticks to seconds; returns CLOCK_REALTIME at second 0, in ns."""
        lines: dict[int, clock.Line] = {}
        instants = [clock.valid_instants(record.header) for record in self.records]
        ahead_ns: dict[int, int] = {}  # CLOCK_REALTIME - CLOCK_MONOTONIC, by machine
        for machine in range(int(self.processes["machine"].max()) + 1):
            members = np.flatnonzero(self.processes["machine"] == machine)
            of_members, own = clock.machine_lines([instants[member] for member in members])
            lines.update(zip(members.tolist(), of_members, strict=True))
            pooled = np.concatenate([instants[member] for member in members])
            differences = pooled["realtime_ns"].astype(np.int64) - pooled["monotonic_ns"].astype(np.int64)
            ahead_ns[machine] = int(np.median(differences)) if len(differences) else 0
            if own:
                host = text(bytes(self.records[members[0]].header["host"]))
                self.notes.append(f"{len(own)} process(es) on {host} have a clock that differs from their neighbours'.")
        starts_ns = [
            process_start_ns(record) + ahead_ns[int(machine)]
            for record, machine in zip(self.records, self.processes["machine"], strict=True)
        ]
        zero_ns = min(starts_ns)
        for process, (row, record, start_ns) in enumerate(zip(self.processes, self.records, starts_ns, strict=True)):
            line = lines[process]
            newest = instants[process][-1]
            row["seconds_per_tick"] = line.seconds_per_tick
            row["tick_origin"] = line.ticks
            row["origin_s"] = (line.monotonic_ns + ahead_ns[int(row["machine"])] - zero_ns) * 1e-9
            since = clock.signed_ticks(newest["ticks"].reshape(1), line.ticks)[0]
            since_ns = float(np.clip(since * line.seconds_per_tick * 1e9, -LONGEST_NS, LONGEST_NS))
            row["realtime_origin_ns"] = int(newest["realtime_ns"]) - round(since_ns)
            row["begin_s"] = (start_ns - zero_ns) * 1e-9
            recording_s, end_s = to_seconds(row, np.array([record.header["start"]["ticks"], newest["ticks"]]))
            row["recording_s"] = max(recording_s, row["begin_s"])
            row["end_s"] = max(end_s, row["recording_s"])
        return zero_ns

    @property
    def event_level(self) -> int:
        return self.recorded_level + self.thinning

    def _kept_window_ms(self) -> int:
        window_ms = _window_ms(self.records[0])
        return max(window_ms // SLICES, 1) if self.thinning else window_ms

    def _thinning(self) -> int:
        recorded = sum(record.count(SegmentKind.EVENTS) for record in self.records)
        span_s = float(self.processes["end_s"].max() - self.processes["begin_s"].min())
        needed = thinning(recorded, span_s, _window_ms(self.records[0]), self.recorded_level)
        return max(needed, *(record.thinning for record in self.records))  # the same for all that are compared

    def _take(self, process: int, record: Record, arrays: dict[SegmentKind, NDArray[np.void]]) -> None:
        row = self.processes[process]
        functions = self.functions.add(arrays[SegmentKind.FUNCTIONS])
        comms = self.communicators.add(process, arrays[SegmentKind.COMMS])
        threads = arrays[SegmentKind.THREADS]
        main = int(np.argmax(threads["is_main"] != 0)) if len(threads) else 0
        if len(threads):
            self.threads[process] = threads[main]
            self.main_call[process] = _function_of(threads[main], functions)
            self.waits.append(_waits(process, threads[main], arrays[SegmentKind.OPEN_CALLS], comms))
        for kind in (SegmentKind.READINGS, SegmentKind.THREADS_AT):
            arrays[kind] = _in_order(arrays[kind])
        for own, ranks in _sources(arrays[SegmentKind.FACTS]):
            self.sources[process, int(comms[min(own, len(comms) - 1)])] = ranks
        cells = arrays[SegmentKind.CALLS]
        cells = cells[cells["count"] > 0]
        of_main = cells["thread"] == main
        events = self._events(process, row, arrays[SegmentKind.EVENTS], functions, comms)
        self.events.append(events)
        if len(events):
            row["end_s"] = max(row["end_s"], events.exit_s.max())
        # A killed process lived on after its newest heartbeat: to the entry of its last call at least, and as long as
        # its calls took.
        last_entry_s = to_seconds(row, self.threads[process]["call_entry_ticks"].reshape(1))[0]
        in_calls = int(cells["ticks"][of_main].sum()) + int(self.threads[process]["io_ticks"])
        for sign_of_life_s in (last_entry_s, row["recording_s"] + in_calls * row["seconds_per_tick"]):
            if row["state"] != State.EXITED and sign_of_life_s < row["end_s"] + EVENT_AFTER_HEARTBEAT_S:
                row["end_s"] = max(row["end_s"], sign_of_life_s)
        lived = (float(row["end_s"] - row["recording_s"]), float(row["seconds_per_tick"]))
        if any(is_absurd(kind, arrays[kind], *lived) for kind in arrays):
            self.notes.append(
                f"{record.path.name} is damaged: it tells of far more time than passed. Do not trust its figures."
            )
        self.threads[process] = within(SegmentKind.THREADS, self.threads[process : process + 1], *lived)[0]
        for kind in ROW_KINDS:
            if len(arrays[kind]):
                self.rows[kind].arrays.append(within(kind, arrays[kind], *lived))
                self.rows[kind].processes.append(process)
        self.calls.append(
            Calls(
                np.full(len(cells), process, np.int32),
                renumbered(cells["function"], functions),
                renumbered(cells["comm"], comms),
                of_main,
                calls_within(cells, of_main, *lived),
            )
        )
        self.dropped += record.header["dropped"]

    def _events(
        self,
        process: int,
        row: np.void,
        raw: NDArray[np.void],
        functions: NDArray[np.int32],
        comms: NDArray[np.int32],
    ) -> Events:
        raw = raw[raw["commit"] == layout.EVENT_COMMITTED]
        entry_s = to_seconds(row, raw["entry_ticks"])
        exit_s = to_seconds(row, raw["exit_ticks"])
        since = (raw["exit_ticks"] - row["tick_origin"]).view(np.int64)
        since_ns = np.clip(since * (row["seconds_per_tick"] * 1e9), -LONGEST_NS, LONGEST_NS).astype(np.int64)
        realtime_ns = row["realtime_origin_ns"] + since_ns
        window_ms = _window_ms(self.records[process])
        kept = selected(realtime_ns, window_ms, self.recorded_level)
        kept &= selected(realtime_ns, max(window_ms // SLICES, 1), self.thinning)
        good = (entry_s <= exit_s) & (entry_s >= row["recording_s"] - 1.0)
        good &= exit_s <= row["end_s"] + EVENT_AFTER_HEARTBEAT_S
        good &= kept | (exit_s - entry_s > long_event_s(self.event_level))
        if not good.all():
            raw, entry_s, exit_s, kept = raw[good], entry_s[good], exit_s[good], kept[good]
        return Events(
            process=np.full(len(raw), process, np.int32),
            function=renumbered(raw["function"], functions),
            comm=renumbered(raw["comm"], comms),
            peer=np.ascontiguousarray(raw["peer"]),
            tag=np.ascontiguousarray(raw["tag"]),
            seq=np.ascontiguousarray(raw["seq"]),
            kind=raw["kind"].astype(np.uint8),
            kept=kept,
            entry_s=entry_s,
            exit_s=exit_s,
            bytes=np.ascontiguousarray(raw["bytes"]),
            run_delay_s=_seconds(raw["run_delay_us"]),
            blocked_before_s=_seconds(raw["blocked_before_us"]),
            io_before_s=_seconds(raw["io_before_us"]),
            run_delay_before_s=_seconds(raw["run_delay_before_us"]),
        )


def _seconds(us: NDArray[np.uint32]) -> NDArray[np.float32]:
    return (us * 1e-6).astype(np.float32)


def _in_order(readings: NDArray[np.void]) -> NDArray[np.void]:
    """By time, each instant once: a record may end while some are being moved."""
    _, first = np.unique(readings["ticks"], return_index=True)
    first = first[readings["ticks"][first] > 0]
    return readings[first]


def _waits(process: int, thread: np.void, rows: NDArray[np.void], comms: NDArray[np.int32]) -> Waits:
    """Of the call that the thread is in; the rows of an older one stay in the record until another is described."""
    mine = (rows["entry_ticks"] == thread["call_entry_ticks"]) & (rows["function"] == thread["call_function"])
    rows = rows[mine & (rows["entry_ticks"] > 0) & (rows["function"] > 0)]
    return Waits(np.full(len(rows), process, np.int32), renumbered(rows["comm"], comms), rows)


def _joined_waits(waits: list[Waits]) -> Waits:
    return Waits(
        np.concatenate([np.empty(0, np.int32), *(each.process for each in waits)]),
        np.concatenate([np.empty(0, np.int32), *(each.comm for each in waits)]),
        layout.joined(layout.OPEN_CALL, [each.data for each in waits]),
    )


def _sources(facts: NDArray[np.void]) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Whom the process receives from in neighbourhood collectives, by its own index of the communicator."""
    for row in np.flatnonzero(np.char.startswith(facts["name"], b"comm.")).tolist():
        match = _SOURCES.fullmatch(text(facts["name"][row]))
        ranks = text(facts["text"][row])
        if match is not None and _RANKS.fullmatch(ranks):
            yield int(match[1]), tuple(int(rank) for rank in ranks.split(",") if rank)


def _window_ms(record: Record) -> int:
    return int(record.header["event_window_ms"]) or layout.EVENT_WINDOW_MS


def _function_of(thread: np.void, functions: NDArray[np.int32]) -> int:
    """The function that the thread is in, by the Run's number; 0 for none."""
    own = int(thread["call_function"])
    return int(functions[own]) if own < len(functions) else 0


def _joined_calls(parts: list[Calls]) -> Calls:
    return Calls(
        np.concatenate([part.process for part in parts]),
        np.concatenate([part.function for part in parts]),
        np.concatenate([part.comm for part in parts]),
        np.concatenate([part.main for part in parts]),
        layout.joined(layout.CALL_CELL, [part.data for part in parts]),
    )


def _host(record: Record) -> HostRecord:
    try:
        arrays = record.read(HOST_KINDS)
    except UnreadableRecordError:
        return HostRecord(text(bytes(record.header["host"])), {}, {})
    facts = {text(name): text(value) for name, value in arrays[SegmentKind.FACTS].tolist()}
    counters = {text(name): (first, last) for name, first, last in arrays[SegmentKind.COUNTERS].tolist()}
    return HostRecord(text(bytes(record.header["host"])), facts, counters)
