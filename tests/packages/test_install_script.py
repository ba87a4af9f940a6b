"""packaging/install.sh: one sentence where it cannot work, and an installation where it can."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from harness.mpis import REPOSITORY
from packages.ordinary_user import OrdinaryUser, ordinary_user, python_for_all, wheelhouse

from clearway import __version__

SCRIPT = REPOSITORY / "packaging" / "install.sh"
MACHINE = os.uname().machine
STUBS = {
    "uname": f'#!/bin/sh\n[ "$1" = -s ] && echo Linux || echo {MACHINE}\n',
    "getconf": "#!/bin/sh\necho glibc 2.28\n",
    "python3": '#!/bin/sh\n[ "$1" = --version ] && echo Python 3.11.9\nexit 0\n',
}
TOOLS = ("sh", "mkdir", "dirname", "grep", "tail", "cat", "rm", "ln")


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """A folder of programs that say what a machine is: a good one, with the glibc of RHEL 8."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name, text in STUBS.items():
        say(folder, name, text)
    for name in TOOLS:
        (folder / name).symlink_to(str(shutil.which(name)))
    return folder


def say(machine: Path, name: str, text: str) -> None:
    (machine / name).write_text(text if text.startswith("#!") else f"#!/bin/sh\n{text}\n")
    (machine / name).chmod(0o755)


