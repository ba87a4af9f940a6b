"""Where things lie in the pictures: shapes in the pictures' own units, without colour and without text of a job."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, fields

from clearway.base import quantities as q
from clearway.page.model import Ledger, Matrix, Page, Rank, RankThreads, SizeBin, Slice, Step
from clearway.page.render.core_lines import places
from clearway.page.render.ledger_lines import LINES, LedgerLine
from clearway.page.render.thread_lines import ThreadLine, thread_lines

BAR_UNITS = 1000  # every bar is so wide; it is stretched to the space it gets
MOST_RANK_BARS = 64
MOST_THREAD_BARS = 128
FOLDED_RANK_BARS = 32  # of more ranks than that


@dataclass(frozen=True, slots=True)
class Piece:
    line: LedgerLine
    x: float
    width: float
    seconds: float
    share: str


def bar(ledger: Ledger) -> list[Piece]:
    """The ledger as pieces of a bar, from left to right."""
    values = [max(0.0, line.of(ledger)) for line in LINES]
    total = max(sum(values), ledger.wall_s)
    pieces, x = [], 0.0
    for line, value in zip(LINES, values, strict=True):
        width = BAR_UNITS * value / total if total > 0 else 0.0
        if width >= 0.05:
            pieces.append(Piece(line, round(x, 1), round(width, 1), value, q.percent(value, ledger.wall_s)))
        x += width
    return pieces


FEWEST_SLICES = 5  # of a shorter job the bar says as much


@dataclass(frozen=True, slots=True)
class LedgerStrip:
    """The ledger over time, columns of 1 x 100: time runs to the right, the lines stand one on the other."""

    slice_s: float
    slices: list[str]  # what each is made of, in words
    paths: dict[str, str]  # SVG path by line
    lines: list[LedgerLine]  # that are to be seen
    ticks: list[tuple[float, str]]
    threads: list[tuple[ThreadLine, str]]  # each with its SVG path


def strip(page: Page) -> LedgerStrip | None:
    if len(page.strip) < FEWEST_SLICES:
        return None
    paths: dict[str, list[str]] = defaultdict(list)
    most_s = max(one.wall_s for one in page.strip)
    for x, one in enumerate(page.strip):
        bottom = 100.0
        for line in LINES:
            height = 100 * max(getattr(one, line.field), 0.0) / most_s if most_s > 0 else 0.0
            if height >= 0.1:
                paths[line.key].append(f"M{x} {bottom - height:.1f}h1v{height:.1f}h-1z")
            bottom -= height
    seen = [line for line in LINES if line.key in paths]
    return LedgerStrip(
        slice_s=page.strip[0].end_s - page.strip[0].begin_s,
        slices=[_slice_in_words(one) for one in page.strip],
        paths={line.key: "".join(paths[line.key]) for line in seen},
        lines=seen,
        ticks=ticks(page.strip[-1].end_s),
        threads=[(line, _heights(line.shares)) for line in thread_lines(page, [[one] for one in page.strip])],
    )


def _heights(shares: Sequence[float]) -> str:
    """Columns of 1 x 100, as high as the shares."""
    bars = ((x, 100 * share) for x, share in enumerate(shares))
    return "".join(f"M{x} {100 - height:.1f}h1v{height:.1f}h-1z" for x, height in bars if height >= 0.1)


def _slice_in_words(one: Slice) -> str:
    shares = ((line.label, getattr(one, line.field)) for line in LINES)
    parts = [f"{label} {q.percent(seconds, one.wall_s)}" for label, seconds in shares if seconds > 0.005 * one.wall_s]
    phase = "" if one.phase is None else f", phase {one.phase}"
    return f"{q.seconds(one.begin_s)} to {q.seconds(one.end_s)}{phase}: {', '.join(parts)}"


@dataclass(frozen=True, slots=True)
class RankBar:
    """One rank, or neighbouring ranks taken together."""

    first: Rank
    last: Rank
    ledger: Ledger
    cpu_utilisation: float
    bytes_sent: int
    bytes_received: int

    @property
    def label(self) -> str:
        return str(self.first.rank) if self.first is self.last else f"{self.first.rank}–{self.last.rank}"

    @property
    def host(self) -> str:
        return self.first.host if self.first.host == self.last.host else f"{self.first.host} … {self.last.host}"


def rank_bars(ranks: Sequence[Rank]) -> list[RankBar]:
    """A bar a rank, or a bar for each block of neighbouring ranks."""
    rows = sorted(ranks, key=lambda one: one.rank)
    block = 1 if len(rows) <= MOST_RANK_BARS else math.ceil(len(rows) / FOLDED_RANK_BARS)
    bars = []
    for start in range(0, len(rows), block):
        part = rows[start : start + block]
        totals = {field.name: sum(getattr(one.ledger, field.name) for one in part) for field in fields(Ledger)}
        bars.append(
            RankBar(
                part[0],
                part[-1],
                Ledger(**totals),
                sum(one.cpu_utilisation for one in part) / len(part),
                sum(one.bytes_sent for one in part),
                sum(one.bytes_received for one in part),
            )
        )
    return bars


@dataclass(frozen=True, slots=True)
class BusyBar:
    height: float  # of 24
    label: str


def thread_bars(rank: RankThreads) -> list[BusyBar]:
    """A bar a thread, as high as it was busy."""
    return [
        BusyBar(
            _of_24(one.busy),
            f"{'main thread' if one.main else one.name}: {q.percent(one.busy)} busy, {q.percent(one.core_wait)} "
            f"waiting for a core, may use {one.cpus or 'many cores'}",
        )
        for one in rank.threads[:MOST_THREAD_BARS]
    ]


def core_bars(rank: RankThreads) -> list[BusyBar]:
    """A bar a core that the rank may use, as high as it was busy with the rank's threads."""
    return [
        BusyBar(_of_24(one.busy), f"core {one.cpu}: {one.busy:.2f} threads at a time")
        for one in places(rank)[:MOST_THREAD_BARS]
    ]


