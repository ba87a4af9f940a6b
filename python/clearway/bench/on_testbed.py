"""The sweep on a cluster in a box."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass

from clearway.base.units import format_buffer, format_rate
from clearway.testbed import Mpi, Shape, Testbed


@dataclass(frozen=True, slots=True)
class Stage:
    """Where a sweep runs on: a shape, and the MPI that starts the ranks."""

    shape: Shape
    mpi: Mpi

    @property
    def words(self) -> str:
        """For headings: what every result depends on."""
        shape = self.shape
        parts = [f"{shape.hosts} hosts", format_rate(shape.rate_bps), f"buffers {format_buffer(shape.buffer_bytes)}"]
        if shape.per_host > 1:
            parts.append(f"{shape.per_host} ranks a host")
        return "testbed: " + ", ".join([*parts, shape.congestion])


@contextlib.contextmanager
def launch_line(stage: Stage, program: list[str]) -> Iterator[tuple[list[str], dict[str, str]]]:
    """The command line and environment that start `program` on a testbed, which is up within the block."""
    with Testbed(stage.shape) as testbed:
        yield testbed.command(stage.mpi, program)
