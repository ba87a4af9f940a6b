"""The processors that the threads of a rank may use in the end: programs and their OpenMP runtimes bind themselves."""

from __future__ import annotations

from collections.abc import Mapping

from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.granted_processors import allowed
from clearway.diagnosis.facts.once import once
from clearway.ledger.cores import BUSY
from clearway.run.layout import NOT_OF_PROGRAM, text


@once
def bound_to(case: Case) -> Mapping[int, frozenset[int]]:
    """By process, of all threads that wanted a core; what it might use at its start where the record tells no more."""
    rows, uses = case.run.thread_uses, case.run.thread_uses.data
    main = uses["tid"] == case.run.threads.data["tid"][rows.process]
    wall_s = case.books.ledger["wall_s"][rows.process]
    wanted = (uses["cpu_ns"] + uses["run_delay_ns"]) * 1e-9 > BUSY * wall_s
    found: dict[int, list[frozenset[int]]] = {process: [] for process in range(case.ranks)}
    for row in (main | ((uses["flags"] & NOT_OF_PROGRAM == 0) & wanted)).nonzero()[0]:
        found[int(rows.process[row])].append(allowed(text(bytes(uses["cpus_allowed"][row]))))
    return {
        process: frozenset[int]().union(*masks) if masks and all(masks) else allowed(case.tables.ranks[process].cpus)
        for process, masks in found.items()
    }
