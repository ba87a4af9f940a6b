"""A script that measures every way in which the MPI itself can make the collectives in question."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from clearway.tune.files.from_sweeps import next_power
from clearway.tune.files.model import OWN, Settings, Settled
from clearway.tune.files.mpis import Mpi
from clearway.tune.files.sources import Sources

LEAST_BYTES = 1024
MOST_BYTES = 1 << 20
SIZES_A_PLACE = 6

HEAD = """#!/bin/sh
# Measures these collectives of {name} with each of its algorithms, and with a larger eager limit
# as well; three times ($ROUNDS), in turns, because speeds vary. Existing results are kept.
# The arguments say where to run, as for `clearway bench`:
#   sh measure.sh -- mpirun -np 8
#   sh measure.sh --testbed '--hosts 8 --buffer 20k'
# Then make the files from the results:
#   clearway tune --files measured/*.json -o DIR
[ $# -gt 0 ] || {{ echo 'usage: sh measure.sh -- mpirun -np 8' >&2; exit 2; }}
set -e
there=$(dirname -- "$0")/measured
mkdir -p -- "$there"
for round in $(seq "${{ROUNDS:-3}}"); do
"""


def script(settled: Settled, sources: Sources, mpi: Mpi) -> str | None:
    """None where nothing of the sources can be measured."""
    lines = [line for operation, sizes in _wanted(sources).items() for line in _lines(settled, mpi, operation, sizes)]
    return HEAD.format(name=" ".join(settled.library.name.split())) + "\n".join(lines) + "\ndone\n" if lines else None


def _wanted(sources: Sources) -> dict[str, list[int]]:
    """Block sizes by operation: those of the sweeps, and those that the jobs used."""
    sizes: dict[str, set[int]] = {}
    for each in sources.sweeps:
        sizes.setdefault(each.sweep.operation, set()).update(
            point.block_bytes for curve in each.sweep.curves for point in curve.points if not point.fault
        )
    for _, case in sources.cases:
        for row in case.tables.collectives:
            operation = row.function.removeprefix("MPI_").lower()
            if operation in ("alltoall", "alltoallv", "alltoallw", "allgather", "allgatherv"):
                within = [row.low_bytes] if LEAST_BYTES <= row.low_bytes <= MOST_BYTES else []
                sizes.setdefault(operation, set()).update(within)
    return {operation: thinned(sorted(each)) for operation, each in sizes.items() if each}


def thinned(sizes: list[int]) -> list[int]:
    """A few of them, the first and the last among them: each costs time in each way."""
    if len(sizes) <= SIZES_A_PLACE:
        return sizes
    step = (len(sizes) - 1) / (SIZES_A_PLACE - 1)
    return [sizes[round(at * step)] for at in range(SIZES_A_PLACE)]


def _lines(settled: Settled, mpi: Mpi, operation: str, sizes: list[int]) -> Iterator[str]:
    for name, settings in ways(settled, mpi, operation, sizes):
        told = [f"{variable}={shlex.quote(value)}" for variable, value in settings]
        words = ["--sizes", ",".join(map(str, sizes)), "--algorithms", "flow,own" if name == "own" else "own"]
        there = f'"$there/{operation}-{name}-$round.json"'
        command = " ".join([*told, "clearway", "bench", operation, *words, "--json", there, '"$@"'])
        yield f"[ -e {there} ] || {command}"


def ways(settled: Settled, mpi: Mpi, operation: str, sizes: list[int]) -> Iterator[tuple[str, Settings]]:
    """As it is first; then each algorithm, as it is and with messages of these sizes sent at once."""
    for besides, word in ((), ""), (mpi.everywhere(settled.library, next_power(max(sizes))), "-at-once"):
        if word and not besides:
            continue
        for algorithm in (OWN, *mpi.algorithms(operation)):
            yield f"{algorithm or 'own'}{word}", (*mpi.forced(operation, algorithm), *besides)
