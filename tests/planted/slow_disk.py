"""A file system that writes no faster than it is told: ext4 on a loop device throttled by the blkio controller."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

_THROTTLE = Path("/sys/fs/cgroup/blkio/blkio.throttle.write_bps_device")


def _run(*command: str | Path) -> str:
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=60)
    if result.returncode != 0:
        raise OSError(f"{' '.join(map(str, command))}: {result.stderr.strip()}")
    return result.stdout.strip()


@contextlib.contextmanager
def slow_disk(directory: Path, size_mb: int, bytes_per_s: int) -> Iterator[Path]:
    """Mounts it on `directory`/disk; the test is skipped where there is no privilege."""
    if os.geteuid() != 0 or not _THROTTLE.exists() or shutil.which("mkfs.ext4") is None:
        pytest.skip("a throttled disk needs root, the blkio controller (cgroup v1) and mkfs.ext4")
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
        _THROTTLE.write_text(f"{identity} {bytes_per_s}")
        stack.callback(_THROTTLE.write_text, f"{identity} 0")
        yield mounted
