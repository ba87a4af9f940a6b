"""As many threads for each rank as it has cores, where there are no more cores to have."""

from __future__ import annotations

from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.rank_places import fits
from clearway.diagnosis.facts.settings_in_force import (
    number_of_threads,
    program_option,
    program_wrapper,
    threads_per_rank,
)
from clearway.diagnosis.facts.shared_processors import crowds
from clearway.diagnosis.finding import Finding
from clearway.diagnosis.remedies import Offer
from clearway.diagnosis.remedies.cores_for_threads import PINNING
from clearway.job.change import Change

EXCLUDES = frozenset({"cores-for-threads", "ranks-and-threads"})


def offer(case: Case, finding: Finding) -> Offer | None:
    """No gain is promised: the cores have the same to do, and what is lost is what threads lose by taking turns."""
    told = threads_per_rank(case)  # by a program without threads, that is not read
    stacked = [crowd for crowd in crowds(case) if crowd.threads > len(crowd.processes)]
    limited = any(crowd.granted for crowd in stacked)
    if told < 2 or not stacked or (fits(case) and not limited and program_wrapper(case) not in PINNING):
        return None
    threads = max(1, int(min(crowd.processors / len(crowd.processes) for crowd in stacked)))
    if threads >= told:
        return None
    options = ("-ntomp", str(threads)) if program_option(case, "-ntomp") is not None else ()
    first = stacked[0]
    return Offer(
        what=f"use {threads} thread{'' if threads == 1 else 's'} per rank",
        why=(
            f"{first.threads} threads take turns on {first.processors:.3g} "
            f"processor{'' if first.processors == 1 else 's'}: one thread on each does the same work"
        ),
        gain=None,
        change=Change(environment=number_of_threads(case, threads), program_options=options),
    )
