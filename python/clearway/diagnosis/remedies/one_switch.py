"""All hosts on one switch."""

from __future__ import annotations

from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.batch_job import in_slurm, switches
from clearway.diagnosis.finding import Finding
from clearway.diagnosis.remedies import Offer
from clearway.job.change import Change

EXCLUDES: frozenset[str] = frozenset()


def offer(case: Case, finding: Finding) -> Offer | None:
    """gain = 1: what is lost between switches. Only where Slurm knows of several: without a topology it cannot say."""
    on = set(switches(case).values())
    if finding.rule not in ("several-switches", "far-host") or not in_slurm(case) or len(on) < 2:
        return None
    return Offer(
        what="ask for hosts on one switch",
        why=f"the job is on {len(on)} switches; it may wait longer in the queue for one",
        gain=1.0,
        change=Change(batch_options=("--switches=1",)),
    )
