"""The predictions of a sweep as pieces of submitted work (clearway.queue)."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from clearway.base.errors import ClearwayError
from clearway.base.json import plain, write_json
from clearway.predict.collectives.prediction import Prediction
from clearway.predict.jobs.prediction import JobPrediction
from clearway.predict.sweep.outcome import SCHEMA, SweepOutcome, swept, write_csv
from clearway.predict.sweep.plan import OUTPUTS, Parse, SweepPlan, with_settings
from clearway.queue import AllAlike, results

Predict = Callable[[argparse.Namespace], Prediction | JobPrediction]
RESULT, TABLE = "predictions.json", "predictions.csv"


@dataclass(frozen=True, slots=True)
class Predictions(AllAlike):
    plan: SweepPlan
    directory: Path
    parse: Parse  # of the command's own options
    predict: Predict

    def wanted(self) -> range:
        return range(self.plan.count)

    def do(self, piece: int, _attempt: str) -> object:
        """One that cannot be made is told: it must not keep the others from being made."""
        arguments = argparse.Namespace(**self.plan.asked, **{**dict.fromkeys(OUTPUTS), "quiet": True})
        try:
            return plain(self.predict(with_settings(arguments, self.plan.settings(piece), self.parse)))
        except ClearwayError as error:
            return {"fault": error.message}

    def finish(self) -> None:
        outcome = self.so_far()
        write_json(outcome, self.directory / RESULT)
        write_csv(outcome, str(self.directory / TABLE))

    def so_far(self) -> SweepOutcome:
        """Raises ClearwayError."""
        made = results.read(self.directory)
        try:
            told = tuple(swept(self.plan.settings(piece), result.value) for piece, result in made.items())
        except ValueError as error:
            raise ClearwayError(
                f"cannot read a prediction in '{self.directory}': {error}", "start a new sweep, in another directory"
            ) from None
        return SweepOutcome(SCHEMA, self.plan.count, told)
