"""docs/flow-programs.md, from what compare.py has measured so far."""

from __future__ import annotations

import json
import os
import platform
import statistics
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from programs import PROGRAMS, Program
from running import REPOSITORY, RESULTS

PAGE = REPOSITORY / "docs/flow-programs.md"
PUBLISHED = RESULTS / "published.json"
REMARKS = REPOSITORY / "benchmarks/flow_programs/remarks.md"

METHOD = """\
Unmodified programs on the [testbed](testbed.md): real Linux TCP, network namespaces as hosts, links of {rate} and
switch ports with {buffer} of buffer each, one rank per host, Open MPI 4.1 of Debian. *Bare* is the program alone,
*flow* the same with `clearway-record --flow`, *lossless* the program alone with port buffers that never overflow. The
three alternate; each figure is the median of the wall-clock that the program itself prints, with the smallest and
largest ratio of consecutive runs in brackets. Flow's figures include the time for trying algorithms, which matters in
such short runs. The programs' results must agree to the last printed digit.

At this rate the links are the limit; at 100 Mbit/s the cores of the machine are."""


@dataclass(frozen=True, slots=True)
class Measured:
    """One program on one testbed: repetitions of a run each way."""

    program: Program
    network: dict[str, str]
    repetitions: list[list[dict[str, Any]]]

    def runs(self, way: str) -> list[dict[str, Any]]:
        return [run for repetition in self.repetitions for run in repetition if run["way"] == way]

    def wall_s(self, way: str) -> str:
        return f"{statistics.median(run['wall_s'] for run in self.runs(way)):.1f} s"

    def ratio(self, of: str, to: str) -> str:
        """Of medians; in brackets the extremes of neighbours."""
        pairs = [{run["way"]: run["wall_s"] for run in repetition} for repetition in self.repetitions]
        both = [(pair[of], pair[to]) for pair in pairs if of in pair and to in pair]
        if not both:
            return "–"
        middle = statistics.median(a for a, _ in both) / statistics.median(b for _, b in both)
        spread = [a / b for a, b in both]
        return f"{middle:.2f} ({min(spread):.2f}–{max(spread):.2f})"

    def per_run(self, way: str, counter: str) -> str:
        return f"{statistics.mean(run[counter] for run in self.runs(way)):.0f}"

    @property
    def agrees(self) -> bool:
        return len({run["result"] for repetition in self.repetitions for run in repetition}) == 1

    @property
    def newest_page(self) -> dict[str, Any]:
        page: dict[str, Any] = self.runs("flow")[-1]["page"]
        return page


def load() -> list[Measured]:
    measured = []
    for program in PROGRAMS:
        for path in sorted((RESULTS / program.name).glob("*-*-*-*.json")):
            network = dict(zip(("mpi", "hosts", "rate", "buffer"), path.stem.split("-"), strict=True))
            measured.append(Measured(program, network, json.loads(path.read_text())))
    return measured


def write_page() -> None:
    PAGE.write_text(text_of_page())
    print(f"wrote {PAGE}")


def text_of_page() -> str:
    return "\n".join(page(load(), json.loads(PUBLISHED.read_text()))) + "\n"


def merged(measured: list[Measured], rows: list[list[str]], published: list[list[str]]) -> list[list[str]]:
    """The rows of what was measured again, and the published ones of the rest. A row begins with program and hosts, or
    belongs to the one above."""
    again = {(each.program.name, each.network["hosts"]) for each in measured}
    kept: list[list[str]] = []
    stays = True
    for row in published:
        if row[0]:
            stays = (row[0], row[1]) not in again
        if stays:
            kept.append(row)
    return [*rows, *kept]


def page(measured: list[Measured], published: dict[str, Any]) -> Iterator[str]:
    network = published["network"]
    yield "# Real programs under flow, measured\n"
    yield METHOD.format(rate=network["rate"].replace("mbit", " Mbit/s"), buffer=network["buffer"].replace("k", " kB"))
    yield f"\nMeasured {published['measured']}, by"
    yield "`PYTHONPATH=python .venv/bin/python benchmarks/flow_programs/compare.py` as root.\n"
    if measured:
        names = ", ".join(dict.fromkeys(each.program.name for each in measured))
        linux = platform.release().partition("-")[0]
        yield f"Measured again since, on {os.cpu_count()} cores, Linux {linux}: {names}.\n"
    yield "For rows that were not measured again, the single runs were not kept: these rows are the"
    yield "published medians and ratios, from"
    yield "[published.json](../benchmarks/flow_programs/results/published.json).\n"
    yield "## Wall-clock\n"
    yield from table(
        ["program", "hosts", "runs", "bare", "flow", "lossless", "bare ÷ flow", "flow ÷ lossless", "same results"],
        merged(measured, [wall_clock(each) for each in measured], published["wall_clock"]),
    )
    yield ""
    yield from (f"- `{program.name}`: {program.about}." for program in PROGRAMS)
    yield "\nTCP timeouts and packets dropped by the switch, per run (mean):\n"
    yield from table(
        ["program", "hosts", "timeouts bare", "timeouts flow", "drops bare", "drops flow"],
        merged(measured, [counters(each) for each in measured], published["counters"]),
    )
    yield "\n## What the programs send\n"
    yield "The MPI functions that took most time with flow, and the all-to-alls and allgathers of the newest"
    yield "run: bytes for each other rank, time of a call, and time of the MPI's own algorithm in the trial.\n"
    yield from table(
        ["program", "hosts", "most time in", "collective", "ranks", "block", "calls", "way", "a call", "MPI's own"],
        merged(measured, [row for each in measured for row in messages(each)], published["messages"]),
    )
    yield from tables(measured)
    yield from sockets(measured, published["sockets"])
    yield "\n" + REMARKS.read_text().rstrip()


