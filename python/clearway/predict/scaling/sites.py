"""Laws of call sites: calls and bytes to the unit where that is possible, and seconds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from clearway.predict.scaling.answer import Counted, Figure, Scaling, SiteLaw
from clearway.predict.scaling.bounds import bounds
from clearway.predict.scaling.counts import CountLaw, count_law
from clearway.predict.scaling.crowding import crosses, crowding
from clearway.predict.scaling.fit import Column, fit
from clearway.predict.scaling.measured import Measured, Site
from clearway.predict.scaling.runs import NOTHING, Laws, Runs
from clearway.predict.scaling.seconds import draws_of, figure_of, fitted_of
from clearway.predict.scaling.terms import LOGARITHMS

MOST_SITES = 12
LEAST_COUNT = 0.01  # of the largest: a count next to nothing may be off by NOISE of that


def site_counts(runs: Runs, site: Site) -> tuple[CountLaw | None, CountLaw | None]:
    """Laws of its calls and bytes; none where a Run did other work than the first: those are no counts of the same."""
    if set(runs.works) != {1.0}:
        return None, None
    own = [run.sites.get(site, NOTHING) for run in runs.all]
    return count_law(runs.ranks, [one.calls for one in own]), count_law(runs.ranks, [one.bytes for one in own])


def counted_columns(runs: Runs, laws: Laws) -> list[Column]:
    """All calls and all bytes, each times log2(p)^j: what moving data may be in proportion to. None where a site has no
    exact law.
    """
    made = []
    for which, words in enumerate(("calls", "bytes")):
        known = [(site, law[which]) for site, law in laws.items()]
        if all(law is not None for _, law in known):
            made += _columns(runs, [(site, law) for site, law in known if law is not None], which, words)
    return made


def _columns(runs: Runs, laws: Sequence[tuple[Site, CountLaw]], which: int, words: str) -> list[Column]:
    recorded = {
        run.ranks: float(sum((count.calls, count.bytes)[which] for count in run.sites.values())) for run in runs.all
    }

    def total(ranks: float) -> float:
        if int(ranks) in recorded:
            return recorded[int(ranks)]
        return sum(max(law.law.at(ranks), 0.0) for _, law in laws)

    def times(power: int) -> Column:
        name = ("", "·log2(p)", "·log2(p)^2")[power]
        share = 1 if runs.scaling is Scaling.STRONG else -1

        def at(ranks: float) -> float:
            value = total(ranks) * np.log2(ranks) ** power
            return float(value if share > 0 else value / ranks)

        return Column(f"{words}{name}", at)

    return [times(power) for power in LOGARITHMS] if any(recorded.values()) else []


def largest_sites(runs: Runs) -> list[Site]:
    """Those that take longest on the most ranks."""
    last = runs.all[-1].sites
    return sorted(last, key=lambda site: -last[site].seconds)[:MOST_SITES]


def site_law(
    runs: Runs,
    site: Site,
    laws: tuple[CountLaw | None, CountLaw | None],
    targets: Sequence[int],
    random: np.random.Generator,
) -> SiteLaw:
    own = [run.sites.get(site, NOTHING) for run in runs.all]
    seconds = [one.seconds / run.ranks / work for one, run, work in zip(own, runs.all, runs.works, strict=True)]
    known = {site: laws}
    # On cores that only some Runs share, a call takes as long as its ranks wait for one, whatever it moves.
    moved = [] if crosses(runs) else counted_columns(replace(runs, all=_only(runs, site)), known)
    fitted = fitted_of(runs, seconds, [*moved, *crowding(runs)], search=not crosses(runs))
    at_s = tuple(
        Figure(None, *bounds(runs.ranks, seconds, target))
        if fitted is None
        else figure_of(draws_of(runs, fitted, target, random))
        for target in targets
    )
    return SiteLaw(
        function=site.function,
        on=site.on,
        calls=told_count(runs, [one.calls for one in own], laws[0], targets, random),
        bytes=told_count(runs, [one.bytes for one in own], laws[1], targets, random),
        recorded_s=tuple(seconds),
        at_s=at_s,
    )


def _only(runs: Runs, site: Site) -> tuple[Measured, ...]:
    return tuple(replace(run, sites={site: run.sites.get(site, NOTHING)}) for run in runs.all)


def told_count(
    runs: Runs, counts: Sequence[int], law: CountLaw | None, targets: Sequence[int], random: np.random.Generator
) -> Counted:
    if law is not None:
        at = tuple(Figure(max(law.law.at(target), 0.0), *law.range_at(target)) for target in targets)
        return Counted(tuple(counts), at, law.law.words, law.from_ranks, True, len(law.rivals))
    values = [count / work for count, work in zip(counts, runs.works, strict=True)]
    least = LEAST_COUNT * max(values)
    fitted = fit(runs.ranks, values, [max(value, least) for value in values])
    if fitted is None:
        each = [value / ranks for value, ranks in zip(values, runs.ranks, strict=True)]
        around = [bounds(runs.ranks, each, target) for target in targets]
        at = tuple(Figure(None, low * n, high * n) for (low, high), n in zip(around, targets, strict=True))
    else:
        at = tuple(figure_of(fitted.draws(target, 0.0, random)) for target in targets)
    return Counted(tuple(counts), at, "", None, False, 0)
