"""A sweep as a table for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from clearway.base import quantities as q
from clearway.base.mpi_name import mpi_name
from clearway.base.sheet import FLAG, Cell, Column, Sheet, heading, table
from clearway.bench.sweep import Point, Sweep

COLUMNS = (
    Column("block"),
    Column("algorithm", left=True),
    Column("MB/s a rank"),
    Column("slowest – fastest", keep=3),
    Column("of the wire", keep=4),
    Column("calls", keep=1),
    Column("TCP timeouts", keep=4),
    Column("sent again", keep=2),
    Column("", left=True, keep=4, flexible=20),
)


def table_of(sweep: Sweep, sheet: Sheet) -> list[Text]:
    return [
        heading(f"{sweep.operation} on {ranks_of(sweep)}", q.instant(sweep.measured_at), sheet),
        Text(f"{mpi_name(sweep.mpi)}{f' · {sweep.testbed}' if sweep.testbed else ''}", style="dim"),
        *limit_line(sweep),
        Text(),
        *table(COLUMNS, rows(sweep), sheet),
    ]


def ranks_of(sweep: Sweep) -> str:
    return f"{sweep.ranks} ranks, {sweep.hosts} {'host' if sweep.hosts == 1 else 'hosts'}"


def limit_line(sweep: Sweep) -> list[Text]:
    if sweep.limit_bytes_per_s is None:
        return []
    return [Text(f"The links carry at most {megabytes(sweep.limit_bytes_per_s)} MB/s per rank.", style="dim")]


def rows(sweep: Sweep) -> Iterator[list[Cell]]:
    """Sizes in order, the algorithms at each of them together."""
    for block_bytes in sorted({point.block_bytes for curve in sweep.curves for point in curve.points}):
        size = q.bytes_(block_bytes)
        for curve in sweep.curves:
            for point in curve.points:
                if point.block_bytes == block_bytes:
                    yield [size, curve.candidate, *figures(point)]
                    size = ""


def figures(point: Point) -> list[Cell]:
    if point.mean_bytes_per_s is None:
        return [q.UNKNOWN, "", "", "", "", "", point.fault]
    return [
        megabytes(point.mean_bytes_per_s),
        f"{megabytes(point.least_bytes_per_s)} – {megabytes(point.most_bytes_per_s)}",
        "" if point.share_of_limit is None else q.ratio(point.share_of_limit),
        str(len(point.calls_ns)),
        Text(q.count(point.timeouts), style=FLAG) if point.timeouts else "0",
        q.count(point.retransmits),
        point.fault,
    ]


def megabytes(rate: float | None) -> str:
    """Per second, of a million bytes each."""
    return q.UNKNOWN if rate is None else q.three_digits(rate / 1e6)
