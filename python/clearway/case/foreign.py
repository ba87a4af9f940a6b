"""What programs that are none of the job's took of its processors."""

from __future__ import annotations

from collections.abc import Collection

from clearway.case import Case
from clearway.case.counters import host_record, host_rise, process_rises

BUSY = ("cpu.user_ms", "cpu.system_ms")  # without softirq: packets, the job's own too


def foreign_load(case: Case, processes: Collection[int]) -> tuple[float, float]:
    """Seconds of CPU time that others used on the machine of these, and over how long."""
    record = host_record(case, processes)
    if record is None:
        return 0.0, 0.0
    own_ns = process_rises(case, "process.cpu_all_threads_ns")
    own_s = sum(own_ns.get(process, 0) for process in processes) * 1e-9
    rows = case.run.processes[list(processes)]
    return max(host_rise(record, *BUSY) * 1e-3 - own_s, 0.0), float((rows["end_s"] - rows["recording_s"]).max())
