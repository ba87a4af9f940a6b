"""What threads did over time, as the renderers show it: two lines under the ledger's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from clearway.page.model import Page, Slice


@dataclass(frozen=True, slots=True)
class ThreadLine:
    """A line over time: of each slice a share, 0 … 1."""

    key: str
    label: str
    meaning: str
    shares: list[float]


def thread_lines(page: Page, groups: Sequence[Sequence[Slice]]) -> list[ThreadLine]:
    """By group of slices; none where no rank has several threads, or the record does not tell when they were busy."""
    made = page.cores
    if made is None or made.most_threads < 2 or any(one.cpu_s is None for one in page.strip):
        return []
    cores = made.given_s / max(page.ledger.wall_s, 1e-12)  # of a rank
    wall_s = [sum(one.wall_s for one in group) for group in groups]
    regions = [_share(sum(one.parallel_s or 0.0 for one in group), s) for group, s in zip(groups, wall_s, strict=True)]
    busy = [_share(sum(one.cpu_s or 0.0 for one in group), s * cores) for group, s in zip(groups, wall_s, strict=True)]
    lines = [ThreadLine("busy", "cores busy", "CPU time of all threads, of what the cores have", busy)]
    if any(regions):
        meaning = "main threads in OpenMP's parallel regions"
        lines.insert(0, ThreadLine("region", "parallel regions", meaning, regions))
    return lines


def _share(part: float, whole: float) -> float:
    return min(max(part / whole, 0.0), 1.0) if whole > 0 else 0.0
