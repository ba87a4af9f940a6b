"""The wall-clock on so many ranks, beside null models, and what it is lost to."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from clearway.base import quantities as q
from clearway.predict.scaling.answer import Figure, LineLaw, Loss, NetworkPart, Target
from clearway.predict.scaling.nulls import amdahl, constant, perfect
from clearway.predict.scaling.runs import COMPUTE, Numbers, Runs
from clearway.predict.scaling.seconds import figure_of


def target_of(
    runs: Runs,
    lines: Sequence[LineLaw],
    drawn: Sequence[list[Numbers] | None],
    at: int,
    target: int,
    part: NetworkPart | None,
) -> Target:
    own = [one[at] for one in drawn if one is not None]
    if len(own) == len(lines):
        wall = figure_of(np.sum(own, axis=0))
    else:
        wall = Figure(None, sum(line.at[at].low for line in lines), sum(line.at[at].high for line in lines))
    fewest = _at_fewest(runs, runs.wall_s) * runs.fitted(runs.ranks[0])
    efficiency = fewest / (wall.expected * runs.fitted(target)) if wall.expected else None
    return Target(
        ranks=target,
        wall=wall,
        constant_s=constant(runs.ranks, runs.wall_s),
        perfect_s=perfect(runs.ranks, runs.wall_s, target),
        amdahl_s=amdahl(runs.ranks, runs.wall_s, target),
        efficiency=efficiency,
        losses=_losses(runs, lines, wall, at, target),
        network=part,
    )


def _at_fewest(runs: Runs, values: Sequence[float]) -> float:
    own = [value for ranks, value in zip(runs.ranks, values, strict=True) if ranks == runs.ranks[0]]
    return sum(own) / len(own)


def _losses(runs: Runs, lines: Sequence[LineLaw], wall: Figure, at: int, target: int) -> tuple[Loss, ...]:
    """Of computing, what is more than on the fewest ranks: the same work could be done in that."""
    if not wall.expected:
        return ()
    found = []
    for line in lines:
        seconds, words = line.at[at].expected or 0.0, line.words
        if line.line == COMPUTE:
            needed = _at_fewest(runs, line.recorded) * runs.fitted(runs.ranks[0]) / runs.fitted(target)
            seconds, words = seconds - needed, f"more computing than on {q.count(runs.ranks[0])}"
        if seconds > 0:
            found.append(Loss(line.line, words, seconds, seconds / wall.expected))
    return tuple(sorted(found, key=lambda loss: -loss.seconds))
