"""From a few Runs of one program on different numbers of ranks to what it would take on others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePath

import numpy as np

from clearway.base.errors import ClearwayError
from clearway.ledger.account import LINES
from clearway.predict.scaling.answer import SCHEMA, Answer, Figure, RunUsed, SiteLaw, Target
from clearway.predict.scaling.fit import CHANCE, SEED
from clearway.predict.scaling.lines import line_law
from clearway.predict.scaling.measured import Measured
from clearway.predict.scaling.notes import efficiency_notes, notes_of
from clearway.predict.scaling.runs import Runs
from clearway.predict.scaling.sentence import sentence_of
from clearway.predict.scaling.simulated import NamedCluster, network_notes, parts_of, simulated
from clearway.predict.scaling.sites import counted_columns, largest_sites, site_counts, site_law
from clearway.predict.scaling.targets import target_of
from clearway.predict.scaling.work import scaling_of, works_of


def scale(
    measured: Sequence[Measured], to: Sequence[int], said: str | None = None, on: NamedCluster | None = None
) -> Answer:
    """Raises ClearwayError where the Runs are not of one program, or on one number of ranks only; and where the cluster
    has no room.
    """
    check(measured)
    ordered = sorted(measured, key=lambda run: (run.ranks, run.directory))
    works = works_of(ordered)
    scaling, why = scaling_of(ordered, works, said)
    runs = Runs(
        tuple(ordered),
        tuple(works),
        tuple(run.ranks for run in ordered),
        tuple(run.wall_s / run.ranks / work for run, work in zip(ordered, works, strict=True)),
        scaling,
    )
    targets = sorted(set(to))
    laws = {site: site_counts(runs, site) for site in sorted({site for run in ordered for site in run.sites})}
    random = np.random.default_rng(SEED)
    sent = counted_columns(runs, laws)
    each = [line_law(runs, line, targets, sent, random) for line in LINES]
    parts = parts_of(runs, laws, targets, on) if on else [None] * len(targets)
    each = [simulated(line, drawn, [part for part in parts if part], random) for line, drawn in each]
    lines, drawn = [line for line, _ in each], [of_line for _, of_line in each]
    foretold = tuple(target_of(runs, lines, drawn, at, target, parts[at]) for at, target in enumerate(targets))
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
        targets=foretold,
        lines=tuple(lines),
        sites=tuple(
            within_the_job(site_law(runs, site, laws[site], targets, random), foretold) for site in largest_sites(runs)
        ),
        chance=CHANCE,
        notes=(*notes_of(runs, laws, targets), *efficiency_notes(runs, foretold), *network_notes(runs, parts)),
    )
    return replace(made, sentence=sentence_of(made))


def within_the_job(site: SiteLaw, targets: Sequence[Target]) -> SiteLaw:
    """Laws of calls and of the ledger's lines are drawn by themselves; but no call takes longer than the job."""
    cut = tuple(
        Figure(
            one.expected if one.expected is None or whole.expected is None else min(one.expected, whole.expected),
            min(one.low, whole.high),
            min(one.high, whole.high),
        )
        for one, whole in zip(site.at_s, (target.wall for target in targets), strict=True)
    )
    return replace(site, at_s=cut)


def check(measured: Sequence[Measured]) -> None:
    programs = sorted({PurePath(run.program).name for run in measured})
    if len(programs) > 1:
        raise ClearwayError(f"the Runs are of different programs: {', '.join(programs)}", "give Runs of one program")
    if len({run.ranks for run in measured}) < 2:
        raise ClearwayError(
            f"all Runs are on {measured[0].ranks} ranks, so they do not show how the job scales",
            "add Runs of the same job on other numbers of ranks, three or more in all",
        )
