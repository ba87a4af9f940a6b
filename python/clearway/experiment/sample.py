"""One run of one variant: what it took, or why that is not known."""

from __future__ import annotations

from dataclasses import dataclass

WARM_UP = 0  # the number of the round that does not count


@dataclass(frozen=True, slots=True)
class Figures:
    """What a run took. None is what nobody told."""

    wall_s: float  # from the launcher's start to its end
    mpi_s: float | None  # from the end of MPI_Init to the beginning of MPI_Finalize, of the slowest rank
    cpu_s: float | None  # of all threads of a rank, the mean over ranks
    s_per_step: float | None  # by the engine's own log
    ns_per_day: float | None  # likewise
    engine: str | None
    ranks: int | None = None  # that found each other
    collectives: float | None = None  # collective MPI calls of a rank, the mean over ranks
    figure: float | None = None  # that the user named, as the job printed it
    figure_s: float | None = None  # what the same work takes by it, in whatever unit
    others_cores: float | None = None  # that other programs used meanwhile, of all its machines together


@dataclass(frozen=True, slots=True)
class Sample:
    """A run that has ended."""

    variant: str
    round: int  # WARM_UP, 1, 2 …
    run: str  # the Run directory, relative to that of the comparison
    spent_s: float  # of the budget
    figures: Figures | None
    fault: str = ""  # why there are no figures
