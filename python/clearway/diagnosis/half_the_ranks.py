"""Half of the ranks: no remedy, but a question. One Run does not show whether ranks slow each other down where they
share a machine's memory; the same job on half of them does (rule memory-bandwidth).
"""

from __future__ import annotations

from clearway.base import quantities as q
from clearway.diagnosis.choose import Chosen
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.counters import machines
from clearway.diagnosis.facts.settings_in_force import launcher
from clearway.diagnosis.facts.shared_processors import crowded
from clearway.diagnosis.remedies import Offer
from clearway.job.change import Change

HALF = "half-the-ranks"
RULE = "memory-bandwidth"
MOSTLY = 0.5  # of the rank-seconds: what computes less has little to lose there


def half_the_ranks(case: Case, asked: bool = False) -> Chosen | None:
    """Where the ranks of one machine mostly compute, each on a core of its own; if it was `asked` for, also where they
    compute less. Nothing is promised.

    Of a job on several machines a launcher would leave some of them empty, and the others as full as before.
    """
    lines, half = case.tables.ledger, case.ranks // 2
    if half < 1 or not launcher(case) or len(machines(case)) != 1 or crowded(case):
        return None
    if not asked and lines.compute_s < MOSTLY * lines.wall_s:
        return None
    change = Change(ranks=half)
    offer = Offer(
        what=f"use {half} rank{'' if half == 1 else 's'}",
        why=f"ranks compute for {q.percent(lines.compute_s, lines.wall_s)} of the time, and share the machine's memory",
        gain=None,
        change=change,
    )
    return Chosen(HALF, RULE, offer, change, expected_gain_s=None, name=HALF)
