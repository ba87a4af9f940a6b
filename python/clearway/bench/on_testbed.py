"""The sweep on a cluster in a box."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass

from clearway.base.command_line import Parser
from clearway.base.quoted_words import quoted_words
from clearway.base.units import format_buffer, format_rate
from clearway.testbed import MPI_NAMES, Mpi, Shape, Testbed, find_mpi
from clearway.testbed.options import add_shape, shape_of


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


def stage_of(text: str, command: str = "clearway bench") -> Stage:
    """The testbed that `--testbed TEXT` asks for."""
    shape, mpi = shape_and_mpi(text, command)
    return Stage(shape, find_mpi(mpi))


def shape_and_mpi(text: str, command: str) -> tuple[Shape, str]:
    """What `--testbed TEXT` asks for, whether that MPI is there or not."""
    parser = Parser(prog=f"{command} --testbed", add_help=False)
    add_shape(parser)
    parser.add_argument("--mpi", choices=MPI_NAMES, default="openmpi")
    chosen = parser.parse_args(quoted_words(text, "--testbed", '--testbed "--hosts 8 --buffer 20k"'))
    return shape_of(chosen), chosen.mpi


@contextlib.contextmanager
def launch_line(stage: Stage, program: list[str]) -> Iterator[tuple[list[str], dict[str, str]]]:
    """The command line and environment that start `program` on a testbed, which is up within the block."""
    with Testbed(stage.shape) as testbed:
        yield testbed.command(stage.mpi, program)
