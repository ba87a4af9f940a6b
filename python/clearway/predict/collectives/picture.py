"""A prediction as the sweep that a measurement would have left: one picture and one page for both."""

from __future__ import annotations

from clearway.bench.figures import RawPoint, curves_of
from clearway.bench.sweep import SCHEMA, Sweep
from clearway.predict.collectives.prediction import Prediction
from clearway.predict.collectives.sweep import job_of
from clearway.predict.collectives.terminal import network_words

PREDICTED = "predicted, packet by packet"


def sweep_of(prediction: Prediction) -> Sweep:
    request, limit = prediction.request, prediction.limit_bytes_per_s
    job = job_of(request)
    raw = [RawPoint(p.candidate, p.block_bytes, p.calls_ns, p.resent, p.timeouts, "") for p in prediction.points]
    return Sweep(
        SCHEMA,
        request.operation,
        job.ranks,
        request.hosts,
        request.per_host,
        PREDICTED,
        "",
        network_words(request.network),
        False,
        f"seed {request.seed}",
        request.network.rate_bps,
        limit,
        curves_of(job, raw, limit),
    )
