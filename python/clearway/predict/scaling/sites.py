"""Laws of call sites: calls and bytes to the unit where that is possible, and seconds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from clearway.predict.scaling.answer import Counted, Figure, Scaling, SiteLaw
from clearway.predict.scaling.bounds import bounds
from clearway.predict.scaling.counts import CountLaw, count_law
from clearway.predict.scaling.crowding import crosses, crowding
from clearway.predict.scaling.fit import SEED, Column, column_of, fit
from clearway.predict.scaling.measured import Measured, Site
from clearway.predict.scaling.runs import NOTHING, Laws, Runs
from clearway.predict.scaling.seconds import draws_of, figure_of, fitted_of
from clearway.predict.scaling.terms import FACES, PLANES
from clearway.predict.scaling.volume import messages, of_neighbours, sent_bytes

MOST_SITES = 12
LEAST_COUNT = 0.01  # of the largest: a count next to nothing may be off by NOISE of that
BLOCKS = (column_of(PLANES), column_of(FACES))


def site_counts(runs: Runs, site: Site) -> tuple[CountLaw | None, CountLaw | None]:
    """Laws of its calls and bytes; none where a Run did other work than the first: those are no counts of the same."""
    if set(runs.works) != {1.0}:
        return None, None
    own = [run.sites.get(site, NOTHING) for run in runs.all]
    near = of_neighbours(site.function)
    return (
        count_law(runs.ranks, [one.calls for one in own], near),
        count_law(runs.ranks, [one.bytes for one in own], near),
    )


def counted_columns(runs: Runs, laws: Laws) -> list[Column]:
    """All messages and all bytes that are sent: what moving data may be in proportion to."""
    recorded = {run.ranks: {site: (count.calls, count.bytes) for site, count in run.sites.items()} for run in runs.all}
    expected: dict[tuple[Site, int, float], float] = {}

    def count_of(site: Site, which: int, ranks: float) -> float:
        if int(ranks) in recorded:
            return float(recorded[int(ranks)].get(site, (0, 0))[which])
        key = site, which, ranks
        if key not in expected:
            expected[key] = expected_count(runs, site, which, laws[site][which], ranks)
        return expected[key]

    def column(words: str, which: int, sent: Callable[[str, float, float], float]) -> Column:
        def at(ranks: float) -> float:
            whole = sum(sent(site.function, count_of(site, which, ranks), ranks) for site in laws)
            return whole if runs.scaling is Scaling.STRONG else whole / ranks

        return Column(words, at)

    columns = [column("messages", 0, messages), column("bytes sent", 1, sent_bytes)]
    return [one for one in columns if any(one.at(ranks) for ranks in recorded)]


def expected_count(runs: Runs, site: Site, which: int, law: CountLaw | None, ranks: float) -> float:
    """By its law, or else as it is expected."""
    if law is not None:
        return max(law.law.at(ranks), 0.0)
    counts = [(own.calls, own.bytes)[which] for own in (run.sites.get(site, NOTHING) for run in runs.all)]
    near = of_neighbours(site.function)
    at = told_count(runs, counts, None, [round(ranks)], np.random.default_rng(SEED), near).at[0]
    return at.expected if at.expected is not None else 0.5 * (at.low + at.high)


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
    known, near = {site: laws}, of_neighbours(site.function)
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
        calls=told_count(runs, [one.calls for one in own], laws[0], targets, random, near),
        bytes=told_count(runs, [one.bytes for one in own], laws[1], targets, random, near),
        recorded_s=tuple(seconds),
        at_s=at_s,
    )


def _only(runs: Runs, site: Site) -> tuple[Measured, ...]:
    return tuple(replace(run, sites={site: run.sites.get(site, NOTHING)}) for run in runs.all)


def told_count(
    runs: Runs,
    counts: Sequence[int],
    law: CountLaw | None,
    targets: Sequence[int],
    random: np.random.Generator,
    near: bool,
) -> Counted:
    """`near`: of messages from rank to rank."""
    if law is not None:
        at = tuple(Figure(max(law.law.at(target), 0.0), *law.range_at(target)) for target in targets)
        return Counted(tuple(counts), at, law.law.words, law.from_ranks, True, len(law.rivals))
    values = [count / work for count, work in zip(counts, runs.works, strict=True)]
    least = LEAST_COUNT * max(values)
    fitted = fit(runs.ranks, values, [max(value, least) for value in values], BLOCKS if near else (), search=False)
    if fitted is None:
        each = [value / ranks for value, ranks in zip(values, runs.ranks, strict=True)]
        around = [bounds(runs.ranks, each, target) for target in targets]
        at = tuple(Figure(None, low * n, high * n) for (low, high), n in zip(around, targets, strict=True))
    else:
        at = tuple(figure_of(fitted.draws(target, 0.0, random)) for target in targets)
    return Counted(tuple(counts), at, "", None, False, 0)
