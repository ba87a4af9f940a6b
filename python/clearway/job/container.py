"""A program that a container runtime starts sees only those files of the host that are bound into its container."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path, PurePath

# How each binds a directory at the same path, in its own words. An image that cannot be written to needs the
# directory beforehand; Charliecloud's `--home` does not.
BINDS = {
    "apptainer": "--bind {}",
    "singularity": "--bind {}",
    "ch-run": "--bind={}",
    "podman": "--volume={0}:{0}",
    "docker": "--volume={0}:{0}",
    "udocker": "--volume={0}:{0}",
    "shifter": "--volume={0}:{0}",
    "sarus": "--mount=type=bind,source={0},destination={0}",
    "enroot": "--mount={0}:{0}",
    "bwrap": "--bind {0} {0}",
}
OF_SLURM = "--container-image"  # of its plugin pyxis


def container_runtime(command: Sequence[str]) -> str | None:
    """The word of a job's command line that makes a container, or None."""
    for word in command:
        if word.split("=")[0] == OF_SLURM:
            return OF_SLURM
        if PurePath(word).name in BINDS:
            return PurePath(word).name
    return None


def how_to_bind(runtime: str, directories: Iterable[Path], home: Path) -> str:
    """Options that make the directories visible in the container."""
    wanted = list(dict.fromkeys(directories))
    if runtime == "ch-run" and all(one.is_relative_to(home) for one in wanted):
        return "--home"
    if runtime == OF_SLURM:
        return "--container-mounts=" + ",".join(f"{one}:{one}" for one in wanted)
    return " ".join(BINDS[runtime].format(one) for one in wanted)
