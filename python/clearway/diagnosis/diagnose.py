"""From a Run to its Findings: every rule is asked, the seconds are settled among them, remedies are offered."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from clearway.diagnosis.command import command_with
from clearway.diagnosis.facts import Case
from clearway.diagnosis.finding import WORTH_SAYING, Finding, Remedy
from clearway.diagnosis.remedies import Offer, remedies
from clearway.diagnosis.rules import rules
from clearway.diagnosis.settle import settle
from clearway.diagnosis.when import when
from clearway.job.change import Change
from clearway.run.layout import State

WORTH_OFFERING = 0.01  # of what the fault costs: less is no remedy. Of no gain at all nothing is known: fix may try it
WORTH_ASKING = 0.25  # of the rank-seconds: more than starting and stopping take, but in a short job


@dataclass(frozen=True, slots=True)
class Diagnosed:
    """A finding, and its remedies as something that can be tried."""

    finding: Finding
    offers: dict[str, Offer]  # by the remedy's id, in the order of finding.remedies


def diagnose(case: Case) -> tuple[Diagnosed, ...]:
    """All findings, the costliest first."""
    suspicions = {name: found for name, rule in rules().items() if (found := rule.examine(case)) is not None}
    served = settle(suspicions, case.losses)
    made = []
    # More than the wall-clock cannot come back, though the lines of a damaged record may add up to more.
    claimed_s = sum(served.values()) / case.at_once
    possible = case.wall_s / claimed_s if claimed_s > case.wall_s else 1.0
    for name, rank_seconds in served.items():
        cost_s = possible * rank_seconds / case.at_once
        if cost_s < WORTH_SAYING * case.wall_s or case.wall_s <= 0:
            continue
        rule, said = rules()[name], suspicions[name]
        finding = Finding(
            rule=name,
            title=said.title or rule.TITLE,
            says=said.says,
            cost_s=cost_s,
            share=cost_s / case.wall_s,
            evidence=said.evidence,
            remedies=(),
            confidence=said.confidence,
            when="" if said.at_start else when(case, said.claims),
        )
        made.append(with_remedies(case, finding, rule.REMEDIES if said.remedies is None else said.remedies))
    return tuple(sorted(made, key=lambda one: -one.finding.cost_s))


def health(case: Case) -> str:
    """What is said where nothing was found, and what nothing was looked for in."""
    if case.wall_s <= 0 or case.tables.ledger.wall_s <= 0:
        return "The record ends before anything can be said."
    said = [f"No fault found that costs more than {100 * WORTH_SAYING:.0f} % of the wall-clock."]
    blocked = case.tables.ledger.other_s / case.tables.ledger.wall_s
    if blocked > WORTH_ASKING:
        said.append(f"No rule covers the {100 * blocked:.0f} % in which ranks were blocked, starting or stopping.")
    if (case.run.processes["state"] != State.EXITED).any():
        said.append("The record has no end: it does not show whether or why the job stopped.")
    return " ".join(said)


def with_remedies(case: Case, finding: Finding, names: Iterable[str]) -> Diagnosed:
    offers = dict(_offers(case, finding, names))
    shown = tuple(
        Remedy(
            id=name,
            what=offer.what,
            command=offer.command or command_with(case, offer.change),
            needs_root=offer.needs_root,
            reversible=offer.reversible,
            expected_gain_s=None if offer.gain is None else offer.gain * finding.cost_s,
            why=offer.why,
        )
        for name, offer in offers.items()
    )
    why_none = "" if shown else getattr(rules()[finding.rule], "NO_REMEDY", "")
    return Diagnosed(replace(finding, says=f"{finding.says} {why_none}".rstrip(), remedies=shown), offers)


def _offers(case: Case, finding: Finding, names: Iterable[str]) -> Iterator[tuple[str, Offer]]:
    """Two ways that come to the same command are one."""
    known: list[Change] = []
    for name in names:
        offer = remedies()[name].offer(case, finding)
        if offer is None or (offer.change is not None and offer.change in known):
            continue
        if offer.gain is not None and 0 < offer.gain < WORTH_OFFERING:
            continue
        if offer.change is not None:
            known.append(offer.change)
        yield name, offer
