"""What was predicted: the tree that all outputs show."""

from __future__ import annotations

from dataclasses import dataclass

from clearway.predict.collectives.request import Request

SCHEMA = "clearway-predict-2"


@dataclass(frozen=True, slots=True)
class Point:
    """An algorithm at one message size; throughput per rank is (ranks - 1) × block_bytes ÷ time of a call."""

    candidate: str  # the algorithm, with its options: "ordered+barrier"
    block_bytes: int  # from each rank to each other one
    calls_ns: tuple[int, ...]  # how long each call took
    mean_bytes_per_s: float | None  # all bytes ÷ all time
    share_of_limit: float | None  # mean ÷ limit_bytes_per_s
    drops: int  # packets that found a full buffer
    resent: int  # TCP segments sent again
    timeouts: int  # TCP retransmission timeouts
    packet_hops: int  # what was simulated: packets that arrived at the end of a link


@dataclass(frozen=True, slots=True)
class Prediction:
    """One operation on one cluster."""

    schema: str
    request: Request  # with everything that the figures depend on, besides the program's own defaults
    limit_bytes_per_s: float | None  # throughput per rank that the hosts' links allow (T_max)
    points: tuple[Point, ...]  # algorithm by algorithm, sizes ascending
