"""Ranks that were put on the same cores, spread over the cores that their hosts have."""

from __future__ import annotations

from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.bound_to import bound_to
from clearway.diagnosis.facts.rank_places import cores_of, fits, pin_change
from clearway.diagnosis.facts.settings_in_force import program_wrapper, threads_per_rank
from clearway.diagnosis.finding import Finding
from clearway.diagnosis.remedies import Offer

EXCLUDES = frozenset({"pin-ranks", "fewer-ranks"})
PINNING = ("taskset", "numactl", "likwid-pin")  # before the program: they undo what the launcher does


def offer(case: Case, finding: Finding) -> Offer | None:
    """gain = 1: threads with a core each need not wait for one."""
    if not fits(case) or not _crowded(case) or program_wrapper(case) in PINNING:
        return None
    change = pin_change(case)
    if change is None:
        return None
    stacked = threads_per_rank(case) > 1
    return Offer(
        what=f"give each {'thread' if stacked else 'rank'} a core of its own",
        why=f"the {'threads' if stacked else 'ranks'} of a host are bound to fewer cores than the job may have there, "
        "and take turns on them",
        gain=1.0,
        change=change,
    )


def _crowded(case: Case) -> bool:
    """Whether the ranks of some host may all together use fewer cores than they have threads, and it has more."""
    for host in case.tables.hosts:
        masks = [bound_to(case)[process] for process, rank in enumerate(case.tables.ranks) if rank.host == host.name]
        together = frozenset().union(*masks)
        if together and len(together) < min(threads_per_rank(case) * len(masks), cores_of(case, host)):
            return True
    return False
