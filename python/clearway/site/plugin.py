"""Builds Slurm's plugin on the site: Slurm takes only one that was built for its own version."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

from clearway.base.errors import ClearwayError
from clearway.base.installed import find_library, find_program, find_share
from clearway.site.settings import PLUGIN

SOURCES = ("slurm/plugin/*.cpp", "preload/reach.cpp")
FLAGS = ("-std=c++17", "-O2", "-fPIC", "-shared", "-fno-exceptions", "-fno-rtti", "-fvisibility=default", "-Wall")
HEADER = "slurm/spank.h"
USUAL_INCLUDES = ("/usr/include", "/usr/local/include", "/opt/slurm/include")
UNPRELOADABLE = re.compile(r'[: \t$"\\]')


def build_plugin(folder: Path, includes: Path | None = None) -> Path:
    """Compiles the plugin into `folder`, for the Slurm whose headers are there. Raises ClearwayError."""
    prefix = own_prefix()
    headers = includes or find_headers()
    if not (headers / HEADER).is_file():
        raise ClearwayError(
            f"there is no {HEADER} in {headers}", f"give the directory that has {HEADER}: --slurm-include DIR"
        )
    compiler = next(filter(None, map(shutil.which, ("c++", "g++", "clang++"))), None)
    if compiler is None:
        raise ClearwayError("cannot compile the plugin: no C++ compiler is on the PATH", "apt-get install g++")
    source = find_share("clearway-slurm")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ClearwayError(
            f"cannot make the directory '{folder}': {error.strerror}", "choose another: -o DIR"
        ) from None
    made = folder / PLUGIN
    unfinished = folder / f".{PLUGIN}.part"
    words = [compiler, *FLAGS, f'-DCLEARWAY_PREFIX="{prefix}"', f"-I{source}", f"-I{headers}"]
    files = [str(path) for pattern in SOURCES for path in sorted(source.glob(pattern))]
    done = subprocess.run([*words, *files, "-o", str(unfinished)], capture_output=True, text=True)
    if done.returncode != 0:
        raise ClearwayError(
            f"the plugin cannot be compiled:\n{done.stderr.strip()[-2000:]}", "the plugin needs Slurm 20.11 or newer"
        )
    unfinished.replace(made)  # slurmstepd may be loading the old one
    return made


def own_prefix() -> Path:
    """Where every node must find the recorder."""
    prefix = find_library("libclearway.so").resolve().parent.parent
    if UNPRELOADABLE.search(str(prefix)):
        raise ClearwayError(
            f"Clearway is installed in {prefix}, a path that LD_PRELOAD cannot hold",
            "install it under a path without spaces, colons, quotes and dollar signs",
        )
    if find_program("clearway-slurm").resolve() != prefix / "bin" / "clearway-slurm":
        raise ClearwayError(
            f"clearway-slurm is not in {prefix / 'bin'}", "install Clearway again, in a directory of its own"
        )
    return prefix


def find_headers() -> Path:
    slurm = shutil.which("srun")
    own = [Path(slurm).resolve().parent.parent / "include"] if slurm else []
    for folder in (*own, *map(Path, USUAL_INCLUDES)):
        if (folder / HEADER).is_file():
            return folder
    raise ClearwayError(
        f"cannot find Slurm's header {HEADER}",
        "apt-get install libslurm-dev, or dnf install slurm-devel; else --slurm-include DIR; "
        "without compiling: clearway docs every-job, TaskProlog",
    )


def version_of_number(number: int) -> str:
    return f"{number >> 16 & 0xFF}.{number >> 8 & 0xFF:02}.{number & 0xFF}"


def version_of_plugin(path: Path) -> str:
    """Of the Slurm that a plugin was built for: the number that it shows to Slurm."""
    import ctypes

    try:
        return version_of_number(ctypes.c_uint.in_dll(ctypes.CDLL(str(path), mode=LAZY), "plugin_version").value)
    except (OSError, ValueError) as error:
        raise ClearwayError(f"{path} is not a plugin for Slurm: {error}", "build it: clearway slurm plugin") from error


LAZY = 1  # RTLD_LAZY: what it needs of Slurm is not here
