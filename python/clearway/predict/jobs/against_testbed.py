"""A workload that ran on a testbed, beside what is predicted of it there."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.text import Text

from clearway.base import quantities as q
from clearway.base.errors import ClearwayError
from clearway.base.sheet import Column, Sheet, heading, table
from clearway.predict.cache import user_cache
from clearway.predict.jobs.options import DEFAULT_ALLGATHER
from clearway.predict.jobs.prediction import JobPoint, JobPrediction
from clearway.predict.jobs.request import JobRequest, JobScript
from clearway.predict.jobs.sweep import predict_job
from clearway.predict.models import Script
from clearway.predict.testbed_cluster import model_of_testbed
from clearway.testbed import Shape

COLUMNS = (
    Column("", left=True),
    Column("a step"),
    Column("of the measured", keep=4),
    Column("TCP timeouts", keep=3),
    Column("drops", keep=2),
)
TIMES = re.compile(r"^.*: (\d+) steps in ([\d.]+) s, [\d.]+ ms a step", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Measured:
    """What clearway-workload says at its end, and what was counted meanwhile."""

    steps: int
    duration_s: float
    timeouts: int
    drops: int

    @property
    def step_s(self) -> float:
        return self.duration_s / self.steps


def measured(said: str, timeouts: int, drops: int) -> Measured:
    """Raises ClearwayError where the job did not come to its end."""
    found = TIMES.search(said)
    if found is None:
        raise ClearwayError("the job did not print how long its steps took", "see its messages above")
    return Measured(int(found[1]), float(found[2]), timeouts, drops)


def predicted(script: Script, shape: Shape, alltoalls: Sequence[str]) -> JobPrediction:
    """Raises ClearwayError where it cannot be simulated."""
    with tempfile.TemporaryDirectory(prefix="clearway-predict-") as folder:
        path = Path(folder) / "script"
        path.write_text(script.text(), encoding="utf-8")
        asked = JobScript(path, script.ranks, script.steps)
        model = model_of_testbed(shape)
        request = JobRequest(script.title, model, (asked,), tuple(alltoalls), DEFAULT_ALLGATHER, seed=1)
        return predict_job(request, lambda *_: None, user_cache())


def lines_of(real: Measured, prediction: JobPrediction, sheet: Sheet) -> list[Text]:
    rows = [["measured", q.seconds(real.step_s), "", q.count(real.timeouts), q.count(real.drops)]]
    for point in prediction.points:
        step_s = step_s_of(point)
        of_measured = q.ratio(step_s / real.step_s)
        name = f"predicted, {point.alltoall}"
        rows.append([name, q.seconds(step_s), of_measured, q.count(point.timeouts), q.count(point.drops)])
    return [
        heading(f"{prediction.job}, on a testbed and predicted", "", sheet),
        Text(prediction.cluster, style="dim"),
        Text(),
        *table(COLUMNS, rows, sheet),
    ]


def step_s_of(point: JobPoint) -> float:
    return point.duration_ns * 1e-9 / point.steps
