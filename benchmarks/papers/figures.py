"""From outcomes to the figures that papers give."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from itertools import pairwise

from papers.claim import Figure
from papers.point import Outcome

MIB = 2**20
STALLED_NS = 150_000_000  # a call that waited for a TCP timeout took longer, any other shorter


def call_ms(outcomes: Sequence[Outcome]) -> float:
    """Of a call."""
    return outcomes[0].median_ns * 1e-6


def ratio_of_times(outcomes: Sequence[Outcome]) -> float:
    """How many times as long the second one took."""
    return outcomes[1].median_ns / outcomes[0].median_ns


def ratio_of_speeds(outcomes: Sequence[Outcome]) -> float:
    """How many times as fast the second one was."""
    return outcomes[0].median_ns / outcomes[1].median_ns


def stalled_ms(outcomes: Sequence[Outcome]) -> float:
    """The median of calls that lost time to a TCP timeout; 0 where there is none."""
    stalled = [call.duration_ns for one in outcomes for call in one.calls if call.duration_ns > STALLED_NS]
    return statistics.median(stalled) * 1e-6 if stalled else 0.0


def drops(outcomes: Sequence[Outcome]) -> float:
    return float(sum(one.drops for one in outcomes))


def throughput_mib_per_s(ranks: int, block_bytes: int) -> Figure:
    """Per rank; the paper's MB are 2^20 bytes."""
    return lambda outcomes: (ranks - 1) * block_bytes / (outcomes[0].median_ns * 1e-9) / MIB


def largest_without_loss(values: Sequence[int]) -> Figure:
    """Of the points' `values`, ascending: the last one before the first that loses packets; 0 where the first does."""

    def figure(outcomes: Sequence[Outcome]) -> float:
        lossy = (index for index, one in enumerate(outcomes) if one.drops)
        first = next(lossy, len(values))
        return float(values[first - 1]) if first else 0.0

    return figure


def steepest_fall(sizes: Sequence[int]) -> Figure:
    """By what factor throughput falls from one of the `sizes` to the next, at most."""

    def figure(outcomes: Sequence[Outcome]) -> float:
        rates = [size / one.mean_ns for size, one in zip(sizes, outcomes, strict=True)]
        return max(before / after for before, after in pairwise(rates))

    return figure


def deepest_fall(sizes: Sequence[int]) -> Figure:
    """By what factor throughput at any of the `sizes` is below what it was at a smaller one, at most."""

    def figure(outcomes: Sequence[Outcome]) -> float:
        rates = [size / one.mean_ns for size, one in zip(sizes, outcomes, strict=True)]
        return max(max(rates[: at + 1]) / rate for at, rate in enumerate(rates))

    return figure


def mpi_by_computing(outcomes: Sequence[Outcome]) -> float:
    """Of a job: what its ranks spent in MPI, by what they spent outside of it."""
    in_mpi_ns = sum(outcomes[0].mpi_ns)
    return in_mpi_ns / (len(outcomes[0].mpi_ns) * outcomes[0].median_ns - in_mpi_ns)


def speedup(serial_ns: float, steps: int, alone: float = 1.0) -> Figure:
    """Of a job of so many steps, each of which one core does in `serial_ns`, or `alone` times as fast with its MPI."""
    return lambda outcomes: alone * serial_ns * steps / outcomes[0].median_ns


def step_ms(steps: int) -> Figure:
    return lambda outcomes: outcomes[0].median_ns * 1e-6 / steps
