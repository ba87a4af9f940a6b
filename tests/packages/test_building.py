"""Where Clearway cannot be compiled, one sentence says so, and what to do instead."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from harness.mpis import REPOSITORY
from packages.ordinary_user import programs_but_compilers

from clearway import __version__

WHEEL = f"clearway-{__version__}-py3-none-manylinux_2_28_{os.uname().machine}.whl"
INSTEAD = f"hint: the wheel needs no compiler: pip install {WHEEL}"


def said_by_cmake(call: str) -> str:
    if shutil.which("cmake") is None:
        pytest.skip("needs cmake")
    command = ["cmake", f"-DCALL={call}", "-DCMAKE_HOST_SYSTEM_PROCESSOR=" + os.uname().machine]
    done = subprocess.run(
        [*command, "-P", REPOSITORY / "native/buildable.cmake"], capture_output=True, text=True, check=False
    )
    assert (done.returncode != 0) == ("error: " in done.stderr)
    return without_margin(done.stderr)


def without_margin(text: str) -> str:
    return "".join(line.lstrip() for line in text.splitlines(keepends=True))


def test_without_a_compiler_the_wheel_is_named(tmp_path: Path) -> None:
    cmake = shutil.which("cmake")
    if cmake is None:
        pytest.skip("needs cmake")
    (tmp_path / "bin").mkdir()
    programs_but_compilers(tmp_path / "bin")
    done = subprocess.run(
        [cmake, "-G", "Unix Makefiles", "-DCMAKE_MAKE_PROGRAM=true", "-S", REPOSITORY, "-B", tmp_path / "build"],
        env={"PATH": str(tmp_path / "bin")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert f"error: there is no C++ compiler to compile Clearway with\n{INSTEAD}\n" in without_margin(done.stderr)


@pytest.mark.parametrize(("compiler", "fits"), [("GNU;8.5.0", False), ("GNU;11.4.1", True), ("Clang;13.0", False)])
def test_a_compiler_that_is_too_old_is_told(compiler: str, fits: bool) -> None:
    """GCC 8.5 is RHEL 8's, 11.4 RHEL 9's."""
    said = said_by_cmake(f"check_compiler({compiler.replace(';', ' ')})")
    wanted = f"this is {compiler.replace(';', ' ')}\n{INSTEAD}"
    assert (wanted in said) != fits and (said == "") == fits


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        ("check_machine(Linux ppc64le)", "Clearway is for Linux on x86-64 and arm64; this is Linux on ppc64le"),
        ("check_machine(Darwin arm64)", "Clearway is for Linux on x86-64 and arm64; this is Darwin on arm64"),
        ("check_libc(0)", "Clearway needs glibc, and this system has another libc (musl?)"),
    ],
)
def test_another_system_is_told(call: str, sentence: str) -> None:
    assert f"error: {sentence}\nhint: " in said_by_cmake(call)


@pytest.mark.parametrize("call", ["check_machine(Linux x86_64)", "check_machine(Linux aarch64)", "check_libc(1)"])
def test_this_system_is_not(call: str) -> None:
    assert said_by_cmake(call) == ""


def test_the_tools_of_the_checkout_name_the_wheel_too(tmp_path: Path) -> None:
    """tools/install-packages, which `make install` begins with: for somebody who cannot install what is missing."""
    (tmp_path / "bin").mkdir()
    programs_but_compilers(tmp_path / "bin")
    (tmp_path / "bin/apt-get").unlink(missing_ok=True)
    (tmp_path / "bin/dpkg-query").unlink(missing_ok=True)
    done = subprocess.run(
        ["/bin/bash", REPOSITORY / "tools/install-packages", "build"],
        env={"PATH": str(tmp_path / "bin")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert f"pip install {WHEEL}\n" in done.stderr


def test_warnings_end_no_installation() -> None:
    """They end the tests' own build: tools/test asks for it."""
    assert not re.search(r"^[^#$]*-Werror", (REPOSITORY / "CMakeLists.txt").read_text(), re.MULTILINE)
    assert re.search(r'option\(CLEARWAY_WERROR ".*" OFF\)', (REPOSITORY / "CMakeLists.txt").read_text())
    assert "CLEARWAY_WERROR=ON make" in (REPOSITORY / "tools/test").read_text()
