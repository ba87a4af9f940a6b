"""Hosts whose ranks are in different user namespaces: none of them may read another's memory (CMA, ptrace(2))."""

from __future__ import annotations

from dataclasses import dataclass

from clearway.diagnosis.facts import Case


@dataclass(frozen=True, slots=True)
class Apart:
    host: str
    ranks: int
    namespaces: int


def apart(case: Case) -> tuple[Apart, ...]:
    """Numbers of namespaces are those of one kernel: only ranks of one host and one machine are compared."""
    told = case.run.fact("process.user_namespace")
    found: dict[tuple[int, int], list[str]] = {}
    places = zip(case.run.processes["machine"].tolist(), case.run.processes["host"].tolist(), strict=True)
    for process, place in enumerate(places):
        if process in told:
            found.setdefault(place, []).append(told[process])
    return tuple(
        Apart(case.run.host_names[host], len(names), len(set(names)))
        for (_, host), names in found.items()
        if len(set(names)) > 1
    )
