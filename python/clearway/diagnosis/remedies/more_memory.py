"""A higher limit of memory for the job's control group: batch systems and containers set one."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from clearway.base import quantities as q
from clearway.base.whole import is_whole
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.batch_job import in_slurm
from clearway.diagnosis.facts.settings_in_force import launcher_option
from clearway.diagnosis.finding import Finding
from clearway.diagnosis.remedies import Offer
from clearway.job.change import Change

EXCLUDES: frozenset[str] = frozenset()
MOUNTED = "/sys/fs/cgroup"
UNITS = (".scope", ".service", ".slice")  # systemd's
TIMES = 2


def offer(case: Case, finding: Finding) -> Offer | None:
    """No gain is promised: how much the job needs is not known before it has it."""
    limits = (case.fact(f"process.cgroup_memory_{name}") for name in ("high_bytes", "bytes"))
    granted = min((int(limit) for limit in limits if limit and is_whole(limit)), default=None)
    if granted is None:
        return None
    wanted = TIMES * granted
    what = f"let the job use {q.bytes_(wanted)} of memory"
    why = f"its control group allows {q.bytes_(granted)}; how much the job needs is not known, twice that is a guess"
    if in_slurm(case):
        return Offer(what, why, gain=None, change=_asked_of_slurm(case, wanted))
    command = _command((case.fact("process.cgroup_memory_at") or "").removeprefix(MOUNTED), wanted)
    return Offer(what, why, gain=None, command=command, needs_root=True) if command else None


def _asked_of_slurm(case: Case, wanted: int) -> Change:
    """As the job asked for it, by node or by processor: Slurm takes one of the two. A limit of `srun` rises too."""
    batch = case.tables.job.batch
    per_cpu = batch.memory_per_cpu_bytes if batch else None
    memory = f"--mem={-(-wanted >> 20)}M" if per_cpu is None else f"--mem-per-cpu={TIMES * per_cpu >> 20}M"
    of_step = launcher_option(case, "mem", "mem-per-cpu") is not None
    return Change(batch_options=(memory,), launcher_options=(memory,) if of_step else ())


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
