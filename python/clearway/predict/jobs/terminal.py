"""A predicted job as a table for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from clearway.base import quantities as q
from clearway.base.pasted import pasted
from clearway.base.sheet import FLAG, Cell, Column, Sheet, heading, table
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


def table_of(prediction: JobPrediction, sheet: Sheet) -> list[Text]:
    lines = [
        heading(f"{prediction.job}, predicted", "", sheet),
        Text(prediction.cluster, style="dim"),
        Text(),
        *table(COLUMNS, rows(prediction), sheet),
    ]
    if prediction.recorded_ns is not None:
        took = q.seconds(prediction.recorded_ns * 1e-9)
        each = ", ".join(f"{q.seconds(point.duration_ns * 1e-9)} with {point.alltoall}" for point in prediction.points)
        lines += [Text(), Text(f"Recorded: {took}. Predicted: {each}.")]
    return lines + left_runs(prediction)


def rows(prediction: JobPrediction) -> Iterator[list[Cell]]:
    """Numbers of ranks in order, the algorithms at each of them together."""
    for ranks in sorted({point.ranks for point in prediction.points}):
        named = str(ranks)
        for point in prediction.points:
            if point.ranks == ranks:
                yield [named, str(point.hosts) if named else "", point.alltoall, *figures(point)]
                named = ""


def figures(point: JobPoint) -> list[Cell]:
    return [
        q.three_digits(point.steps_per_s),
        f"{point.speedup:.2f}",
        q.ratio(point.efficiency),
        q.percent(point.computing_share),
        q.percent(1 - point.computing_share),
        Text(q.count(point.timeouts), style=FLAG) if point.timeouts else "0",
        q.count(point.drops),
        q.count(point.resent),
    ]


def left_runs(prediction: JobPrediction) -> list[Text]:
    runs = [point.run for point in prediction.points if point.run]
    return [Text(), *(Text(f"clearway report {pasted(run)}") for run in runs)] if runs else []
