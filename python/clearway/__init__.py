"""Clearway: where the wall-clock of a parallel job went.

`clearway.load(DIR)` returns a Run as pandas frames. `clearway.run` reads a Run, `clearway.page.build` makes its page.
Importing this package alone loads nothing else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import os

    from clearway.page.frames import Frames

__version__ = "0.1.0"


def load(directory: str | os.PathLike[str]) -> Frames:
    """Read the Run in `directory` as pandas frames: calls, collectives, sockets, files, hosts, ranks, threads, strip.

    Raises ClearwayError if there is no readable Run. Needs pandas.
    """
    from clearway.page.frames import load_frames

    return load_frames(directory)
