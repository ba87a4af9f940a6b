"""From two groups of Runs to their difference."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import PurePath

from clearway.engines.speed import works_of
from clearway.experiment.compared_figure import SECONDS, basis_of
from clearway.experiment.comparison import Basis, Verdict
from clearway.experiment.interval import CONFIDENCE, Interval, difference_of, geometric_mean
from clearway.experiment.same_work import TELLS_PROGRESS, other_work
from clearway.experiment.sample import Sample
from clearway.experiment.verdict import verdict_of
from clearway.ledger.totals import Ledger
from clearway.survey.causes import CAUSES
from clearway.survey.changes import Change, changes_of, launchers_are_known
from clearway.survey.difference import SCHEMA, Difference, Found, Part, Side
from clearway.survey.difference_sentence import sentence_of
from clearway.survey.member import OWN_LINE, Member, Seconds, divided
from clearway.survey.parts import mean, part_of
from clearway.survey.settings import Kind

PRECISION = 0.02  # a ratio known to that is "the same", as in `clearway compare`
WORTH_DIVIDING = 0.01  # of the wall-clock: shares of a smaller difference are shares of nothing
MOST_NAMES = 12
SAME_WORK = 0.01  # relative: a step more or less is the same work


Members = Sequence[Member]


def differ(a: Members, b: Members, same_work: bool = False) -> Difference:
    """B against A."""
    basis = basis_of([Sample("", 1, "", 0.0, member.figures) for member in (*a, *b)])
    changes = changes_of([member.settings for member in a], [member.settings for member in b])
    apart = "" if same_work else _why_not_compared(a, b, basis, changes)
    works = _works(a, b, basis)
    a, b = (
        [divided(one, work) for one, work in zip(side, of, strict=True)] for side, of in zip((a, b), works, strict=True)
    )
    times = [_seconds(side, basis) for side in (a, b)]
    ratio = geometric_mean(times[1]) / geometric_mean(times[0]) if all(times) else None
    interval = None if ratio is None else _ratio_bounds(*times)
    causes = _causes(a, b, apart)
    made = Difference(
        schema=SCHEMA,
        sentence="",
        a=_side("A", a, times[0], works[0]),
        b=_side("B", b, times[1], works[1]),
        basis=basis,
        ratio=ratio,
        ratio_low=interval.low if interval else None,
        ratio_high=interval.high if interval else None,
        verdict=Verdict.NOT_COMPARED if apart else verdict_of(interval, PRECISION),
        not_compared=apart,
        confidence=CONFIDENCE,
        causes=causes,
        calls=_named([one.calls for one in a], [one.calls for one in b]),
        functions=_functions(a, b),
        hosts=_hosts(a, b, causes),
        changes=changes,
        findings=_findings(a, b),
        notes=tuple(_notes(a, b, works, basis, apart)),
    )
    return replace(made, sentence=sentence_of(made, a, b))


def _why_not_compared(a: Sequence[Member], b: Sequence[Member], basis: Basis | None, changes: Sequence[Change]) -> str:
    if basis is None:
        return "the records do not show how long they took"
    if basis in TELLS_PROGRESS:
        return other_work([one.figures for one in b], [one.figures for one in a], basis, True, True)
    unended = next((member.row for member in (*a, *b) if member.row.ended), None)
    if unended:
        return f"{unended.directory} did not end normally ({unended.ended})"
    programs = {PurePath(member.row.program).name for member in (*a, *b)}
    if len(programs) > 1:
        return "they are different programs"
    ranks = [{member.row.ranks for member in side} for side in (a, b)]
    same_options = not any(change.kind == Kind.OPTION for change in changes)
    same_ranks = ranks[0] == ranks[1] and len(ranks[0]) == 1
    return other_work([one.figures for one in b], [one.figures for one in a], basis, same_ranks, same_options)


def _works(a: Members, b: Members, basis: Basis | None) -> tuple[list[float], list[float]]:
    """How much more each Run did than those of A in the mean, where an engine tells of all of them; else 1."""
    known = [work or 0.0 for work in works_of([member.engine for member in (*a, *b)])]
    done = [known[: len(a)], known[len(a) :]]
    if basis not in TELLS_PROGRESS or not all(map(all, done)):
        return [1.0] * len(a), [1.0] * len(b)
    usual = mean(done[0])
    ratios = [[1.0 if abs(work / usual - 1) <= SAME_WORK else work / usual for work in side] for side in done]
    return ratios[0], ratios[1]


def _seconds(side: Members, basis: Basis | None) -> list[float]:
    if basis is None:
        return []
    found = [SECONDS[basis](member.figures) for member in side]
    return [seconds for seconds in found if seconds]


def _ratio_bounds(a: Sequence[float], b: Sequence[float]) -> Interval | None:
    around = difference_of([math.log(one) for one in a], [math.log(one) for one in b])
    return Interval(math.exp(around.low), math.exp(around.high)) if around else None


def _side(name: str, members: Members, seconds: Sequence[float], works: Sequence[float]) -> Side:
    return Side(
        name=name,
        runs=tuple(member.row for member in members),
        seconds=geometric_mean(seconds) if seconds else None,
        least_seconds=min(seconds, default=None),
        most_seconds=max(seconds, default=None),
        work=mean(works),
        ledger=Ledger(**{f.name: mean([getattr(one.ledger, f.name) for one in members]) for f in fields(Ledger)}),
    )


def _causes(a: Members, b: Members, apart: str) -> tuple[Part, ...]:
    """In the order of the ledger's lines. Their shares are of what all of them take more, or less, together."""
    totals = [sum(member.causes.values()) for member in a], [sum(member.causes.values()) for member in b]
    claimed = None if apart or not _are_apart(*totals) else totals
    return tuple(
        part_of(cause, label, [one.causes[cause] for one in a], [one.causes[cause] for one in b], claimed)
        for cause, label in CAUSES.items()
    )


