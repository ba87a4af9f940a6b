"""docs/diagnosis-benchmark.md, from what has been measured so far."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping
from itertools import repeat

from measured.circumstances import told

from clearway.diagnosis.rules import rules
from diagnosis.building import REPOSITORY
from diagnosis.plants import NOT_PLANTED
from diagnosis.score import Judged, RightAndWrong, by_intensity, judged, score
from diagnosis.verdict import Found

PAGE = REPOSITORY / "docs/diagnosis-benchmark.md"

METHOD = """\
Every fault that can be planted on one machine is planted for real, in a configurable workload
(`benchmarks/diagnosis/workload`: computing, halo exchange, collective operations, files), run with a real MPI over
real TCP on the [testbed](testbed.md), on throttled disks, on cores with other work. Each fault has a twin, the same
job without the fault. The right rule must come first (or second) with the fault, and there must be no finding in the
twin, or in the healthy jobs: real engines and the workload on 1 to 8 ranks. Some faults are planted at three
intensities, each with its own twin: *slight*, just above the rule's threshold; *typical*; and *hard*, together with
many other losses.

While a job runs, the kernel counts how much other programs use the machine's processors (the job is in its own control
group). If that is more than a twentieth of a core, `foreign-load` is a correct finding, though it was not planted. So
is `shared-core` if a testbed's hosts together have more ranks than this machine has cores. Both are then ignored when
ranking findings, and counted separately as *excused*: they are not hits, since they were not planted, and a run with
such a finding does not count as one without findings. Before each job the measurement waits up to a minute for a quiet
machine."""

AGAIN = """\
The rule `not-pinned` was changed after this measurement, because it gave false findings in three planted jobs and their
twins; only these three were measured again, and count with the new result. So were those of `memory-pressure`: in the
turns before it, `blocked` told of the same seconds a second time, and came first in two of three slight ones. In two
of the slight turns that count, the fault cost only about 3 % of the wall-clock, which is where findings begin."""

COST = """\
*Cost* is the cost given by the finding ÷ the real cost: the time of the faulty job's
steps minus that of its twin's, as measured by the workload itself (median of the repetitions). It is left out if
the two jobs differ for other reasons than the fault, or if other programs took more than a tenth of either. The
findings `blocked-cma`, `hyper-threads`, `idle-allocation`, `ompio` and `slow-build` say the most that can be gained:
that may be far more than the fault costs, as with `blocked-cma` here, whose two jobs are equally fast. A negative
ratio means that the faulty job was the faster one."""


BESIDES = """\
That is as it should be: above each stands another loss that was planted with it and costs more. The page lists findings
by their cost."""

RULES = """\
All rules that Clearway has ([findings.md](findings.md), `clearway explain RULE`), with the remedies that they can
offer, the smallest first ([remedies.md](remedies.md)), and how often the planted fault was found first, at all
intensities and under all MPIs. Of faults that are not planted here it says why, or where they are.
"""


def write_page() -> None:
    everything = judged()
    if everything:
        PAGE.write_text("\n".join(page(everything)) + "\n")
        print(f"wrote {PAGE}")


def page(everything: list[Judged]) -> Iterator[str]:
    planted = [one for one in everything if one.plant]
    quiet = [one for one in everything if one.healthy]
    yield "# Does it find planted faults, and nothing in healthy jobs? Measured\n"
    yield METHOD
    yield f"\n{told(each.circumstances for one in everything for each in one.repetitions)}, as root, by"
    yield "`PYTHONPATH=python:benchmarks .venv/bin/python -m diagnosis.measure`; what was said in each run is in"
    yield "`benchmarks/diagnosis/results`."
    yield f"{company(everything)}\n"
    yield f"{AGAIN}\n"
    yield from verdict(score(everything), by_intensity(everything))
    yield f"\n{missed(planted)}"
    yield "\n## Planted faults\n"
    yield COST
    yield "*Place* is the rank of the right rule among the findings, in each repetition.\n"
    yield from table(
        ["fault", "MPI", "place", "share", "cost", "also found", "found in the twin"], map(planted_row, planted)
    )
    yield ""
    yield from dict.fromkeys(
        f"- `{one.name}`: {one.plant.how}. *Twin*: {one.plant.instead}." for one in planted if one.plant
    )
    yield "\n## Healthy jobs\n"
    yield from table(["job", "ranks", "MPI", "runs", "found"], map(quiet_row, quiet))
    yield from reasons(quiet)
    yield "\n## Every rule\n"
    yield RULES
    yield from table(["rule", "finding", "remedies", "planted: found first"], map(rule_row, rules(), repeat(planted)))


def rule_row(name: str, planted: list[Judged]) -> list[str]:
    rule = rules()[name]
    of_rule = [one for one in planted if one.plant and one.plant.rule == name]
    said = "; ".join(f"`{plant}` {of(one.first, one.planted)}" for plant, one in by_plant(of_rule).items())
    remedies = ", ".join(f"`{remedy}`" for remedy in rule.REMEDIES)
    return [f"`{name}`", rule.TITLE, remedies or "–", said or NOT_PLANTED.get(name, "not measured yet")]


def by_plant(of_rule: list[Judged]) -> dict[str, RightAndWrong]:
    """A fault at all its intensities is one."""
    names = [(one, one.name.removesuffix(f"-{one.plant.intensity}")) for one in of_rule if one.plant]
    return {name: score([one for one, its in names if its == name]) for name in dict.fromkeys(its for _, its in names)}


def company(everything: list[Judged]) -> str:
    """How much others used the machine, over all runs."""
    used = [one.others_cores for each in everything for repetition in each.repetitions for one in repetition.values()]
    known = [cores for cores in used if cores is not None]
    if not known:
        return "The load by other programs is not known."
    least, middle, most = min(known), statistics.median(known), max(known)
    return f"Other programs used {least:.2f} to {most:.2f} cores meanwhile, {middle:.2f} in the median."


def verdict(total: RightAndWrong, intensities: Mapping[str, RightAndWrong]) -> Iterator[str]:
    yield "| | |\n| --- | --- |"
    yield f"| planted faults found first | {of(total.first, total.planted)} |"
    yield f"| the same, passing over losses planted besides | {of(total.first_but_planted, total.planted)} |"
    yield f"| found first or second (recall) | {of(total.first_or_second, total.planted)} |"
    for name, one in intensities.items() if len(intensities) > 1 else ():
        yield f"| the same, of {name} faults | {of(one.first_or_second, one.planted)} |"
    planted = of(total.found, total.found + total.wrong)
    yield f"| correct findings among those not excused (precision) | {planted} |"
    yield f"| wrong findings | {total.wrong} |"
    yield f"| excused findings (not planted) | {total.excused} |"
    yield f"| runs without a fault and without a finding | {of(total.silent, total.quiet)} |"
    yield f"| the same, ignoring excused findings | {of(total.not_wrong, total.quiet)} |"


def missed(planted: list[Judged]) -> str:
    """By name: a fault that was not found in some repetition, or found below others."""
    not_found = [f"`{one.name}` ({one.mpi})" for one in planted if None in one.places]
    lower = [f"`{one.name}` ({one.mpi})" for one in planted if any(place and place > 1 for place in one.places)]
    said = f"Not found: {', '.join(not_found)}." if not_found else "No planted fault was missed."
    if lower:
        said += f" Found, but not first: {', '.join(lower)}."
    if lower and all(set(one.places_of_planted) == {1} for one in planted if set(one.places) - {1}):
        said += f"\n{BESIDES}"
    return said


def of(part: int, whole: int) -> str:
    return f"{part} of {whole} ({part / whole:.0%})" if whole else "–"


def planted_row(one: Judged) -> list[str]:
    assert one.plant is not None
    cost = one.cost_ratio
    return [
        f"`{one.name}`" if one.name == one.plant.rule else f"`{one.name}`: `{one.plant.rule}`",
        one.mpi,
        ", ".join(f"**{place}**" if place == 1 else str(place or "none") for place in one.places),
        f"{one.median_share:.0%}",
        "–" if cost is None else f"{cost:.2f}",
        names(one.others("faulty")),
        names(one.others("sound")),
    ]


def quiet_row(one: Judged) -> list[str]:
    assert one.healthy is not None
    ranks = str(one.repetitions[0]["healthy"].ranks)
    return [
        f"{one.healthy.what} (`{one.name}`)",
        ranks,
        one.mpi,
        str(len(one.repetitions)),
        names(one.others("healthy")),
    ]


def reasons(quiet: list[Judged]) -> Iterator[str]:
    told = [one.healthy for one in quiet if one.healthy and one.healthy.why]
    if told:
        yield "\nThese findings are real, not false alarms:\n"
        yield from dict.fromkeys(f"- {one.what}: {one.why}." for one in told)


def names(found: list[tuple[Found, bool]]) -> str:
    """False alarms are bold."""
    said = {one.rule: (max(one.share, 0.0), right) for one, right in sorted(found, key=lambda pair: pair[0].share)}
    return ", ".join(
        f"{rule} {share:.0%}" if right else f"**{rule} {share:.0%}**" for rule, (share, right) in said.items()
    )


def table(titles: list[str], rows: Iterator[list[str]]) -> Iterator[str]:
    yield f"| {' | '.join(titles)} |"
    yield f"| {' | '.join('---' for _ in titles)} |"
    for row in rows:
        yield f"| {' | '.join(row)} |"
