"""The more ranks, the slower each of them computes. Needs a Run of the same job on fewer ranks beside this one."""

from __future__ import annotations

from clearway.base import quantities as q
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.computing_together import computing_s, is_comparable, times_as_long
from clearway.diagnosis.facts.shared_processors import crowded
from clearway.diagnosis.facts.speed import has_speed
from clearway.diagnosis.finding import Evidence
from clearway.diagnosis.rules import Suspicion

TITLE = "The more ranks, the slower each of them computes"
REMEDIES = ("fewer-ranks", "spread-hosts")
SLOWER = 1.25  # times: by less, two runs differ, and clocks fall when all cores are busy


def examine(case: Case) -> Suspicion | None:
    """Claims what the same computing took less where fewer ranks did it at a time, on as many machines."""
    if crowded(case):
        return None
    times = {other.ranks: times_as_long(case, other) for other in case.others if is_comparable(case, other)}
    if max(times.values(), default=0.0) < SLOWER:
        return None
    fewer = max(times, key=lambda ranks: (times[ranks], ranks))
    compute_s, slower = float(case.books.ledger["compute_s"].sum()), times[fewer]
    says = (
        f"The same computing took {slower:.2f} times as long by {case.ranks:,} ranks as by {fewer} on as many "
        "machines, though each had a core. Ranks of a machine share its memory bandwidth, which is the usual reason, "
        "its caches, its power and, with hyper-threading, its cores; the record does not show which. Try the same "
        "ranks on more machines, or fewer ranks, and give the free cores to another job."
    )
    evidence = (
        *(_computing(each) for each in sorted([*case.others, case], key=lambda each: each.ranks)),
        Evidence("as long, for the same work", f"{slower:.2f} times", _source(case)),
    )
    return Suspicion({"compute_s": compute_s * (1 - 1 / slower)}, says, evidence, confidence=0.6)


def _computing(case: Case) -> Evidence:
    where = f"on {case.ranks:,} rank{'' if case.ranks == 1 else 's'}"
    return Evidence(where, q.seconds(computing_s(case)), "ledger: computing of a rank")


def _source(case: Case) -> str:
    return "computing of all ranks, by the engine's speed" if has_speed(case) else "computing of a rank"
