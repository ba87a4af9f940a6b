"""Faults that people have under Slurm, each planted: it comes first, with the remedy in Slurm's words, and the job
without it has none of it."""

from __future__ import annotations

import re
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from harness.mpis import mpi
from harness.programs import ProgramBuilder
from harness.slurm import Person
from slurm.conftest import MANAGEMENT

from clearway.diagnosis.diagnose import diagnose
from clearway.diagnosis.facts import Case, open_case
from clearway.diagnosis.facts.other_jobs import other_jobs
from clearway.diagnosis.finding import Finding
from clearway.run import load
from clearway.testbed.layout import HEAD
from clearway.testbed.processors import PERIOD_US, group_prefix
from clearway.testbed.slurm import USERS

ANYWAY = {"foreign-load", "slow-build"}  # other tests use the machine, too
MPI = "openmpi-debian"
ONE_NODE = ("--nodes=1", "--ntasks=2")


class Jobs:
    """Batch jobs of one person, each recorded by `clearway run` in its script."""

    def __init__(self, person: Person, folder: Path) -> None:
        self.person, self.folder, self.number = person, folder, 0

    def each(
        self, launches: Sequence[str], options: Sequence[str], before: str = "", ends_well: bool = True
    ) -> list[list[Finding]]:
        """What the pages of one job's steps find, costliest first. `launches`: srun's lines."""
        runs = [self.folder / str(self.number + at) for at in range(1, len(launches) + 1)]
        self.number += len(launches)
        end = "" if ends_well else " || true"
        recorded = [f"clearway run -q -o {run} -- {line}{end}" for run, line in zip(runs, launches, strict=True)]
        script = "\n".join(["#!/bin/bash", f"export SLURM_MPI_TYPE={MANAGEMENT[MPI]}", before, *recorded, ""])
        self.person.submit(script, *options, name=f"{self.folder.name}.sh")
        cases = [open_case(load(run)) for run in runs]
        self.case = cases[-1]
        return [[one.finding for one in diagnose(case)] for case in cases]

    def found(self, launch: str, options: Sequence[str], before: str = "", ends_well: bool = True) -> list[Finding]:
        (found,) = self.each([launch], options, before, ends_well)
        return found


@pytest.fixture
def jobs(person: Person, folder: Path) -> Jobs:
    return Jobs(person, folder)


@pytest.fixture(scope="module")
def crowded(person: Person, programs: ProgramBuilder) -> Path:
    """Two ranks that compute between barriers."""
    return built(person, programs, "crowded")


class Twin:
    """Such a job with nothing planted, which several faults have as their twin: it runs once, if nothing is found."""

    def __init__(self, jobs: Jobs, program: Path) -> None:
        self.jobs, self.launch = jobs, f"srun -n2 --cpu-bind=cores {program} 0.02 30"
        self.case: Case | None = None

    def clean(self) -> Case:
        if self.case is None:
            found = self.jobs.found(self.launch, ONE_NODE)
            assert not rules_of(found), found
            self.case = self.jobs.case
        return self.case


@pytest.fixture(scope="module")
def twin(person: Person, crowded: Path) -> Twin:
    return Twin(Jobs(person, person.home / "twin"), crowded)


def built(person: Person, programs: ProgramBuilder, name: str, flags: Sequence[str] = ()) -> Path:
    if mpi(MPI).missing:
        pytest.skip(mpi(MPI).missing)
    return person.brings(programs.build(mpi(MPI), f"{name}-{MPI}", f"{name}.c", flags=flags))


def first_of(found: Sequence[Finding], besides: str = "") -> Finding:
    """The first of those that are no other test's doing."""
    told = [each for each in found if each.rule not in ANYWAY - {besides}]
    assert told, "nothing was found"
    return told[0]


def rules_of(found: Sequence[Finding]) -> set[str]:
    return {each.rule for each in found} - ANYWAY


def remedy(finding: Finding, name: str) -> str:
    return next(each.command for each in finding.remedies if each.id == name)


@pytest.mark.timed
def test_srun_that_drops_the_cpus_of_a_task(jobs: Jobs, person: Person, programs: ProgramBuilder) -> None:
    """From 22.05 on srun does not know what sbatch was told: --cpus-per-task, and binds each rank to one core."""
    teams = built(person, programs, "teams", ["-fopenmp"])
    options, two = ("--nodes=1", "--ntasks=1", "--cpus-per-task=2"), "export OMP_NUM_THREADS=2"
    work = f"{teams} openmp 50 0.02 0.02 0"
    planted, twin = jobs.each([f"srun {c}--cpu-bind=cores {work}" for c in ("", "-c2 ")], options, two)
    found = first_of(planted)
    assert found.rule == "shared-core"
    assert found.title == "2 threads of rank 0 share 1 core"
    assert "--cpus-per-task=2" in remedy(found, "cores-for-threads")
    assert "shared-core" not in rules_of(twin)


@pytest.mark.timed
@pytest.mark.alone  # a core with nothing to do has none while another test uses it
def test_ranks_that_were_stacked_on_one_core_and_a_core_with_nothing_to_do(
    jobs: Jobs, crowded: Path, twin: Twin
) -> None:
    twin.clean()
    planted = [f"srun --cpu-bind=map_cpu:0,0 {crowded} 0.02 30", f"srun -n1 {crowded} 0.02 30"]
    stacked, half = jobs.each(planted, ONE_NODE)
    found = first_of(stacked)
    assert found.rule == "shared-core"
    assert "2 for 1" in {each.value for each in found.evidence}
    command = remedy(found, "one-rank-a-core")
    assert re.search(rf"srun --cpu-bind=cores --cpus-per-task=1 \S+crowded-{MPI}", command), command

    found = first_of(half)
    assert found.rule == "idle-allocation"
    assert "allocated 2 cores, but 1 of them had none of its threads" in found.says
    assert "SLURM_JOB_CPUS_PER_NODE" in {each.source for each in found.evidence}
    assert re.search(r"srun (-n ?2|--ntasks=2)\b", remedy(found, "more-ranks"))


