"""S. van Gisbergen, SCM, ADF list, 14 November 2002: a geometry step that waits for files, and one that does not."""

from __future__ import annotations

from clearway.base import quantities as q
from papers.claim import Claim, Paper, exactly

ELAPSED_S, CPU_S = 3599.3, 1996.0  # 8 MB of buffer
ELAPSED_IN_MEMORY_S = 1775.5  # 256 MB: "all files kept in memory"
BUSIER = "with small buffers the CPU time is larger, too, by 257 s: moving records is work"


def paper() -> Paper:
    return Paper(
        "adf-2002",
        "ADF's files in memory",
        "S. van Gisbergen, SCM, ADF list, 14 November 2002: 100 atoms, DZP, 32 CPUs, a shared disk",
        ("nothing is simulated: the model has no disks",),
        (
            Claim(
                "Timing example",
                f"elapsed time without file I/O, from {ELAPSED_S:,} s of which {CPU_S:,} s are CPU time",
                *exactly(ELAPSED_IN_MEMORY_S),
                q.seconds,
                (),
                lambda _: CPU_S,
                reason=BUSIER,
            ),
        ),
        ("Buffered I/O statistics: they are from another job",),
    )
