"""Which remedies to try: of each finding the smallest that needs no privilege, as far as they go together."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from clearway.diagnosis.diagnose import Diagnosed
from clearway.diagnosis.remedies import Offer, remedies
from clearway.job.agreement import disagree, includes
from clearway.job.change import Change, combined

MOST_ALTERNATIVES = 3  # for one finding: each is a variant that has to be run


@dataclass(frozen=True, slots=True)
class Chosen:
    """A remedy that `clearway fix` tries, and the finding that it is for."""

    id: str
    rule: str
    offer: Offer
    change: Change
    expected_gain_s: float | None
    name: str = ""  # its id, and the finding where the same remedy changes another thing for another finding


Choice = tuple[Chosen, ...]  # remedies that are tried together, the one for the costliest finding first


def choices(findings: Sequence[Diagnosed], wanted: Collection[str] = ()) -> tuple[Choice, ...]:
    """What to try beside each other; with `wanted`, of those remedies only. The first choice is the smallest.

    Where the costliest finding that can be mended has several remedies which exclude each other, each is tried.
    """
    usual = _choice(findings, wanted)
    if not usual:
        return ()
    costliest = next(one for one in findings if one.finding.rule == usual[0].rule)
    others = [each for each in _applicable(costliest, wanted) if each.id != usual[0].id and each.expected_gain_s]
    instead = [each for each in others if _exclude(each, usual[0])]
    return _named((usual, *(_choice(findings, wanted, each) for each in instead[: MOST_ALTERNATIVES - 1])))


def asked_of_slurm(findings: Sequence[Diagnosed], wanted: Collection[str] = ()) -> Choice:
    """What only a batch script can say: another allocation. Of each finding the first, as far as they go together."""
    chosen: list[Chosen] = []
    for one in findings:
        for each in _without_privilege(one, wanted):
            if not each.change.batch_options:
                continue
            if not any(disagree(each.change, other.change) for other in chosen):
                chosen.append(each)
            break
    return _named((tuple(chosen),))[0]


def together(choice: Iterable[Chosen]) -> Change:
    """All of them as one change of the command line. Where two say different things, the costlier finding's wins."""
    return combined(*(each.change for each in reversed(list(choice))))


def _choice(findings: Iterable[Diagnosed], wanted: Collection[str], first: Chosen | None = None) -> Choice:
    """One remedy for each finding, beginning with `first` for its own."""
    chosen = [first] if first else []
    for one in findings:
        found = None if first and one.finding.rule == first.rule else _smallest(one, chosen, wanted)
        if found is not None:
            chosen.append(found)
    return tuple(chosen)


def _smallest(one: Diagnosed, chosen: Collection[Chosen], wanted: Collection[str]) -> Chosen | None:
    so_far = together(chosen)
    for each in _applicable(one, wanted):
        if chosen and includes(so_far, each.change):
            return None  # the remedy of a costlier finding mends this one as well
        if not any(_exclude(each, other) for other in chosen):
            return each
    return None


def _applicable(one: Diagnosed, wanted: Collection[str]) -> list[Chosen]:
    """The remedies of a finding that the job can be run with where it is, the smallest first."""
    return [each for each in _without_privilege(one, wanted) if not each.change.batch_options]


def _without_privilege(one: Diagnosed, wanted: Collection[str]) -> list[Chosen]:
    gains = {remedy.id: remedy.expected_gain_s for remedy in one.finding.remedies}
    return [
        Chosen(name, one.finding.rule, offer, offer.change, gains[name])
        for name, offer in one.offers.items()
        if offer.change is not None and not offer.needs_root and (not wanted or name in wanted)
    ]


def _exclude(one: Chosen, other: Chosen) -> bool:
    """Whether they cannot be combined: they say so, or set the same thing to different values."""
    excluded = one.id in remedies()[other.id].EXCLUDES or other.id in remedies()[one.id].EXCLUDES
    return excluded or disagree(one.change, other.change)


def _named(tried: tuple[Choice, ...]) -> tuple[Choice, ...]:
    every = [each for choice in tried for each in choice]
    several = {one.id for one in every for other in every if one.id == other.id and one.change != other.change}
    return tuple(
        tuple(replace(one, name=f"{one.id} ({one.rule})" if one.id in several else one.id) for one in choice)
        for choice in tried
    )
