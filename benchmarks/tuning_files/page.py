"""The figures of docs/tuning-files.md, between its two marks: of rounds where there are, else of the sweeps that chose.

--flow's figures in the latter are those of docs/flow-benchmark.md on the same testbed: what it gives with a table.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import Any

from measured.circumstances import REPOSITORY, Circumstances, told
from measured.spread import middle_and_spread

from clearway.base import quantities as q
from clearway.bench.sweep import Point
from clearway.tune.files.model import OWN, Choice, Settled
from clearway.tune.files.mpis import mpi_of
from clearway.tune.files.settle import settle
from clearway.tune.files.sources import Sources, library_of, read_sources

RESULTS = REPOSITORY / "benchmarks/tuning_files/results"
PUBLISHED = REPOSITORY / "benchmarks/flow/results/published.json"
PAGE = REPOSITORY / "docs/tuning-files.md"
BEGIN, END = "<!-- measured -->", "<!-- end of measured -->"
NAMES = {"openmpi": "Open MPI 4.1.4", "openmpi5": "Open MPI 5.0.11", "mpich": "MPICH 4.0.2"}
WAYS = ("as it is", "files", "flow")
WORTH = 1.05  # by how much --flow must be faster for a share of its gain to mean something


def main() -> int:
    before, _, rest = PAGE.read_text().partition(BEGIN)
    _, _, after = rest.partition(END)
    PAGE.write_text(f"{before}{BEGIN}\n{section()}\n{END}{after}")
    return 0


def section() -> str:
    lines = ["| MPI | block | as it is | with the files alone | `--flow` | of `--flow`'s gain | |",
             "| --- | --- | --- | --- | --- | --- | --- |"]  # fmt: skip
    remarks: list[str] = []
    for name in NAMES:
        kept = RESULTS / f"{name}.json"
        rows, remark = of_rounds(json.loads(kept.read_text())) if kept.exists() else of_sweeps(name)
        lines += [f"| {' | '.join(cells)} |" for cells in rows]
        remarks.append(f"- {NAMES[name]}: {remark}")
    return "\n".join([*lines, "", *remarks])


def of_rounds(result: Mapping[str, Any]) -> tuple[list[list[str]], str]:
    rounds = result["rounds"]
    rows = []
    for size in rounds[0]["files"]:
        shares = [middle_and_spread([each[way][size]["share"] for each in rounds]) for way in WAYS]
        gains = [one for each in rounds if (one := gain_kept(*(each[way][size]["s"] for way in WAYS))) is not None]
        gain = middle_and_spread(gains) if 2 * len(gains) > len(rounds) else "none to have"
        rows.append([NAMES[result["mpi"]], q.bytes_(int(size)), *shares, gain, f"{len(rounds)} rounds"])
    idle = min(each["idle"] for each in rounds)
    when = told([Circumstances(**each["circumstances"]) for each in rounds])
    return rows, f"{when}, of whose processors at least {100 * idle:.0f} % were idle before and after each sweep."


def gain_kept(own_s: float, files_s: float, flow_s: float) -> float | None:
    """Of the time of a call that --flow saves; None where it saves next to nothing."""
    return (own_s - files_s) / (own_s - flow_s) if own_s > WORTH * flow_s else None


def of_sweeps(name: str) -> tuple[list[list[str]], str]:
    sources = read_sources([str(path) for path in sorted((RESULTS / "ways" / name).glob("*.json"))])
    settled = settle(sources, library_of(sources, None))
    (choice,) = settled.choices
    flow = published_flow(name)
    rows = []
    for size in sorted(point.block_bytes for point in points(sources, settled, OWN, ()).values()):
        own = points(sources, settled, OWN, ())[size]
        files = points(sources, settled, chosen_at(choice, size), settled.everywhere)[size]
        with_flow = flow[min(known for known in flow if known >= size)]
        gain = gain_kept(1 / share(own), 1 / share(files), 1 / with_flow)
        cells = [shown(sources, own), shown(sources, files), f"{with_flow:.2f}"]
        rows.append([NAMES[name], q.bytes_(size), *cells, "none to have" if gain is None else f"{gain:.2f}", "once"])
    dates = sorted(each.sweep.measured_at for each in sources.sweeps)
    ways = f"chosen among {len(sources.sweeps)} sweeps of {dates[0]} to {dates[-1]}"
    return rows, f"{', '.join(f'`{one}={value}`' for one, value in settled.everywhere)}; {steps(choice)}; {ways}."


def points(sources: Sources, settled: Settled, algorithm: str, everywhere: object) -> dict[int, Point]:
    """Of the MPI's own way under these settings, by size."""
    mpi = mpi_of(settled.library)
    for each in sources.sweeps:
        if mpi.told(each.sweep.operation, each.sweep.settings) == (algorithm, everywhere):
            (own,) = (curve for curve in each.sweep.curves if curve.candidate == "own")
            return {point.block_bytes: point for point in own.points}
    raise SystemExit(f"error: no sweep of {settled.library.name} with '{algorithm}' and {everywhere}")


def chosen_at(choice: Choice, size: int) -> str:
    return [step.algorithm for step in choice.from_zero() if step.from_bytes <= size][-1]


def steps(choice: Choice) -> str:
    changed = [step for step in choice.from_zero() if step.from_bytes]
    return ", ".join(f"from {q.bytes_(step.from_bytes)} {step.algorithm or 'its own choice'}" for step in changed) or (
        "no rules: with that its own choice is the fastest"
    )


def share(point: Point) -> float:
    assert point.share_of_limit is not None
    return point.share_of_limit


def shown(sources: Sources, point: Point) -> str:
    """With the slowest and the fastest call."""
    limit = sources.sweeps[0].sweep.limit_bytes_per_s
    assert limit and point.least_bytes_per_s and point.most_bytes_per_s
    calls = f"{point.least_bytes_per_s / limit:.2f} – {point.most_bytes_per_s / limit:.2f}"
    return f"{share(point):.2f} ({calls})"


def published_flow(name: str) -> dict[int, float]:
    figures = json.loads(PUBLISHED.read_text())["configurations"][f"{name}-8x1-20k"]["figures"]["flow"]
    return {int(size): cell[0] for size, cell in figures.items()}


if __name__ == "__main__":
    sys.exit(main())
