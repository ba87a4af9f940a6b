"""A job on each number of ranks, with each algorithm."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from pathlib import Path
from typing import Any

from clearway.base.errors import ClearwayError
from clearway.predict.cache import Cache
from clearway.predict.collectives.terminal import network_words, tcp_words
from clearway.predict.jobs.prediction import SCHEMA, JobPoint, JobPrediction
from clearway.predict.jobs.request import JobRequest, JobScript
from clearway.predict.pool import ask_all

Watch = Callable[[int, str, dict[str, Any]], None]
Asked = tuple[JobScript, str]


def predict_job(
    request: JobRequest,
    watch: Watch,
    cache: Cache | None = None,
    runs: Path | None = None,
    recorded_ns: int | None = None,
    notes: Sequence[str] = (),
) -> JobPrediction:
    """`watch` is told of ranks, algorithm and answer as they come. Raises ClearwayError where one cannot be simulated.

    A Run of each is left in `runs`; an answer from the cache leaves none, so there is none asked for then.
    """
    asked = list(product(request.scripts, request.alltoalls))
    places = run_directories(runs, asked)
    # The largest first, so that no core is left alone with it at the end.
    order = sorted(range(len(asked)), key=lambda index: -asked[index][0].ranks)
    told: dict[int, dict[str, Any]] = {}

    def note(number: int, answer: dict[str, Any]) -> None:
        index = order[number]
        told[index] = answer
        watch(asked[index][0].ranks, asked[index][1], answer)

    questions = [request.arguments(*asked[index], places[index]) for index in order]
    ask_all(questions, cache if runs is None else None, note)
    points = [
        point_from(request, asked[index], told[index], told[0], places[index])
        for index in sorted(told, key=lambda index: (request.alltoalls.index(asked[index][1]), asked[index][0].ranks))
    ]
    cluster = f"{network_words(request.model.network)} · {tcp_words(request.model.stack)}"
    return JobPrediction(SCHEMA, request.name, cluster, request.settings(), recorded_ns, tuple(points), tuple(notes))


def run_directories(runs: Path | None, asked: list[Asked]) -> list[Path | None]:
    """The directory itself for a single Run, else one in it for each."""
    if runs is None:
        return [None] * len(asked)
    if runs.exists():
        raise ClearwayError(f"'{runs}' exists already", "give a directory that does not exist yet")
    if len(asked) == 1:
        return [runs.absolute()]
    try:
        runs.mkdir()
    except OSError as error:
        raise ClearwayError(f"cannot make '{runs}': {error.strerror}", "choose another place") from None
    return [runs.absolute() / f"{script.ranks}-{alltoall}" for script, alltoall in asked]


def point_from(
    request: JobRequest, asked: Asked, told: dict[str, Any], first: dict[str, Any], run: Path | None
) -> JobPoint:
    """Speedups are by the first point, the fewest ranks with the first algorithm."""
    script, alltoall = asked
    base = request.scripts[0]
    speedup = base.ranks * (first["duration_ns"] / base.steps) / (told["duration_ns"] / script.steps)
    in_mpi = sum(told["mpi_ns"]) / (script.ranks * told["duration_ns"])
    return JobPoint(
        ranks=script.ranks,
        hosts=request.hosts(script),
        alltoall=alltoall,
        steps=script.steps,
        duration_ns=told["duration_ns"],
        steps_per_s=script.steps / (told["duration_ns"] * 1e-9),
        speedup=speedup,
        efficiency=speedup / script.ranks,
        computing_share=1 - in_mpi,
        drops=told["drops"],
        resent=told["resent"],
        timeouts=told["timeouts"],
        packet_hops=told["hops"],
        run=str(run) if run else None,
    )
