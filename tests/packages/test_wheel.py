"""The wheel that clusters install: runs with glibc 2.28, needs no compiler, and is whole."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from harness.mpis import REPOSITORY, Mpi
from harness.programs import ProgramBuilder
from packages.conftest import make_wheel
from packages.ordinary_user import OrdinaryUser

LIBRARIES = {f"libclearway{name}.so" for name in ("", "-flow", "-io", "-replay", "-testbed-idle")}
PROGRAMS = {"bench", "record", "schedule", "simulate", "slurm", "testbed-delay", "workload"}
OF_GLIBC = {"libc.so.6", "libdl.so.2", "libm.so.6", "libpthread.so.0", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}


@pytest.fixture(scope="module")
def unpacked(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("unpacked")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


def native(unpacked: Path) -> Iterator[Path]:
    return (path for path in unpacked.rglob("*") if path.is_file() and path.open("rb").read(4) == b"\x7fELF")


def test_is_of_any_python_and_any_glibc_since_2_28(wheel: Path) -> None:
    assert re.fullmatch(r"clearway-[\w.]+-py3-none-manylinux_2_28_(x86_64|aarch64)\.whl", wheel.name)


def test_asks_for_no_younger_glibc(unpacked: Path) -> None:
    """By the tables of versions that the loader reads, which stand in a file apart from its symbols."""
    for file in native(unpacked):
        said = subprocess.run(["readelf", "-VW", file], capture_output=True, text=True, check=True).stdout
        needs = said.partition("Version needs section")[2]
        versions = {tuple(map(int, found.split("."))) for found in re.findall(r"Name: GLIBC_([\d.]+)", needs)}
        assert versions and max(versions) <= (2, 28), f"{file.name}: {max(versions)}"
        assert set(re.findall(r"Name: ([A-Z]+)_", needs)) == {"GLIBC"}
        assert "GLIBC_ABI" not in needs


def test_needs_nothing_of_the_machine_but_glibc(unpacked: Path) -> None:
    for file in native(unpacked):
        said = subprocess.run(["readelf", "-dW", file], capture_output=True, text=True, check=True).stdout
        assert set(re.findall(r"\(NEEDED\).*\[(.*)\]", said)) <= OF_GLIBC, file.name
        assert "RPATH" not in said and "RUNPATH" not in said, file.name


def test_auditwheel_agrees(wheel: Path) -> None:
    program = Path(sys.executable).with_name("auditwheel")
    said = subprocess.run([program, "show", wheel], capture_output=True, text=True, check=True).stdout
    found = re.search(r"consistent with the following platform\s+tag: \"manylinux_2_(\d+)_", " ".join(said.split()))
    assert found is not None and int(found[1]) <= 28, said


def test_is_whole(unpacked: Path) -> None:
    (data,) = unpacked.glob("*.data")
    assert {path.name for path in (data / "data/lib").iterdir()} == LIBRARIES
    assert {path.name for path in (data / "scripts").iterdir()} == {f"clearway-{name}" for name in PROGRAMS}
    pages = REPOSITORY / "docs"
    for page in (path for path in pages.rglob("*") if path.is_file()):
        assert (data / "data/share/doc/clearway" / page.relative_to(pages)).read_bytes() == page.read_bytes()


@pytest.mark.parametrize("page", ["README.md", "docs/install.md"])
def test_the_manual_calls_it_by_its_name(wheel: Path, page: str) -> None:
    named = set(re.findall(r"clearway-[\d.]+-py3-\S+?\.whl", (REPOSITORY / page).read_text()))
    assert named == {re.sub("_aarch64", "_x86_64", wheel.name)}


def test_records_as_they_are_in_the_archive(wheel: Path) -> None:
    """pip believes RECORD, which tools/wheel has written again."""
    with zipfile.ZipFile(wheel) as archive:
        (record,) = (name for name in archive.namelist() if name.endswith(".dist-info/RECORD"))
        listed = {line.split(",")[0] for line in archive.read(record).decode().splitlines()}
        assert listed == {name for name in archive.namelist() if not name.endswith("/")}


def test_what_would_not_run_is_refused(wheel: Path, tmp_path: Path) -> None:
    """A library that calls what glibc has since 2.35."""
    source = tmp_path / "young.c"
    source.write_text("extern int _dl_find_object(void*, void*);\nint young(void) { return _dl_find_object(0, 0); }\n")
    built = subprocess.run(["cc", "-shared", "-fPIC", "-o", tmp_path / "young.so", source], check=False)
    if built.returncode != 0:
        pytest.skip("this machine's glibc has no _dl_find_object")
    spoilt = tmp_path / wheel.name.replace("manylinux_2_28", "linux")
    shutil.copy(wheel, spoilt)
    with zipfile.ZipFile(spoilt, "a") as archive:
        archive.write(tmp_path / "young.so", "clearway/young.so")
    made = make_wheel(tmp_path / "out", spoilt)
    assert made.returncode == 1
    assert "young.so calls _dl_find_object of glibc 2.35" in made.stderr
    assert not (tmp_path / "out").exists()


def test_a_user_without_compiler_gets_the_page(user: OrdinaryUser, open_mpi: Mpi, programs: ProgramBuilder) -> None:
    compiler = user.run("sh", "-c", "command -v cc c++ gcc g++ clang cmake make mpicc mpicc.openmpi")
    assert compiler.stdout == ""
    user.take(programs.build(open_mpi, "pme_like", str(REPOSITORY / "examples" / "pme_like.c")))
    job = ["mpirun.openmpi", "-n", "2", "./pme_like", "--steps", "20", "--size", "20"]
    recorded = user.run("clearway", "run", "-o", "run", "--", *job, variables=open_mpi.environment)
    assert recorded.exit_code == 0, recorded.says
    assert "clearway: see `clearway report run`" in recorded.stderr
    page = user.run("clearway", "report", "run")
    assert page.exit_code == 0, page.says
    assert "2 ranks on 1 host" in page.stdout and "Where the wall-clock went" in page.stdout
    assert "MPI_Alltoall" in page.stdout


def test_man_finds_the_pages(user: OrdinaryUser) -> None:
    """Beside bin, which is on the PATH."""
    if user.run("sh", "-c", "command -v man").exit_code != 0:
        pytest.skip("needs man")
    for page in ("clearway", "clearway-run"):
        assert user.run("man", "-w", page).stdout == f"{user.environment}/share/man/man1/{page}.1\n"


@pytest.mark.slow
def test_it_records_under_each_mpi(user: OrdinaryUser, any_mpi: Mpi, programs: ProgramBuilder) -> None:
    user.take(programs.build(any_mpi, "pme_like", str(REPOSITORY / "examples" / "pme_like.c")))
    if not os.access(any_mpi.launcher[0], os.X_OK) or str(Path(any_mpi.launcher[0]).resolve()).startswith("/root"):
        pytest.skip("that MPI is installed for its owner alone")
    job = any_mpi.command(2, ["./pme_like", "--steps", "20", "--size", "20"])
    recorded = user.run("clearway", "run", "-o", f"run-{any_mpi}", "--", *job, variables=any_mpi.environment)
    assert recorded.exit_code == 0, recorded.says
    page = user.run("clearway", "report", f"run-{any_mpi}")
    assert "2 ranks on 1 host" in page.stdout and "MPI_Alltoall" in page.stdout, page.says


def test_messages_cite_pages_that_can_be_read(user: OrdinaryUser) -> None:
    nothing = user.run("clearway", "run", "-o", "nothing", "--", "mpirun.openmpi", "-n", "1", "true")
    (page,) = re.findall(r"`clearway docs ([\w/-]+)`", nothing.stderr)
    shown = user.run("clearway", "docs", page)
    assert shown.stdout == (REPOSITORY / f"docs/{page}.md").read_text()
    assert user.run("clearway", "docs", page, "--path").stdout.startswith(f"{user.environment}/share/doc/clearway/")
