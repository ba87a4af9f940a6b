"""Computing time goes into functions that only serve the computation: clocks, locks, allocators, checks."""

from __future__ import annotations

from clearway.base import quantities as q
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.overhead_kinds import KINDS
from clearway.diagnosis.facts.overheads import OLD_KERNELS, kind_of, outside_mpi_s, seconds_by_kind
from clearway.diagnosis.facts.vectors import all_have_avx2
from clearway.diagnosis.finding import Evidence
from clearway.diagnosis.rules import Suspicion
from clearway.ledger.profile import Profile

TITLE = "Much of the computing only serves the computation"
REMEDIES = ("blas-kernels",)
LEAST = 0.05  # of the main threads' sampled time outside MPI: starting takes some of it in every program
FEWEST = 20  # samples: with fewer, a share is known to a quarter at best
SHOWN = 3  # functions


def examine(case: Case) -> Suspicion | None:
    """Claims of computing what comes back of the kind that takes most of it."""
    sampled = case.tables.profile
    if sampled is None:
        return None
    whole_s, by_kind = float(outside_mpi_s(sampled, case.ranks).sum()), seconds_by_kind(sampled)
    worth = {
        key: spent_s / whole_s * KINDS[key].comes_back
        for key, spent_s in by_kind.items()
        if spent_s >= max(LEAST * whole_s, FEWEST * sampled.period_s) and (key != OLD_KERNELS or all_have_avx2(case))
    }
    if not worth:
        return None
    key = max(worth, key=lambda name: worth[name])
    kind, part = KINDS[key], by_kind[key] / whole_s
    says = f"{q.percent(part)} of the ranks' computing goes into this. {' '.join(kind.why.split())}"
    evidence = [
        Evidence(_words(name, path), f"{spent_s:.2f} s of all ranks", "sampled processor time")
        for name, path, spent_s in _most(sampled, key)
    ]
    others = [f"{KINDS[name].title}: {q.percent(by_kind[name] / whole_s)}" for name in worth if name != key]
    evidence += [Evidence("besides", one, "sampled processor time") for one in others]
    claims = {"compute_s": worth[key] * case.losses.compute_s}
    return Suspicion(claims, says, tuple(evidence), confidence=0.6, title=kind.title)


def _words(name: str, path: str) -> str:
    file = path.rpartition("/")[2]
    return f"in {name} ({file})" if name else f"in {file}"


def _most(sampled: Profile, key: str) -> list[tuple[str, str, float]]:
    """The functions of a kind that took most: name, file, seconds of the main threads."""
    spent: dict[tuple[str, str], float] = {}
    for number, main_s in zip(sampled.function, sampled.main_s, strict=True):
        function = sampled.functions[number]
        if main_s > 0 and kind_of(function) == key:
            name = (function.name, function.path)
            spent[name] = spent.get(name, 0.0) + float(main_s)
    most = sorted(spent.items(), key=lambda item: -item[1])[:SHOWN]
    return [(name, path, main_s) for (name, path), main_s in most]