@contextmanager
def job_of_another(person: Person, node: str) -> Iterator[str]:
    """Its number: two tasks that compute for nothing, until the end of this."""
    asked = ["sbatch", "--parsable", "--oversubscribe", "--nodes=1", "--ntasks=2", "--mem=50M", f"--nodelist={node}"]
    burns = "srun --ntasks=2 sh -c 'while :; do :; done'"
    sbatch = [*asked, "--output=/dev/null", f"--wrap={burns}"]

    def other(*command: str) -> str:
        line = person.testbed.on_host(HEAD, command, USERS[1].name)
        return subprocess.run(line, capture_output=True, text=True, timeout=30, check=True).stdout.strip()

    number = other(*sbatch)
    try:
        end = time.monotonic() + 30
        while f"{number}.0" not in other("squeue", "--steps", "--noheader", f"--jobs={number}"):
            assert time.monotonic() < end, "the other job does not begin"
            time.sleep(0.1)
        yield number
    finally:
        other("scancel", number)


@pytest.mark.timed
def test_another_users_job_on_the_same_node(jobs: Jobs, person: Person, crowded: Path, twin: Twin) -> None:
    options = (*ONE_NODE, "--oversubscribe", "--mem=200M", "--nodelist=node1")
    with job_of_another(person, "node1") as number:
        found = first_of(jobs.found(f"srun --cpu-bind=cores {crowded} 0.02 40", options), "foreign-load")
    assert found.rule == "foreign-load"
    assert f"Slurm ran job {number} there at the same time." in found.says
    assert f"used by job {number} on node1" in {each.what for each in found.evidence}
    assert found.remedies[0].id == "whole-nodes"
    assert remedy(found, "whole-nodes") == "sbatch --exclusive …"
    assert not other_jobs(twin.clean())


@pytest.mark.skipif(not Path("/sys/fs/cgroup/memory/tasks").exists(), reason="Slurm limits no memory here")
def test_the_limit_of_memory(jobs: Jobs, person: Person, programs: ProgramBuilder) -> None:
    limits = built(person, programs, "limits")
    found = first_of(jobs.found(f"srun {limits} grows 10 40", (*ONE_NODE, "--mem=200M"), ends_well=False))
    assert found.rule == "out-of-memory"
    assert remedy(found, "more-memory") == "sbatch --mem=400M …"
    assert "out-of-memory" not in rules_of(jobs.found(f"srun {limits} grows 10 40", (*ONE_NODE, "--mem=800M")))


@contextmanager
def slow(person: Person, node: str, share: float = 0.2) -> Iterator[None]:
    """A host that gets this share of one processor."""
    group = Path(f"{group_prefix(person.testbed.layout)}{node}")
    if not (group / "cpu.cfs_quota_us").exists():
        pytest.skip("no control groups of version 1")
    (group / "cpu.cfs_period_us").write_text(str(PERIOD_US))
    (group / "cpu.cfs_quota_us").write_text(str(round(share * PERIOD_US)))
    try:
        yield
    finally:
        (group / "cpu.cfs_quota_us").write_text("-1")


@pytest.mark.timed
def test_a_slow_node(jobs: Jobs, person: Person, crowded: Path) -> None:
    options = ("--nodes=2", "--ntasks-per-node=1", "--exclusive", "--nodelist=node[3-4]")
    launch = f"srun --cpu-bind=none {crowded} 0.02 20"  # bound, both would have the same processor of this machine
    with slow(person, "node4"):
        found = first_of(jobs.found(launch, options))
    assert found.rule == "slow-host"
    assert "on node4 did less in the same time" in found.says
    assert remedy(found, "leave-host-out") == "sbatch --exclude=node4 …"
    assert "slow-host" not in rules_of(jobs.found(launch, options))


def test_an_allocation_over_two_switches(jobs: Jobs, person: Person, programs: ProgramBuilder) -> None:
    """node1 and node2 are on the first switch, node3 and node4 on the second. `clearway fix` shows what only the batch
    script can ask for, and writes it; sbatch takes it.
    """
    exchange = built(person, programs, "exchange")
    launch, nodes = f"srun {exchange} alltoall 200000 6", ("--nodes=2", "--ntasks=2")
    found = first_of(jobs.found(launch, (*nodes, "--nodelist=node2,node3")))
    assert found.rule == "several-switches"
    assert "hosts of 2 switches" in found.says
    assert remedy(found, "one-switch") == "sbatch --switches=1 …"

    script = person.home / "net.sh"
    script.write_text(f"#!/bin/bash\n#SBATCH --nodes=2 --ntasks=2\n{launch} > said\n")
    said = person.types(f"clearway fix --from {jobs.folder}/1 --remedy one-switch --dry-run --write net.sh")
    assert "With one-switch, which is not tried: it is another allocation." in said
    assert "+#SBATCH --switches=1" in said
    assert script.read_text().splitlines()[1:3] == ["#SBATCH --nodes=2 --ntasks=2", "#SBATCH --switches=1"]
    person.types("sbatch --test-only net.sh")

    on_one = jobs.found(launch, (*nodes, "--switches=1"))
    assert len(jobs.case.run.host_names) == 2
    assert "several-switches" not in rules_of(on_one)
