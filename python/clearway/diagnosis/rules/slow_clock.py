"""The processors run below the frequency that they could have."""

from __future__ import annotations

from clearway.base import quantities as q
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.clocks import SlowClock, slow_clock
from clearway.diagnosis.finding import Evidence
from clearway.diagnosis.rules import Suspicion

TITLE = "The processors run below their highest frequency"
REMEDIES = ("full-clock",)
MHZ = 1e-3
WHY = {
    "limit": "a limit is set",
    "heat": "they slowed down because of heat or power",
    "clock": "a governor that saves power, a power limit or heat slows them down, though they are busy",
}


def examine(case: Case) -> Suspicion | None:
    """Claims of computing what the highest frequency would save at most: a bound."""
    found = {host.name: slow for host in case.run.hosts if (slow := slow_clock(case, host)) is not None}
    names = [case.run.host_names[host] for host in case.run.processes["host"].tolist()]
    most_s = sum(
        float(seconds) * (1 - found[name].share)
        for name, seconds in zip(names, case.books.ledger["compute_s"], strict=True)
        if name in found
    )
    if most_s <= 0:
        return None
    worst = min(found.values(), key=lambda slow: slow.share)
    hosts = len(set(names) & found.keys())
    where = worst.host if hosts == 1 else f"{worst.host} and {hosts - 1} more hosts"
    says = (
        f"The processors of {where} run at {worst.khz * MHZ:,.0f} MHz of {worst.highest_khz * MHZ:,.0f}: "
        f"{WHY[worst.why]}. The figure is the most that can be gained: memory does not get faster, and all cores "
        "together rarely reach the highest frequency of one."
    )
    return Suspicion({"compute_s": most_s}, says, _evidence(case, worst, hosts), confidence=0.5)


def _evidence(case: Case, worst: SlowClock, hosts: int) -> tuple[Evidence, ...]:
    facts = next(host.facts for host in case.run.hosts if host.name == worst.host)
    governor = facts.get("cpufreq.scaling_governor")
    source = "scaling_max_freq" if worst.why == "limit" else "scaling_cur_freq, once a second"
    return (
        Evidence("frequency", f"{worst.khz * MHZ:,.0f} MHz", f"{source} of processor 0"),
        Evidence("its highest", f"{worst.highest_khz * MHZ:,.0f} MHz", "cpuinfo_max_freq"),
        *([Evidence("governor", governor, "scaling_governor")] if governor else []),
        Evidence("hosts concerned", f"{hosts:,} of {case.tables.job.hosts:,}", q.percent(worst.share) + " at worst"),
    )
