"""A measurement as pieces of submitted work (clearway.queue): each message size in a job of its own, with all of its
algorithms, so that what is compared was measured on the same hosts."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from clearway.base.errors import ClearwayError
from clearway.base.installed import find_program
from clearway.base.json import plain, write_json
from clearway.base.read_back import read_back
from clearway.bench.assemble import assemble
from clearway.bench.figures import RawPoint
from clearway.bench.job import run_job
from clearway.bench.printed import Printed
from clearway.bench.program import PROGRAM, Request, find_flow_library
from clearway.bench.settings import settings_of
from clearway.bench.sweep import Sweep
from clearway.queue import AllAlike, asked_in, results

PLAN, SWEEP = "bench.json", "sweep.json"


@dataclass(frozen=True, slots=True)
class Wish:
    launcher: tuple[str, ...]  # without a program
    request: Request
    mpi_library: str | None
    link_bits_per_s: int | None


@dataclass(frozen=True, slots=True)
class Sizes(AllAlike):
    """A kind of work. Piece N is the Nth size; a grid's is the last."""

    directory: Path
    wish: Wish

    def wanted(self) -> range:
        return range(len([*self._parts()]))

    def do(self, piece: int, _attempt: str) -> object:
        request, program = [*self._parts()][piece], find_program(PROGRAM)
        library = Path(self.wish.mpi_library) if self.wish.mpi_library else None
        words = request.arguments(library, find_flow_library(program))
        return plain(run_job([*self.wish.launcher, str(program), *words], os.environ, _told))

    def finish(self) -> None:
        write_json(self.so_far(), self.directory / SWEEP)

    def so_far(self) -> Sweep | None:
        """None before anything was measured. Raises ClearwayError."""
        try:
            made = [read_back(Printed, result.value) for result in results.read(self.directory).values()]
        except ValueError as error:
            raise ClearwayError(
                f"cannot read a measurement in '{self.directory}': {error}", "start a new one, in another directory"
            ) from None
        if not made:
            return None
        together = replace(made[0], points=[point for each in made for point in each.points])
        settings = settings_of([*self.wish.launcher, PROGRAM], os.environ)
        return assemble(together, link_bits_per_s=self.wish.link_bits_per_s, settings=settings)

    def _parts(self) -> Iterator[Request]:
        request = self.wish.request
        yield from (replace(request, sizes=(size,), grid=None) for size in request.sizes)
        if request.grid is not None:
            yield replace(request, sizes=())


def _told(_printed: Printed, point: RawPoint | None) -> None:
    """Into the log of the task."""
    if point is not None:
        print(f"{point.candidate}, {point.block_bytes} bytes: {point.fault or 'measured'}", file=sys.stderr)


def write_wish(directory: Path, wish: Wish) -> None:
    write_json(wish, directory / PLAN)


def sizes_in(directory: Path) -> Sizes:
    """Raises ClearwayError where no measurement was submitted from there."""
    return Sizes(directory, asked_in(Wish, directory / PLAN, "bench"))
