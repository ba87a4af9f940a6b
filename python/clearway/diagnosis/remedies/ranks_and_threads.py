"""Half the ranks with two threads each: the same cores, and a quarter of the messages of an all-to-all."""

from __future__ import annotations

from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.settings_in_force import number_of_threads, program_option, threads_per_rank
from clearway.diagnosis.finding import Finding
from clearway.diagnosis.remedies import Offer
from clearway.job.change import Change

EXCLUDES = frozenset({"fewer-ranks"})


def offer(case: Case, finding: Finding) -> Offer | None:
    """No gain is promised: a rank has half as many partners, but what the threads lose is not known."""
    threads = 2 * threads_per_rank(case)
    if case.ranks < 4 or case.ranks % 2 or not _has_threads(case.tables.job.program):
        return None
    options = ("-ntomp", str(threads)) if program_option(case, "-ntomp") is not None else ()
    return Offer(
        what=f"use {case.ranks // 2} ranks of {threads} threads",
        why="each rank then has half as many partners to exchange messages with",
        gain=None,
        change=Change(ranks=case.ranks // 2, environment=number_of_threads(case, threads), program_options=options),
    )


def _has_threads(program: str) -> bool:
    """Programs that are built with OpenMP in every distribution; others may be, but do not say so."""
    return program.startswith("gmx") or program.endswith((".psmp", ".ssmp"))
