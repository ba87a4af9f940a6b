"""How far a sweep is: a bar on a terminal, a line a point elsewhere. On stderr."""

from __future__ import annotations

import sys
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from clearway.base.visible import visible


class SweepProgress:
    """`done` is called for each point as it comes: large clusters take minutes."""

    def __init__(self, points: int, quiet: bool = False) -> None:
        self._points, self._quiet, self._done = points, quiet, 0
        columns = (BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("{task.description}"))
        console = Console(stderr=True, markup=False)
        self._bar = Progress(*columns, console=console, transient=True) if console.is_terminal and not quiet else None
        self._task = self._bar.add_task("", total=points) if self._bar else None

    def __enter__(self) -> SweepProgress:
        if self._bar:
            self._bar.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._bar:
            self._bar.stop()

    def done(self, place: str, told: str) -> None:
        self._done += 1
        if self._bar and self._task is not None:
            self._bar.update(self._task, advance=1, description=visible(f"{place}: {told}"))
        elif not self._quiet:
            print(f"clearway: {self._done} of {self._points}: {place}: {told}", file=sys.stderr)
