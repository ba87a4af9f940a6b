"""From a few Runs of one program on different numbers of ranks to what it would take on others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath

import numpy as np
from numpy.typing import NDArray

from clearway.base import quantities as q
from clearway.base.errors import ClearwayError
from clearway.ledger.account import LINES
from clearway.predict.scaling.answer import (
    SCHEMA,
    Answer,
    Counted,
    Figure,
    LineLaw,
    Loss,
    RunUsed,
    Scaling,
    SiteLaw,
    Target,
)
from clearway.predict.scaling.bounds import bounds
from clearway.predict.scaling.counts import CountLaw, count_law
from clearway.predict.scaling.fit import CHANCE, SEED, Column, Fit, fit
from clearway.predict.scaling.measured import Count, Measured, Site
from clearway.predict.scaling.nulls import amdahl, constant, perfect
from clearway.predict.scaling.sentence import sentence_of
from clearway.predict.scaling.terms import LOGARITHMS
from clearway.predict.scaling.work import scaling_of, works_of
from clearway.predict.what_if.counterfactual import WORDS

JITTER = 1 / 3  # of the wall-clock: a line may be off by NOISE of that, so by 1 %, however short it is itself
CROWDED = 0.05  # of the wall-clock: more waiting for a core than that is no accident
MOST_SITES = 12
LEAST_COUNT = 0.01  # of the largest: a count next to nothing may be off by NOISE of that
COMPUTE, CORE_WAIT, TRANSFER = "compute_s", "core_wait_s", "mpi_transfer_s"
NOTHING = Count(0, 0, 0.0, 0.0)

_Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class _Runs:
    """Columns by Run, fewest ranks first."""

    all: tuple[Measured, ...]
    works: tuple[float, ...]
    ranks: tuple[int, ...]
    wall_s: tuple[float, ...]  # a rank
    scaling: Scaling

    def fitted(self, ranks: int) -> float:
        """What seconds a rank are multiplied with before they are fitted."""
        return float(ranks) if self.scaling is Scaling.STRONG else 1.0


def scale(measured: Sequence[Measured], to: Sequence[int], said: str | None = None) -> Answer:
    """Raises ClearwayError where the Runs are not of one program, or on one number of ranks only."""
    check(measured)
    ordered = sorted(measured, key=lambda run: (run.ranks, run.directory))
    works = works_of(ordered)
    scaling, why = scaling_of(ordered, works, said)
    runs = _Runs(
        tuple(ordered),
        tuple(works),
        tuple(run.ranks for run in ordered),
        tuple(run.wall_s / run.ranks / work for run, work in zip(ordered, works, strict=True)),
        scaling,
    )
    targets = sorted(set(to))
    laws = {site: _site_counts(runs, site) for site in sorted({site for run in ordered for site in run.sites})}
    random = np.random.default_rng(SEED)
    each = [_line(runs, line, targets, laws, random) for line in LINES]
    lines, drawn = [line for line, _ in each], [of_line for _, of_line in each]
    made = Answer(
        schema=SCHEMA,
        sentence="",
        program=ordered[0].program,
        scaling=scaling,
        why=why,
        runs=tuple(
            RunUsed(run.directory, run.ranks, run.hosts, run.wall_s / run.ranks, work)
            for run, work in zip(ordered, works, strict=True)
        ),
        targets=tuple(_target(runs, lines, drawn, at, target) for at, target in enumerate(targets)),
        lines=tuple(lines),
        sites=tuple(_site(runs, site, laws[site], targets, random) for site in _largest(runs)),
        chance=CHANCE,
        notes=tuple(_notes(runs, laws, targets)),
    )
    return replace(made, sentence=sentence_of(made))


def check(measured: Sequence[Measured]) -> None:
    programs = sorted({PurePath(run.program).name for run in measured})
    if len(programs) > 1:
        raise ClearwayError(f"the Runs are of different programs: {', '.join(programs)}", "Runs of one program")
    if len({run.ranks for run in measured}) < 2:
        raise ClearwayError(
            f"all Runs are on {measured[0].ranks} ranks: nothing tells how it scales",
            "Runs of the same job on other numbers of ranks, three of them or more",
        )


def _line(
    runs: _Runs,
    line: str,
    targets: Sequence[int],
    laws: Mapping[Site, tuple[CountLaw | None, CountLaw | None]],
    random: np.random.Generator,
) -> tuple[LineLaw, list[_Numbers] | None]:
    """And draws of its seconds a rank, by target; None where the Runs give bounds only."""
    seconds = [run.lines[line] / run.ranks / work for run, work in zip(runs.all, runs.works, strict=True)]  # a rank
    counted = [*(_counted(runs, laws) if line == TRANSFER else ()), *(_crowding(runs) if line != COMPUTE else ())]
    fitted = _fitted(runs, seconds, counted, search=line == COMPUTE or (line != CORE_WAIT and not _crosses(runs)))
    if fitted is None:
        at = tuple(Figure(None, *bounds(runs.ranks, seconds, target)) for target in targets)
        return LineLaw(line, WORDS[line], tuple(seconds), at, "", None), None
    drawn = [_draws(runs, fitted, target, random) for target in targets]
    at = tuple(map(figure_of, drawn))
    best = fitted.laws[0]
    return LineLaw(line, WORDS[line], tuple(seconds), at, best.words, best.weight), drawn


def _crowding(runs: _Runs) -> list[Column]:
    """Of waiting for a core it is known what it grows with: ranks beyond the cores there are; what waits for such a
    rank grows likewise. Where Runs had more cores the more ranks they had, there is nothing to go by: then waiting for
    a core is constant, or in proportion to the ranks.
    """
    cores = _cores(runs)
    if cores is None or not _crowded(runs):
        return []
    return [Column(f"(ranks beyond {q.count(cores)} cores)", lambda ranks: max(ranks / cores - 1, 0.0))]


def _cores(runs: _Runs) -> int | None:
    """Of all Runs, where they had as many."""
    cores = {run.cores for run in runs.all}
    return cores.pop() if len(cores) == 1 else None


def _crowded(runs: _Runs) -> bool:
    last = runs.all[-1]
    return last.lines[CORE_WAIT] > CROWDED * last.wall_s


def _crosses(runs: _Runs) -> bool:
    """Whether some Runs have a core for each rank and others have not. What sets these apart is no power of the number
    of ranks, so that none is searched for.
    """
    cores = _cores(runs)
    return cores is not None and _crowded(runs) and min(runs.ranks) <= cores < max(runs.ranks)


def _fitted(runs: _Runs, seconds: Sequence[float], counted: Sequence[Column], search: bool = True) -> Fit | None:
    factors = [runs.fitted(ranks) for ranks in runs.ranks]
    noise = [factor * max(own, JITTER * wall) for factor, own, wall in zip(factors, seconds, runs.wall_s, strict=True)]
    values = [factor * own for factor, own in zip(factors, seconds, strict=True)]
    return fit(runs.ranks, values, noise, counted, search)


def _draws(runs: _Runs, fitted: Fit, target: int, random: np.random.Generator) -> _Numbers:
    factor = runs.fitted(target)
    least = factor * JITTER * min(runs.wall_s)
    result: _Numbers = fitted.draws(target, least, random) / factor
    return result


def figure_of(drawn: _Numbers) -> Figure:
    low, middle, high = np.quantile(drawn, [0.5 - CHANCE / 2, 0.5, 0.5 + CHANCE / 2]).tolist()
    return Figure(middle, low, high)


def _target(
    runs: _Runs, lines: Sequence[LineLaw], drawn: Sequence[list[_Numbers] | None], at: int, target: int
) -> Target:
    own = [one[at] for one in drawn if one is not None]
    if len(own) == len(lines):
        wall = figure_of(np.sum(own, axis=0))
    else:
        wall = Figure(None, sum(line.at[at].low for line in lines), sum(line.at[at].high for line in lines))
    fewest = _at_fewest(runs, runs.wall_s) * runs.fitted(runs.ranks[0])
    efficiency = fewest / (wall.expected * runs.fitted(target)) if wall.expected else None
    return Target(
        ranks=target,
        wall=wall,
        constant_s=constant(runs.ranks, runs.wall_s),
        perfect_s=perfect(runs.ranks, runs.wall_s, target),
        amdahl_s=amdahl(runs.ranks, runs.wall_s, target),
        efficiency=efficiency,
        losses=_losses(runs, lines, wall, at, target),
    )


def _at_fewest(runs: _Runs, values: Sequence[float]) -> float:
    own = [value for ranks, value in zip(runs.ranks, values, strict=True) if ranks == runs.ranks[0]]
    return sum(own) / len(own)


def _losses(runs: _Runs, lines: Sequence[LineLaw], wall: Figure, at: int, target: int) -> tuple[Loss, ...]:
    """Of computing, what is more than on the fewest ranks: the same work could be done in that."""
    if not wall.expected:
        return ()
    found = []
    for line in lines:
        seconds, words = line.at[at].expected or 0.0, line.words
        if line.line == COMPUTE:
            needed = _at_fewest(runs, line.recorded) * runs.fitted(runs.ranks[0]) / runs.fitted(target)
            seconds, words = seconds - needed, f"more computing than on {q.count(runs.ranks[0])}"
        if seconds > 0:
            found.append(Loss(line.line, words, seconds, seconds / wall.expected))
    return tuple(sorted(found, key=lambda loss: -loss.seconds))


def _site_counts(runs: _Runs, site: Site) -> tuple[CountLaw | None, CountLaw | None]:
    """Laws of its calls and bytes; none where a Run did other work than the first: those are no counts of the same."""
    if set(runs.works) != {1.0}:
        return None, None
    own = [run.sites.get(site, NOTHING) for run in runs.all]
    return count_law(runs.ranks, [one.calls for one in own]), count_law(runs.ranks, [one.bytes for one in own])


def _counted(runs: _Runs, laws: Mapping[Site, tuple[CountLaw | None, CountLaw | None]]) -> list[Column]:
    """All calls and all bytes, each times log2(p)^j: what moving data may be in proportion to. None where a site has no
    exact law.
    """
    made = []
    for which, words in enumerate(("calls", "bytes")):
        known = [(site, law[which]) for site, law in laws.items()]
        if all(law is not None for _, law in known):
            made += _columns(runs, [(site, law) for site, law in known if law is not None], which, words)
    return made


def _columns(runs: _Runs, laws: Sequence[tuple[Site, CountLaw]], which: int, words: str) -> list[Column]:
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


def _largest(runs: _Runs) -> list[Site]:
    """Those that take longest on the most ranks."""
    last = runs.all[-1].sites
    return sorted(last, key=lambda site: -last[site].seconds)[:MOST_SITES]


def _site(
    runs: _Runs,
    site: Site,
    laws: tuple[CountLaw | None, CountLaw | None],
    targets: Sequence[int],
    random: np.random.Generator,
) -> SiteLaw:
    own = [run.sites.get(site, NOTHING) for run in runs.all]
    seconds = [one.seconds / run.ranks / work for one, run, work in zip(own, runs.all, runs.works, strict=True)]
    known = {site: laws}
    counted = [*_counted(replace(runs, all=_only(runs, site)), known), *_crowding(runs)]
    fitted = _fitted(runs, seconds, counted, search=not _crosses(runs))
    at_s = tuple(
        Figure(None, *bounds(runs.ranks, seconds, target))
        if fitted is None
        else figure_of(_draws(runs, fitted, target, random))
        for target in targets
    )
    return SiteLaw(
        function=site.function,
        on=site.on,
        calls=_told(runs, [one.calls for one in own], laws[0], targets, random),
        bytes=_told(runs, [one.bytes for one in own], laws[1], targets, random),
        recorded_s=tuple(seconds),
        at_s=at_s,
    )


def _only(runs: _Runs, site: Site) -> tuple[Measured, ...]:
    return tuple(replace(run, sites={site: run.sites.get(site, NOTHING)}) for run in runs.all)


def _told(
    runs: _Runs, counts: Sequence[int], law: CountLaw | None, targets: Sequence[int], random: np.random.Generator
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


def _notes(
    runs: _Runs, laws: Mapping[Site, tuple[CountLaw | None, CountLaw | None]], targets: Sequence[int]
) -> list[str]:
    said = []
    numbers, last = sorted(set(runs.ranks)), runs.all[-1]
    if len(numbers) < 3:
        said.append(
            f"From {len(numbers)} numbers of ranks there is no law, only bounds: no line is said to be expected. Add a "
            "Run on a third number."
        )
    if max(targets) > 8 * numbers[-1]:
        said.append(
            f"{q.count(max(targets))} ranks are {max(targets) / numbers[-1]:.0f} times as many as were recorded: what "
            "begins only beyond (other algorithms of the MPI, other switches) is not in the bounds."
        )
    if max(run.hosts for run in runs.all) == 1 and max(targets) > numbers[-1]:
        said.append(
            "All Runs are on one host: the network between hosts is in none of them. Where more ranks need more hosts, "
            "add Runs there."
        )
    not_exact = [site for site, law in laws.items() if None in law]
    if not_exact and set(runs.works) == {1.0}:
        said.append(
            f"Of {len(not_exact)} of {len(laws)} call sites no law of the set gives calls and bytes to the unit: these "
            "are fitted as seconds are."
        )
    if set(runs.works) != {1.0}:
        said.append("The Runs did not the same work: seconds are of as much work as the first one did.")
    if not all(run.complete for run in runs.all):
        said.append("Some Runs did not end well; what is missing from their records is missing here.")
    if _crowded(runs):
        said.append(
            f"On {last.ranks} ranks {q.percent(last.lines[CORE_WAIT] / last.wall_s)} of the time was waiting for a "
            "core: more ranks are expected to share the same cores. Where each will have one, start from Runs so."
        )
    return said
