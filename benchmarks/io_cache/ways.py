"""What is held against each other: file systems, and what keeps scratch files in memory on them."""

from __future__ import annotations

from dataclasses import dataclass

LEAST_BUDGET_BYTES = 1 << 20
PARTLY, WHOLLY = 0.5, 1.5  # budgets, in parts of the scratch


@dataclass(frozen=True, slots=True)
class Way:
    """A program on a disk, with the I/O cache or without."""

    disk: str
    name: str
    part: float | None = None  # of the scratch that the I/O cache has room for; None: there is none
    promised: bool = False  # the cache is as the finding of the plain run recommends

    def options(self, scratch_bytes: int) -> list[str]:
        if self.part is None:
            return []
        return [f"--io-cache={max(LEAST_BUDGET_BYTES, int(self.part * scratch_bytes))}"]


PLAIN, HALF, WHOLE, RECOMMENDED, TMPFS = "plain", "half", "whole", "recommended", "tmpfs"
SIZED = "sized"  # on tmpfs, watched for what it needs of memory: that costs time, so it is measured apart
MEMORY = 0.75  # parts of the scratch that the job's control group has beside the program: for either cache

WAYS = (
    Way("memory", SIZED),
    Way("memory", TMPFS),
    Way("uncached", PLAIN),
    Way("uncached", HALF, PARTLY),
    Way("uncached", WHOLE, WHOLLY),
    Way("uncached", RECOMMENDED, promised=True),
    Way("throttled", PLAIN),
    Way("throttled", HALF, PARTLY),
    Way("healthy", PLAIN),
    Way("healthy", HALF, PARTLY),
    Way("healthy", WHOLE, WHOLLY),
)
