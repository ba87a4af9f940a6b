"""docs/flow-short-jobs.md, from results/first-calls.json that `first_calls.py --save` wrote."""

from __future__ import annotations

import json
import statistics
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results/first-calls.json"
PAGE = HERE.parents[1] / "docs/flow-short-jobs.md"
SPANS = {"1 to 24": (0, 24), "1 to 12": (0, 12), "13 to 24": (12, 24)}
WAYS = {"flow": "flow", "again": "flow, second job", "own": "the MPI's own"}

HEAD = """\
# What a short job gets

The first 24 calls of `MPI_Alltoall` of a job, as shares of what the wire carries, on the [testbed](testbed.md) with
links of 20 Mbit/s: median of {runs} jobs, the smallest and the largest in brackets. *flow* knows nothing at the start
and includes the cost of its [trial](flow-choices.md#how-it-chooses); *second job* starts with the result of the first
job; the third row uses one ordering for all calls, without a trial. The rows alternate, each in a job and on a testbed
of its own. The calls follow each other directly, so effects of one call on the next are included.

{circumstances}
Other work keeps ranks from their cores: on a quiet machine the ordering reaches 0.99 and MPICH 5's own 1.00
([flow-benchmark.md](flow-benchmark.md)). So the ratio to the ordering's row says more than the share. Measured by
`benchmarks/flow/first_calls.py` and `short_jobs.py`; the time of each call is in
[first-calls.json](../benchmarks/flow/results/first-calls.json).
"""


def text_of_page() -> str:
    return "\n".join(page(json.loads(RESULTS.read_text()))) + "\n"


def page(results: dict[str, Any]) -> Iterator[str]:
    rows = results["rows"]
    counts = sorted({len(row["runs_us"]) for row in rows})
    yield HEAD.format(runs=" or ".join(map(str, counts)), circumstances=results["circumstances"])
    yield "| | way | calls 1 to 24 | 1 to 12 | 13 to 24 | 1 to 24 ÷ that of the ordering |"
    yield "| --- | --- | --- | --- | --- | --- |"
    for case in dict.fromkeys(row["case"] for row in rows):
        of_case = [row for row in rows if row["case"] == case]
        (ordering,) = [row for row in of_case if row["way"] not in WAYS]
        best = statistics.median(shares(ordering, "1 to 24"))
        for number, row in enumerate(of_case):
            way = WAYS.get(row["way"], f"`{row['way'].replace('/', ',')}`")
            cells = [told(shares(row, span)) for span in SPANS]
            ratio = statistics.median(shares(row, "1 to 24")) / best
            yield f"| {'' if number else case} | {way} | {' | '.join(cells)} | {ratio:.2f} |"


def shares(row: dict[str, Any], span: str) -> list[float]:
    begin, end = SPANS[span]
    return [row["wire_us"] * (end - begin) / sum(run[begin:end]) for run in row["runs_us"]]


def told(values: list[float]) -> str:
    return f"{statistics.median(values):.2f} ({min(values):.2f}–{max(values):.2f})"


if __name__ == "__main__":
    PAGE.write_text(text_of_page())
