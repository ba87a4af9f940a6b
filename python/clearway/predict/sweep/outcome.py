"""What came out of a sweep: the tree that JSON, table and CSV show."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass

from rich.text import Text

from clearway.base import quantities as q
from clearway.base.output_file import whole_file
from clearway.base.read_back import read_back, schema_in
from clearway.base.sheet import Column, Sheet, heading, table
from clearway.base.visible import visible
from clearway.predict.collectives.prediction import SCHEMA as OPERATION
from clearway.predict.collectives.prediction import Prediction
from clearway.predict.jobs.prediction import JobPoint, JobPrediction

SCHEMA = "clearway-sweep-1"
MOST_ROWS = 20  # in a terminal


@dataclass(frozen=True, slots=True)
class Swept:
    """One prediction of a sweep: of an operation, or of a job."""

    settings: dict[str, str]  # values of the varied options
    operation: Prediction | None
    job: JobPrediction | None
    fault: str  # why there is no prediction; empty if there is one


@dataclass(frozen=True, slots=True)
class SweepOutcome:
    """All that have been made so far, in the order of what was varied."""

    schema: str
    asked: int  # number of predictions asked for
    predictions: tuple[Swept, ...]


@dataclass(frozen=True, slots=True)
class Row:
    """A figure: one algorithm at one size or number of ranks."""

    settings: dict[str, str]
    what: dict[str, str | int]
    figures: dict[str, float | int | None]  # the first is what rows are sorted by: more is better


def swept(settings: dict[str, str], told: object) -> Swept:
    """From what a task told. Raises ValueError."""
    if isinstance(told, dict) and isinstance(told.get("fault"), str):
        return Swept(settings, None, None, told["fault"])
    if schema_in(told) == OPERATION:
        return Swept(settings, read_back(Prediction, told), None, "")
    return Swept(settings, None, read_back(JobPrediction, told), "")


def rows_of(outcome: SweepOutcome) -> Iterator[Row]:
    for one in outcome.predictions:
        for point in one.operation.points if one.operation else ():
            what: dict[str, str | int] = {"algorithm": point.candidate, "block_bytes": point.block_bytes}
            calls = sorted(point.calls_ns)
            yield Row(
                one.settings,
                what,
                {
                    "mean_bytes_per_s": point.mean_bytes_per_s,
                    "share_of_wire": point.share_of_limit,
                    "median_call_s": calls[len(calls) // 2] * 1e-9,
                    "timeouts": point.timeouts,
                    "drops": point.drops,
                },
            )
        for step in one.job.points if one.job else ():
            yield Row(
                one.settings,
                {"ranks": step.ranks, "alltoall": step.alltoall},
                {
                    **_speed(step, one.job.recorded_ns if one.job else None),
                    "computing_share": step.computing_share,
                    "timeouts": step.timeouts,
                    "drops": step.drops,
                },
            )


def _speed(point: JobPoint, recorded_ns: int | None) -> dict[str, float | int | None]:
    """Of a recorded job no Run knows the steps, and it is on one number of ranks."""
    if recorded_ns is None:
        return {"steps_per_s": point.steps_per_s, "speedup": point.speedup}
    return {"times_as_fast_as_recorded": recorded_ns / point.duration_ns, "wall_clock_s": point.duration_ns * 1e-9}


def table_of(outcome: SweepOutcome, sheet: Sheet) -> list[Text]:
    """The fastest, as many as fit; all are in the CSV."""
    rows = sorted(rows_of(outcome), key=lambda row: -(next(iter(row.figures.values())) or 0.0))
    faults = [one for one in outcome.predictions if one.fault]
    title = f"{q.count(len(outcome.predictions))} of {q.count(outcome.asked)} predictions"
    lines = [heading(title, "the fastest first" if rows else "", sheet), Text()]
    if rows:
        first = rows[0]
        names = (*first.settings, *first.what, *first.figures)
        columns = [Column(name.replace("_", " "), left=name in first.settings) for name in names]
        lines += table(columns, map(_cells, rows[:MOST_ROWS]), sheet)
    if len(rows) > MOST_ROWS:
        lines += [Text(), Text(f"{q.count(len(rows) - MOST_ROWS)} more rows: --csv FILE")]
    if faults:
        said = visible(f"{q.count(len(faults))} failed; the first: {faults[0].settings}: {faults[0].fault}")
        lines += [Text(), Text(said)]
    return lines


def write_csv(outcome: SweepOutcome, path: str) -> None:
    """A line for each figure, with what was varied before it."""
    rows = list(rows_of(outcome))
    text = io.StringIO()
    if rows:
        first = rows[0]
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow([*first.settings, *first.what, *first.figures])
        for row in rows:
            writer.writerow([*row.settings.values(), *row.what.values(), *row.figures.values()])
    with whole_file(path) as stream:
        stream.write(text.getvalue())


def _cells(row: Row) -> list[str]:
    told = [q.three_digits(value) if isinstance(value, float) else str(value) for value in row.figures.values()]
    return [*row.settings.values(), *map(str, row.what.values()), *told]