def messages(measured: Measured) -> Iterator[list[str]]:
    page = measured.newest_page
    calls = sorted(page["mpi_calls"], key=lambda call: -float(call["time_s"]))
    total_s = sum(call["time_s"] for call in calls)
    most = ", ".join(f"{call['function'].removeprefix('MPI_')} {call['time_s'] / total_s:.0%}" for call in calls[:3])
    where = [measured.program.name, measured.network["hosts"], most]
    rows = sorted(filter(is_large, page["flow"] or []), key=lambda row: -row["calls"] * (row["time_s"] or 0))
    for row in rows[:2]:
        yield [
            *where,
            row["operation"],
            str(row["ranks"]),
            "differ" if row["low_bytes"] is None else f"{row['low_bytes'] / 1024:.1f} KiB",
            str(row["calls"]),
            f"`{row['chosen']}`" if row["chosen"] else "still in trial",
            milliseconds(row["time_s"]),
            milliseconds(row["own_s"]),
        ]
        where = ["", "", ""]
    if not rows:
        yield [*where, "none of 1 KiB", "", "", "", "", "", ""]


def is_large(row: dict[str, Any]) -> bool:
    """Those of a few bytes cannot jam anything."""
    return row["low_bytes"] is None or row["low_bytes"] >= 1024


def milliseconds(time_s: float | None) -> str:
    return "–" if time_s is None else f"{1000 * time_s:.1f} ms"


def tables(measured: list[Measured]) -> Iterator[str]:
    """What it gives to begin with a table, where that was measured."""
    rows = [
        [
            each.program.name,
            each.network["hosts"],
            str(len(each.runs("table"))),
            each.wall_s("table"),
            f"**{each.ratio('bare', 'table')}**",
            each.ratio("table", "lossless"),
        ]
        for each in measured
        if each.runs("table")
    ]
    if rows:
        yield "\n## With a table measured before\n"
        yield "`--flow=TABLE`, from `clearway bench --save-table` on the same testbed: no trial, good for short jobs.\n"
        yield from table(["program", "hosts", "runs", "wall-clock", "bare ÷ this", "this ÷ lossless"], rows)


def wall_clock(measured: Measured) -> list[str]:
    return [
        measured.program.name,
        measured.network["hosts"],
        str(len(measured.repetitions)),
        *(measured.wall_s(way) for way in ("bare", "flow", "lossless")),
        f"**{measured.ratio('bare', 'flow')}**",
        measured.ratio("flow", "lossless"),
        "yes" if measured.agrees else "**no**",
    ]


def counters(measured: Measured) -> list[str]:
    pairs = ((counter, way) for counter in ("timeouts", "drops") for way in ("bare", "flow"))
    return [measured.program.name, measured.network["hosts"], *(measured.per_run(way, what) for what, way in pairs)]


def sockets(measured: list[Measured], published: list[list[str]]) -> Iterator[str]:
    """What options on connections give, where other ways than the three were measured."""
    rows = []
    for each in measured:
        options = sorted(
            {run["way"] for repetition in each.repetitions for run in repetition if run["way"].startswith("sockets ")}
        )
        for way in options:
            text = way.removeprefix("sockets ")
            runs = str(len(each.runs(way)))
            figures = [each.wall_s(way), each.ratio("sockets off", way), each.per_run(way, "timeouts")]
            rows.append(
                [each.program.name, each.network["hosts"], f"`{text}`", runs, *figures, each.per_run(way, "drops")]
            )
        if options:
            figures = [each.wall_s("flow"), each.ratio("sockets off", "flow"), each.per_run("flow", "timeouts")]
            runs = str(len(each.runs("flow")))
            rows.append(
                [each.program.name, each.network["hosts"], "default", runs, *figures, each.per_run("flow", "drops")]
            )
    rows = merged([each for each in measured if each.program.name in {row[0] for row in rows}], rows, published)
    if not rows:
        return
    yield "\n## Options on the connections\n"
    yield "`CLEARWAY_FLOW_SOCKETS` says what flow sets on every TCP connection to another host. Against `off`:\n"
    yield from table(["program", "hosts", "options", "runs", "wall-clock", "off ÷ this", "timeouts", "drops"], rows)


def table(titles: list[str], rows: list[list[str]]) -> Iterator[str]:
    yield f"| {' | '.join(titles)} |"
    yield f"| {' | '.join('---' for _ in titles)} |"
    for row in rows:
        yield f"| {' | '.join(row)} |"
