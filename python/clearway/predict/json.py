"""A prediction as JSON, and the schema of it."""

from __future__ import annotations

import json
from pathlib import Path

from clearway.base.output_file import whole_file
from clearway.base.schema import Schema, schema_of
from clearway.page.render.json import plain
from clearway.predict.collectives.prediction import SCHEMA, Prediction
from clearway.predict.jobs.prediction import SCHEMA as JOB_SCHEMA
from clearway.predict.jobs.prediction import JobPrediction


def prediction_schema() -> Schema:
    """JSON Schema (2020-12) of what `clearway predict --json` writes."""
    return schema_of(Prediction, SCHEMA)


def job_schema() -> Schema:
    """The same of a job: `clearway predict --workload … --json`."""
    return schema_of(JobPrediction, JOB_SCHEMA)


def write_json(prediction: Prediction | JobPrediction, path: str | Path) -> None:
    """One object; "-" is stdout. Raises ClearwayError where it cannot be written."""
    with whole_file(path) as stream:
        json.dump(plain(prediction), stream, ensure_ascii=False, allow_nan=False, indent=1)
        stream.write("\n")
