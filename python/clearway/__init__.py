"""Clearway: where the wall-clock of a parallel job went.

`clearway.load(DIR)` gives a Run as pandas frames. The rest is reached by name: `clearway.run` reads a Run,
`clearway.page.build` makes the page of it. Importing this package costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import os

    from clearway.page.frames import Frames

__version__ = "0.1.0"


def load(directory: str | os.PathLike[str]) -> Frames:
    """The Run in `directory` as pandas frames: calls, collectives, sockets, files, hosts, ranks.

    Raises ClearwayError when there is no readable Run. Needs pandas.
    """
    from clearway.page.frames import load_frames

    return load_frames(directory)
