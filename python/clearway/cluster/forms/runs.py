"""Ranks in a row that share a host: what a line of a host file stands for."""

from __future__ import annotations

from itertools import groupby

from clearway.cluster.placement import Placement, Seat


def runs(placement: Placement) -> list[tuple[Seat, ...]]:
    return [tuple(seats) for _, seats in groupby(placement.seats, key=lambda seat: seat.host.name)]
