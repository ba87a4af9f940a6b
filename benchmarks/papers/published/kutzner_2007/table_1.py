"""Table 1: speedups of GROMACS 3.3 with DPPC, relative to LAM on one CPU."""

from __future__ import annotations

from dataclasses import replace

from papers.claim import Claim
from papers.published.kutzner_2007.rows import LAM, MPICH, MYRINET, ORDERED, PAUSED, Row, speedup_claim

WHERE = "Table 1"
CPUS = (2, 4, 8, 16, 32)
SPEEDUPS: dict[tuple[Row, int], tuple[float | None, ...]] = {
    (LAM, 1): (1.96, 2.7, 1.9, 2.0, 1.9),
    (PAUSED, 1): (1.95, 3.70, 6.75, 11.2, 3.8),
    (ORDERED, 1): (1.89, 3.68, 6.43, 10.7, 14.5),
    (MPICH, 1): (1.93, 3.37, 6.58, 11.8, 15.8),
    (MYRINET, 1): (2.02, 3.87, 7.72, 13.4, 15.0),
    # On two CPUs of one node there is no network.
    (LAM, 2): (None, 3.44, 1.8, 2.7, 2.8),
    (PAUSED, 2): (None, 3.44, 6.13, 10.3, 12.7),
    (ORDERED, 2): (None, 3.30, 6.02, 10.2, 11.5),
    (MPICH, 2): (None, 3.28, 6.15, 11.5, 15.1),
    (MYRINET, 2): (None, 3.69, 7.23, 13.2, 17.3),
}

CHANCE = """\
with losses, timeouts decide how long a step takes; what their number depends on is in \
[kutzner-unknowns.md](kutzner-unknowns.md)"""
OLD_LINUX = """\
Linux 2.6.5 did not yet acknowledge a second short segment when it is read, as the model does, so that barriers may \
have waited for delayed acknowledgements"""
UNSHARED = "also over Myrinet, 32 CPUs are slower than their messages explain: some work is not parallel"
# The two that decided that nothing of DPPC's work is left unshared.
DECIDED_SHARE = ((MYRINET, 1, 8), (MYRINET, 1, 16))
NO_LOSS = "the losses depend on a switch part's buffer for data from other parts, which is assumed"


def claims() -> list[Claim]:
    return [
        claim(row, per_host, cpus, published)
        for (row, per_host), told in SPEEDUPS.items()
        for cpus, published in zip(CPUS, told, strict=True)
        if published is not None
    ]


def claim(row: Row, per_host: int, cpus: int, published: float) -> Claim:
    reason = {LAM: CHANCE, PAUSED: NO_LOSS, ORDERED: OLD_LINUX}.get(row, UNSHARED)
    if cpus == 32 and row != LAM and (row, per_host) != (PAUSED, 1):
        reason = UNSHARED
    made = speedup_claim(WHERE, "dppc", row, cpus, per_host, published, reason)
    return replace(made, fitted="serial part of a step: none") if (row, per_host, cpus) in DECIDED_SHARE else made
