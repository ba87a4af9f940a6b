"""All points of a sweep, on all cores: the simulator runs on one, so each point has a process of its own."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from itertools import product
from typing import Any

from clearway.bench.figures import Job, RawPoint, limit_bytes_per_s, point_of
from clearway.installed import find_program
from clearway.predict.prediction import SCHEMA, Point, Prediction
from clearway.predict.program import PROGRAM, simulate
from clearway.predict.wish import Wish

Watch = Callable[[Point], None]


def predict(wish: Wish, candidates: Sequence[str], sizes: Sequence[int], watch: Watch) -> Prediction:
    """`watch` is told of each point as it is done. Raises ClearwayError where one cannot be simulated."""
    program = find_program(PROGRAM)
    limit = limit_bytes_per_s(job_of(wish), wish.network.rate_bps) if wish.network.rate_bps else None
    asked = list(product(candidates, sizes))
    points: dict[tuple[str, int], Point] = {}
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        # The longest first, so that no core is left alone with it at the end.
        longest_first = sorted(asked, key=lambda point: -point[1])
        running: dict[Future[dict[str, Any]], tuple[str, int]] = {
            pool.submit(simulate, program, wish.arguments(*point)): point for point in longest_first
        }
        try:
            for done in as_completed(running):
                point = point_from(wish, *running[done], done.result(), limit)
                points[running[done]] = point
                watch(point)
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    return Prediction(SCHEMA, wish, limit, tuple(points[each] for each in asked))


def job_of(wish: Wish) -> Job:
    """As clearway-bench would describe it."""
    return Job(wish.operation, wish.hosts * wish.per_host, wish.hosts, wish.per_host, "simulated", "", False)


def point_from(wish: Wish, candidate: str, block_bytes: int, told: dict[str, Any], limit: float | None) -> Point:
    calls = told["calls"]
    sums = {name: sum(call[name] for call in calls) for name in ("drops", "resent", "timeouts")}
    times = tuple(call["duration_ns"] for call in calls)
    raw = RawPoint(candidate, block_bytes, times, sums["resent"], sums["timeouts"], "")
    figures = point_of(job_of(wish), raw, limit)
    return Point(
        candidate, block_bytes, times, figures.mean_bytes_per_s, figures.share_of_limit, **sums,
        packet_hops=told["hops"],
    )  # fmt: skip
