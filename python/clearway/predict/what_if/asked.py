"""From the words of `clearway what-if` to a change, and to what is said of it."""

from __future__ import annotations

from dataclasses import dataclass

from clearway.base import quantities as q
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.counters import machines
from clearway.diagnosis.facts.granted_processors import granted_number
from clearway.diagnosis.facts.lossless import sooner_without_losses_s
from clearway.diagnosis.facts.other_programs import foreign_load
from clearway.diagnosis.facts.without_others import without_others
from clearway.predict.what_if.change import Change
from clearway.predict.what_if.latency import latency_asked
from clearway.predict.what_if.sharing import sharing

WORTH_SHARING = 0.01  # of the wall-clock in files: below it ranks meet on the cores as they did


@dataclass(frozen=True, slots=True)
class Asked:
    """What is to be otherwise, as the options of `clearway what-if` say it."""

    network: str | None = None
    latency_s: float | None = None
    balance: str | None = None
    files: str | None = None
    no_foreign_load: bool = False
    cores: str | None = None


def change_asked(case: Case, asked: Asked) -> tuple[Change, list[str]]:
    """Raises ClearwayError where the record does not tell what it would change."""
    network, cores = asked.network, asked.cores
    words = [
        *({"perfect": ["a network without delay"], "lossless": ["no lost packets"]}.get(network or "", [])),
        *([f"a latency of {q.seconds(asked.latency_s)}"] if asked.latency_s is not None else []),
        *(["even computing"] if asked.balance else []),
        *(["files that take no time"] if asked.files else []),
        *(["no programs outside the job"] if asked.no_foreign_load else []),
        *({"2x": ["twice the cores"], "each": ["a core for each thread"]}.get(cores or "", [])),
    ]
    stays = [1.0] * case.ranks
    if asked.no_foreign_load:
        stays = [one * other for one, other in zip(stays, without_others(case), strict=True)]
    if cores:
        crowding = [0.0] * case.ranks if cores == "each" else with_twice_the_cores(case)
        stays = [one * other for one, other in zip(stays, crowding, strict=True)]
    cores_change = asked.no_foreign_load or cores is not None
    # With another latency or without losses the ranks go on waiting for messages, and meet on the cores as they did.
    # Where nobody waits for files, quick ones let nobody compute earlier.
    ledger = case.books.ledger
    quick_files = bool(asked.files) and float(ledger["io_s"].sum()) > WORTH_SHARING * float(ledger["wall_s"].sum())
    all_compute = bool(network == "perfect" or asked.balance or quick_files)
    change = Change(
        no_transfer=network == "perfect",
        no_stalls=network is not None,
        sooner_s=sooner_without_losses_s(case) if network == "lossless" else None,
        latency=None if asked.latency_s is None else latency_asked(case, asked.latency_s),
        balance=asked.balance is not None,
        no_files=asked.files is not None,
        core_wait=tuple(stays) if cores_change else None,
        sharing=sharing(case) if all_compute and not cores_change else (),
        others=tuple(1.0 - part for part in without_others(case)) if all_compute and not cores_change else (),
    )
    return change, words


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
