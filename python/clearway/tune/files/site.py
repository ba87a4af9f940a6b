"""Tuning files for a whole site: what its codes were recorded to call is measured, in each way that their MPI has.

Sweeps are kept, one file each: what is there is not measured again, so that this goes on where it was interrupted.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from clearway.base.errors import ClearwayError
from clearway.base.installed import own_python
from clearway.base.output_file import write_error
from clearway.job.change import Change, changed
from clearway.job.command_line import read_command
from clearway.tune.files.measuring import LEAST_BYTES, MOST_BYTES, thinned, ways
from clearway.tune.files.model import Settings, Settled, Written
from clearway.tune.files.mpis import Mpi, mpi_of
from clearway.tune.files.settle import settle
from clearway.tune.files.sources import Sources, library_of, read_sources
from clearway.tune.files.write import write_files

MEASURED, FILES = "measured", "files"
PROGRAM = "program"  # a launcher's words are understood where one follows
FEWEST_RANKS = 3  # of two, each has one partner only
STEERED = ("alltoall", "alltoallv", "alltoallw", "allgather", "allgatherv")


@dataclass(frozen=True, slots=True)
class Where:
    """Where sweeps run: under a launcher, or on a testbed with a host for each rank."""

    launcher: tuple[str, ...] = ()
    testbed: str = ""

    def words(self, ranks: int) -> list[str]:
        if self.testbed:
            return ["--testbed", f"{self.testbed} --hosts {ranks}"]
        return ["--", *_launcher(self.launcher, ranks)]


@dataclass(frozen=True, slots=True)
class Sweep:
    """One measurement to be made."""

    operation: str
    ranks: int
    sizes: tuple[int, ...]
    way: str  # "own", or the MPI's name of an algorithm
    settings: Settings
    round: int

    @property
    def file(self) -> str:
        return f"{self.operation}-{self.ranks}-{self.way}-{self.round}.json"

    def command(self, file: Path, where: Where) -> list[str]:
        algorithms = "flow,own" if self.way == "own" else "own"
        told = ["--sizes", ",".join(map(str, self.sizes)), "--algorithms", algorithms, "-q", "--json", str(file)]
        return [*own_python(), "-m", "clearway", "bench", self.operation, *told, *where.words(self.ranks)]


Bench = Callable[[Sequence[str], Mapping[str, str]], int]  # exit code
Watch = Callable[[int, int, Sweep], None]  # which of how many


def tune_site(
    paths: list[str], output: str, where: Where, rounds: int, budget_s: float | None, watch: Watch, bench: Bench
) -> tuple[Settled, Written]:
    """Measures what is missing, and writes the files. Raises ClearwayError, if possible before anything is measured."""
    check(where, rounds)
    sources = read_sources(paths)
    if sources.sweeps:
        raise ClearwayError(
            f"'{sources.sweeps[0].path}' is a sweep, not a Run", "use --files to make files from sweeps"
        )
    library = library_of(sources, None)
    directory = Path(output).absolute()
    if (directory / FILES).exists():
        raise ClearwayError(
            f"'{directory / FILES}' exists already", "jobs may be reading it: give a new directory with -o"
        )
    sweeps = list(plan(sources, settle(sources, library), mpi_of(library), rounds))
    if not sweeps:
        raise ClearwayError(
            "these Runs have no collective on three ranks or more that tuning files can change",
            f"give Runs with MPI_{'/'.join(name.capitalize() for name in STEERED)}",
        )
    files = measure(sweeps, directory / MEASURED, where, budget_s, watch, bench)
    return write_files([str(file) for file in files], str(directory / FILES))


def check(where: Where, rounds: int) -> None:
    """Raises ClearwayError for what no sweep could be made with."""
    if rounds < 1:
        raise ClearwayError(f"--rounds must be at least 1, not {rounds}", "--rounds 3")
    if not where.testbed:
        line = read_command([*where.launcher, PROGRAM], os.environ)
        if line.grammar is None:
            raise ClearwayError(
                f"'{where.launcher[0]}' is not an MPI launcher", "clearway tune --site RUN -o DIR -- mpirun -np 8"
            )
        told = next((one.program[0] for one in line.sections if one.program != (PROGRAM,)), None)
        if told is not None:
            raise ClearwayError(
                f"the launcher is followed by '{told}': what is measured is Clearway's own program",
                "give only the launcher and its options, as -- mpirun -np 8",
            )


def plan(sources: Sources, settled: Settled, mpi: Mpi, rounds: int) -> Iterator[Sweep]:
    """Round by round, for machines have their moments: an interrupted one has measured all ways equally often."""
    wanted = called(sources)
    for number in range(1, rounds + 1):
        for (operation, ranks), sizes in wanted.items():
            for way, settings in ways(settled, mpi, operation, list(sizes)):
                yield Sweep(operation, ranks, sizes, way, settings, number)


def called(sources: Sources) -> dict[tuple[str, int], tuple[int, ...]]:
    """Block sizes of the Runs' collectives, by operation and ranks."""
    sizes: dict[tuple[str, int], set[int]] = {}
    for _, case in sources.cases:
        for row in case.tables.collectives:
            place = (row.function.removeprefix("MPI_").lower(), row.communicator_size)
            if place[0] in STEERED and place[1] >= FEWEST_RANKS and LEAST_BYTES <= row.low_bytes <= MOST_BYTES:
                sizes.setdefault(place, set()).add(row.low_bytes)
    return {place: tuple(thinned(sorted(each))) for place, each in sorted(sizes.items())}


def measure(
    sweeps: Sequence[Sweep], folder: Path, where: Where, budget_s: float | None, watch: Watch, bench: Bench
) -> list[Path]:
    """Those that were measured; a way that fails is left out, one time, and all of a place where the MPI's own fails.

    Raises ClearwayError where none was measured.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise write_error(folder, error) from None
    begin = time.monotonic()
    failed: set[tuple[str, int]] = set()  # too many ranks for this launcher: so are those of the other algorithms
    spent = False
    for number, sweep in enumerate(sweeps, 1):
        file, place = folder / sweep.file, (sweep.operation, sweep.ranks)
        if file.exists() or place in failed:
            continue
        spent = budget_s is not None and time.monotonic() - begin > budget_s
        if spent:
            break
        watch(number, len(sweeps), sweep)
        if bench(sweep.command(file, where), {**os.environ, **dict(sweep.settings)}) and sweep.way == "own":
            failed.add(place)
    measured = [folder / sweep.file for sweep in sweeps if (folder / sweep.file).exists()]
    if not measured and spent:
        raise ClearwayError("the budget was spent before anything was measured", "give a larger --budget")
    if not measured:
        raise ClearwayError("nothing could be measured", "see the messages of `clearway bench` above")
    return measured


def run_bench(command: Sequence[str], environment: Mapping[str, str]) -> int:
    """What it prints besides the file is not for our standard output."""
    return subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, stdout=sys.stderr, check=False).returncode


def _launcher(words: Sequence[str], ranks: int) -> list[str]:
    """The user's, with so many ranks. Raises ClearwayError."""
    line = changed([*words, PROGRAM], Change(ranks=ranks), os.environ)
    return line[:-1]
