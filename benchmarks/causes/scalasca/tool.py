"""Score-P and Scalasca as they are installed: a skeleton that they can trace, and what they say of a trace."""

from __future__ import annotations

import csv
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from diagnosis.building import FLAGS, REPOSITORY

from causes.building import FOLDER, HERE
from causes.running import Tool
from clearway.base.errors import ClearwayError
from clearway.testbed import find_mpi

MPI = "openmpi"  # that they are built for
LIMIT_S = 120.0
# Metrics of waiting that do not hold each other, and those that charge it to a rank (manual of Scalasca 2.6, "Delay").
WAITS = {
    "mpi_latesender": "late sender",
    "mpi_latereceiver": "late receiver",
    "mpi_wait_nxn": "wait at n × n",
    "mpi_barrier_wait": "wait at barrier",
    "mpi_earlyreduce": "early reduce",
    "mpi_latebroadcast": "late broadcast",
    "mpi_finalize_wait": "wait at finalize",
    "mpi_rma_wait_at_create": "wait at window creation",
    "mpi_rma_wait_at_free": "wait at window free",
    "mpi_rma_wait_at_fence": "wait at fence",
    "mpi_rma_sync_lock_competition": "lock competition",
    "mpi_rma_comm_lock_competition": "lock competition",
    "mpi_rma_sync_wait_for_progress": "wait for progress",
    "mpi_rma_comm_wait_for_progress": "wait for progress",
}
DELAYS = tuple(
    f"delay_{call}{term}"
    for call in ("latesender", "latereceiver", "barrier", "n2n", "12n", "n21")
    for term in ("", "_longterm")
)


@dataclass(frozen=True, slots=True)
class WaitStates:
    """What an analysed trace says."""

    waits_s: dict[str, float]  # a word of WAITS: rank-seconds
    charged_s: tuple[float, ...]  # by rank: rank-seconds that others waited because of it


class Scalasca:
    """Its programs, of these folders (`:` in between) or of the PATH. Raises ClearwayError where one is missing."""

    def __init__(self, folders: str = "") -> None:
        self._path = f"{folders}:{os.environ.get('PATH', '')}"
        self._scan, self._scorep, self._dump = (self._program(name) for name in ("scan", "scorep", "cube_dump"))
        self.version = f"Scalasca {self._version('scalasca')}, Score-P {self._version('scorep')}"

    def tool(self, trace: Path) -> Tool:
        """Traces a job and analyses the trace, which must not be there yet."""
        environment = (f"PATH={self._path}", f"SCAN_MPI_LAUNCHER={find_mpi(MPI).launcher.name}")
        return Tool(("env", *environment, str(self._scan), "-t", "-e", str(trace)), self._skeleton())

    def wait_states(self, trace: Path, ranks: int) -> WaitStates:
        waits_s: dict[str, float] = {}
        charged_s = [0.0] * ranks
        for metric, rank, seconds in self._dumped(trace / "scout.cubex"):
            if metric in WAITS:
                waits_s[WAITS[metric]] = waits_s.get(WAITS[metric], 0.0) + seconds
            elif metric in DELAYS:
                charged_s[rank] += seconds
        return WaitStates(waits_s, tuple(charged_s))

    def _skeleton(self) -> Path:
        """Linked with Score-P's wrappers of MPI; its functions are not instrumented, which would slow it down."""
        program = FOLDER / "skeleton-scorep"
        program.parent.mkdir(parents=True, exist_ok=True)
        scorep = [str(self._scorep), "--nocompiler", "--mpp=mpi", "--thread=none"]
        compiler = [f"mpicc.{MPI}", *FLAGS, str(HERE / "skeleton/main.c"), "-o", str(program), "-lpthread"]
        done = self._run([*scorep, *compiler], program.parent)
        if done.returncode != 0:
            raise ClearwayError(f"{program.relative_to(REPOSITORY)} cannot be built: {done.stderr}")
        return program

    def _dumped(self, cube: Path) -> list[tuple[str, int, float]]:
        """Metric, rank and seconds, over all call paths."""
        words = ["-m", "all", "-c", "roots", "-z", "incl", "-x", "incl", "-s", "csv2", str(cube)]
        done = self._run([str(self._dump), *words], cube.parent)
        if done.returncode != 0:
            raise ClearwayError(f"{cube} cannot be read: {done.stderr}")
        head, *rows = csv.reader(done.stdout.splitlines(), skipinitialspace=True)
        return [
            (metric, int(row[1]), float(value)) for row in rows for metric, value in zip(head[2:], row[2:], strict=True)
        ]

    def _run(self, command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "PATH": self._path}
        return subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_S, cwd=folder, env=environment)

    def _program(self, name: str) -> Path:
        found = shutil.which(name, path=self._path)
        if found is None:
            raise ClearwayError(
                f"there is no {name}",
                "build Score-P and Scalasca, from scalasca.org, with Debian's Open MPI; give --at",
            )
        return Path(found)

    def _version(self, name: str) -> str:
        done = self._run([str(self._program(name)), "--version"], Path.cwd())
        return (done.stdout + done.stderr).split()[-1]
