"""Control groups of each host: Slurm on one host must not see the tasks of another, and all share one kernel.

Of version 1, one a controller, as Slurm's cgroup/v1 wants. On a host its own group is the root of what it sees.
"""

from __future__ import annotations

from pathlib import Path

from clearway.testbed.layout import Layout
from clearway.testbed.processors import GROUPS

WANTED = ("cpuset", "memory", "freezer", "cpuacct", "devices")
COPIED = {"cpuset": ("cpuset.cpus", "cpuset.mems")}  # empty in a new group, and then nothing may run in it


def can_be_made() -> bool:
    return all((GROUPS / controller / "tasks").exists() for controller in WANTED)


def controllers() -> list[Path]:
    """All of version 1 that are mounted here."""
    return [path for path in sorted(GROUPS.iterdir()) if (path / "tasks").exists()]


def make_host_groups(layout: Layout) -> None:
    for controller in controllers():
        for host in layout.everyone:
            group = controller / layout.namespace(host.name)
            group.mkdir(exist_ok=True)
            for name in COPIED.get(controller.name, ()):
                (group / name).write_text((controller / name).read_text())
            if controller.name == "memory":
                (group / "memory.use_hierarchy").write_text("1\n")
