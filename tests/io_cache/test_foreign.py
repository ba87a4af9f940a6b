"""Programs and test suites that others wrote, with every file of theirs taken into the cache."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from harness.mpis import clearway_tool
from harness.runs import Outcome, run_command

from clearway.run import load

Cached = Callable[..., Outcome]

VERIFY = ["--rw=randrw", "--bsrange=4k-64k", "--verify=crc32c", "--verify_fatal=1", "--verify_state_save=0"]


def verified(cached: Cached, folder: Path, engine: str, size: str) -> None:
    if shutil.which("fio") is None:
        pytest.skip("there is no fio (Debian package fio)")
    job = ["--name=job", f"--directory={folder / 'scratch'}", f"--ioengine={engine}", f"--size={size}", "--numjobs=2"]
    outcome = cached("fio", *job, *VERIFY, "--iodepth=4", "--fsync=40", size="1Mi", timeout_s=200)
    assert outcome.exit_code == 0, outcome.says
    assert outcome.stdout.count("err= 0") == 2, outcome.says
    assert load(folder / "run").io_cache.data["written_bytes"].sum() > 0, "nothing was in the cache"


@pytest.mark.parametrize("engine", ["psync", "mmap"])
def test_fio_finds_what_it_wrote(cached: Cached, tmp_path: Path, engine: str) -> None:
    verified(cached, tmp_path, engine, "2m")


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("engine", ["sync", "psync", "vsync", "pvsync", "mmap", "posixaio", "libaio", "io_uring"])
def test_fio_finds_all_that_it_wrote(cached: Cached, tmp_path: Path, engine: str) -> None:
    verified(cached, tmp_path, engine, "32m")


def failures(said: Outcome) -> set[str]:
    assert "Ran " in said.says, said.says[-3000:]
    return set(re.findall(r"^(?:FAIL|ERROR): .*", said.says, re.MULTILINE))


def as_bare(suite: str, folder: Path, timeout_s: float) -> None:
    """The same of Python's own tests fail as without the cache, with their temporary files on a disk."""
    if importlib.util.find_spec("test") is None or importlib.util.find_spec(f"test.{suite}") is None:
        pytest.skip(f"this Python has no {suite} (on Debian a package: libpython3.11-testsuite)")
    found = []
    for name, options in (("cached", ["--io-cache", "64Mi", "--io-cache-files", "*"]), ("plain", [])):
        (folder / name).mkdir()
        record = [clearway_tool("clearway-record"), "--always", "-o", folder / f"run-{name}", *options, "--"]
        command = [*record, sys.executable, "-m", "test", "-v", suite]
        environment = {"TMPDIR": str(folder / name)}
        said = run_command(command, environment, timeout_s=timeout_s, directory=folder / name)
        found.append(failures(said))
        if not found[0]:
            return
    new = found[0] - found[1]
    assert not new, f"{os.linesep.join(sorted(new))}"


@pytest.mark.parametrize("suite", ["test_tempfile", "test_fcntl"])
def test_pythons_own_tests(tmp_path: Path, suite: str) -> None:
    as_bare(suite, tmp_path, 60)


SUITES = ["io", "os", "posix", "subprocess", "shutil", "zipfile", "mmap", "tarfile", "fileio", "largefile", "sqlite3"]


@pytest.mark.slow
@pytest.mark.timeout(1300)
@pytest.mark.parametrize("suite", SUITES)
def test_all_of_pythons_own_tests_of_files(tmp_path: Path, suite: str) -> None:
    as_bare(f"test_{suite}", tmp_path, 600)


HDF5 = """
import os, subprocess, sys
import h5py
import numpy as np
name = sys.argv[1]
with h5py.File(name, 'w') as file:
    data = file.create_dataset('a', (0, 1000), maxshape=(None, 1000), chunks=(7, 1000), dtype='f8', compression='gzip')
    for turn in range(30):
        data.resize(turn + 1, axis=0)
        data[turn] = np.arange(1000) * turn
        file.flush()
look = "import h5py, sys; print(h5py.File(sys.argv[1])['a'][:].sum())"
print(subprocess.run([sys.executable, '-c', look, name], capture_output=True, text=True).stdout)
with h5py.File(name, 'a') as file:
    file['a'][5, :] = 1
    file.create_group('b').attrs['x'] = 'y'
    del file['a']
    file['c'] = np.ones(100000)
with h5py.File(name) as file:
    print(sorted(file), file['c'][:].sum(), file['b'].attrs['x'])
"""


def test_hdf5(cached: Cached, tmp_path: Path) -> None:
    if importlib.util.find_spec("h5py") is None:
        pytest.skip("there is no h5py")
    plain = run_command([sys.executable, "-c", HDF5, tmp_path / "plain.h5"])
    outcome = cached(sys.executable, "-c", HDF5, tmp_path / "scratch" / "file.h5")
    assert (outcome.exit_code, outcome.stdout) == (0, plain.stdout), outcome.says


ARCHIVE = """
set -e; cd "$1"; mkdir -p tree/a/b
python3 -c '
import os
for n in range(40):
    f = os.open("tree/a/b/%d" % n, os.O_RDWR | os.O_CREAT, 0o640); os.write(f, bytes([n]) * n * 997); os.close(f)'
tar -cf tree.tar tree; tar -df tree.tar; tar -xf tree.tar --one-top-level=again; diff -r tree again/tree
tar -cf - tree | tar -tvf - | awk '{print $1, $3, $6}' | sort; stat -c '%s %a' again/tree/a/b/39
"""


def test_tar_packs_and_unpacks(cached: Cached, tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    plain = run_command(["sh", "-c", ARCHIVE, "sh", tmp_path / "plain"])
    outcome = cached("sh", "-c", ARCHIVE, "sh", tmp_path / "scratch")
    assert (outcome.exit_code, outcome.stdout) == (0, plain.stdout), outcome.says
