"""A predicted job as a picture: speedup against ranks, as in Fig. 1 of Kutzner et al. 2007."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from clearway.base.picture.figure import new_figure, plain, save
from clearway.experiment.comparison import Point, Scaling
from clearway.experiment.plot import add_scalings
from clearway.predict.jobs.prediction import JobPrediction

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def write_plot(prediction: JobPrediction, path: str | Path) -> None:
    """Raises ClearwayError where it cannot be written."""
    save(draw(prediction), path)


def draw(prediction: JobPrediction) -> Figure:
    figure = new_figure()
    axes = figure.add_subplot()
    add_scalings(axes, scalings_of(prediction))
    axes.set_title(plain(f"{prediction.job}, predicted"), fontsize=9)
    axes.grid(alpha=0.25)
    return figure


def scalings_of(prediction: JobPrediction) -> tuple[Scaling, ...]:
    """One for each algorithm."""
    alltoalls = dict.fromkeys(point.alltoall for point in prediction.points)
    return tuple(
        Scaling(
            alltoall,
            tuple(
                Point(point.ranks, str(point.ranks), point.speedup, None, None, point.efficiency)
                for point in prediction.points
                if point.alltoall == alltoall
            ),
            None,
            False,
        )
        for alltoall in alltoalls
    )
