"""Which figure of the runs is compared: the most telling one that every run has."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from clearway.experiment.comparison import Basis
from clearway.experiment.sample import Figures, Sample

S_PER_DAY = 86_400

Seconds = Mapping[str, Mapping[int, float]]  # by variant and round
Telling = Callable[[Figures], float | None]

SECONDS: Mapping[Basis, Telling] = {  # the most telling first
    Basis.FIGURE: lambda figures: figures.figure_s,
    Basis.DAY: lambda figures: S_PER_DAY / figures.ns_per_day if figures.ns_per_day else None,
    Basis.STEP: lambda figures: figures.s_per_step,
    Basis.MPI: lambda figures: figures.mpi_s,
    Basis.WALL: lambda figures: figures.wall_s,
}


def basis_of(samples: Sequence[Sample]) -> Basis | None:
    """None where nothing was measured."""
    known = [sample.figures for sample in samples if sample.figures]
    return next((basis for basis, of in SECONDS.items() if known and all(map(of, known))), None)


def seconds_by_round(variant: str, samples: Sequence[Sample], basis: Basis | None) -> dict[int, float]:
    """What is compared, of one variant."""
    if basis is None:
        return {}
    own = [(sample.round, SECONDS[basis](sample.figures)) for sample in samples
           if sample.variant == variant and sample.figures]  # fmt: skip
    return {number: seconds for number, seconds in own if seconds}


def paired(variant: Mapping[int, float], baseline: Mapping[int, float]) -> list[float]:
    """Its time by the baseline's, of each round that has both."""
    return [variant[number] / baseline[number] for number in sorted(variant.keys() & baseline.keys())]


def measured(samples: Sequence[Sample]) -> list[Figures]:
    return [sample.figures for sample in samples if sample.figures]


def mean_of(figures: Sequence[Figures], figure: Telling) -> float | None:
    """None where a run does not tell."""
    values = [figure(one) for one in figures]
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known and len(known) == len(values) else None
