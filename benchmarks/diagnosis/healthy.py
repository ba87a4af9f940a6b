"""Jobs in which nothing is wrong: real engines and the workload, 1 to 8 ranks."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from flow_programs import inputs

from clearway.testbed import DEEP, Shape
from diagnosis.building import REPOSITORY
from diagnosis.jobs import Job, workload

Prepare = Callable[[Path], None]

ENGINE_INPUTS = REPOSITORY / "tests/engines/inputs"
MDRUN = ("mdrun", "-s", "run.tpr", "-deffnm", "md", "-ntomp", "1", "-pin", "off", "-notunepme", "-nobackup")


@dataclass(frozen=True, kw_only=True)
class Healthy:
    """A job that must have no finding, except of `besides`."""

    what: str
    job: Job
    mpi: str = "openmpi"
    besides: frozenset[str] = frozenset()
    why: str = ""  # what is in `besides` is so

    @property
    def missing(self) -> bool:
        """Whether its engine is not installed."""
        return self.job.prepare is not None and shutil.which(self.job.program[0]) is None


def healthy() -> Iterator[tuple[str, Healthy]]:
    """All, with their names."""
    for name, (what, prepare, program, mpi) in ENGINES.items():
        for ranks in (1, 2):
            yield f"{name}-{ranks}", Healthy(what=what, job=Job(program=program, ranks=ranks, prepare=prepare), mpi=mpi)
    for mpi in ("openmpi", "mpich"):
        for ranks in (1, 2):
            yield f"step-{ranks}-{mpi}", Healthy(what="workload", job=Job(program=STEP, ranks=ranks), mpi=mpi)
        for hosts, per_host in ((2, 1), (4, 1), (4, 2), (8, 1)):
            shape = Shape(hosts=hosts, rate_bps=20_000_000, buffer_bytes=DEEP)
            job = Job(program=LIGHT_STEP, shape=shape, per_host=per_host)
            yield f"hosts-{hosts}x{per_host}-{mpi}", Healthy(what="workload on a testbed", job=job, mpi=mpi)


def engine_test(name: str) -> Prepare:
    """An input of the tests."""

    def prepare(folder: Path) -> None:
        shutil.copy(ENGINE_INPUTS / name, folder)

    return prepare


def water(edge_nm: str) -> Prepare:
    def prepare(folder: Path) -> None:
        inputs.run([REPOSITORY / "examples/water/make-input", folder, edge_nm], folder)

    return prepare


def longer(prepare: Prepare, name: str, *changes: tuple[str, str]) -> Prepare:
    """What starting takes must not decide: the input `name` with other words in it."""

    def prepare_longer(folder: Path) -> None:
        prepare(folder)
        text = (folder / name).read_text()
        for old, new in changes:
            if old not in text:
                raise ValueError(f"{name} has no '{old}'")
            text = text.replace(old, new)
        (folder / name).write_text(text)

    return prepare_longer


ENGINES = {
    "gromacs": (
        "GROMACS, water, PME",
        water("4.0"),
        ("gmx_mpi", *MDRUN, "-nsteps", "400"),
        "openmpi",
    ),
    "lammps": (
        "LAMMPS, Lennard-Jones",
        longer(engine_test("lj.lammps"), "lj.lammps", ("run             300", "run 4000")),
        ("lmp", "-in", "lj.lammps"),
        "openmpi",
    ),
    "lammps-salt": (
        "LAMMPS, molten salt, PPPM",
        longer(inputs.lammps, "salt.lammps", ("run             15", "run 150")),
        ("lmp", "-in", "salt.lammps"),
        "openmpi",
    ),
    "pw.x": (
        "Quantum ESPRESSO pw.x, water",
        longer(inputs.espresso("water.pw"), "water.pw", ("conv_thr = 1.0d-2", "conv_thr = 1.0d-9")),
        ("pw.x", "-in", "water.pw"),
        "openmpi",
    ),
    "cp.x": (
        "Quantum ESPRESSO cp.x, water",
        longer(inputs.espresso("water.cp"), "water.cp", ("nstep = 2,", "nstep = 30,")),
        ("cp.x", "-in", "water.cp"),
        "openmpi",
    ),
    "cp2k": (
        "CP2K, 32 molecules of water",
        longer(inputs.cp2k, "water.cp2k", ("MAX_SCF 2", "MAX_SCF 20"), ("EPS_SCF 1.0E-1", "EPS_SCF 1.0E-6")),
        ("cp2k.psmp", "-i", "water.cp2k"),
        "openmpi",
    ),
    "nwchem": (
        "NWChem, water",
        longer(
            engine_test("water.nw"),
            "water.nw",
            ("* library 3-21g", "* library cc-pvtz"),
            ("task dft", "task dft optimize"),
        ),
        ("nwchem.mpich", "water.nw"),
        "mpich",
    ),
}
STEP = workload("--steps 300 --compute-ms 10 --halo 10000 --alltoall 10000 --allreduce 64 --write 1000")
# Eight ranks share two cores: their steps are mostly asleep, and their links are slow.
LIGHT_STEP = workload("--steps 100 --compute-ms 2 --sleep-ms 100 --halo 2000 --allreduce 64")
