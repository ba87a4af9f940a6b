"""docs/kutzner-unknowns.md."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from measured.circumstances import Circumstances

from clearway.base import quantities as q
from papers.collapse.cells import CALLS_A_STEP, SYSTEM, Cell, setup
from papers.collapse.trial import NEAR, SEEDS, Answer, Trial
from papers.collapse.unknowns import STEPS_ON_ONE, Unknown
from papers.published.kutzner_2007.rows import LOSSY_STEPS

STALL_MS = (200, 250)  # "the others are delayed for 200–250 ms"

HEAD = """\
# What decides how deep LAM collapses in Kutzner et al. 2007

In Table 1 of the paper ([reproduce.md](reproduce.md)), DPPC with LAM becomes slower on more than two single-CPU nodes:
packets are lost in the two calls of `MPI_Alltoall` of each step, and a call that waits for a timeout of TCP takes 200
to 250 ms longer. How often that happens depends on things that the paper does not tell. Here each of them is varied by
itself, within what its sources allow. Nothing on this page is fitted to these cells. But they were known when the
model was made, so they do not test it: they are *seen*.

`tools/papers collapse --markdown docs/kutzner-unknowns.md` simulates all of it and writes this page.
"""

IMPLIED = """\
The paper does not tell how long a step takes on one CPU, so what is lost is known only up to that factor. More than one
delay in a call is a second timeout, after twice the time."""

APART = f"""\
Into the {NEAR:.0%} around the published speedup, or out of them, and by more than the seeds differ:"""

SHORTER = """\
The shorter a step, the more its messages weigh. On 32 CPUs some work is not parallel even over Myrinet
([reproduce.md](reproduce.md)), so that column says little."""


def document(
    cells: Sequence[Cell],
    trials: Sequence[Trial],
    unknowns: Sequence[Unknown],
    ordered: Mapping[float, Sequence[float]],
    told: Circumstances,
) -> str:
    lines = [
        HEAD,
        *implied(cells),
        *as_it_is(cells, trials[0]),
        *one_at_a_time(cells, trials),
        *movers(cells, trials),
        *step_of_one(cells, ordered),
        *deciding(unknowns),
        "",
        f"Simulated {told.date} at commit {told.commit}, {LOSSY_STEPS} steps of each job, {len(SEEDS)} seeds.",
    ]
    return "\n".join(lines).rstrip() + "\n"


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    return [f"| {' | '.join(head)} |", f"|{' --- |' * len(head)}", *(f"| {' | '.join(row)} |" for row in rows)]


def of_cpus(cells: Sequence[Cell]) -> list[str]:
    return [f"{cell.cpus} CPUs" for cell in cells]


def implied(cells: Sequence[Cell]) -> Iterator[str]:
    serial_ns = setup(cells[0].cpus).system.serial_ns
    rows = [
        ["published speedup", *(f"{cell.published:.2f}" for cell in cells)],
        ["without losses (flow control, or ordered)", *(f"{cell.clean:.2f}" for cell in cells)],
    ]
    for factor in STEPS_ON_ONE:
        step = q.seconds(serial_ns * factor * 1e-9)
        lost = [cell.lost_ms(serial_ns * factor) for cell in cells]
        rows.append([f"lost in a step, if one CPU takes {step}", *(f"{each:.0f} ms" for each in lost)])
        shares = [sorted(each / CALLS_A_STEP / stall for stall in STALL_MS) for each in lost]
        rows.append(["delays in each call, of 250 to 200 ms", *(f"{low:.2f}–{high:.2f}" for low, high in shares)])
    yield from ("## What the published speedups say", "")
    yield from table([SYSTEM.upper(), *of_cpus(cells)], rows)
    yield from (
        "",
        IMPLIED,
        "",
    )


def told(answer: Answer) -> str:
    low, high = min(answer.speedups), max(answer.speedups)
    spread = f" ({low:.2f}–{high:.2f})" if f"{low:.2f}" != f"{high:.2f}" else ""
    median = f"{answer.speedup:.2f}"
    return f"**{median}**{spread}" if answer.is_near else f"{median}{spread}"


def count_near(trial: Trial) -> int:
    return sum(each.is_near for each in trial.answers)


def near(trial: Trial) -> str:
    return f"{count_near(trial)} of {len(trial.answers)}"


def as_it_is(cells: Sequence[Cell], trial: Trial) -> Iterator[str]:
    serial_ns = setup(cells[0].cpus).system.serial_ns
    delays = [serial_ns * 1e-6 * (1 / each.speedup - 1 / each.cell.clean) for each in trial.answers]
    rows = [
        ["published", *(f"{cell.published:.2f}" for cell in cells)],
        ["simulated", *map(told, trial.answers)],
        ["lost in a step", *(f"{each:.0f} ms" for each in delays)],
        ["timeouts of connections in a step", *(f"{each.timeouts:.1f}" for each in trial.answers)],
    ]
    yield from ("## What is simulated", "")
    yield from table(["", *of_cpus(cells)], rows)
    yield from ("", f"Medians over the seeds, and their range. Bold: within {NEAR:.0%} of the published speedup.", "")


def one_at_a_time(cells: Sequence[Cell], trials: Sequence[Trial]) -> Iterator[str]:
    yield from ("## One unknown at a time", "")
    rows = [["as simulated", "", *map(told, trials[0].answers), near(trials[0])]]
    for trial in trials[1:]:
        assert trial.unknown is not None
        what = f"{trial.unknown.what} (used: {trial.unknown.taken})"
        rows.append([what, trial.variant.value, *map(told, trial.answers), near(trial)])
    yield from table(["unknown", "value", *of_cpus(cells), f"within {NEAR:.0%}"], rows)
    yield ""


def movers(cells: Sequence[Cell], trials: Sequence[Trial]) -> Iterator[str]:
    """For each cell, what brings it near where it is not, and takes it away where it is."""
    yield from ("## Which unknown moves which cell", "", APART, "")
    for at, cell in enumerate(cells):
        before = trials[0].answers[at]
        moving = [
            f"{trial.unknown.what}: {trial.variant.value} ({trial.answers[at].speedup:.2f})"
            for trial in trials[1:]
            if trial.unknown is not None
            and trial.answers[at].is_near != before.is_near
            and is_apart(before, trial.answers[at])
        ]
        verb = "is taken away by" if before.is_near else "is reached with"
        what = f"{cell.cpus} CPUs, {cell.published:.2f} published, {before.speedup:.2f} simulated"
        yield f"- {what}: {verb} {'; '.join(moving) if moving else 'none of them'}"
    most = max(count_near(trial) for trial in trials)
    best = [told_variant(trial) for trial in trials if count_near(trial) == most]
    yield from ("", f"At most {most} of {len(cells)} cells are within {NEAR:.0%} at once: {'; '.join(best)}.", "")


def is_apart(one: Answer, other: Answer) -> bool:
    return min(one.speedups) > max(other.speedups) or max(one.speedups) < min(other.speedups)


def told_variant(trial: Trial) -> str:
    return trial.variant.value if trial.unknown is None else f"{trial.unknown.what}: {trial.variant.value}"


def step_of_one(cells: Sequence[Cell], ordered: Mapping[float, Sequence[float]]) -> Iterator[str]:
    """What else the time of a step on one CPU would change."""
    serial_ns = setup(cells[0].cpus).system.serial_ns
    rows = [["published", *(f"{cell.ordered:.2f}" for cell in cells)]]
    rows += [
        [q.seconds(serial_ns * factor * 1e-9), *(f"{each:.2f}" for each in speedups)]
        for factor, speedups in ordered.items()
    ]
    yield from ("## What the time of a step changes without losses", "")
    yield from table(["ordered all-to-all, a step on one CPU", *of_cpus(cells)], rows)
    yield from (
        "",
        SHORTER,
        "",
    )


def deciding(unknowns: Sequence[Unknown]) -> Iterator[str]:
    yield from ("## What is known of them, and what would decide", "")
    rows = [[each.what, each.taken, each.known, each.deciding or "–"] for each in unknowns]
    yield from table(["unknown", "used", "what is known", "what to measure on the cluster"], rows)
