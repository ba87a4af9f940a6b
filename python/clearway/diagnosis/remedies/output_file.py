"""Each rank prints into a file of its own, past the launcher and whoever reads there."""

from __future__ import annotations

from clearway.base import quantities as q
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.output import is_stream
from clearway.diagnosis.finding import Finding
from clearway.diagnosis.remedies import Offer
from clearway.job.change import Change

EXCLUDES = frozenset({"keep-lines"})
WORTH_TRYING = 0.1  # of the finding's cost
WRITE_S = 1e-6  # of a line into a file, about
# By the variables in which launchers tell a rank its number; without a launcher there is one.
RANK = "${PMIX_RANK:-${PMI_RANK:-${SLURM_PROCID:-0}}}"
PREFIX = ("sh", "-c", f'exec "$@" > rank-{RANK}.out', "sh")


def offer(case: Case, finding: Finding) -> Offer | None:
    """gain = 1 - what as many writes into a file take / what they cost now."""
    streams = is_stream(case) & (case.run.files.data["path"] == b"stdout")
    prints = int(case.run.files.data["writes"][streams].sum())
    cost_s = finding.cost_s * case.at_once
    if not prints or cost_s <= 0:
        return None
    gain = 1 - WRITE_S * prints / cost_s
    if gain < WORTH_TRYING:
        return None
    return Offer(
        what="let each rank print to a file of its own, rank-0.out and so on",
        why=f"{q.count(prints)} prints then go straight to files, without the launcher",
        gain=gain,
        change=Change(program_prefix=PREFIX),
    )