def _are_apart(a: Sequence[float], b: Sequence[float]) -> bool:
    """Whether there is a difference to speak of, for something to be a share of it."""
    bounds = difference_of(a, b)
    if bounds is not None:
        return not bounds.low <= 0 <= bounds.high
    return abs(mean(b) - mean(a)) >= WORTH_DIVIDING * max(mean(a), mean(b))


def _functions(a: Members, b: Members) -> tuple[Part, ...]:
    """Nothing unless all Runs were sampled: computing that is not divided would look like a function that is gone."""
    if not all(member.functions for member in (*a, *b)):
        return ()
    return _named([one.functions for one in a], [one.functions for one in b])


def _named(a: Sequence[Seconds], b: Sequence[Seconds]) -> tuple[Part, ...]:
    """By name, those furthest apart first."""
    names = {name for one in (*a, *b) for name in one}
    parts = [
        part_of(name, name, [one.get(name, 0.0) for one in a], [one.get(name, 0.0) for one in b])
        for name in sorted(names)
    ]
    return tuple(sorted(parts, key=lambda part: -abs(part.more_s))[:MOST_NAMES])


def _hosts(a: Members, b: Members, causes: Sequence[Part]) -> tuple[Part, ...]:
    """Where the cause that is furthest apart arose, if all Runs were on the same hosts, several of them."""
    sets = {frozenset(member.ranks_of_host) for member in (*a, *b)}
    placed = [part for part in causes if part.key in OWN_LINE and part.more_s]
    if len(sets) != 1 or not placed:
        return ()
    (hosts,), cause = sets, max(placed, key=lambda part: abs(part.more_s)).key
    if len(hosts) < 2:
        return ()

    def seconds(side: Members, host: str) -> list[float]:
        return [member.hosts_of_cause[cause].get(host, 0.0) for member in side]

    return tuple(part_of(host, CAUSES[cause], seconds(a, host), seconds(b, host)) for host in sorted(hosts))


def _findings(a: Members, b: Members) -> tuple[Found, ...]:
    titles = {one.rule: one.title for member in (*a, *b) for one in member.findings}

    def shares(side: Members, rule: str) -> list[float]:
        return [sum(one.share for one in member.findings if one.rule == rule) for member in side]

    made = []
    for rule, title in titles.items():
        before, after = shares(a, rule), shares(b, rule)
        counts = [sum(share > 0 for share in side) for side in (before, after)]
        made.append(Found(rule, title, mean(before), mean(after), *counts))
    return tuple(sorted(made, key=lambda one: -abs(one.b - one.a)))


def _notes(
    a: Members, b: Members, works: tuple[Sequence[float], Sequence[float]], basis: Basis | None, apart: str
) -> list[str]:
    engine = b[0].row.engine
    said = []
    if any(work != 1.0 for side in works for work in side):
        said.append(
            f"According to {engine}, not all Runs did the same work: the seconds of each Run are scaled to the mean "
            f"work of A."
        )
    if basis in TELLS_PROGRESS and not apart:
        said.append(f"The ratio is by {basis} from {engine}, without the start; the seconds are of the whole job.")
    settings = [one.settings for one in (*a, *b)]
    if any(kind is Kind.LAUNCHER for one in settings for kind, _ in one) and not launchers_are_known(settings):
        said.append("Only some of the Runs have a record of the launcher's command line, so it was not compared.")
    for name, side in (("A", a), ("B", b)):
        said += [
            f"{one.row.directory} (of {name}) did not end normally ({one.row.ended}): it may have done less work."
            for one in side
            if one.row.ended
        ]
    return said
