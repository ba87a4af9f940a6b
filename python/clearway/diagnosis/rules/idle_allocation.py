"""The job was granted cores that no thread of it uses."""

from __future__ import annotations

import numpy as np

from clearway.base import quantities as q
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.counters import machines
from clearway.diagnosis.facts.granted_cores import granted_cores
from clearway.diagnosis.facts.other_programs import children_s, idle_processors
from clearway.diagnosis.finding import Evidence
from clearway.diagnosis.rules import Suspicion

TITLE = "Cores that were allocated to the job are idle"
REMEDIES = ("more-threads", "more-ranks")
WORTH = 0.10  # of the cores
LEAST = 0.5  # of a core: by less, what is idle is not counted, nor what programs take that the ranks started


def examine(case: Case) -> Suspicion | None:
    """Claims the part of computing that as many threads as cores would save: the most that can come back.

    Only of cores that somebody granted: on a machine of one's own, what is idle costs nothing. And only of cores that
    are idle: another step of the same job may have them.
    """
    if case.cores is None:
        return None
    table, idle, all_of_them, lost_s, sources = case.cores.table, 0.0, 0.0, 0.0, []
    for members in machines(case).values():
        grant = granted_cores(case, members)
        if grant is None:
            continue
        used = float(np.minimum(table["threads"], np.maximum(table["cores"], 1))[members].sum())
        used = max(used + _used_by_children(case, members), grant.cores - idle_processors(case, members) - LEAST)
        all_of_them += grant.cores
        if grant.cores - used > WORTH * grant.cores:
            idle += grant.cores - used
            lost_s += float(case.books.ledger["compute_s"][members].sum()) * (1 - used / grant.cores)
            sources.append(grant.source)
    if idle < 1 or idle < WORTH * all_of_them:
        return None
    threads = int(table["threads"].max())
    says = (
        f"The job was allocated {q.count(round(all_of_them))} cores, but {q.count(round(idle))} of them had none of "
        f"its threads to run: it has {case.ranks:,} rank{'' if case.ranks == 1 else 's'} with at most {threads} "
        f"thread{'' if threads == 1 else 's'}{' each' if case.ranks > 1 else ''}. If its work could be divided among "
        f"all cores, at most this much would be gained."
    )
    evidence = (
        Evidence("cores allocated", q.count(round(all_of_them)), sources[0]),
        Evidence("cores without a thread", q.count(round(idle)), "threads that wanted a core"),
        Evidence("threads of a rank", f"{threads}", "CPU time of each thread, OpenMP runtime"),
    )
    return Suspicion({"compute_s": lost_s}, says, evidence, confidence=0.55)


def _used_by_children(case: Case, members: list[int]) -> float:
    """Cores: a rank may share its work with processes that it starts, as Python's pools do."""
    cores = children_s(case, members) / max(case.wall_s, 1e-9)
    return cores if cores > LEAST else 0.0
