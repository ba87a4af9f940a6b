"""How fast the processors of a host ran, beside how fast they could."""

from __future__ import annotations

from dataclasses import dataclass

from clearway.base.whole import is_whole
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.counters import host_rise
from clearway.run.run import HostRecord

BUSY = 0.6  # of the processors' time: below, the one that is asked may have been idle, and slow for that
NEARLY = 0.9  # of the highest frequency: a limit above it is none
SLOW = 0.55  # of the highest frequency, on average: what all cores reach together is more, even with wide instructions
HEAT = 0.02  # of the time


@dataclass(frozen=True, slots=True)
class SlowClock:
    host: str
    share: float  # of the highest frequency
    why: str  # "limit", "heat" or "clock"
    khz: float
    highest_khz: float


def slow_clock(case: Case, host: HostRecord) -> SlowClock | None:
    """Of processor 0, which stands for all. None where the kernel does not tell (virtual machines), or all is well."""
    highest, limit = (_number(host, f"cpufreq.{name}_max_freq_khz") for name in ("cpuinfo", "scaling"))
    if not highest:
        return None
    samples = host_rise(host, "cpufreq.samples")
    mean = host_rise(host, "cpufreq.sum_khz") / samples if samples else 0.0
    hot_s = host_rise(host, "cpu.package_throttled_ms") * 1e-3
    if hot_s > HEAT * case.wall_s and 0 < mean < NEARLY * highest:
        return SlowClock(host.name, mean / highest, "heat", mean, highest)
    if limit and limit < NEARLY * highest:
        return SlowClock(host.name, limit / highest, "limit", limit, highest)
    if 0 < mean < SLOW * highest and _busy(host) > BUSY:
        return SlowClock(host.name, mean / highest, "clock", mean, highest)
    return None


def _busy(host: HostRecord) -> float:
    used_ms = host_rise(host, "cpu.user_ms", "cpu.system_ms", "cpu.softirq_ms")
    all_ms = used_ms + host_rise(host, "cpu.idle_ms", "cpu.iowait_ms", "cpu.steal_ms")
    return used_ms / all_ms if all_ms else 0.0


def _number(host: HostRecord, name: str) -> float:
    told = host.facts.get(name, "")
    return float(told) if is_whole(told) else 0.0
