"""The size of /dev/shm, by which ranks of one host exchange messages."""

from __future__ import annotations

import re

from clearway.cluster.hosts.reader import Reader, UnreadableError
from clearway.cluster.hosts.settings.model import Change, Setting, Step
from clearway.cluster.hosts.settings.sizes import setting_bytes

MOUNT = "/dev/shm"
LEAST_BYTES, MOST_BYTES = 1_000_000, 2**44


def read_size(reader: Reader, _device: str = "") -> str:
    """Bytes, as the mount has it; the newest mount is the last of the list."""
    mounts = [line.split() for line in reader.text("/proc/self/mounts").splitlines()]
    found = [fields for fields in mounts if fields[1:2] == [MOUNT] and fields[2] == "tmpfs"]
    if not found:
        raise UnreadableError("/proc/self/mounts", f"no tmpfs is mounted on {MOUNT}")
    options = dict(option.partition("=")[::2] for option in found[-1][3].split(","))
    if "size" in options:
        return str(int(options["size"].removesuffix("k")) * 1024)
    memory_kib = int(re.search(r"MemTotal:\s+(\d+)", reader.text("/proc/meminfo"))[1])  # type: ignore[index]
    return str(memory_kib * 1024 // 2)  # what tmpfs takes where nothing is said


def size_of(value: str) -> int:
    hint = "1M to 16Ti, as memory.shm=8Gi"
    return setting_bytes(SETTING.id, value, LEAST_BYTES, MOST_BYTES, hint)


def plan(reader: Reader, _device: str, value: str) -> Change:
    before, after = read_size(reader), str(size_of(value))

    def resize(size_bytes: str) -> tuple[str, ...]:
        return ("mount", "-o", f"remount,size={size_bytes}", MOUNT)

    return Change(SETTING.id, "", before, after, (Step(resize(after), resize(before)),))


SETTING = Setting(
    "memory.shm",
    "the size of /dev/shm, which an MPI needs for messages within a host",
    "safe: it takes memory only as it is used; it cannot be made smaller than its contents",
    "a size, as 8Gi or 512Mi",
    None,
    False,
    read_size,
    plan,
)
