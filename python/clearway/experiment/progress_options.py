"""What was said of the work that a job does, by the options of job/progress_options.py."""

from __future__ import annotations

import argparse

from clearway.base.errors import ClearwayError
from clearway.experiment.printed_figure import PrintedFigure


def figure_of(arguments: argparse.Namespace) -> PrintedFigure | None:
    """Raises ClearwayError where there are two."""
    if arguments.figure and arguments.time_figure:
        raise ClearwayError("--figure and --time-figure exclude each other", "give only one of them")
    words = arguments.figure or arguments.time_figure
    return PrintedFigure(words, is_time=bool(arguments.time_figure)) if words else None
