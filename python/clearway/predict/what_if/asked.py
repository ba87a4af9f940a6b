"""From the words of `clearway what-if` to a change, and to what is said of it."""

from __future__ import annotations

from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.core_use import taken_by_others
from clearway.diagnosis.facts.counters import machines
from clearway.diagnosis.facts.granted_processors import granted_number
from clearway.diagnosis.facts.other_programs import foreign_load
from clearway.predict.what_if.change import Change
from clearway.predict.what_if.sharing import sharing


def change_asked(
    case: Case, network: str | None, balance: str | None, files: str | None, no_foreign_load: bool, cores: str | None
) -> tuple[Change, list[str]]:
    words = [
        *({"perfect": ["a network without delay"], "lossless": ["no lost packets"]}.get(network or "", [])),
        *(["even computing"] if balance else []),
        *(["files that take no time"] if files else []),
        *(["no programs outside the job"] if no_foreign_load else []),
        *({"2x": ["twice the cores"], "each": ["a core for each thread"]}.get(cores or "", [])),
    ]
    stays = [1.0] * case.ranks
    if no_foreign_load:
        stays = [one * other for one, other in zip(stays, without_others(case), strict=True)]
    if cores:
        crowding = [0.0] * case.ranks if cores == "each" else with_twice_the_cores(case)
        stays = [one * other for one, other in zip(stays, crowding, strict=True)]
    change = Change(
        no_transfer=network == "perfect",
        no_stalls=network is not None,
        balance=balance is not None,
        no_files=files is not None,
        core_wait=tuple(stays) if no_foreign_load or cores else None,
        sharing=() if no_foreign_load or cores else sharing(case),
    )
    return change, words


def without_others(case: Case) -> list[float]:
    """By process: the part of its waiting for a core that has another cause than programs outside the job."""
    stays = [1.0] * case.ranks
    for members in machines(case).values():
        for process, part in taken_by_others(case, members).items():
            stays[process] = 1.0 - part
    return stays


def with_twice_the_cores(case: Case) -> list[float]:
    """By process: what of its waiting for a core stays where there are twice as many.

    Of `wanted` cores on average, those beyond the cores there are were waited for; so are those beyond twice as many.
    """
    stays = [0.0] * case.ranks
    ledger = case.books.ledger
    for members in machines(case).values():
        cores = granted_number(case, members)
        foreign_s, span_s = foreign_load(case, members)
        own_s = float((ledger["compute_s"] + ledger["core_wait_s"])[members].sum())
        wanted = (own_s + foreign_s) / max(span_s, 1e-12)
        if cores and wanted > 2 * cores:
            for process in members:
                stays[process] = (wanted - 2 * cores) / (wanted - cores)
    return stays
