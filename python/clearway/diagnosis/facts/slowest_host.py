"""The host that the others wait for, and whether it is of another kind than they are."""

from __future__ import annotations

from clearway.diagnosis.facts import Case

KIND = (("host.model", "its processor"), ("cpufreq.scaling_max_freq_khz", "its highest frequency, kHz"))


def slowest_host(case: Case) -> int:
    """The number of the host of the rank that waits least."""
    return int(case.run.processes["host"][int(case.books.ledger["mpi_wait_s"].argmin())])


def unlike_the_others(case: Case, name: str) -> list[tuple[str, str, str]]:
    """What it is, its own, and another host's, where none of the others has the same."""
    own = next((record for record in case.run.hosts if record.name == name), None)
    others = [record for record in case.run.hosts if record.name != name]
    found = []
    for fact, what in KIND:
        mine = own.facts.get(fact) if own else None
        if mine and others and all(each.facts.get(fact, mine) != mine for each in others):
            found.append((what, mine, others[0].facts[fact]))
    return found
