"""A planted fault: a job with it, the same job without it, and the rule that must say so first."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import cast

from diagnosis import faults
from diagnosis.jobs import Job

# How hard a fault is to see: just above what its rule names, as it is mostly met, beside much else that costs time.
INTENSITIES = ("slight", "typical", "hard")

# Rules whose faults one machine cannot be given.
NOT_PLANTED = {
    "flow-control": "the links of network namespaces have no pause frames",
    "overhead": "tests/planted/test_overheads.py plants clocks, locks, allocating, text and the like",
    "late-target": "tests/planted/test_one_sided.py plants targets that compute while other ranks access their windows",
    "late-end": "tests/planted/test_waits.py plants a rank that computes when the others are done",
    "late-start": "tests/planted/test_waits.py plants a rank that comes late, and one that never comes",
    "out-of-memory": "tests/planted/test_limits.py plants a rank that runs out of memory: the job fails",
    "mtu-black-hole": "tests/planted/test_broken_network.py plants it: the job does not end",
    "outage": "tests/planted/test_broken_network.py plants a link that is down for three seconds",
    "one-way-rate": "benchmarks/causes plants it; see also tests/rules/test_far_and_slow_ways.py",
    "several-switches": "tests/slurm/test_faults.py plants it: only Slurm tells which switch a host is on",
    "far-host": "benchmarks/causes plants it; see also tests/rules/test_far_and_slow_ways.py",
    "output": "tests/planted/test_output.py plants tens of thousands of printed lines, and a pipe that is read slowly",
    "small-writes": "tests/planted/test_output.py plants writes of 64 bytes, and large ones",
    "never-returned": "tests/planted/test_hangs.py hangs jobs in six ways, and checks healthy ones while they run",
    "memory-bandwidth": "two cores of this machine do not use up its memory: in any of ten ways to go through arrays of"
    " 20 to 256 MiB, two ranks take 0.97 to 1.24 times as long as one (tests/rules/test_memory_bandwidth.py)",
    "far-memory": "this machine has one NUMA node",
    "engine-fixes": "planted once (docs/unforeseen-causes.md); see also tests/rules/test_engine_words.py",
    "engine-output": "planted once (docs/unforeseen-causes.md); see also tests/rules/test_engine_words.py",
    "neighbour-lists": "planted once (docs/unforeseen-causes.md); see also tests/rules/test_engine_words.py",
    "other-traffic": "planted once (docs/unforeseen-causes.md); see also tests/rules/test_other_traffic.py",
    "stood-still": "tests/planted/test_stopped.py plants it",
    "wrong-interface": "tests/planted/test_wrong_interface.py plants a docker0 on each host: the job does not end",
    "kernel-time": "tests/planted/test_unforeseen.py plants it in three ways",
    "slow-start": "tests/planted/test_unforeseen.py plants a script before the program",
    "small-accesses": "tests/planted/test_unforeseen.py plants an Accumulate storm",
    "slow-calls": "tests/planted/test_unforeseen_mpi.py plants a slow operation and a scattered datatype",
    "asking-threads": "planted once (docs/unforeseen-causes.md); see also tests/rules/test_asking_threads.py",
    "short-runs": "planted once (docs/unforeseen-causes.md); see also tests/rules/test_engine_words.py",
    "tiny-calls": "planted once (docs/unforeseen-causes.md); see also tests/rules/test_many_calls.py",
    "vain-polls": "planted once (docs/unforeseen-causes.md); see also tests/rules/test_many_calls.py",
    "reopened-files": "planted once (docs/unforeseen-causes.md); see also tests/rules/test_files.py",
    "slow-method": "planted once (docs/unforeseen-causes.md); see also tests/rules/test_slow_method.py",
    "small-reads": "tests/planted/test_output.py plants a seek before each number that is read",
    "text-files": "tests/planted/test_output.py plants numbers that are written as text",
    "wide-lists": "planted once (docs/unforeseen-causes.md); see also tests/rules/test_engine_words.py",
    "growing-steps": "planted once (docs/unforeseen-causes.md); see also tests/rules/test_growing_steps.py",
    "late-newcomers": "planted once (docs/unforeseen-causes.md); see also tests/python/test_newcomers.py",
    "made-again": "tests/planted/test_unforeseen_mpi.py plants communicators and windows that are made in each step",
    "mpi-threads": "tests/planted/test_unforeseen_mpi.py plants MPICH's progress threads on cores of ranks",
    "under-valgrind": "tests/planted/test_unforeseen_mpi.py runs ranks under it",
    "slow-clock": "this machine does not show its clock; tests/native/test_host_description.py has made /sys files",
    "unlike-cores": "this machine's cores are of one kind; tests/native/test_host_description.py has made /sys files",
    "not-pinned": "on two cores with one NUMA node, ranks that move between cores lose nothing measurable",
}


@dataclass(frozen=True, kw_only=True)
class Plant:
    """Its name is that of its file, with hyphens."""

    rule: str  # that must come first
    how: str  # it is planted
    instead: str  # what is so in the sound job
    faulty: Job
    others: tuple[Job, ...] = ()  # of the same job on other numbers of ranks, compared with it
    sound: Job  # must have no finding, except of `besides`
    others_of_sound: tuple[Job, ...] = ()  # as `others`
    besides: frozenset[str] = frozenset()  # rules that may be found, too, because what they say is so
    mpis: tuple[str, ...] = ("openmpi",)
    cost_known: bool = True  # the two jobs differ by the fault alone, so that their steps do by its cost
    quick: bool = True  # takes less than 20 s: one of the tests
    intensity: str = "typical"


def plants() -> Iterator[tuple[str, Plant]]:
    """All, with their names, found by being there: each file's PLANT, and those of its SLIGHT and HARD that it has."""
    for module in sorted(module.name for module in pkgutil.iter_modules(faults.__path__)):
        made, name = importlib.import_module(f"diagnosis.faults.{module}"), module.replace("_", "-")
        yield name, cast(Plant, made.PLANT)
        for intensity in INTENSITIES:
            if hasattr(made, intensity.upper()):
                plant = cast(Plant, getattr(made, intensity.upper()))
                yield f"{name}-{intensity}", replace(plant, intensity=intensity, quick=False)
