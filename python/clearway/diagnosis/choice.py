"""Which remedies to try: of each finding the smallest that needs no privilege, as far as they go together."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from clearway.diagnosis import Diagnosed
from clearway.launch.change import Change, combined
from clearway.remedies import Offer, remedies


@dataclass(frozen=True, slots=True)
class Chosen:
    """A remedy that `clearway fix` tries, and the finding that it is for."""

    id: str
    rule: str
    offer: Offer
    change: Change
    expected_gain_s: float | None


def choose(findings: Iterable[Diagnosed], wanted: Collection[str] = ()) -> tuple[Chosen, ...]:
    """The remedies to try, the one for the costliest finding first; with `wanted`, of those only."""
    chosen: list[Chosen] = []
    for one in findings:
        found = _smallest(one, [each.id for each in chosen], wanted)
        if found is not None:
            chosen.append(found)
    return tuple(chosen)


def together(chosen: Iterable[Chosen]) -> Change:
    """All of them as one change of the command line. Where two say different things, the costlier finding's wins."""
    return combined(*(each.change for each in reversed(list(chosen))))


def _smallest(one: Diagnosed, taken: Collection[str], wanted: Collection[str]) -> Chosen | None:
    gains = {remedy.id: remedy.expected_gain_s for remedy in one.finding.remedies}
    for name, offer in one.offers.items():
        if name in taken:
            return None  # the remedy of a costlier finding mends this one as well
        if offer.change is None or offer.needs_root or (wanted and name not in wanted):
            continue
        if not any(_exclude(name, other) for other in taken):
            return Chosen(name, one.finding.rule, offer, offer.change, gains[name])
    return None


def _exclude(first: str, second: str) -> bool:
    return first in remedies()[second].EXCLUDES or second in remedies()[first].EXCLUDES
