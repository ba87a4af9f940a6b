"""A file system that is no faster than it is told: ext4 on a loop device throttled by the blkio controller."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

_CONTROLLER = Path("/sys/fs/cgroup/blkio")


def why_not() -> str:
    """What it lacks here; empty where it can be made."""
    if os.geteuid() == 0 and (_CONTROLLER / "blkio.throttle.write_bps_device").exists() and shutil.which("mkfs.ext4"):
        return ""
    return "a throttled disk needs root, the blkio controller (cgroup v1) and mkfs.ext4"


def _run(*command: str | Path) -> str:
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=60)
    if result.returncode != 0:
        raise OSError(f"{' '.join(map(str, command))}: {result.stderr.strip()}")
    return result.stdout.strip()


@contextlib.contextmanager
def slow_disk(directory: Path, size_mb: int, limits: Mapping[str, int]) -> Iterator[Path]:
    """Mounts it on `directory`/disk. Limits: read_bps, write_bps (bytes/s), read_iops, write_iops; none: not slow."""
    image, mounted = directory / "disk.img", directory / "disk"
    mounted.mkdir()
    with contextlib.ExitStack() as stack:
        with image.open("wb") as file:
            file.truncate(size_mb * 1_000_000)
        _run("mkfs.ext4", "-q", "-O", "^has_journal", image)
        device = _run("losetup", "--find", "--show", "--direct-io=off", image)
        stack.callback(_run, "losetup", "-d", device)
        number = Path(device).stat().st_rdev
        identity = f"{os.major(number)}:{os.minor(number)}"
        _run("mount", device, mounted)
        stack.callback(_run, "umount", mounted)
        for name, limit in limits.items():
            throttle = _CONTROLLER / f"blkio.throttle.{name}_device"
            throttle.write_text(f"{identity} {limit}")
            stack.callback(throttle.write_text, f"{identity} 0")
        yield mounted
