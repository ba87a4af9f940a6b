"""The wheel's programs and libraries on Debian 11, with glibc 2.31: older than 2.34, in which threads and dlsym moved.

Debian 10 has 2.28, which the wheel claims, but its packages have left the mirrors; below 2.31 the versions of symbols
that test_wheel.py reads must do.
"""

from __future__ import annotations

import os
import shlex
import shutil
import zipfile
from pathlib import Path

import pytest
from harness.mpis import REPOSITORY
from harness.outcome import Outcome
from harness.runs import counted, load_page, own_words
from packages.debian_root import debian_root, run_in_root

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1200)]

# automake: libopenmpi-dev needs it by a name that debootstrap does not know.
PACKAGES = "automake,gcc,libc6-dev,openmpi-bin,libopenmpi-dev,mpich,libmpich-dev"
VARIABLES = "OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_hwloc_base_binding_policy=none"


@pytest.fixture(scope="module")
def old_debian(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Its root, with what of the wheel nodes need. They have no Python."""
    root = debian_root("bullseye", PACKAGES)
    prefix, home = root / "opt/clearway", root / "home/user"
    unpacked = tmp_path_factory.mktemp("unpacked")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(unpacked)
    (data,) = unpacked.glob("*.data")
    for folder in (prefix, home):
        shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(data / "data/lib", prefix / "lib")
    (prefix / "bin").mkdir()
    for program in (data / "scripts").glob("clearway-*"):
        shutil.copy(program, prefix / "bin")
        (prefix / "bin" / program.name).chmod(0o755)
    home.mkdir()
    os.chown(home, 1000, 1000)
    return root


def in_old_debian(root: Path, script: str) -> Outcome:
    """As an ordinary user in it."""
    inner = f"cd /home/user; export HOME=/home/user PATH=/opt/clearway/bin:/usr/bin:/bin {VARIABLES}; {script}"
    return run_in_root(root, inner, user=1000)


def test_is_older(old_debian: Path) -> None:
    assert "GLIBC 2.31" in in_old_debian(old_debian, "ldd --version").stdout


@pytest.fixture(params=["openmpi", "mpich"])
def mpi(request: pytest.FixtureRequest, old_debian: Path) -> str:
    return str(request.param)


def recorded_job(root: Path, mpi: str, words: str, options: str = "", variables: str = "") -> Path:
    """Of a program of tests/programs, built there, on four ranks; its Run."""
    program = words.split()[0]
    shutil.copy(REPOSITORY / f"tests/programs/{program}.c", root / "home/user")
    script = (
        f"mpicc.{mpi} -D_GNU_SOURCE -O1 -o {program}.{mpi} {program}.c -lm && rm -rf run && {variables} "
        f"mpirun.{mpi} -n 4 clearway-record {options} -o run ./{program}.{mpi} {words.partition(' ')[2]}"
    )
    outcome = in_old_debian(root, script)
    assert outcome.exit_code == 0, outcome.says
    assert own_words(outcome.stderr) == []
    return root / "home/user/run"


def test_a_job_is_recorded(old_debian: Path, mpi: str) -> None:
    page = load_page(recorded_job(old_debian, mpi, "collective_loop alltoall 3000 50"))
    assert page["job"]["complete"] and page["job"]["ranks"] == 4
    assert counted(page)["MPI_Alltoall"]["count"] == 4 * 50


def test_collectives_are_steered(old_debian: Path, mpi: str) -> None:
    """By the library that catches exceptions. Four hosts are pretended: those of one have no network between them."""
    pretended = "CLEARWAY_FLOW_HOSTS=4 CLEARWAY_FLOW_MEMORY=off"
    run = recorded_job(old_debian, mpi, "collective_loop alltoall 3000 50", "--flow", pretended)
    assert [row["calls"] for row in load_page(run)["flow"]] == [50]


def test_programs_of_then_write_the_same(old_debian: Path) -> None:
    """stat was no function then: programs called __xstat."""
    work = (
        "tar cf FILE --sort=name --mtime=@0 /etc/alternatives && stat -c %s FILE && md5sum < FILE && ls -l FILE | wc -l"
    )
    bare = in_old_debian(old_debian, work.replace("FILE", "bare.tar"))
    command = shlex.quote(work.replace("FILE", "recorded.tar"))
    recorded = in_old_debian(old_debian, f"clearway-record --always --io-cache auto -o files sh -c {command}")
    assert recorded.exit_code == 0, recorded.says
    assert recorded.stdout == bare.stdout != ""


def test_other_programs_run(old_debian: Path) -> None:
    outcome = in_old_debian(
        old_debian, "clearway-schedule list && clearway-simulate --help && clearway-workload --help"
    )
    assert outcome.exit_code == 0, outcome.says
