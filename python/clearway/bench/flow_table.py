"""The table that the flow library starts from: the best algorithm for each operation, ranks, hosts and size.

Text, a line an entry: `operation ranks hosts block_bytes candidate`. Comments begin with #.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from clearway.base.errors import ClearwayError
from clearway.base.output_file import whole_file
from clearway.bench.sweep import FLOW, OWN, Point, Sweep

HEADER = "# clearway flow table 1"
WORTH = 1.01  # what another algorithm must gain before it takes the place of the MPI's own


@dataclass(frozen=True, slots=True, order=True)
class Key:
    """What an algorithm is chosen by."""

    operation: str
    ranks: int
    hosts: int
    block_bytes: int

    def __str__(self) -> str:
        return f"{self.operation} {self.ranks} {self.hosts} {self.block_bytes}"


@dataclass(frozen=True, slots=True, order=True)
class Entry:
    """The candidate to use, and a remark on how it was found."""

    candidate: str
    remark: str = ""


Table = dict[Key, Entry]


def best_of(sweep: Sweep) -> Table:
    """The fastest candidate at each size; the MPI's own wherever nothing is clearly faster."""
    table: Table = {}
    for block_bytes in sorted({point.block_bytes for curve in sweep.curves for point in curve.points}):
        speeds = {
            curve.candidate: speed
            for curve in sweep.curves
            for point in curve.points
            if point.block_bytes == block_bytes
            and curve.candidate != FLOW  # no algorithm, but a choice among them
            and (speed := speed_of(point, sweep.interleaved)) is not None
        }
        if not speeds:
            continue
        best = max(speeds, key=lambda name: speeds[name])
        if OWN in speeds and speeds[best] < WORTH * speeds[OWN]:
            best = OWN
        measured = ", ".join(f"{name} {speed / 1e6:.4g} MB/s" for name, speed in speeds.items())
        table[Key(sweep.operation, sweep.ranks, sweep.hosts, block_bytes)] = Entry(best, measured)
    return table


def speed_of(point: Point, interleaved: bool) -> float | None:
    """What points are compared by: all bytes by all time where packets were lost, for a stall costs what it lasts.

    Where none were, a call that took longer than others was held up by something else; the median does not mind it.
    """
    if point.fault:
        return None
    return point.median_bytes_per_s if interleaved or point.retransmits == 0 else point.mean_bytes_per_s


def save_table(sweep: Sweep, path: Path) -> None:
    """Adds the sweep's entries to the table in `path`; what was there for the same keys is replaced."""
    table = read_table(path) if path.is_file() else {}
    table.update(best_of(sweep))
    with whole_file(path) as stream:
        stream.write("\n".join(lines_of(table)) + "\n")


def lines_of(table: Table) -> Iterable[str]:
    yield HEADER
    yield "# operation ranks hosts block_bytes candidate"
    for key, entry in sorted(table.items()):
        if entry.remark:
            yield f"# {entry.remark}"
        yield f"{key} {entry.candidate}"


def read_table(path: Path) -> Table:
    """Raises ClearwayError where `path` is no such table."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ClearwayError(f"cannot read the table '{path}': {error}") from None
    if not lines or lines[0].strip() != HEADER:
        raise ClearwayError(f"'{path}' is no flow table: it does not begin with '{HEADER}'", "name another file")
    table: Table = {}
    remark = ""
    for number, line in enumerate(lines[1:], 2):
        words = line.split()
        if line.startswith("#") or not words:
            remark = line.removeprefix("#").strip()
            continue
        if len(words) != 5 or not all(word.isdecimal() for word in words[1:4]):
            raise ClearwayError(
                f"line {number} of '{path}' is no entry: '{line}'", "operation ranks hosts block_bytes candidate"
            )
        table[Key(words[0], int(words[1]), int(words[2]), int(words[3]))] = Entry(words[4], remark)
        remark = ""
    return table
