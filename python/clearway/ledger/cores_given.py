"""The cores that each rank was given: those that it may use, divided with the job's other ranks that may do so."""

from __future__ import annotations

from collections import Counter

import numpy as np
from numpy.typing import NDArray

from clearway.base.errors import ClearwayError
from clearway.base.ranges import numbers
from clearway.base.whole import is_whole
from clearway.run.run import Run

GRANTED_ON_NODE = "environment.SLURM_CPUS_ON_NODE"


def cores_given(run: Run) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """By process: cores, and hardware threads. At least one of each: that of its main thread.

    From the affinity at the process's start; a control group's quota and Slurm's number bound what the ranks of a
    machine have together. Zeros in both where the record does not tell.
    """
    masks = {process: processors(text) for process, text in run.fact("process.cpus_allowed").items()}
    ranks_on = Counter((_machine(run, process), cpu) for process, mask in masks.items() for cpu in mask)
    threads = np.zeros(len(run.processes))
    for process, mask in masks.items():
        threads[process] = sum(1 / ranks_on[_machine(run, process), cpu] for cpu in mask)
    threads *= _granted_part(run, threads)
    cores = threads / _threads_per_core(run)
    told = threads > 0
    return np.where(told, np.maximum(cores, 1.0), 0.0), np.where(told, np.maximum(threads, 1.0), 0.0)


def processors(text: str) -> frozenset[int]:
    """The processors of a list as the kernel writes it, "0-3,8"; empty where it is none."""
    try:
        return frozenset(numbers(text)) if text else frozenset()
    except ClearwayError:
        return frozenset()


def _machine(run: Run, process: int) -> int:
    return int(run.processes["machine"][process])


def _granted_part(run: Run, threads: NDArray[np.float64]) -> NDArray[np.float64]:
    """By process: what the ranks of its machine were granted, as a part of what their affinity allows."""
    part = np.ones(len(threads))
    for name, value in (("process.cgroup_cpus", float), (GRANTED_ON_NODE, int)):
        for process, text in run.fact(name).items():
            try:
                limit = value(text)
            except ValueError:
                continue
            together = float(threads[run.processes["machine"] == _machine(run, process)].sum())
            if 0 < limit < together:
                part[process] = min(part[process], limit / together)
    return part


def _threads_per_core(run: Run) -> NDArray[np.float64]:
    said = {host.name: host.facts.get("topology.threads_per_core", "") for host in run.hosts}
    each = [said.get(run.host_names[host], "") for host in run.processes["host"]]
    return np.array([max(float(text), 1.0) if is_whole(text) else 1.0 for text in each])
