"""A governor that lets the processors run as fast as they can, and no limit below that."""

from __future__ import annotations

from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.clocks import slow_clock
from clearway.diagnosis.finding import Finding
from clearway.diagnosis.remedies import Offer

EXCLUDES: frozenset[str] = frozenset()
FAST = "performance"


def offer(case: Case, finding: Finding) -> Offer | None:
    """No gain is promised: the finding is a bound. Nothing against heat."""
    for host in case.run.hosts:
        slow = slow_clock(case, host)
        governor = host.facts.get("cpufreq.scaling_governor")
        if slow is None or slow.why == "heat" or (slow.why == "clock" and governor == FAST):
            continue
        return Offer(
            what=f"let the processors of {slow.host} run at their highest frequency",
            why=f"a limit keeps them at {100 * slow.share:.0f} % of it"
            if slow.why == "limit"
            else f"the governor {governor} keeps them below it",
            gain=None,
            command=f"sudo cpupower frequency-set --governor {FAST} --max {slow.highest_khz:.0f}kHz",
            needs_root=True,
        )
    return None
