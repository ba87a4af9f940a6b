"""Memory: how much, what may be locked, how large /dev/shm is, what the kernel does with pages by itself."""

from __future__ import annotations

import os
import re
import resource
from collections.abc import Iterator

from clearway.cluster.hosts.reader import Reader, UnreadableError
from clearway.cluster.hosts.settings.memory_shm import MOUNT, read_size
from clearway.cluster.hosts.sources.one import fact, of_file
from clearway.cluster.hosts.state import Fact, Value

UNLIMITED = "unlimited"


def read(reader: Reader) -> Iterator[tuple[str, Fact]]:
    yield "memory.total_bytes", of_file(reader, "/proc/meminfo", lambda text: kib_of(text, "MemTotal") * 1024)
    yield "memory.available_bytes", of_file(reader, "/proc/meminfo", lambda text: kib_of(text, "MemAvailable") * 1024)
    yield "memory.shm_bytes", fact("/proc/self/mounts", lambda: int(read_size(reader)))
    yield "memory.shm_free_bytes", fact(f"statvfs {MOUNT}", lambda: free_bytes(reader))
    yield "memory.locked_most_bytes", fact("getrlimit RLIMIT_MEMLOCK", most_locked)
    yield "memory.numa_balancing", of_file(reader, "/proc/sys/kernel/numa_balancing", int)
    yield "memory.huge_pages", of_file(reader, "/sys/kernel/mm/transparent_hugepage/enabled", chosen)


def kib_of(meminfo: str, name: str) -> int:
    match = re.search(rf"^{name}:\s+(\d+) kB", meminfo, re.MULTILINE)
    if match is None:
        raise UnreadableError("/proc/meminfo", f"there is no {name}")
    return int(match[1])


def free_bytes(reader: Reader) -> int:
    try:
        state = os.statvfs(reader.root / MOUNT.lstrip("/"))
    except OSError as error:
        raise UnreadableError(f"statvfs {MOUNT}", error.strerror or str(error)) from None
    return state.f_bavail * state.f_frsize


def most_locked() -> Value:
    limit = resource.getrlimit(resource.RLIMIT_MEMLOCK)[0]
    return UNLIMITED if limit == resource.RLIM_INFINITY else limit


def chosen(text: str) -> str:
    """Of "always [madvise] never": madvise."""
    match = re.search(r"\[(\w+)\]", text)
    return match[1] if match else text
