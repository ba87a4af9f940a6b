"""A matplotlib figure: begun, written to a file, or made part of an HTML page."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING

from clearway.base.errors import ClearwayError
from clearway.base.visible import visible

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SUFFIXES = (".png", ".svg", ".pdf")
INSTALL_HINT = "pip install 'clearway[plot]'"
WIDTH_INCHES = 8.0
HEIGHT_INCHES = 4.8


def check_plot_name(path: str) -> None:
    """Raises ClearwayError for a file name whose ending names no picture, or where matplotlib is missing."""
    if Path(path).suffix.lower() not in SUFFIXES:
        raise ClearwayError(f"'{path}' does not end in {', '.join(SUFFIXES)}", "give a name such as sweep.svg")
    require_matplotlib()


def require_matplotlib() -> None:
    from importlib.util import find_spec

    if find_spec("matplotlib") is None:
        raise ClearwayError("cannot draw a plot: matplotlib is not installed", INSTALL_HINT)


def new_figure(height_inches: float = HEIGHT_INCHES) -> Figure:
    """Text stays text in it, and the same figures give the same file."""
    import matplotlib
    from matplotlib.figure import Figure

    matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "clearway"})
    return Figure(figsize=(WIDTH_INCHES, height_inches), layout="constrained")


def plain(text: str) -> str:
    """Text of a job, such as its command line, as a text in a picture: without formulas between dollar signs."""
    return visible(text).replace("$", r"\$")


def save(figure: Figure, path: str | Path) -> None:
    """Raises ClearwayError where it cannot be written."""
    try:
        figure.savefig(path, dpi=150)
    except OSError as error:
        raise ClearwayError(
            f"cannot write {path}: {error.strerror or error}", "choose another place, or free some space and try again"
        ) from None


def svg_of(figure: Figure) -> str:
    """The picture as an element for an HTML page: matplotlib escapes the texts in it."""
    stream = io.StringIO()
    figure.savefig(stream, format="svg", metadata={"Date": None}, transparent=True)
    text = stream.getvalue()
    return text[text.index("<svg") :]
