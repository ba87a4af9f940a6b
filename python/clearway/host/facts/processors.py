"""The cores: how many, of which kind, how fast they may run, and how fast one of them really is."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator

from clearway.host.facts.one import fact, of_file
from clearway.host.reader import Reader, UnreadableError
from clearway.host.state import Fact, Value

CORES = "/sys/devices/system/cpu/cpu[0-9]*"
LOOP_ROUNDS = 600_000
QUOTA_1, PERIOD_1 = "/sys/fs/cgroup/cpu{}/cpu.cfs_quota_us", "/sys/fs/cgroup/cpu{}/cpu.cfs_period_us"


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
        raise UnreadableError(f"{CORES}/cpufreq", "this kernel does not steer the cores' frequency")
    return " ".join(sorted({reader.text(path) for path in files}))


def most_mhz(reader: Reader) -> int:
    files = reader.names(f"{CORES}/cpufreq/cpuinfo_max_freq")
    if not files:
        raise UnreadableError(f"{CORES}/cpufreq", "this kernel does not steer the cores' frequency")
    return min(int(reader.text(path)) for path in files) // 1000


def quota_cores(reader: Reader) -> Value:
    """What the control group of this process may use; "all" where it has no limit."""
    for line in reader.text("/proc/self/cgroup").splitlines():
        _, controllers, group = line.split(":", 2)
        if "cpu" in controllers.split(","):
            quota, period = (int(reader.text(path.format(group))) for path in (QUOTA_1, PERIOD_1))
            return quota / period if quota > 0 else "all"
        if not controllers:
            limit = reader.names(f"/sys/fs/cgroup{group}/cpu.max")
            words = reader.text(limit[0]).split() if limit else ["max"]
            if words[0] != "max":
                return int(words[0]) / int(words[1])
    return "all"


def timed_loop_ms() -> Value:
    """Wall-clock of a fixed piece of work: what tells a slow host from its equals."""
    begin, total = time.perf_counter(), 0
    for i in range(LOOP_ROUNDS):
        total += i * i
    return round((time.perf_counter() - begin) * 1000, 1)
