"""The Debian package: built from the checkout as Debian builds packages, looked at by lintian, installed into a Debian
of its own, used there (autopkgtest), and removed without a trace.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from harness.mpis import REPOSITORY
from packages.debian_root import debian_root, run_in_root, with_kernel

from clearway import __version__

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]

# automake: libopenmpi-dev needs it by a name that debootstrap does not know.
PACKAGES = "automake,gcc,libc6-dev,libopenmpi-dev,man-db,openmpi-bin,python3,python3-jinja2,python3-numpy,python3-rich"


def called(*words: str | Path, cwd: Path = REPOSITORY) -> str:
    done = subprocess.run(words, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    assert done.returncode == 0, done.stdout
    return str(done.stdout)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the package and its source."""
    for program in ("dpkg-buildpackage", "dh", "lintian", "autopkgtest"):
        if shutil.which(program) is None:
            pytest.skip(f"needs {program}: tools/install-packages deb")
    folder = tmp_path_factory.mktemp("debian")
    called(REPOSITORY / "tools/deb", folder)
    return folder


@pytest.fixture(scope="module")
def package(made: Path) -> Path:
    (found,) = made.glob(f"clearway_{__version__}-1_*.deb")
    return found


@pytest.fixture(scope="module")
def root() -> Path:
    made = debian_root("bookworm", PACKAGES)
    run_in_root(made, "dpkg --purge clearway")  # of a run that was stopped
    return made


def files_in(root: Path) -> set[str]:
    """But for those of apt and dpkg themselves."""
    kept = ("var/lib/dpkg", "var/lib/apt", "var/log", "var/cache", "proc", "dev", "tmp", "run")
    names = (str(path.relative_to(root)) for path in root.rglob("*"))
    return {name for name in names if not name.startswith(kept) and "__pycache__" not in name}


def test_lintian_finds_no_error(made: Path) -> None:
    (changes,) = made.glob("*.changes")
    no_address = "bogus-mail-host,bogus-mail-host-in-debian-changelog"  # who packages it for others has one
    called("lintian", "--allow-root", "--fail-on", "error", "--suppress-tags", no_address, changes)


def test_the_source_comes_with_it(made: Path) -> None:
    names = {path.name for path in made.iterdir()}
    assert {
        f"clearway_{__version__}.orig.tar.xz",
        f"clearway_{__version__}.orig-msgspec.tar.xz",
        f"clearway_{__version__}-1.dsc",
        f"clearway_{__version__}-1.debian.tar.xz",
    } <= names


def test_it_comes_and_goes(package: Path, root: Path) -> None:
    before = files_in(root)
    shutil.copy(package, root / "tmp" / package.name)
    installed = run_in_root(root, f"dpkg --install /tmp/{package.name}")
    try:
        assert installed.exit_code == 0, installed.says
        assert run_in_root(root, "clearway --version").stdout == f"clearway {__version__}\n"
        assert run_in_root(root, "clearway-record --version").stdout == f"clearway-record {__version__}\n"
        assert run_in_root(root, "clearway-workload --version").stdout == f"clearway-workload {__version__}\n"
        assert "Ranks share cores" in run_in_root(root, "clearway explain shared-core").stdout
        for path in (
            "usr/share/man/man1/clearway-run.1.gz",
            "usr/share/bash-completion/completions/clearway",
            "usr/share/zsh/vendor-completions/_clearway",
            "usr/share/fish/vendor_completions.d/clearway.fish",
        ):
            assert (root / path).is_file(), path
    finally:
        removed = run_in_root(root, "dpkg --purge clearway")
    assert removed.exit_code == 0, removed.says
    assert files_in(root) == before


def test_a_job_is_recorded(made: Path, package: Path, root: Path) -> None:
    """By the package's own test, packaging/debian/tests."""
    (source,) = made.glob("*.dsc")
    here = ("env", "--unset=TMPDIR")  # autopkgtest hands it on to the root, where that folder may not be
    said = called(*with_kernel(root, *here, "autopkgtest", package, source, "--", "chroot", root))
    run_in_root(root, "dpkg --purge clearway")
    assert "record-a-job         PASS" in said, said
