"""Steps take longer and longer: something that the program goes through at each of them grows."""

from __future__ import annotations

import numpy as np

from clearway.base import quantities as q
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.growth import Growth, growing_computing, growing_files
from clearway.diagnosis.finding import Evidence
from clearway.diagnosis.rules import Suspicion

TITLE = "Steps take longer and longer"
REMEDIES = ()
MOSTLY = 0.75  # of the ranks: where fewer compute ever longer, the others wait for them, and `load-imbalance` tells
WORTH = 0.01  # of the wall-clock


def examine(case: Case) -> Suspicion | None:
    """Claims what is above the first quarter's share, of computing and of files."""
    ledger = case.books.ledger
    claims, says, evidence = {}, [], []
    computing, files = growing_computing(case), growing_files(case)
    if computing is not None and computing.grown.mean() >= MOSTLY:
        claims["compute_s"] = float((computing.share * computing.grown * ledger["compute_s"]).sum())
        says.append(_says(computing, "computed"))
        evidence.append(_evidence(case, computing, "computing"))
    if files is not None:
        grown_s = files.share * files.grown * ledger["io_s"]
        spent_s = float(ledger["io_s"].sum())
        if grown_s.sum() > WORTH * case.wall_s:
            claims["io_s"] = float(grown_s.sum()) / spent_s * case.losses.io_s
            says.append(_says(files, "spent in files"))
            evidence.append(_evidence(case, files, "files"))
    if not says:
        return None
    says.append(
        "A list that is gone through, a history that is written anew, or memory that is never given back may be why; "
        "or the system itself grows. The figure is for steps as long as the first ones."
    )
    return Suspicion(claims, " ".join(says), tuple(evidence), confidence=0.35)


def _says(growth: Growth, does: str) -> str:
    most = int(np.argmax(growth.last_s * growth.grown))
    return (
        f"For each {growth.function} a rank {does} {q.seconds(float(growth.first_s[most]))} in the first quarter of "
        f"the job and {q.seconds(float(growth.last_s[most]))} in the last, and ever longer in between."
    )


def _evidence(case: Case, growth: Growth, what: str) -> Evidence:
    ranks = [str(case.tables.ranks[process].rank) for process in np.flatnonzero(growth.grown).tolist()]
    named = f"rank {ranks[0]}" if len(ranks) == 1 else f"{len(ranks):,} ranks"
    ratio = float((growth.last_s / np.maximum(growth.first_s, 1e-12))[growth.grown].mean())
    return Evidence(f"{what}, last over first", f"{q.ratio(ratio)} on {named}", f"between calls of {growth.function}")
