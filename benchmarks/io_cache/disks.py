"""File systems for scratch: one that nothing caches, a throttled disk with little memory, a healthy disk, memory."""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from diagnosis import slow_disk

UNCACHED_C = Path(__file__).with_name("uncached.c")
MEMORY_CONTROLLER = Path("/sys/fs/cgroup/memory")
RATE_BYTES_PER_S = 100_000_000
LATENCY_NS = 100_000  # of a request to a file server
PATIENCE_S = 10  # with what a job leaves behind


@dataclass(frozen=True, slots=True)
class Place:
    """A file system that is there, and how a job is started that uses it."""

    folder: Path
    prefix: tuple[str, ...] = ()  # put before the job's command


@dataclass(frozen=True, slots=True)
class Disk:
    """A kind of file system."""

    what: str
    why_not: Callable[[], str]  # what it lacks here; empty where it can be made
    make: Callable[[Path, int], contextlib.AbstractContextManager[Place]]  # below a folder; bytes of memory for the job


def _run(*command: str | Path) -> str:
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=60)
    if result.returncode != 0:
        raise OSError(f"{shlex.join(map(str, command))}: {result.stderr.strip()}")
    return result.stdout.strip()


def _no_fuse() -> str:
    if os.geteuid() != 0 or not Path("/dev/fuse").exists():
        return "a file system of one's own needs root and /dev/fuse"
    for program, package in (("cc", "gcc"), ("pkg-config", "pkg-config"), ("fusermount3", "fuse3")):
        if shutil.which(program) is None:
            return f"there is no {program} (Debian package {package})"
    known = subprocess.run(["pkg-config", "--exists", "fuse3"], timeout=10).returncode == 0
    return "" if known else "there is no libfuse (Debian package libfuse3-dev)"


def _patiently(step: Callable[[], object]) -> None:
    """A launcher's helper may hold things for a moment after its job has ended. Raises what the last attempt raises."""
    until_s = time.monotonic() + PATIENCE_S
    while time.monotonic() < until_s:
        with contextlib.suppress(OSError):
            step()
            return
        time.sleep(0.2)
    step()


def _unmount(mounted: Path) -> None:
    try:
        _patiently(lambda: _run("umount", mounted))
    except OSError:
        _run("umount", "--lazy", mounted)


@contextlib.contextmanager
def _uncached(folder: Path, _memory_bytes: int) -> Iterator[Place]:
    program, source, mounted = folder / "uncached", folder / "source", folder / "mounted"
    flags = shlex.split(_run("pkg-config", "--cflags", "--libs", "fuse3"))
    _run("cc", "-O2", "-Wall", "-Wextra", UNCACHED_C, "-o", program, *flags)
    source.mkdir()
    mounted.mkdir()
    _run(program, "-o", f"source={source},rate={RATE_BYTES_PER_S},latency={LATENCY_NS},fsname=uncached", mounted)
    try:
        yield Place(mounted)
    finally:
        _unmount(mounted)


def _no_throttle() -> str:
    if trouble := slow_disk.why_not():
        return trouble
    limit = MEMORY_CONTROLLER / "memory.limit_in_bytes"
    return "" if limit.exists() else "a limit of memory needs the memory controller (cgroup v1)"


@contextlib.contextmanager
def _throttled(folder: Path, memory_bytes: int) -> Iterator[Place]:
    limits = {"read_bps": RATE_BYTES_PER_S, "write_bps": RATE_BYTES_PER_S}
    with slow_disk.slow_disk(folder, 2000, limits) as mounted, memory_group(memory_bytes) as group:
        yield Place(mounted, inside(group))


@contextlib.contextmanager
def memory_group(most_bytes: int) -> Iterator[Path]:
    """A control group: its processes, and what the kernel caches for them, fit into `most_bytes`."""
    group = Path(tempfile.mkdtemp(prefix="clearway-io-", dir=MEMORY_CONTROLLER))
    try:
        (group / "memory.limit_in_bytes").write_text(str(most_bytes))
        yield group
    finally:
        _end_all(group)
        _patiently(lambda: (group / "memory.force_empty").write_text("0"))
        _patiently(group.rmdir)


def _end_all(group: Path) -> None:
    """Waits for its processes, then kills them: a group with a process in it cannot be taken away."""
    until_s = time.monotonic() + PATIENCE_S
    while left := (group / "cgroup.procs").read_text().split():
        if time.monotonic() > until_s:
            for process in left:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(int(process), signal.SIGKILL)
        time.sleep(0.05)


def inside(group: Path) -> tuple[str, ...]:
    """Put before a command, it starts it in that control group."""
    return ("sh", "-c", f'echo $$ > {group}/cgroup.procs && exec "$@"', "sh")


def own_memory_bytes(group: Path) -> int:
    """Of its processes: without what the kernel caches for them."""
    return int((group / "memory.stat").read_text().partition("\nrss ")[2].split()[0])


@contextlib.contextmanager
def _healthy(folder: Path, _memory_bytes: int) -> Iterator[Place]:
    yield Place(folder)


@contextlib.contextmanager
def _tmpfs(folder: Path, _memory_bytes: int) -> Iterator[Place]:
    mounted = folder / "mounted"
    mounted.mkdir()
    _run("mount", "-t", "tmpfs", "tmpfs", mounted)
    try:
        yield Place(mounted)
    finally:
        _unmount(mounted)


DISKS = {
    "uncached": Disk(
        f"a file system that the kernel does not cache, {RATE_BYTES_PER_S // 1_000_000} MB/s", _no_fuse, _uncached
    ),
    "throttled": Disk(
        f"a disk of {RATE_BYTES_PER_S // 1_000_000} MB/s, in a control group with little memory",
        _no_throttle,
        _throttled,
    ),
    "healthy": Disk("a disk as it is, with the kernel's page cache", lambda: "", _healthy),
    "memory": Disk("tmpfs", lambda: "" if os.geteuid() == 0 else "mounting a tmpfs needs root", _tmpfs),
}