def install(machine: Path, *words: str) -> str:
    """What is said on standard error; nothing may have been installed."""
    wheel = machine.parent / f"clearway-{__version__}-py3-none-manylinux_2_28_{MACHINE}.whl"
    wheel.touch()
    done = subprocess.run(
        ["/bin/sh", SCRIPT, *words, wheel],
        env={"PATH": str(machine), "HOME": str(machine.parent / "home")},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.count("error: ") == done.stderr.count("hint: ") == 1
    return str(done.stderr)


def test_python_too_old(machine: Path) -> None:
    say(machine, "python3", '[ "$1" = --version ] && echo Python 3.6.8 && exit 0; exit 1')
    said = install(machine)
    assert said.startswith(
        "error: Clearway needs Python 3.10 or newer, and python3 is Python 3.6.8 here\nhint: dnf install"
    )


def test_python_not_there(machine: Path) -> None:
    (machine / "python3").unlink()
    assert "error: Clearway needs Python 3.10 or newer, and there is no python3 here\n" in install(machine)


def test_a_newer_python_is_found(machine: Path) -> None:
    """RHEL's python3 is old; python3.11 lies beside it. This one then lacks pip, which is said of it."""
    say(machine, "python3", "exit 1")
    say(machine, "python3.11", '[ "$1" = --version ] && echo Python 3.11.9; case $2 in *ensurepip*) exit 1; esac')
    assert "error: Python 3.11.9 has no pip and cannot make a virtual environment\n" in install(machine)


def test_no_pip(machine: Path) -> None:
    say(machine, "python3", '[ "$1" = --version ] && echo Python 3.11.2; case $2 in *ensurepip*) exit 1; esac')
    said = install(machine)
    assert said.startswith("error: Python 3.11.2 has no pip and cannot make a virtual environment\nhint: apt install ")


def test_another_libc(machine: Path) -> None:
    say(machine, "getconf", "exit 1")
    assert "error: Clearway needs glibc, and this system has another libc (musl?)\n" in install(machine)


@pytest.mark.parametrize(("version", "fits"), [("2.17", False), ("2.27", False), ("2.28", True), ("3.0", True)])
def test_glibc_too_old(machine: Path, version: str, fits: bool) -> None:
    say(machine, "getconf", f"echo glibc {version}")
    said = install(machine, "--prefix", "/no where")
    assert (f"error: Clearway needs glibc 2.28 or newer, and this system has {version}\n" in said) != fits
    assert ("which LD_PRELOAD cannot" in said) == fits


def test_another_machine(machine: Path) -> None:
    say(machine, "uname", '[ "$1" = -s ] && echo Linux || echo ppc64le')
    assert "error: this wheel is not for this machine, which is ppc64le\n" in install(machine)


def test_another_system(machine: Path) -> None:
    say(machine, "uname", "echo Darwin")
    assert "error: Clearway runs on Linux; this is Darwin\n" in install(machine)


@pytest.mark.parametrize("prefix", ["/opt/my tools", "/opt/a:b", "/opt/$x", "/opt/a\tb"])
def test_a_path_that_cannot_be_preloaded_from(machine: Path, prefix: str) -> None:
    said = install(machine, "--prefix", prefix)
    assert said.startswith(
        f"error: '{prefix}' contains a space, a colon or a dollar sign, which LD_PRELOAD cannot handle\n"
    )


def test_a_home_that_cannot_be_written_to(machine: Path) -> None:
    home = machine.parent / "home"
    home.write_text("a file, so that nobody can: not root either\n")
    assert install(machine).startswith(
        f"error: cannot write to '{home}/opt/clearway'\nhint: choose a directory that you can write to"
    )


def test_a_word_that_it_does_not_know(machine: Path) -> None:
    assert install(machine, "--perfix").startswith(
        "error: '--perfix' is not a wheel\nhint: sh install.sh [--prefix DIR]"
    )


def test_what_pip_said_is_told(machine: Path) -> None:
    """The first thing that this pip is asked for, it cannot do."""
    say(machine, "python3", 'case "$*" in *-m\\ venv*) echo "ERROR: no room"; exit 1; esac')
    said = install(machine, "--prefix", str(machine.parent / "prefix"))
    assert said.startswith("ERROR: no room\nerror: pip could not install it")


@pytest.fixture(scope="module")
def newcomer(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> OrdinaryUser:
    with ordinary_user() as somebody:
        folder = somebody.home / "wheels"
        shutil.copytree(wheelhouse(python_for_all(), wheel), folder)
        shutil.copy(wheel, folder)
        shutil.copy(SCRIPT, somebody.home)
        done = somebody.run(
            "sh",
            somebody.home / "install.sh",
            folder / wheel.name,
            variables={
                "PYTHON": python_for_all(),
                "PIP_NO_INDEX": "1",
                "PIP_NO_COMPILE": "1",
                # As sites set them.
                "PIP_USER": "1",
                "PIP_TARGET": str(somebody.home / "elsewhere"),
            },
        )
        assert done.exit_code == 0, done.says
        yield somebody


def test_it_installs(newcomer: OrdinaryUser) -> None:
    prefix = newcomer.home / "opt/clearway"
    assert newcomer.run(prefix / "bin/clearway", "--version").stdout == f"clearway {__version__}\n"
    assert newcomer.run(prefix / "bin/clearway-record", "--version").stdout == f"clearway-record {__version__}\n"
    assert {path.name for path in (prefix / "bin").iterdir()} == {
        path.name for path in (prefix / "lib/clearway/bin").glob("clearway*")
    }
    # The tutorials and docs/slurm.md have these typed.
    for name in ("clearway-workload", "clearway-slurm"):
        assert newcomer.run(prefix / "bin" / name, "--version").exit_code == 0


def test_the_jobs_python_does_not_reach_ours(newcomer: OrdinaryUser) -> None:
    """A module of the cluster set these for a Python of its own; the job must have them as they are."""
    other = newcomer.home / "other"
    other.mkdir()
    for name in ("re", "numpy"):
        (other / f"{name}.py").write_text("raise RuntimeError('of another Python')\n")
    variables = {"PYTHONHOME": "/nowhere/conda", "PYTHONPATH": str(other)}
    show = ["sh", "-c", "echo $PYTHONHOME:$PYTHONPATH"]
    program = newcomer.home / "opt/clearway/bin/clearway"
    done = newcomer.run(program, "run", "-q", "-o", "with-another-python", "--", *show, variables=variables)
    assert (done.exit_code, done.stdout) == (0, f"/nowhere/conda:{other}\n"), done.says
    assert newcomer.run(program, "host", "check", variables=variables).exit_code in (0, 1)
    assert newcomer.run(program, "list", variables=variables).exit_code == 0


def test_shells_and_man_find_what_is_theirs(newcomer: OrdinaryUser) -> None:
    share = newcomer.home / "opt/clearway" / "share"
    for name in (
        "man/man1/clearway-run.1",
        "bash-completion/completions/clearway",
        "zsh/site-functions/_clearway",
        "fish/vendor_completions.d/clearway.fish",
    ):
        assert (share / name).is_file(), name


def test_the_module_puts_it_on_the_path(newcomer: OrdinaryUser) -> None:
    """As on a cluster, with Lmod."""
    starts = sorted(Path("/usr/share/lmod").glob("*/init/bash"))
    if not starts:
        pytest.skip("needs Lmod (Debian package lmod)")
    modules = newcomer.home / "opt/clearway/share/modulefiles"
    script = f"""
        source {starts[0]}
        module use {modules} && module load clearway && clearway --version && module list
        module unload clearway; command -v clearway || echo gone
    """
    said = newcomer.run("bash", "--norc", "-c", script)
    assert said.stdout == f"clearway {__version__}\ngone\n", said.says
    assert f"clearway/{__version__}" in said.stderr


def test_a_second_time_is_as_the_first(newcomer: OrdinaryUser, wheel: Path) -> None:
    again = newcomer.run("sh", newcomer.home / "install.sh", "--prefix", "/proc", newcomer.home / "wheels" / wheel.name)
    assert (again.exit_code, again.stderr.splitlines()[0]) == (1, "error: cannot write to '/proc'")


@pytest.mark.skipif(os.getuid() != 0, reason="root installs for others")
def test_root_is_told_where_others_cannot_use_it(wheel: Path, tmp_path: Path) -> None:
    """A hardened root has a umask of 077; what it installs is nobody else's."""
    shutil.copytree(wheelhouse(python_for_all(), wheel), tmp_path / "wheels")
    shutil.copy(wheel, tmp_path / "wheels")
    line = f'umask 077; sh "{SCRIPT}" --prefix "{tmp_path}/prefix" "{tmp_path}/wheels/{wheel.name}"'
    variables = {**os.environ, "PYTHON": python_for_all(), "PIP_NO_INDEX": "1", "PIP_NO_COMPILE": "1"}
    done = subprocess.run(["sh", "-c", line], env=variables, capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 0, done.stderr
    warning, hint = done.stderr.splitlines()
    assert warning.startswith(f"warning: other users cannot use it: '{tmp_path}/prefix/")
    assert hint.startswith("hint: for all users, in folders open to them: umask 022; ")
