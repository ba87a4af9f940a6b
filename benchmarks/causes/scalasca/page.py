"""The part of docs/causes-benchmark.md that has Scalasca beside Clearway."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from statistics import median

from measured.circumstances import told as circumstances_told

from causes.kinds import KINDS, label
from causes.scalasca.results import Compared, Heard
from causes.score import DISTURBED, HARMLESS, NEAR, fits

SEEN = 0.5  # of the waiting
# Families of calls whose waiting Scalasca 2.6 reports in no draw here.
NOT_ITS_OWN = frozenset({"ialltoall", "neighbour", "fence"})

METHOD = f"""\
Scalasca (Geimer et al. 2010; delays: Böhme et al. 2010) traces a job whose program was linked with Score-P, and finds
in the trace who waited for whom in MPI. It reports wait states and the ranks that caused them; what the late rank did
instead (sleeping, a lock, a file) is not its subject. So it is compared here on draws in which one rank is late
(another one each step in `wandering`), in the test program on this machine with Open MPI, one fault, and the job ends.
Each runs without a tool and without the fault, with the fault, under Clearway, under Scalasca, and without both again.
Score-P wraps MPI calls only (`--nocompiler`), and Scalasca runs as `scan -t`.

True waiting is what the fault cost in wall-clock, times the other ranks. Draws that cost less than {HARMLESS:.0%}, or
less than their twins differ, are not counted, nor are those in which other programs used more than {DISTURBED:g} cores.
Waiting is *seen* if a tool reports at least {SEEN:.0%} of it. The late
rank is *charged* if its delay costs (Scalasca), or the waits for it (Clearway), are the largest.

Scalasca reports no waiting at all in non-blocking and neighbourhood collectives, nor in `MPI_Win_fence` as it was built
here. A row of its own leaves these out; it was chosen after the results were known. How long the analysis takes is not
compared, since Scalasca was built with little optimisation."""


def section(known: Sequence[Compared]) -> Iterator[str]:
    """Nothing where nothing has been measured."""
    if not known:
        return
    counted = [one for one in known if counts(one)]
    yield "\n## Beside Scalasca\n"
    yield METHOD
    versions = ", ".join(sorted({one.version for one in known}))
    seeds = ", ".join(sorted({f"seed {one.draw.seed}{', held-out' if one.draw.held_out else ''}" for one in known}))
    yield f"\n{circumstances_told(one.circumstances for one in known)}; {versions}; {seeds}: {len(known)} draws, of"
    yield f"which {len(counted)} count.\n"
    yield from totals(counted)
    yield "\nSeconds of waiting, summed over the ranks that wait; in brackets the rank charged most.\n"
    yield "| draw | late | calls | true | Scalasca | Clearway | its first finding |"
    yield "| --- | --- | --- | --- | --- | --- | --- |"
    yield from map(row, counted)


def totals(counted: Sequence[Compared]) -> Iterator[str]:
    one_late = [one for one in counted if late_rank(one) is not None]
    its_own = [one for one in counted if one.draw.family not in NOT_ITS_OWN]
    tools: tuple[Callable[[Compared], Heard], ...] = (lambda one: one.scalasca, lambda one: one.clearway)
    yield "| | Scalasca | Clearway |\n| --- | --- | --- |"
    rows = (
        ("waiting seen", counted, seen),
        ("the same, without `ialltoall`, `neighbour`, `fence`", its_own, seen),
        (f"its seconds within {NEAR:.0%}", counted, near),
        ("late rank charged", one_late, charged),
    )
    for name, some, right in rows:
        cells = (f"{sum(right(one, tool(one)) for one in some)} of {len(some)}" for tool in tools)
        yield f"| {name} | {' | '.join(cells)} |"
    yield f"| first finding says what the late rank did | – | {sum(map(cause_named, counted))} of {len(counted)} |"
    if counted:
        jobs = (percent([tool(one).wall_s / one.faulty_s - 1 for one in counted]) for tool in tools)
        yield f"| the job takes longer by, median | {' | '.join(jobs)} |"


def row(one: Compared) -> str:
    draw, fault = one.draw, one.draw.faults[0]
    who = "in turns" if late_rank(one) is None else f"rank {fault.first}"
    cells = (f"{waited_s(heard):.2f} ({most_charged(heard)})" for heard in (one.scalasca, one.clearway))
    said = one.clearway.said
    first = f"`{label(said[0].rule, said[0].text)}`" if said else "nothing"
    return (
        f"| {draw.number} | `{fault.kind}`, {who} | {draw.family} | {true_s(one):.2f} | {' | '.join(cells)} | {first} |"
    )


def counts(one: Compared) -> bool:
    spread_s = max(one.twins_s) - min(one.twins_s)
    return one.lost_s >= HARMLESS * one.faulty_s and one.lost_s > spread_s and one.others_cores <= DISTURBED


def true_s(one: Compared) -> float:
    return one.lost_s * (one.draw.ranks - 1)


def waited_s(heard: Heard) -> float:
    return sum(heard.waits_s.values())


def late_rank(one: Compared) -> int | None:
    fault = one.draw.faults[0]
    return fault.first if fault.where == "one rank" else None


def most_charged(heard: Heard) -> str:
    most_s = max(heard.charged_s, default=0.0)
    return f"rank {heard.charged_s.index(most_s)}" if most_s > 0 else "none"


def seen(one: Compared, heard: Heard) -> bool:
    return waited_s(heard) >= SEEN * true_s(one)


def near(one: Compared, heard: Heard) -> bool:
    return abs(waited_s(heard) - true_s(one)) <= NEAR * true_s(one)


def charged(one: Compared, heard: Heard) -> bool:
    return seen(one, heard) and most_charged(heard) == f"rank {late_rank(one)}"


def cause_named(one: Compared) -> bool:
    said = one.clearway.said
    return bool(said) and fits(said[0], KINDS[one.draw.faults[0].kind].right)


def percent(shares: Sequence[float]) -> str:
    return f"{median(shares):.1%} ({min(shares):.1%} – {max(shares):.1%})"
