"""The batch system's job: who it is and what was asked for, told from the variables that the system sets.

Slurm's were seen (22.05; when a job began and must end is told from 23.02 on, by its manual), and Grid Engine's
(8.1.9). Those of PBS Pro and OpenPBS, LSF and Flux are as their manuals have them, and have not been tried: qsub(1B),
"Environment variables set for job execution", flux-environment(7).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

MIB = 1 << 20
PART_OF_A_JOB = "petask"  # what Grid Engine calls a job on its other hosts

VARIABLES = {  # by the variable that tells that it is this system; native/recorder/host/batch.cpp has the same names
    "SLURM_JOB_ID": (
        "SLURM_STEP_ID",
        "SLURM_ARRAY_JOB_ID",
        "SLURM_ARRAY_TASK_ID",
        "SLURM_HET_SIZE",
        "SLURM_RESTART_COUNT",
        "SLURM_JOB_NAME",
        "SLURM_JOB_PARTITION",
        "SLURM_JOB_ACCOUNT",
        "SLURM_JOB_QOS",
        "SLURM_JOB_NUM_NODES",
        "SLURM_JOB_NODELIST",
        "SLURM_JOB_CPUS_PER_NODE",
        "SLURM_JOB_CONSTRAINTS",
        "SLURM_JOB_START_TIME",
        "SLURM_JOB_END_TIME",
        "SLURM_NTASKS",
        "SLURM_STEP_NUM_NODES",
        "SLURM_STEP_NUM_TASKS",
        "SLURM_STEP_NODELIST",
        "SLURM_CPUS_PER_TASK",
        "SLURM_MEM_PER_NODE",
        "SLURM_MEM_PER_CPU",
        "SLURM_CPU_BIND",
        "SLURM_DISTRIBUTION",
        "SLURM_CLUSTER_NAME",
        "SLURM_TOPOLOGY_ADDR",
    ),
    "PBS_JOBID": ("PBS_JOBNAME", "PBS_QUEUE", "PBS_ACCOUNT", "PBS_ARRAY_INDEX", "NCPUS"),
    "LSB_JOBID": (
        "LSB_JOBINDEX",
        "LSB_JOBNAME",
        "LSB_QUEUE",
        "LSB_PROJECT_NAME",
        "LSB_DJOB_NUMPROC",
        "LSB_DJOB_NUMHOSTS",
    ),
    "SGE_TASK_ID": ("SGE_ACCOUNT", "JOB_ID", "JOB_NAME", "QUEUE", "NSLOTS", "NHOSTS", "RESTARTED"),
    "FLUX_JOB_ID": ("FLUX_JOB_CC", "FLUX_JOB_SIZE", "FLUX_JOB_NNODES"),
}


@dataclass(frozen=True, slots=True)
class BatchJob:
    """What the batch system says of the job. None or empty is what it does not say. Texts come from the job."""

    system: str  # "Slurm", "PBS", "LSF", "Grid Engine", "Flux"
    tried: bool  # tested with this system, not only written from its documentation
    id: str  # as its commands accept it: "1234", "1234_7" for an array, "1234.pbs01"
    step: str
    array_task: str
    restarts: int | None  # how often it was requeued
    name: str
    partition: str  # or queue
    account: str
    qos: str
    nodes: int | None
    node_names: str  # as the system writes them: "n[1-4]"
    tasks: int | None
    cpus_per_task: int | None
    memory_per_node_bytes: int | None
    memory_per_cpu_bytes: int | None
    began_s: int | None  # seconds since 1970
    limit_s: int | None  # time limit
    binding: str
    distribution: str
    constraint: str


def in_batch_job(environment: Mapping[str, str]) -> dict[str, str]:
    """Of these variables those that tell of the batch job; empty outside of one."""
    for identity, others in VARIABLES.items():
        if environment.get(identity):
            return {name: environment[name] for name in (identity, *others) if environment.get(name)}
    return {}


def batch_job(told: Mapping[str, str]) -> BatchJob | None:
    """None outside of a batch job."""
    if told.get("SLURM_JOB_ID"):
        return _slurm(told)
    if told.get("PBS_JOBID"):
        cpus = "NCPUS"  # of the first chunk
        names = ("PBS_JOBNAME", "PBS_QUEUE", "PBS_ACCOUNT", "PBS_ARRAY_INDEX")
        return _plain("PBS", told["PBS_JOBID"], told, names, cpus_per_task=_number(told.get(cpus)))
    if told.get("LSB_JOBID"):
        task = told.get("LSB_JOBINDEX", "0")
        number = told["LSB_JOBID"] + (f"[{task}]" if task != "0" else "")
        names = ("LSB_JOBNAME", "LSB_QUEUE", "LSB_PROJECT_NAME", "LSB_JOBINDEX" if task != "0" else "")
        nodes, tasks = _number(told.get("LSB_DJOB_NUMHOSTS")), _number(told.get("LSB_DJOB_NUMPROC"))
        return _plain("LSF", number, told, names, nodes, tasks)
    if told.get("SGE_TASK_ID") and told.get("JOB_ID"):
        return _grid_engine(told)
    if told.get("FLUX_JOB_ID"):
        nodes, tasks = _number(told.get("FLUX_JOB_NNODES")), _number(told.get("FLUX_JOB_SIZE"))
        return _plain("Flux", told["FLUX_JOB_ID"], told, ("", "", "", "FLUX_JOB_CC"), nodes, tasks)
    return None


def _slurm(told: Mapping[str, str]) -> BatchJob:
    task = told.get("SLURM_ARRAY_TASK_ID", "")
    array = told.get("SLURM_ARRAY_JOB_ID", "")
    began, ends = _number(told.get("SLURM_JOB_START_TIME")), _number(told.get("SLURM_JOB_END_TIME"))
    step = told.get("SLURM_STEP_ID", "")
    return BatchJob(
        system="Slurm",
        tried=True,
        id=f"{array}_{task}" if array and task else told["SLURM_JOB_ID"],
        step=step if (_number(step) or 0) < 1 << 31 else "",  # the batch script's own is a number beyond
        array_task=task,
        restarts=_number(told.get("SLURM_RESTART_COUNT")),
        name=told.get("SLURM_JOB_NAME", ""),
        partition=told.get("SLURM_JOB_PARTITION", ""),
        account=told.get("SLURM_JOB_ACCOUNT", ""),
        qos=told.get("SLURM_JOB_QOS", ""),
        nodes=_number(told.get("SLURM_STEP_NUM_NODES")) or _number(told.get("SLURM_JOB_NUM_NODES")),
        node_names=told.get("SLURM_JOB_NODELIST", ""),
        tasks=_number(told.get("SLURM_STEP_NUM_TASKS")) or _number(told.get("SLURM_NTASKS")),
        cpus_per_task=_number(told.get("SLURM_CPUS_PER_TASK")),
        memory_per_node_bytes=_mib(told.get("SLURM_MEM_PER_NODE")),
        memory_per_cpu_bytes=_mib(told.get("SLURM_MEM_PER_CPU")),
        began_s=began,
        limit_s=ends - began if began is not None and ends is not None and ends > began else None,
        binding=told.get("SLURM_CPU_BIND", ""),
        distribution=told.get("SLURM_DISTRIBUTION", ""),
        constraint=told.get("SLURM_JOB_CONSTRAINTS", ""),
    )


def tells_of_one_host(told: Mapping[str, str]) -> bool:
    """Grid Engine gives what mpirun starts on other hosts another name, and the numbers of that host only."""
    return bool(told.get("SGE_TASK_ID")) and told.get("JOB_NAME") == PART_OF_A_JOB


def _grid_engine(told: Mapping[str, str]) -> BatchJob:
    task = told["SGE_TASK_ID"]  # "undefined" of a job that is no array
    number = told["JOB_ID"] + (f".{task}" if task.isdecimal() else "")
    whole = not tells_of_one_host(told)
    names = ("JOB_NAME" if whole else "", "QUEUE", "SGE_ACCOUNT", "SGE_TASK_ID" if task.isdecimal() else "")
    nodes, tasks = (_number(told.get(each)) if whole else None for each in ("NHOSTS", "NSLOTS"))
    return _plain("Grid Engine", number, told, names, nodes, tasks, _number(told.get("RESTARTED")), tried=True)


def _plain(
    system: str,
    number: str,
    told: Mapping[str, str],
    names: tuple[str, str, str, str],
    nodes: int | None = None,
    tasks: int | None = None,
    restarts: int | None = None,
    cpus_per_task: int | None = None,
    tried: bool = False,
) -> BatchJob:
    """`names`: the variables of the job's name, its queue, whom it is charged to, its place in an array."""
    name, queue, account, task = (told.get(each, "") for each in names)
    empty: dict[str, None] = dict.fromkeys(("memory_per_node_bytes", "memory_per_cpu_bytes", "began_s", "limit_s"))
    return BatchJob(
        system=system,
        tried=tried,
        id=number,
        step="",
        array_task=task,
        restarts=restarts,
        name=name,
        partition=queue,
        account=account,
        qos="",
        nodes=nodes,
        node_names="",
        tasks=tasks,
        cpus_per_task=cpus_per_task,
        binding="",
        distribution="",
        constraint="",
        **empty,
    )


def _number(text: str | None) -> int | None:
    return int(text) if text and re.fullmatch(r"[0-9]{1,18}", text) else None


def _mib(text: str | None) -> int | None:
    number = _number(text)
    return number * MIB if number else None  # 0: all that the node has