def _of_24(busy: float) -> float:
    return round(24 * max(0.0, min(1.0, busy)), 1)


@dataclass(frozen=True, slots=True)
class BinBar:
    size: str
    bin: SizeBin
    count_width: float
    bytes_width: float


def histogram(bins: Sequence[SizeBin]) -> list[BinBar]:
    rows = [one for one in bins if one.count]
    most = max((one.count for one in rows), default=1) or 1
    heaviest = max((one.bytes for one in rows), default=1) or 1
    return [
        BinBar(
            q.size_range(one.low_bytes, one.high_bytes),
            one,
            round(BAR_UNITS * one.count / most, 1),
            round(BAR_UNITS * one.bytes / heaviest, 1),
        )
        for one in rows
    ]


SHADES = 9


@dataclass(frozen=True, slots=True)
class HeatCell:
    x: int
    y: int
    shade: int  # 1 … SHADES
    sender: str
    receiver: str
    bytes: float


@dataclass(frozen=True, slots=True)
class HeatMap:
    size: int
    cells: list[HeatCell]
    scale: list[tuple[int, str]]  # (shade, the bytes that it starts at)


def heat_map(matrix: Matrix) -> HeatMap | None:
    """None where nothing was sent. Shades go with the square root, so that small flows are seen beside large ones."""
    largest = max((value for row in matrix.bytes for value in row), default=0.0)
    if largest <= 0 or len(matrix.bytes) < 2:
        return None

    def name(index: int) -> str:
        first = index * matrix.block
        return f"rank {first}" if matrix.block == 1 else f"ranks {first}–{first + matrix.block - 1}"

    cells = [
        HeatCell(x, y, min(SHADES, 1 + int(SHADES * math.sqrt(value / largest))), name(y), name(x), value)
        for y, row in enumerate(matrix.bytes)
        for x, value in enumerate(row)
        if value > 0
    ]
    scale = [(shade, q.bytes_(largest * ((shade - 1) / SHADES) ** 2)) for shade in range(1, SHADES + 1, 2)]
    return HeatMap(len(matrix.bytes), cells, scale)


