"""What programs that are none of the job's took of its processors."""

from __future__ import annotations

from collections.abc import Collection
from math import inf

from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.counters import host_record, host_rise, process_rises
from clearway.diagnosis.facts.granted_processors import allowed
from clearway.diagnosis.facts.output import terminals_s
from clearway.run.run import HostRecord

WORTH_NAMING = 0.08  # of a processor: system services take some, and kernel threads that work for the job
SAME_SPAN = 0.8  # of the time for which the host counted: ranks end at about the time when it does
BUSY = ("cpu.user_ms", "cpu.system_ms")  # without softirq: packets, the job's own too


def foreign_load(case: Case, processes: Collection[int]) -> tuple[float, float]:
    """Seconds of CPU time that others used on the processors of these, and over how long.

    `processes`: all of the job's on one machine. The job's launcher and its daemons are none of the others, nor are
    programs that the ranks started and waited for, nor is the kernel where it passes on what the job prints.
    """
    if host_record(case, processes) is None:
        return 0.0, 0.0
    others_s = _beside_s(case, processes) - passing_on_s(case, processes) - children_s(case, processes)
    return max(others_s, 0.0), _span_s(case, processes)


def passing_on_s(case: Case, processes: Collection[int]) -> float:
    """CPU time on the machine of these of the launcher, and of the kernel for what they print into terminals."""
    launchers_s = _launchers_s(case, processes)
    return launchers_s + min(max(_beside_s(case, processes) - launchers_s, 0.0), terminals_s(case, processes))


def children_s(case: Case, processes: Collection[int]) -> float:
    """CPU time of programs that these started and waited for."""
    used_ns = process_rises(case, "process.children_cpu_ns")
    return sum(used_ns.get(process, 0) for process in processes) * 1e-9


def _beside_s(case: Case, processes: Collection[int]) -> float:
    """CPU time of anybody but these on their processors."""
    record = host_record(case, processes)
    own_ns = process_rises(case, "process.cpu_all_threads_ns")
    own_s = sum(own_ns.get(process, 0) for process in processes) * 1e-9
    return 0.0 if record is None else _busy_s(case, processes, record) - own_s


def beside_each_s(case: Case, processes: Collection[int]) -> dict[int, float]:
    """CPU time of others on the processors of each of these that none of the rest may use.

    One by one: the kernel counts what programs use in ticks, and misses what a rank does between two of them. What it
    misses on one processor would be missing from the load on another.
    """
    busy_ms = process_rises(case, "process.own_cpus_busy_ms")
    own_ns = process_rises(case, "process.cpu_all_threads_ns")
    children_ns = process_rises(case, "process.children_cpu_ns")
    masks = {process: allowed(case.tables.ranks[process].cpus) for process in processes}
    return {
        process: max(busy_ms[process] * 1e-3 - (own_ns.get(process, 0) + children_ns.get(process, 0)) * 1e-9, 0.0)
        for process, mask in masks.items()
        if mask and process in busy_ms and not any(mask & masks[other] for other in processes if other != process)
    }


def beside_ranks_s(case: Case, processes: Collection[int]) -> float:
    """Seconds of CPU time that anything but the ranks used: others, programs that they started, the launcher, the
    kernel's handling of packets."""
    record = host_record(case, processes)
    packets_s = (
        0.0 if record is None else _while_shown(case, processes, record) * host_rise(record, "cpu.softirq_ms") * 1e-3
    )
    own_s = children_s(case, processes) + passing_on_s(case, processes)
    return foreign_load(case, processes)[0] + own_s + packets_s


def idle_s(case: Case, processes: Collection[int]) -> float:
    """Seconds for which the processors of these had nothing to do."""
    record = host_record(case, processes)
    if record is None:
        return 0.0
    bound = _on_own_processors(case, processes)
    if bound is None:
        return _while_shown(case, processes, record) * host_rise(record, "cpu.idle_ms") * 1e-3
    busy_s, processors = bound
    return max(processors * _span_s(case, processes) - busy_s, 0.0)


def idle_processors(case: Case, processes: Collection[int]) -> float:
    """How many processors of the machine of these had nothing to do, in the mean; infinite where nobody tells."""
    record = host_record(case, processes)
    if record is None or "cpu.idle_ms" not in record.counters:
        return inf
    idle_all_s = _while_shown(case, processes, record) * host_rise(record, "cpu.idle_ms") * 1e-3
    return idle_all_s / max(_span_s(case, processes), 1e-9)


def _span_s(case: Case, processes: Collection[int]) -> float:
    rows = case.run.processes[list(processes)]
    return float((rows["end_s"] - rows["recording_s"]).max())


def _busy_s(case: Case, processes: Collection[int], record: HostRecord) -> float:
    """CPU time used by anybody on the processors that these may use: all of the machine's, unless all are bound."""
    bound = _on_own_processors(case, processes)
    if bound is not None:
        return bound[0]
    if (part := _while_shown(case, processes, record)) == 1.0:
        return host_rise(record, *BUSY) * 1e-3
    # Of what is on record it is known when it ran; the rest is taken to have come evenly.
    own_ns = process_rises(case, "process.cpu_all_threads_ns")
    own_s = sum(own_ns.get(process, 0) for process in processes) * 1e-9
    apart_s = record.other_launches_s + record.helpers_apart_s
    rest_s = max(host_rise(record, *BUSY) * 1e-3 - apart_s - own_s, 0.0)
    return own_s + part * rest_s


def _while_shown(case: Case, processes: Collection[int], record: HostRecord) -> float:
    """The part of what a host counted that fell to the launch that is shown, if it came evenly.

    A script may start several, one after another; the host counts while any of them runs.
    """
    span_s = _span_s(case, processes)
    return span_s / record.counted_s if 0 < span_s < SAME_SPAN * record.counted_s else 1.0


def _on_own_processors(case: Case, processes: Collection[int]) -> tuple[float, int] | None:
    """CPU time used by anybody on processors that these are bound to, and how many these are; None where one is not.

    Of affinities that overlap the widest counts, so that no processor counts twice.
    """
    busy_ms = process_rises(case, "process.own_cpus_busy_ms")
    masks = {process: allowed(case.tables.ranks[process].cpus) for process in processes}
    if not all(process in busy_ms and mask for process, mask in masks.items()):
        return None
    seen, found_ms = frozenset[int](), 0
    for mask in sorted(set(masks.values()), key=len, reverse=True):
        if not mask & seen:
            seen |= mask
            found_ms += max(busy_ms[process] for process in processes if masks[process] == mask)
    return found_ms * 1e-3, len(seen)


def _launchers_s(case: Case, processes: Collection[int]) -> float:
    """CPU time of the job's launcher and daemons on this machine; hosts that are one machine may see the same ones."""
    names = {case.run.host_names[case.run.processes["host"][process]] for process in processes}
    rises: dict[str, float] = {}
    for record in case.run.hosts:
        if record.name in names:
            for name in record.counters:
                if name.startswith("launcher."):
                    rises[name] = max(rises.get(name, 0), host_rise(record, name))
    return sum(rises.values()) * 1e-3
