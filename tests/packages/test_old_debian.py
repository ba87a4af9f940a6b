"""The wheel's programs and libraries on Debian 11, with glibc 2.31: older than 2.34, in which threads and dlsym moved.

Debian 10 has 2.28, which the wheel claims, but its packages have left the mirrors; below 2.31 the versions of symbols
that test_wheel.py reads must do.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from harness.mpis import REPOSITORY
from harness.outcome import Outcome
from harness.runs import counted, load_page, own_words, run_command

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1200)]

ROOT = REPOSITORY / "build" / "old" / "bullseye"  # kept: it takes minutes
MIRROR = "http://deb.debian.org/debian"
VARIABLES = "OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_hwloc_base_binding_policy=none"


def make_root() -> None:
    unfinished = ROOT.with_name("unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.parent.mkdir(parents=True, exist_ok=True)
    packages = "--include=gcc,libc6-dev,openmpi-bin,libopenmpi-dev,mpich,libmpich-dev"
    subprocess.run(["debootstrap", "--variant=minbase", packages, "bullseye", unfinished, MIRROR], check=True)
    unfinished.rename(ROOT)


@pytest.fixture(scope="module")
def old_debian(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Its root, with what of the wheel nodes need. They have no Python."""
    if os.getuid() != 0 or shutil.which("debootstrap") is None:
        pytest.skip("needs root and debootstrap")
    if not ROOT.exists():
        make_root()
    prefix, home = ROOT / "opt/clearway", ROOT / "home/user"
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
    (ROOT / "etc/hosts").write_text(f"127.0.0.1 localhost {os.uname().nodename}\n")
    yield ROOT


def in_old_debian(root: Path, script: str) -> Outcome:
    """As an ordinary user in it; /proc and shared memory are mounted for as long as this takes."""
    inner = f"cd /home/user; export HOME=/home/user PATH=/opt/clearway/bin:/usr/bin:/bin {VARIABLES}; {script}"
    at = shlex.quote(str(root))
    outer = (
        f"mount -t proc proc {at}/proc && mkdir -p {at}/dev/shm && mount -t tmpfs -o mode=1777 tmpfs {at}/dev/shm && "
        f"exec chroot --userspec=1000:1000 {at} /bin/sh -c {shlex.quote(inner)}"
    )
    return run_command(["unshare", "--mount", "sh", "-c", outer], timeout_s=200)


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
