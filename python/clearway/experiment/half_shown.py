"""What the same job on half of its ranks shows: whether ranks compute longer beside each other."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path

from clearway.diagnosis.facts import Case, open_case
from clearway.diagnosis.facts.computing_together import is_comparable, times_as_long
from clearway.diagnosis.rules.memory_bandwidth import SLOWER
from clearway.experiment.comparison import Comparison, Row
from clearway.run import load


def what_half_shows(comparison: Comparison, half: Row) -> Iterator[str]:
    """By the runs that counted, in their order. Below the rule's threshold two may differ for no reason."""
    pairs = list(zip(comparison.baseline.runs, half.runs, strict=False))
    cases = [(_case(comparison, whole), _case(comparison, part)) for whole, part in pairs]
    times = sorted(times_as_long(*both) for both in cases if is_comparable(*both))
    if not times:
        yield f"{half.name}: it left no records from which computing could be compared."
        return
    ranks, fewer, middle = cases[0][0].ranks, cases[0][1].ranks, times[len(times) // 2]
    spread = f"({times[0]:.2f} to {times[-1]:.2f})"
    yield f"The same computing took {middle:.2f} times {spread} as long by {ranks} ranks as by {fewer}."
    if middle < SLOWER:
        yield f"So ranks do not slow each other down noticeably: that would be {SLOWER:g} times or more."
        return
    runs = shlex.join(str(Path(comparison.directory) / run) for run in pairs[-1])
    yield (
        f"So ranks slow each other down, usually by competing for memory bandwidth: clearway report {runs}. The table "
        "says what the job loses, or gains, on half of them."
    )


def _case(comparison: Comparison, run: str) -> Case:
    return open_case(load(Path(comparison.directory) / run))