ROW = 16  # height of a rank in the timeline,
LOW_ROW = 8  # and where there are many
MANY_ROWS = 24
MOST_TIMELINE_ROWS = 64
TIMELINE_UNITS = 2000  # nothing is drawn finer
MOST_TIPS = 400
KIND_OF_CLASS = {
    "collective": "collective",
    "collective_start": "collective",
    "send": "point",
    "receive": "point",
    "send_receive": "point",
    "start": "point",
    "wait": "wait",
    "probe": "wait",
    "poll": "wait",
    "mpi_io": "file",
    "file_operation": "file",
}
KINDS = {
    "collective": "collectives",
    "point": "sending, receiving",
    "wait": "waiting for messages",
    "file": "files",
    "rest": "other MPI",
}


@dataclass(frozen=True, slots=True)
class Tip:
    x: float
    y: int
    width: float
    step: Step


@dataclass(frozen=True, slots=True)
class Timeline:
    """Time runs to the right, ranks downwards, as in Kutzner et al. 2007, Fig. 2."""

    height: int
    row: int  # height of one rank
    rows: list[tuple[int, int]]  # (y, rank)
    paths: dict[str, str]  # SVG path by kind of call
    tips: list[Tip]  # over the longest calls
    ticks: list[tuple[float, str]]  # (share of the width, time)
    hidden: int  # ranks not drawn


def timeline(page: Page) -> Timeline | None:
    steps = page.timeline
    duration_s = max((one.end_s for one in steps), default=0.0)
    if duration_s <= 0:
        return None
    ranks = sorted({one.rank for one in steps})
    row = ROW if len(ranks) <= MANY_ROWS else LOW_ROW
    y_of = {rank: row * index for index, rank in enumerate(ranks[:MOST_TIMELINE_ROWS])}
    scale = TIMELINE_UNITS / duration_s
    spans: dict[tuple[str, int], list[tuple[int, int]]] = defaultdict(list)
    for one in steps:
        if one.rank in y_of:
            left = int(one.begin_s * scale)
            span = (left, max(left + 1, round(one.end_s * scale)))
            spans[KIND_OF_CLASS.get(one.function_class, "rest"), y_of[one.rank]].append(span)
    paths: dict[str, list[str]] = defaultdict(list)
    for (kind, y), bars in spans.items():
        for left, right in merged(bars):
            paths[kind].append(f"M{left} {y + 1}h{right - left}v{row - 2}h{left - right}z")
    longest = sorted((one for one in steps if one.rank in y_of), key=lambda one: one.begin_s - one.end_s)[:MOST_TIPS]
    return Timeline(
        height=row * len(y_of),
        row=row,
        rows=[(y, rank) for rank, y in y_of.items()],
        paths={kind: "".join(paths[kind]) for kind in KINDS if kind in paths},
        tips=[Tip(one.begin_s * scale, y_of[one.rank], (one.end_s - one.begin_s) * scale, one) for one in longest],
        ticks=ticks(duration_s),
        hidden=len(ranks) - len(y_of),
    )


def merged(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Spans that touch, as one: a picture of thousands of short calls stays small."""
    joined: list[tuple[int, int]] = []
    for left, right in sorted(spans):
        if joined and left <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(right, joined[-1][1]))
        else:
            joined.append((left, right))
    return joined


def ticks(duration_s: float) -> list[tuple[float, str]]:
    """Four to eight round times."""
    step = 10.0 ** math.floor(math.log10(duration_s))
    for finer in (1.0, 0.5, 0.2):
        if duration_s / (step * finer) >= 4:
            step *= finer
            break
    return [(i * step / duration_s, q.seconds(i * step)) for i in range(int(duration_s / step) + 1)]
