"""One host is slower than the others: all wait for its ranks."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from clearway.base import quantities as q
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.counters import host_rise
from clearway.diagnosis.facts.part_of_loss import charged_s
from clearway.diagnosis.facts.shared_processors import held_back_s
from clearway.diagnosis.facts.slowest_host import slowest_host, unlike_the_others
from clearway.diagnosis.finding import Evidence
from clearway.diagnosis.rules import Suspicion
from clearway.run.run import HostRecord

TITLE = "One host is slower than the others"
REMEDIES = ("leave-host-out", "alike-hosts", "host-cpu-quota")
SLOWER = 1.10  # computing on it over computing elsewhere
STOLEN = 0.02  # of its processors' time


def examine(case: Case) -> Suspicion | None:
    """Claims what was lost for the ranks of the host that the others wait for.

    Where its control group or its hypervisor says that they were stopped, that is sure; where only all its ranks
    compute longer than all others, it is likely.
    """
    if case.tables.job.hosts < 2:
        return None
    slow = slowest_host(case)
    mine = _of_host(case, slow)
    record = next((record for record in case.run.hosts if record.name == case.run.host_names[slow]), None)
    stopped = [*_throttled(case, mine)]
    heard = [*stopped, *(_heard(case, record) if record else ())]
    longer = _longer(case, mine)
    if not stopped and longer is None:
        return None  # nobody waits for it
    if not heard and (longer is None or len(mine) < 2):
        return None  # a single rank that computes longer has more to compute
    claims = {"imbalance_s": case.losses.imbalance_s if longer else 0.0}
    if stopped:
        claims |= {"core_wait_s": charged_s(case, "core_wait_s", mine), "blocked_s": _blocked_s(case, mine)}
    evidence = (*heard, *([longer] if longer else []))
    name = case.run.host_names[slow]
    who = "The rank" if len(mine) == 1 else f"The {len(mine):,} ranks"
    if not heard:
        says = (
            f"{who} on {name} compute longer than all others, which wait: the host is slower, or its ranks have more "
            f"work."
        )
        return Suspicion(claims, says, evidence, 0.7, "The ranks of one host compute longer than all others")
    whom = "it" if len(mine) == 1 else "them"
    says = f"{who} on {name} did less in the same time than the others, which waited for {whom}."
    return Suspicion(claims, says, evidence, 0.97 if stopped else 0.9)


def _of_host(case: Case, host: int) -> list[int]:
    return [process for process, its in enumerate(case.run.processes["host"].tolist()) if its == host]


def _throttled(case: Case, mine: list[int]) -> Iterator[Evidence]:
    """Only where others are not held back alike."""
    stopped_s, limits = held_back_s(case), case.run.fact("process.cgroup_cpus")
    most_s = max((stopped_s.get(process, 0.0) for process in mine), default=0.0)
    elsewhere_s = max((stopped_s[process] for process in stopped_s.keys() - set(mine)), default=0.0)
    if most_s > 2 * elsewhere_s:
        yield Evidence("throttled by its control group", q.seconds(most_s), "cpu.stat: throttled time")
        yield Evidence("cores in the quota", limits.get(mine[0], q.UNKNOWN), "cpu.max or cpu.cfs_quota_us")


def _heard(case: Case, record: HostRecord) -> Iterator[Evidence]:
    """What the host's own figures say, that the other hosts' do not."""
    others = [each for each in case.run.hosts if each.name != record.name]
    share = _stolen(record)
    if share > STOLEN and share > 2 * max(map(_stolen, others), default=0.0):
        yield Evidence("stolen by the hypervisor", q.percent(share), "/proc/stat: steal")
    throttles = host_rise(record, "cpu.package_throttles")
    if throttles > max((host_rise(each, "cpu.package_throttles") for each in others), default=0):
        yield Evidence("slowed down for heat", f"{throttles:,} times", "thermal_throttle/package_throttle_count")
    for what, mine, theirs in unlike_the_others(case, record.name):
        yield Evidence(what, f"{mine}; others: {theirs}", "the hosts' descriptions")


def _stolen(record: HostRecord) -> float:
    steal_ms = host_rise(record, "cpu.steal_ms")
    all_ms = steal_ms + host_rise(record, "cpu.user_ms", "cpu.system_ms", "cpu.idle_ms", "cpu.iowait_ms")
    return steal_ms / all_ms if all_ms else 0.0


def _longer(case: Case, mine: list[int]) -> Evidence | None:
    """All its ranks compute longer than all others."""
    compute_s = case.books.ledger["compute_s"]
    least_s, most_s = float(compute_s[mine].min()), float(np.delete(compute_s, mine).max())
    if least_s < SLOWER * most_s:
        return None
    return Evidence("computing, at least", f"{q.seconds(least_s)}; elsewhere at most {q.seconds(most_s)}", "ledger")


def _blocked_s(case: Case, mine: list[int]) -> float:
    """What its ranks were blocked longer than the others: a stopped control group is neither running nor waiting."""
    other_s = case.books.ledger["other_s"]
    usual_s = float(np.delete(other_s, mine).mean())
    excess_s = float(np.maximum(other_s[mine] - usual_s, 0.0).sum())
    waits_s = case.losses.blocked_s - float(other_s.sum())
    return excess_s + max(waits_s, 0.0)
