"""A predicted job as a table for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from clearway.base import quantities as q
from clearway.base.pasted import pasted
from clearway.base.sheet import FLAG, QUIET, Cell, Column, Sheet, heading, paragraph, table
from clearway.predict.jobs.prediction import JobPoint, JobPrediction

COLUMNS = (
    Column("ranks"),
    Column("hosts", keep=1),
    Column("all-to-all", left=True),
    Column("steps/s"),
    Column("speedup"),
    Column("efficiency", keep=5),
    Column("computing", keep=4),
    Column("in MPI", keep=4),
    Column("TCP timeouts", keep=5),
    Column("drops", keep=2),
    Column("sent again", keep=0),
)
REPLAYED = (*COLUMNS[:3], Column("wall-clock"), Column("÷ recorded"), *COLUMNS[6:])


def table_of(prediction: JobPrediction, sheet: Sheet) -> list[Text]:
    replayed = prediction.recorded_ns is not None
    lines = [
        heading(f"{prediction.job}, predicted", "", sheet),
        Text(prediction.cluster, style="dim"),
        Text(),
        *table(REPLAYED if replayed else COLUMNS, rows(prediction), sheet),
    ]
    if prediction.recorded_ns is not None:
        took = q.seconds(prediction.recorded_ns * 1e-9)
        lines += [Text(), Text(f"Wall-clock is from MPI_Init to MPI_Finalize. Recorded: {took}.")]
        for note in prediction.notes:
            body = paragraph(Text(note), sheet.width, indent=4)
            lines += [Text("  • ", style=QUIET).append_text(body[0][4:]), *body[1:]]
    return lines + left_runs(prediction)


def rows(prediction: JobPrediction) -> Iterator[list[Cell]]:
    """Numbers of ranks in order, the algorithms at each of them together."""
    for ranks in sorted({point.ranks for point in prediction.points}):
        named = str(ranks)
        for point in prediction.points:
            if point.ranks == ranks:
                speed = speeds(point) if prediction.recorded_ns is None else durations(point, prediction.recorded_ns)
                yield [named, str(point.hosts) if named else "", point.alltoall, *speed, *figures(point)]
                named = ""


def speeds(point: JobPoint) -> list[Cell]:
    return [q.three_digits(point.steps_per_s), f"{point.speedup:.2f}", q.ratio(point.efficiency)]


def durations(point: JobPoint, recorded_ns: int) -> list[Cell]:
    """A recorded job has one number of ranks, and no steps that a Run would know of."""
    return [q.seconds(point.duration_ns * 1e-9), f"{point.duration_ns / max(recorded_ns, 1):.2f}"]


def figures(point: JobPoint) -> list[Cell]:
    return [
        q.percent(point.computing_share),
        q.percent(1 - point.computing_share),
        Text(q.count(point.timeouts), style=FLAG) if point.timeouts else "0",
        q.count(point.drops),
        q.count(point.resent),
    ]


def left_runs(prediction: JobPrediction) -> list[Text]:
    runs = [point.run for point in prediction.points if point.run]
    return [Text(), *(Text(f"clearway report {pasted(run)}") for run in runs)] if runs else []
