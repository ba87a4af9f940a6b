"""A higher limit of memory for the job's control group: batch systems and containers set one."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from clearway.base import quantities as q
from clearway.diagnosis.facts import Case
from clearway.diagnosis.finding import Finding
from clearway.diagnosis.remedies import Offer

EXCLUDES: frozenset[str] = frozenset()
MOUNTED = "/sys/fs/cgroup"
UNITS = (".scope", ".service", ".slice")  # systemd's
TIMES = 2


def offer(case: Case, finding: Finding) -> Offer | None:
    """No gain is promised: how much the job needs is not known before it has it."""
    limits = (case.fact(f"process.cgroup_memory_{name}") for name in ("high_bytes", "bytes"))
    granted = min((int(limit) for limit in limits if limit and limit.isdecimal()), default=None)
    if granted is None:
        return None
    wanted = TIMES * granted
    if case.environment("SLURM_JOB_ID"):
        command = f"sbatch --mem={-(-wanted >> 20)}M …"
        return _offer(granted, wanted, command, needs_root=False)
    command = _command((case.fact("process.cgroup_memory_at") or "").removeprefix(MOUNTED), wanted)
    return _offer(granted, wanted, command, needs_root=True) if command else None


def _offer(granted: int, wanted: int, command: str, needs_root: bool) -> Offer:
    return Offer(
        what=f"let the job use {q.bytes_(wanted)} of memory",
        why=f"its control group grants {q.bytes_(granted)}; how much the job needs is not known, twice that is a guess",
        gain=None,
        command=command,
        needs_root=needs_root,
    )


def _command(folder: str, wanted: int) -> str:
    """In the words of whoever made the group."""
    container = re.search(r"docker[-/]([0-9a-f]{12})", folder)
    if container:
        return f"sudo docker update --memory={wanted} --memory-swap={wanted} {container.group(1)}"
    unit = PurePosixPath(folder).name
    if unit.endswith(UNITS) and re.fullmatch(r"[\w@.:-]+", unit):
        return f"sudo systemctl set-property --runtime {unit} MemoryMax={wanted}"
    if "kubepods" in folder or not re.fullmatch(r"(/[\w@.:-]+)+", folder):
        return ""
    if folder.startswith("/memory/"):
        return f"echo {wanted} | sudo tee {MOUNTED}{folder}/memory.limit_in_bytes"
    return f"echo {wanted} | sudo tee {MOUNTED}{folder}/memory.max"
