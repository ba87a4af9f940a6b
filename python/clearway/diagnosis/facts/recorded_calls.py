"""The calls of the job, to be replayed otherwise: made once, for findings and `clearway what-if` alike."""

from __future__ import annotations

from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.once import once
from clearway.ledger.account import LINES
from clearway.ledger.again.counterfactual import RecordedJob, ledger_with, recorded_job
from clearway.ledger.again.replay import Durations


@once
def recorded_calls(case: Case) -> RecordedJob:
    return recorded_job(case.run, case.books)


def comes_back_s(case: Case, durations: Durations) -> float:
    """Rank-seconds that the job would take less if its calls took as long as this: what `clearway what-if` replays."""
    ledger = ledger_with(recorded_calls(case), durations)
    return max(sum(float((case.books.ledger[line] - ledger[line]).sum()) for line in LINES), 0.0)
