"""What would come back if no programs outside the job used its cores."""

from __future__ import annotations

from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.core_use import taken_by_others
from clearway.diagnosis.facts.counters import machines
from clearway.diagnosis.facts.recorded_calls import comes_back_s, recorded_calls
from clearway.ledger.again.replay import with_core_wait


def without_others(case: Case) -> list[float]:
    """By process: the part of its waiting for a core that has another cause than programs outside the job."""
    stays = [1.0] * case.ranks
    for members in machines(case).values():
        for process, part in taken_by_others(case, members).items():
            stays[process] = 1.0 - part
    return stays


def lost_to_others_s(case: Case) -> float | None:
    """Rank-seconds: what `clearway what-if --no-foreign-load` replays, at best. None where no calls can be replayed."""
    calls = recorded_calls(case).calls
    return comes_back_s(case, with_core_wait(calls, without_others(case), held=True)) if len(calls) else None
