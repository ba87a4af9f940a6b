"""A predicted job as a picture: speedup against ranks, as in Fig. 1 of Kutzner et al. 2007."""

from __future__ import annotations

from pathlib import Path

from clearway.errors import ClearwayError
from clearway.experiment.comparison import Point, Scaling
from clearway.experiment.plot import WIDTH_INCHES, add_scalings
from clearway.predict.jobs.prediction import JobPrediction


def write_plot(prediction: JobPrediction, path: str | Path) -> None:
    """Raises ClearwayError where it cannot be written."""
    import matplotlib
    from matplotlib.figure import Figure

    # Text stays text, and the same prediction gives the same file.
    matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "clearway"})
    figure = Figure(figsize=(WIDTH_INCHES, 4.8), layout="constrained")
    axes = figure.add_subplot()
    add_scalings(axes, scalings_of(prediction))
    axes.set_title(f"{prediction.job}, predicted", fontsize=9)
    axes.grid(alpha=0.25)
    try:
        figure.savefig(path, dpi=150)
    except OSError as error:
        raise ClearwayError(f"cannot write {path}: {error.strerror or error}", "choose another place") from None


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
