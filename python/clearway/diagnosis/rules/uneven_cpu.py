"""Some hosts have more ranks than cores while others have cores left: the ranks get uneven shares of CPU time."""

from __future__ import annotations

from clearway.base import quantities as q
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.core_use import occupation
from clearway.diagnosis.facts.counters import machines
from clearway.diagnosis.facts.crowded_hosts import badly_spread
from clearway.diagnosis.facts.part_of_loss import charged_s
from clearway.diagnosis.finding import Evidence
from clearway.diagnosis.rules import Suspicion

TITLE = "CPU utilisation is uneven: ranks are badly spread over the hosts"
REMEDIES = ("spread-hosts",)


def examine(case: Case) -> Suspicion | None:
    """Claims the run delay on hosts that are too full, but for what programs of others took there."""
    spread = badly_spread(case)
    if spread is None:
        return None
    lost_s = sum(
        (1 - occupation(case, members).others) * charged_s(case, "core_wait_s", spread.within & set(members))
        for members in machines(case).values()
    )
    if lost_s <= 0:
        return None
    host, processors = spread.worst, f"{spread.processors} processor{'' if spread.processors == 1 else 's'}"
    shares = f"{q.percent(spread.there)} there, {q.percent(spread.elsewhere)} elsewhere"
    evidence = (
        Evidence(f"ranks on {host.name}", f"{host.ranks} for {processors}", "affinity, processors of the host"),
        Evidence("hosts with free cores", f"{len(spread.roomy):,} of {case.tables.job.hosts:,}", "likewise"),
        Evidence("on a core when ready", shares, "schedstat"),
    )
    says = (
        f"{host.name} runs {host.ranks} ranks on {processors} while {spread.roomy[0]} has free ones: its ranks get "
        f"less CPU time than they need."
    )
    return Suspicion({"core_wait_s": lost_s}, says, evidence, confidence=0.96)
