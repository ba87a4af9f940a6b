"""What was predicted: the tree that all outputs show."""

from __future__ import annotations

from dataclasses import dataclass

from clearway.predict.collectives.request import Request

SCHEMA = "clearway-predict-2"


@dataclass(frozen=True, slots=True)
class Point:
    """An algorithm at one message size; throughput per rank is (ranks - 1) × block_bytes ÷ time of a call."""

    candidate: str  # the algorithm, with its options: "ordered+barrier"
    block_bytes: int  # bytes from each rank to each other rank
    calls_ns: tuple[int, ...]  # how long each call took
    mean_bytes_per_s: float | None  # all bytes ÷ all time
    share_of_limit: float | None  # mean ÷ limit_bytes_per_s
    drops: int  # packets that found a full buffer
    resent: int  # TCP segments sent again
    timeouts: int  # TCP retransmission timeouts
    packet_hops: int  # packets that arrived at the end of a link: the simulator's work


@dataclass(frozen=True, slots=True)
class Prediction:
    """One operation on one cluster."""

    schema: str
    request: Request  # everything that the figures depend on, except the program's own defaults
    limit_bytes_per_s: float | None  # throughput per rank that the hosts' links allow (T_max)
    points: tuple[Point, ...]  # algorithm by algorithm, sizes ascending
