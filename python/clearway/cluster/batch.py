"""The hosts that a batch system gave to this job, from what it says in the environment."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from clearway.base.errors import ClearwayError
from clearway.base.ranges import names
from clearway.base.whole import is_whole
from clearway.cluster.files.machine_file import read_machine_file
from clearway.cluster.model import Host


@dataclass(frozen=True, slots=True)
class Allocation:
    source: str
    """The environment variable that told."""
    hosts: tuple[Host, ...]
    """With the ranks that each may have."""


def find_allocation(environment: Mapping[str, str]) -> Allocation | None:
    """None outside of a batch job. Raises ClearwayError where what is said makes no sense."""
    for variable, read in _READERS.items():
        if environment.get(variable):
            return Allocation(variable, read(environment[variable], environment))
    return None


def of_het_group(environment: Mapping[str, str], group: str) -> dict[str, str]:
    """Of a job of several kinds of nodes (Slurm: heterogeneous) one group, told as if it were all of the job.

    Raises ClearwayError where there is no such group.
    """
    suffix = f"_HET_GROUP_{group}"
    of_it = {name.removesuffix(suffix): value for name, value in environment.items() if name.endswith(suffix)}
    if not of_it:
        groups = int(environment.get("SLURM_HET_SIZE", "0") or 0)
        raise ClearwayError(
            f"cannot place ranks on --het-group={group}: this job has {groups or 'no'} groups",
            f"one of 0 to {groups - 1}, alone" if groups else "srun without --het-group",
        )
    others = {name: value for name, value in environment.items() if "_HET_GROUP_" not in name}
    return {**others, **of_it}


def _slurm(nodes: str, environment: Mapping[str, str]) -> tuple[Host, ...]:
    hosts = names(nodes)
    # Without a number of tasks Slurm says 1 for each node, and means nothing by it.
    asked = any(name in environment for name in ("SLURM_NTASKS", "SLURM_NTASKS_PER_NODE"))
    told = environment.get("SLURM_TASKS_PER_NODE" if asked else "SLURM_JOB_CPUS_PER_NODE")
    if told is None:
        return tuple(Host(name) for name in hosts)
    counts = _repeated(told)
    if not asked:
        cores = environment.get("SLURM_CPUS_PER_TASK", "")
        counts = [max(count // int(cores), 1) for count in counts] if is_whole(cores) and int(cores) > 0 else counts
    if len(counts) != len(hosts):
        raise ClearwayError(
            f"Slurm lists {len(hosts)} nodes ({nodes}), but numbers of ranks for {len(counts)} ({told})",
            "unset SLURM_NODELIST, SLURM_JOB_NODELIST and SLURM_TASKS_PER_NODE if they are not of this job",
        )
    return tuple(Host(name, slots=count) for name, count in zip(hosts, counts, strict=True))


def _repeated(text: str) -> list[int]:
    """4(x3),2 is 4, 4, 4, 2."""
    counts: list[int] = []
    for part in text.split(","):
        match = re.fullmatch(r"([0-9]{1,9})(?:\(x([0-9]{1,6})\))?", part)
        if match is None:
            raise ClearwayError(f"'{part}' in '{text}' is not a number of ranks", "Slurm writes 4(x3),2")
        counts += [int(match[1])] * int(match[2] or 1)
    return counts


def _pbs(file: str, _environment: Mapping[str, str]) -> tuple[Host, ...]:
    """A line for each rank."""
    return read_machine_file(Path(file))


def _grid_engine(file: str, _environment: Mapping[str, str]) -> tuple[Host, ...]:
    """HOST SLOTS QUEUE PROCESSORS"""
    try:
        lines = [line.split() for line in Path(file).read_text(encoding="utf-8").splitlines() if line.strip()]
        return tuple(Host(words[0], slots=int(words[1])) for words in lines)
    except (OSError, UnicodeDecodeError, IndexError, ValueError) as error:
        raise ClearwayError(
            f"cannot read the hosts in '{file}' (PE_HOSTFILE): {error}",
            "Grid Engine writes a line per host: HOST SLOTS QUEUE PROCESSORS",
        ) from None


def _lsf_counts(text: str, _environment: Mapping[str, str]) -> tuple[Host, ...]:
    """HOST SLOTS HOST SLOTS …"""
    words = text.split()
    if len(words) % 2 or not all(is_whole(word) for word in words[1::2]):
        raise ClearwayError(
            f"LSB_MCPU_HOSTS is not a list of hosts and numbers of ranks: {text}", "LSF writes: hostA 4 hostB 2"
        )
    return tuple(Host(name, slots=int(count)) for name, count in zip(words[::2], words[1::2], strict=True))


def _lsf_names(text: str, _environment: Mapping[str, str]) -> tuple[Host, ...]:
    return tuple(Host(name, slots=count) for name, count in Counter(text.split()).items())


_READERS: dict[str, Callable[[str, Mapping[str, str]], tuple[Host, ...]]] = {
    "SLURM_JOB_NODELIST": _slurm,
    "SLURM_NODELIST": _slurm,
    "PBS_NODEFILE": _pbs,
    "PE_HOSTFILE": _grid_engine,
    "LSB_MCPU_HOSTS": _lsf_counts,
    "LSB_HOSTS": _lsf_names,
}
