"""A higher limit of processor time for the job's control group: batch systems and containers set one."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.shared_processors import Crowd, crowds
from clearway.diagnosis.finding import Finding
from clearway.diagnosis.remedies import Offer

EXCLUDES: frozenset[str] = frozenset()
PERIOD_US = 100_000  # the kernel's own, in which the quota may be used up
MOUNTED = "/sys/fs/cgroup"
UNITS = (".scope", ".service", ".slice")  # systemd's


def offer(case: Case, finding: Finding) -> Offer | None:
    """gain = 1 where the host has that many processors: nobody is stopped then."""
    held = next((crowd for crowd in crowds(case) if crowd.granted), None)
    if held is None:
        return None
    command = _command(*_group(case, held.processes[0]), held.threads)
    if not command:
        return None
    return Offer(
        what=f"let the job's control group use {held.threads} processor{'' if held.threads == 1 else 's'}",
        why=(
            f"its quota is {held.processors:.3g}, and the kernel stops the job each time that is used up. If a batch "
            f"system or a container set the quota, ask there for more"
        ),
        gain=1.0 if _there_are(case, held) else None,
        command=command,
        needs_root=True,
    )


def _there_are(case: Case, held: Crowd) -> bool:
    name = case.tables.ranks[held.processes[0]].host
    return any(host.name == name and (host.cores or 0) >= held.threads for host in case.tables.hosts)


def _group(case: Case, process: int) -> tuple[str, str]:
    """Its controllers, where it is one of version 1, and its path below their folder.

    Older Runs do not tell which level limits; they have the first line of /proc/self/cgroup.
    """
    folder = case.run.fact("process.cgroup_cpus_at").get(process, "").removeprefix(MOUNTED)
    if not folder:
        _, _, rest = case.run.fact("process.cgroup").get(process, "").partition(":")
        controllers, _, path = rest.partition(":")
        return controllers, path
    first, _, rest = folder.lstrip("/").partition("/")
    return (first, f"/{rest}") if "cpu" in first.split(",") else ("", folder)


def _command(controllers: str, path: str, processors: int) -> str:
    """In the words of whoever made the group."""
    container = re.search(r"docker[-/]([0-9a-f]{12})", path)
    if container:
        return f"sudo docker update --cpus={processors} {container.group(1)}"
    if "kubepods" in path:
        return ""  # its limit stands in the pod's description, which no command here can name
    unit = PurePosixPath(path).name
    if unit.endswith(UNITS) and re.fullmatch(r"[\w@.:-]+", unit):
        return f"sudo systemctl set-property --runtime {unit} CPUQuota={100 * processors}%"
    if not re.fullmatch(r"(/[\w@.:-]+)+", path):
        return ""  # seen from within a container: the group has another name outside
    if not controllers:
        return f"echo {processors * PERIOD_US} {PERIOD_US} | sudo tee /sys/fs/cgroup{path}/cpu.max"
    if "cpu" in controllers.split(","):
        return f"echo {processors * PERIOD_US} | sudo tee /sys/fs/cgroup/{controllers}{path}/cpu.cfs_quota_us"
    return ""
