"""How right an answer is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from causes.answer import Answer, Said
from causes.draw import Draw
from causes.kinds import KINDS, SO_ANYWAY, Name, label
from causes.results import Measured, Result

HARMLESS = 0.03  # of the wall-clock: what costs less
LOUD = 0.10  # of the wall-clock: a wrong finding that comes first and claims more
NEAR = 0.25  # of the cost
DISTURBED = 0.2  # cores that others use: then what a run takes longer is theirs as well
AMBIENT = "foreign-load"  # kind and rule: also where nobody planted it

Word = Literal["right first", "partly", "missed", "explained falsely", "harmless", "undecided", "failed"]
HARMFUL: tuple[Word, ...] = ("right first", "partly", "missed", "explained falsely")


@dataclass(frozen=True, slots=True)
class Verdict:
    """On one draw. Shares of the faulty run's wall-clock."""

    word: Word
    cost: float = 0.0  # of all its faults together
    spread: float = 0.0  # how far its twins were apart
    to_name: tuple[str, ...] = ()  # its kinds that cost something
    first: str = ""  # what was said first, by its rule, what is so anyway left out; "" for none
    said_cost: float = 0.0  # of the findings that are right
    unnamed: float = 0.0

    @property
    def harmful(self) -> bool:
        return self.word in HARMFUL

    @property
    def cost_near(self) -> bool:
        """Whether the right findings together say what it costs."""
        return abs(self.said_cost - self.cost) <= NEAR * self.cost


def judge(result: Result) -> Verdict:
    """Strictly: of two faults both must be named, before anything else; what comes before them must be so anyway."""
    if result.faulty is None or not result.twins:
        return Verdict("failed")
    faulty, twins = result.faulty, [twin.wall_s for twin in result.twins]
    spread = (max(twins) - min(twins)) / faulty.wall_s
    costs = costs_of(result)
    cost = sum(costs.values())
    findings = told(faulty.answer, tuple(costs), result.draw)
    first, unnamed = label(findings[0].rule, findings[0].text) if findings else "", faulty.answer.unnamed
    to_name = tuple(kind for kind, each in costs.items() if each >= HARMLESS)
    if not to_name and cost < HARMLESS and spread < HARMLESS:
        return Verdict("harmless", cost, spread, (), first, unnamed=unnamed)
    if not to_name or cost <= spread or disturbed(result):
        return Verdict("undecided", cost, spread, to_name, first, unnamed=unnamed)
    right = [one for one in findings if any(fits(one, KINDS[kind].right) for kind in costs)]
    said_cost = max(sum(one.cost_s for one in right) - taken_anyway_s(result), 0.0) / faulty.wall_s
    return Verdict(_word(findings, to_name, tuple(costs)), cost, spread, to_name, first, said_cost, unnamed)


def disturbed(result: Result) -> bool:
    """Whether others used the machine, too, where nobody planted that."""
    if any(fault.kind == AMBIENT for fault in result.draw.faults):
        return False
    runs = [*result.twins, *(each for each in (result.first_alone, result.faulty) if each is not None)]
    return any((run.answer.others_cores or 0.0) > DISTURBED for run in runs)


def costs_of(result: Result) -> dict[str, float]:
    """Share of the faulty run's wall-clock that each kind cost: of two, the first alone, and what the second added."""
    faulty, kinds = result.faulty, [fault.kind for fault in result.draw.faults]
    assert faulty is not None
    # Lost is lost against the twin before; half of what the twins are apart makes it their mean.
    drift_s = (result.twins[-1].wall_s - result.twins[0].wall_s) / 2 if not result.draw.fatal else 0.0
    lost_s = faulty.lost_s - drift_s
    parts_s = [lost_s]
    if result.first_alone is not None and len(kinds) > 1:
        alone_s = result.first_alone.lost_s - drift_s
        parts_s = [alone_s, lost_s - alone_s]
    ranks = result.draw.ranks
    return {
        kind: each_s * ((ranks - 1) / ranks if KINDS[kind].is_work else 1.0) / faulty.wall_s
        for kind, each_s in zip(kinds, parts_s, strict=False)
    }


def taken_anyway_s(result: Result) -> float:
    """Wall-clock for which a rank has no core in the twins either, where others use the machine anyway.

    Of the load that is planted the cost is what it took besides; what is said is said of all.
    """
    if all(fault.kind != AMBIENT for fault in result.draw.faults):
        return 0.0
    waited_s = [
        twin.answer.ledger.get("core_wait_s", 0.0) / result.draw.ranks
        for twin in result.twins
        if AMBIENT in twin.answer.anyway
    ]
    return sum(waited_s) / max(len(waited_s), 1)


def told(answer: Answer, kinds: Sequence[str], draw: Draw) -> list[Said]:
    """What counts: findings without those that are so anyway, unless they are what was planted."""
    planted = {name.rule for kind in kinds for name in KINDS[kind].right}
    anyway = answer.anyway | SO_ANYWAY.get(draw.family, frozenset())
    return [one for one in answer.said if one.rule in planted or one.rule not in anyway]


def fits(said: Said, names: Sequence[Name]) -> bool:
    return any(name.fits(said.rule, said.text) for name in names)


def _word(findings: Sequence[Said], to_name: Sequence[str], planted: Sequence[str]) -> Word:
    def names(one: Said, kinds: Sequence[str], near: bool = False) -> bool:
        return any(fits(one, (*KINDS[kind].right, *(KINDS[kind].near if near else ()))) for kind in kinds)

    named = [kind for kind in to_name if any(names(one, [kind]) for one in findings[: len(to_name)])]
    if len(named) == len(to_name) and names(findings[0], to_name):
        return "right first"
    if findings and findings[0].share > LOUD and not names(findings[0], planted, near=True):
        return "explained falsely"
    return "partly" if any(names(one, to_name, near=True) for one in findings) else "missed"


def loud(run: Measured, draw: Draw) -> list[Said]:
    """Findings of a run in which nothing was planted."""
    return told(run.answer, (), draw)
