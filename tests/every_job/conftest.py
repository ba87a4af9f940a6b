"""The cluster that these tests share: it comes up once."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from every_job.cluster import Cluster
from harness.mpis import mpi
from harness.programs import ProgramBuilder

from clearway.site.plugin import USUAL_INCLUDES
from clearway.testbed import Shape, Testbed, privilege

HERE = Path(__file__).parent
MPIS = ("openmpi-debian", "mpich-debian")


@pytest.fixture(scope="package")
def cluster() -> Iterator[Cluster]:
    """Two hosts, each with eight processors if one asks Slurm."""
    trouble = privilege.why_not()
    if trouble is not None:
        pytest.skip(trouble[0])
    if shutil.which("slurmctld") is None or not any(
        Path(folder, "slurm/spank.h").exists() for folder in USUAL_INCLUDES
    ):
        pytest.skip("slurm-wlm or libslurm-dev is not installed")
    with Testbed(Shape(hosts=2, slurm=True, host_cpus=8)) as testbed:
        yield Cluster(testbed)


@pytest.fixture
def late(cluster: Cluster, programs: ProgramBuilder) -> Path:
    """An MPI program of the user's: `late TURNS` prints how many ranks there are.

    With MPICH, for Open MPI 4.1 now and then crashes in MPI_Init under Slurm 22.05 (docs/slurm.md)."""
    one = mpi("mpich-debian")
    if one.missing:
        pytest.skip(one.missing)
    return cluster.copy(programs.build(one, "late", str(HERE / "late.c")))


@pytest.fixture
def late_openmpi(cluster: Cluster, programs: ProgramBuilder) -> Path:
    """The same for `srun --mpi=pmix`: below Python, which closes the descriptor that MPICH needs, and where a signal
    must end it, for MPICH catches SIGUSR1."""
    return cluster.copy(programs.build(mpi("openmpi-debian"), "late-openmpi", str(HERE / "late.c")))


@pytest.fixture(params=MPIS)
def launch(cluster: Cluster, programs: ProgramBuilder, request: pytest.FixtureRequest) -> str:
    """mpirun and that program, as typed for RANKS ranks."""
    one = mpi(request.param)
    if one.missing:
        pytest.skip(one.missing)
    program = cluster.copy(programs.build(one, f"late-{request.param}", str(HERE / "late.c")))
    return " ".join([*one.launcher, "-n", "RANKS", str(program)])
