"""As many cores for each rank as it has threads, where it was bound to fewer and the host has more."""

from __future__ import annotations

from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.rank_places import fits, pin_change
from clearway.diagnosis.facts.settings_in_force import program_wrapper, threads_per_rank
from clearway.diagnosis.facts.shared_processors import crowds
from clearway.diagnosis.finding import Finding
from clearway.diagnosis.remedies import Offer

EXCLUDES = frozenset({"one-rank-a-core", "pin-ranks", "fewer-ranks", "fewer-threads"})
PINNING = ("taskset", "numactl", "likwid-pin")  # before the program: they undo what the launcher does


def offer(case: Case, finding: Finding) -> Offer | None:
    """gain = 1: threads with a core each need not wait for one."""
    threads = threads_per_rank(case)
    stacked = [crowd for crowd in crowds(case) if not crowd.granted and len(crowd.processes) <= crowd.processors]
    if threads < 2 or not stacked or not fits(case) or program_wrapper(case) in PINNING:
        return None
    change = pin_change(case)
    if change is None:
        return None
    first = stacked[0]
    return Offer(
        what=f"give each rank {threads} cores, one for each of its threads",
        why=(
            f"{len(first.processes)} rank{'' if len(first.processes) == 1 else 's'} of {threads} threads may use "
            f"{first.processors:.3g} processor{'' if first.processors == 1 else 's'}, but the host has more"
        ),
        gain=1.0,
        change=change,
    )
