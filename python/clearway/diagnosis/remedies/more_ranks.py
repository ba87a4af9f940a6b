"""As many ranks as there are threads now, of one thread each: ranks divide what threads do not."""

from __future__ import annotations

from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.rank_places import cores_of_all
from clearway.diagnosis.facts.settings_in_force import launcher, number_of_threads, program_option
from clearway.diagnosis.finding import Finding
from clearway.diagnosis.remedies import Offer
from clearway.job.change import Change

EXCLUDES = frozenset({"fewer-ranks", "ranks-and-threads", "more-threads", "fewer-threads", "cores-for-threads"})


def offer(case: Case, finding: Finding) -> Offer | None:
    """No gain is promised: more ranks exchange more messages."""
    cores = cores_of_all(case)
    if not launcher(case) or cores <= case.ranks or case.tables.cores is None:
        return None
    options = ("-ntomp", "1") if program_option(case, "-ntomp") is not None else ()
    return Offer(
        what=f"use {cores} ranks of one thread",
        why=f"each of the {cores} cores then has a rank, and ranks divide all of the work",
        gain=None,
        change=Change(ranks=cores, environment=number_of_threads(case, 1), program_options=options),
    )
