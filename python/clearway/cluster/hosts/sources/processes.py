"""What else runs on the host, and what a hypervisor takes of it, over a short while."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass

from clearway.cluster.hosts.reader import Reader, UnreadableError
from clearway.cluster.hosts.sources.one import of_file
from clearway.cluster.hosts.state import Fact

WHILE_S = 0.5
BUSY = 0.1  # of a core: what counts as a busy process
MOST = 8  # that are named
FIELDS = ("user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal")  # of /proc/stat
IDLE = ("idle", "iowait", "steal")


@dataclass(frozen=True, slots=True)
class Look:
    """Clock ticks since the host, or a process, started."""

    host: dict[str, int]  # by field of /proc/stat
    processes: dict[tuple[int, str], int]  # by id and name


def read(reader: Reader) -> Iterator[tuple[str, Fact]]:
    source = f"/proc/stat over {WHILE_S} s"
    try:
        before = look(reader)
        time.sleep(WHILE_S)
        after = look(reader)
    except UnreadableError as error:
        yield "processor.busy_share", Fact(None, error.source, error.reason)
        return
    spent = {name: after.host[name] - before.host[name] for name in FIELDS}
    total = max(1, sum(spent.values()))
    yield (
        "processor.busy_share",
        Fact(round(sum(spent[name] for name in FIELDS if name not in IDLE) / total, 3), source),
    )
    yield "processor.steal_share", Fact(round(spent["steal"] / total, 3), source)
    yield "processor.busy_processes", Fact(busy_processes(before, after), f"/proc/PID/stat over {WHILE_S} s")
    yield "processor.load", of_file(reader, "/proc/loadavg", lambda text: float(text.split()[0]))


def look(reader: Reader) -> Look:
    host = reader.text("/proc/stat").splitlines()[0].split()[1:]
    processes = {}
    for path in reader.names("/proc/[0-9]*/stat"):
        with contextlib.suppress(UnreadableError):  # it has ended
            pid, _, rest = reader.text(path).partition(" (")
            name, _, numbers = rest.rpartition(") ")
            user, system = numbers.split()[11:13]
            processes[int(pid), name] = int(user) + int(system)
    return Look(dict(zip(FIELDS, map(int, host), strict=False)), processes)


def busy_processes(before: Look, after: Look) -> str:
    """NAME (ID) of those that used a tenth of a core or more, the busiest first; this one is left out."""
    ticks = BUSY * WHILE_S * os.sysconf("SC_CLK_TCK")
    used = {key: now - before.processes[key] for key, now in after.processes.items() if key in before.processes}
    busy = sorted((key for key in used if used[key] >= ticks and key[0] != os.getpid()), key=lambda key: -used[key])
    return ", ".join(f"{name} ({pid})" for pid, name in busy[:MOST])
