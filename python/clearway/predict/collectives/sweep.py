"""All points of a sweep: each algorithm at each size."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

from clearway.base.ethernet import PACKET_BYTES, SHARE_OF_SHAPED, SHARE_OF_WIRE, WIRE_BYTES
from clearway.bench.figures import Job, RawPoint, limit_bytes_per_s, point_of
from clearway.cluster import Network, Stack
from clearway.predict.cache import Cache
from clearway.predict.collectives.prediction import SCHEMA, Point, Prediction
from clearway.predict.collectives.request import AS_INFINIBAND_FRAMES, Request
from clearway.predict.pool import ask_all

Watch = Callable[[Point], None]


def predict(
    request: Request, candidates: Sequence[str], sizes: Sequence[int], watch: Watch, cache: Cache | None = None
) -> Prediction:
    """`watch` is told of each point as it is done. Raises ClearwayError where one cannot be simulated."""
    limit = (
        limit_bytes_per_s(job_of(request), request.network.rate_bps, payload_share(request.network, request.stack))
        if request.network.rate_bps
        else None
    )
    # The longest first, so that no core is left alone with it at the end.
    asked = sorted(product(candidates, sizes), key=lambda point: -point[1])
    points: dict[tuple[str, int], Point] = {}

    def note(index: int, told: dict[str, Any]) -> None:
        points[asked[index]] = point_from(request, *asked[index], told, limit)
        watch(points[asked[index]])

    ask_all([request.arguments(*each) for each in asked], cache, note)
    return Prediction(SCHEMA, request, limit, tuple(points[each] for each in product(candidates, sizes)))


def payload_share(network: Network, stack: Stack) -> float:
    """Of what a link carries, in full packets."""
    if stack.mtu_bytes:
        has_credits = network.switch is not None and network.switch.credits
        around = sum(AS_INFINIBAND_FRAMES.values()) if has_credits else WIRE_BYTES - PACKET_BYTES
        return stack.mtu_bytes / (stack.mtu_bytes + stack.rdma_header_bytes + around)
    return SHARE_OF_SHAPED if network.burst_bytes else SHARE_OF_WIRE


def job_of(request: Request) -> Job:
    """As clearway-bench would describe it."""
    return Job(
        request.operation, request.hosts * request.per_host, request.hosts, request.per_host, "simulated", "", False
    )


def point_from(request: Request, candidate: str, block_bytes: int, told: dict[str, Any], limit: float | None) -> Point:
    calls = told["calls"][request.untimed_calls :]
    sums = {name: sum(call[name] for call in calls) for name in ("drops", "resent", "timeouts")}
    times = tuple(call["duration_ns"] for call in calls)
    raw = RawPoint(candidate, block_bytes, times, sums["resent"], sums["timeouts"], "")
    figures = point_of(job_of(request), raw, limit)
    return Point(
        candidate, block_bytes, times, figures.mean_bytes_per_s, figures.share_of_limit, **sums,
        packet_hops=told["hops"],
    )  # fmt: skip
