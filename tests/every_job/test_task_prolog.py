"""Without compiling anything: Slurm's TaskProlog and TaskEpilog record every job, as its user."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from every_job.cluster import USER, Cluster
from every_job.test_signals import begun, page_of
from harness.mpis import clearway_tool

PROGRAM = clearway_tool("clearway-slurm")


@pytest.fixture
def by_prolog(cluster: Cluster) -> Iterator[Cluster]:
    """As the user's own prologs, which run as the administrator's do."""
    (cluster.configuration.parent / "plugstack.conf").write_text("")
    for name in ("prolog", "epilog"):
        path = cluster.home / name
        path.write_text(f"#!/bin/sh\nexec {PROGRAM} task-{name}\n")
        path.chmod(0o755)
    yield cluster
    cluster.install("")


def srun(cluster: Cluster, *words: str | Path) -> subprocess.CompletedProcess[str]:
    home = cluster.home
    return cluster.srun(f"--task-prolog={home / 'prolog'}", f"--task-epilog={home / 'epilog'}", *words)


def test_a_run_and_nothing_else(by_prolog: Cluster, late: Path) -> None:
    before = set(by_prolog.runs())
    done = srun(by_prolog, "-N2", "-n4", late)
    assert (done.returncode, done.stdout, done.stderr) == (0, "4 ranks\n", "")
    (run,) = set(by_prolog.runs()) - before
    assert sorted(path.name.split(".")[0] for path in (by_prolog.folder / run).iterdir()) == ["host"] * 2 + ["rank"] * 4
    done = srun(by_prolog, "-n2", "sh", "-c", "ls / | head -n 1 >/dev/null; true | cat; exit 3")
    assert (done.returncode, done.stdout) == (3, ""), done
    assert set(by_prolog.runs()) == before | {run}
    by_prolog.install("")
    left = by_prolog.spool("node1", f"/dev/shm/clearway-{USER.number}")
    assert sorted(left) == ["lib", "lib64"], "where loaders find the recorder: for the next step"


def test_a_signal_that_ended_it_is_known_to_slurm_alone(by_prolog: Cluster, late_openmpi: Path) -> None:
    """Slurm does not tell its TaskEpilog how a task ended, but who asks for the job's exit code."""
    home = by_prolog.home
    around = f"--task-prolog={home / 'prolog'} --task-epilog={home / 'epilog'}"
    launch = f"srun --mpi=pmix {around} -n2 {late_openmpi} 6000"
    job, _ = begun(by_prolog, launch, 2, f"/dev/shm/clearway-{USER.number}")
    by_prolog.run("scancel", "-s", "USR1", job)
    assert "SIGUSR1" not in page_of(by_prolog, job)
    assert "Slurm says that it ended by signal 10 (SIGUSR1)." in page_of(by_prolog, job, "--ask-slurm")


@pytest.fixture(scope="module")
def hello(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A program of musl's, whose loader ends a program where it cannot use a preloaded library."""
    folder = tmp_path_factory.mktemp("musl")
    (folder / "hello.c").write_text('int puts(const char*);\nint main(void) { puts("hello"); return 0; }\n')
    if shutil.which("musl-gcc") is None:
        pytest.skip("musl-tools is not installed")
    subprocess.run(["musl-gcc", folder / "hello.c", "-o", folder / "hello"], check=True)
    return folder / "hello"


def test_a_program_of_another_libc(by_prolog: Cluster, hello: Path) -> None:
    program = by_prolog.copy(hello)
    prolog = by_prolog.home / "prolog"
    prolog.write_text(
        f"#!/bin/sh\necho unset LD_PRELOAD\nunset LD_PRELOAD\nexec {PROGRAM} task-prolog\n"
    )  # the testbed's
    for words in ([program], ["sh", "-c", f"{program}"], ["python3", "-c", f"import os; os.system('{program}')"]):
        done = srun(by_prolog, "-n1", *words)
        assert (done.returncode, done.stdout, done.stderr) == (0, "hello\n", ""), words


def test_what_a_recorded_program_starts(hello: Path) -> None:
    """It goes on without the library where that one's loader cannot use it, and with all others."""
    library = clearway_tool("clearway-record").parent.parent / "lib" / "libclearway.so"
    for preloaded in (f"{library}", f"{library}:{library}.none", f"none.so:{library}"):
        environment = {"LD_PRELOAD": preloaded, "PATH": f"{hello.parent}:/usr/bin:/bin"}
        told = subprocess.run(["sh", "-c", "hello; exec hello"], env=environment, capture_output=True, text=True)
        assert (told.returncode, told.stdout) == (0, "hello\n" * 2), told
        kept = subprocess.run(["sh", "-c", "env"], env=environment, capture_output=True, text=True)
        assert f"LD_PRELOAD={preloaded}\n" in kept.stdout, "programs that it reaches get it"


def test_a_static_program_that_srun_starts_gets_no_library(cluster: Cluster, tmp_path: Path) -> None:
    source = tmp_path / "shows.c"
    source.write_text(
        '#include <stdio.h>\n#include <stdlib.h>\nint main(void) { puts(getenv("LD_PRELOAD")); return 0; }\n'
    )
    subprocess.run(["cc", "-static", source, "-o", tmp_path / "shows"], check=True)
    assert "libclearway.so" not in cluster.srun("-n1", cluster.copy(tmp_path / "shows")).stdout
    assert "libclearway.so" in cluster.srun("-n1", "printenv", "LD_PRELOAD").stdout
