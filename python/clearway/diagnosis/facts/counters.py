"""Counters of the record as rises over the job. Names are those of native/recorder/host/host.hpp."""

from __future__ import annotations

from collections.abc import Collection

from clearway.diagnosis.facts import Case
from clearway.run.run import HostRecord


def process_rises(case: Case, name: str) -> dict[int, int]:
    """By process index, of the processes that have the counter."""
    rows = case.run.counters
    mine = rows.data["name"] == name.encode()
    first, last = rows.data["first"][mine].astype(int), rows.data["last"][mine].astype(int)
    return dict(zip(rows.process[mine].tolist(), (last - first).clip(0).tolist(), strict=True))


def process_firsts(case: Case, name: str) -> dict[int, int]:
    """The value when the record began, by process index, of the processes that have the counter."""
    rows = case.run.counters
    mine = rows.data["name"] == name.encode()
    return dict(zip(rows.process[mine].tolist(), rows.data["first"][mine].astype(int).tolist(), strict=True))


def newest(case: Case, name: str) -> dict[int, int]:
    """By process index: the value, not its rise."""
    rows = case.run.counters
    mine = rows.data["name"] == name.encode()
    return dict(zip(rows.process[mine].tolist(), rows.data["last"][mine].tolist(), strict=True))


def process_last(case: Case, name: str) -> dict[int, int]:
    """The newest value by process index, of the processes that have the counter."""
    rows = case.run.counters
    mine = rows.data["name"] == name.encode()
    return dict(zip(rows.process[mine].tolist(), rows.data["last"][mine].astype(int).tolist(), strict=True))


def host_rise(host: HostRecord, *names: str) -> int:
    """Of these together; a counter that the host does not have counts nothing."""
    pairs = (host.counters.get(name, (0, 0)) for name in names)
    return sum(max(last - first, 0) for first, last in pairs)


def machines(case: Case) -> dict[int, list[int]]:
    """Process indexes by machine: hosts that share a kernel (namespaces, containers) share its cores."""
    found: dict[int, list[int]] = {}
    for process, machine in enumerate(case.run.processes["machine"].tolist()):
        found.setdefault(machine, []).append(process)
    return found


def host_record(case: Case, processes: Collection[int]) -> HostRecord | None:
    """What a host said of itself on which some of these run."""
    names = {case.run.host_names[case.run.processes["host"][process]] for process in processes}
    return next((record for record in case.run.hosts if record.name in names), None)
