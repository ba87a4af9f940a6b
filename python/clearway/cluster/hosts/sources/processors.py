"""The cores: how many, of which kind, how fast they may run, and how fast one of them really is."""

from __future__ import annotations

import contextlib
import re
import time
from collections.abc import Iterator
from pathlib import PurePosixPath

from clearway.cluster.hosts.reader import Reader, UnreadableError
from clearway.cluster.hosts.sources.one import fact, of_file
from clearway.cluster.hosts.state import Fact, Value

CORES = "/sys/devices/system/cpu/cpu[0-9]*"
LOOP_ROUNDS = 600_000


def read(reader: Reader) -> Iterator[tuple[str, Fact]]:
    info = "/proc/cpuinfo"
    yield "processor.model", of_file(reader, info, lambda text: field(text, "model name"))
    yield "processor.threads", of_file(reader, info, lambda text: len(re.findall(r"^processor\s*:", text, re.M)))
    yield "processor.cores", fact(f"{CORES}/topology/core_id", lambda: physical_cores(reader))
    yield "processor.numa_nodes", fact("/sys/devices/system/node", lambda: numa_nodes(reader))
    yield "processor.governor", fact(f"{CORES}/cpufreq/scaling_governor", lambda: governors(reader))
    yield "processor.most_mhz", fact(f"{CORES}/cpufreq/cpuinfo_max_freq", lambda: most_mhz(reader))
    yield "processor.quota_cores", fact("/proc/self/cgroup", lambda: quota_cores(reader))
    yield "processor.loop_ms", fact("a loop of this check", timed_loop_ms)


def field(text: str, name: str) -> str:
    match = re.search(rf"^{name}\s*:\s*(.+)$", text, re.MULTILINE)
    if match is None:
        raise UnreadableError("/proc/cpuinfo", f"there is no '{name}'")
    return match[1]


def physical_cores(reader: Reader) -> int:
    """Cores, not hardware threads."""
    paths = reader.names(f"{CORES}/topology/core_id")
    if not paths:
        raise UnreadableError(f"{CORES}/topology", "there is none")
    packages = [reader.text(path.replace("core_id", "physical_package_id")) for path in paths]
    return len({(package, reader.text(path)) for package, path in zip(packages, paths, strict=True)})


def numa_nodes(reader: Reader) -> int:
    found = len(reader.names("/sys/devices/system/node/node[0-9]*"))
    if not found:
        raise UnreadableError("/sys/devices/system/node", "there is none")
    return found


def governors(reader: Reader) -> str:
    files = reader.names(f"{CORES}/cpufreq/scaling_governor")
    if not files:
        raise UnreadableError(f"{CORES}/cpufreq", "this kernel does not control the cores' frequency")
    return " ".join(sorted({reader.text(path) for path in files}))


def most_mhz(reader: Reader) -> int:
    files = reader.names(f"{CORES}/cpufreq/cpuinfo_max_freq")
    if not files:
        raise UnreadableError(f"{CORES}/cpufreq", "this kernel does not control the cores' frequency")
    return min(int(reader.text(path)) for path in files) // 1000


def quota_cores(reader: Reader) -> Value:
    """What the control group of this process and those above it let it use; "all" where there is no limit."""
    limits = [limit_of(reader, folder) for folder in group_folders(reader.text("/proc/self/cgroup"))]
    return min((limit for limit in limits if limit is not None), default="all")


def group_folders(groups: str) -> list[str]:
    """Of both versions of control groups, from the process's own up."""
    folders = []
    for line in groups.splitlines():
        _, controllers, group = line.split(":", 2)
        if not controllers or "cpu" in controllers.split(","):
            root = "/sys/fs/cgroup/cpu" if controllers else "/sys/fs/cgroup"
            own = PurePosixPath(group.lstrip("/"))
            folders += [str(PurePosixPath(root, each)) for each in (own, *own.parents)]
    return folders


def limit_of(reader: Reader, folder: str) -> float | None:
    """In cores; None where the group has no limit."""
    with contextlib.suppress(UnreadableError):
        quota, period = reader.text(f"{folder}/cpu.max").split()
        return None if quota == "max" else int(quota) / int(period)
    with contextlib.suppress(UnreadableError):
        quota, period = (reader.text(f"{folder}/cpu.cfs_{name}_us") for name in ("quota", "period"))
        return None if int(quota) <= 0 else int(quota) / int(period)
    return None


def timed_loop_ms() -> Value:
    """Wall-clock of a fixed piece of work: what tells a slow host from its equals."""
    begin, total = time.perf_counter(), 0
    for i in range(LOOP_ROUNDS):
        total += i * i
    return round((time.perf_counter() - begin) * 1000, 1)
