"""`clearway fix job.sh`: recorded as a job, a patch to the script, proved in turns on the same nodes, written."""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from harness.mpis import mpi
from harness.programs import ProgramBuilder
from harness.slurm import Person
from slurm.test_faults import slow

from clearway.testbed.layout import HEAD

# Two ranks on one of the two processors that the job has there.
SCRIPT = """#!/bin/bash
#SBATCH --nodes=1 --ntasks-per-node=2
#SBATCH --time=5

work=20
srun --cpu-bind=map_cpu:0,0 \\
    {program} 0.02 "$work" > said.txt
"""


@pytest.mark.timed
def test_a_batch_script_is_patched_and_the_patch_is_proved(
    person: Person, programs: ProgramBuilder, folder: Path
) -> None:
    program = person.brings(programs.build(mpi("openmpi-debian"), "crowded", "crowded.c"))
    script = person.home / "crowded.sh"
    script.write_text(SCRIPT.format(program=program))
    script.chmod(0o755)
    said = person.types(f"clearway fix --rounds 3 --remedy one-rank-a-core -o {folder} crowded.sh 2>&1")
    assert "0 of 1 done" in said
    said = person.types(f"clearway fix --resume {folder} --watch --write 2>&1")
    assert "4 of 4 done" in said
    assert "+srun --cpu-bind=cores --cpus-per-task=1 \\\n     " in said
    assert "one-rank-a-core gives back" in said
    if "stays as it is" not in said:  # three rounds on a busy machine may prove nothing
        assert "now has one-rank-a-core; the original is crowded.sh.orig" in said
        assert "--cpu-bind=cores" in script.read_text()
        assert (person.home / "crowded.sh.orig").read_text() == SCRIPT.format(program=program)
    assert script.stat().st_mode & 0o777 == 0o755
    assert not (person.home / "slurm-1.out").exists()

    run = next((folder / "first-run").iterdir())
    script.write_text(SCRIPT.format(program=program))
    asked = f"clearway fix --from {run} --remedy one-rank-a-core --dry-run"
    diff = "".join(person.types(f"{asked} crowded.sh").partition("With one-rank-a-core:\n")[2])
    (person.home / "a.patch").write_text(diff)
    person.types("patch -p1 < a.patch")  # another program applies it
    patched = script.read_text()
    script.write_text(SCRIPT.format(program=program))
    person.types(f"{asked} --write crowded.sh")
    assert script.read_text() == patched != SCRIPT.format(program=program)
    assert subprocess.run(["bash", "-n", script], timeout=30).returncode == 0


GROWS = """#!/bin/bash
#SBATCH --nodes=1 --ntasks=2 --mem=200M
#SBATCH --time=5
srun {program} grows 10 25
"""


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.skipif(not Path("/sys/fs/cgroup/memory/tasks").exists(), reason="Slurm limits no memory here")
def test_another_allocation_is_proved_by_jobs_of_its_own(
    person: Person, programs: ProgramBuilder, folder: Path
) -> None:
    """What only sbatch can be asked for. The job fails as it is, so the proof is that it ends."""
    program = person.brings(programs.build(mpi("openmpi-debian"), "limits", "limits.c"))
    script = person.home / "grows.sh"
    script.write_text(GROWS.format(program=program))
    person.types(f"clearway fix --rounds 3 -o {folder} grows.sh 2>&1")
    said = person.types(f"clearway fix --resume {folder} --watch --write 2>&1", timeout_s=300)
    assert "With more-memory, in jobs of its own:" in said
    assert "+#SBATCH --mem=400M" in said
    assert "With more-memory the job ended well in 2 of 2 runs; unchanged it fails." in said, said + person.logs()
    assert "grows.sh now has more-memory; the original is grows.sh.orig" in said
    assert script.read_text() == GROWS.format(program=program).replace(
        "#SBATCH --nodes=1 --ntasks=2 --mem=200M", "#SBATCH --mem=400M --nodes=1 --ntasks=2"
    )
    person.submit(script.read_text(), name="grows-again.sh", timeout_s=200)


SLOW = """#!/bin/bash
#SBATCH --nodes=2 --ntasks-per-node=1
#SBATCH -x node1 --time=5
srun --mpi=pmi2 --cpu-bind=none {program} 0.02 20
"""


def told(person: Person, *words: str) -> None:
    """By the site's administrator."""
    subprocess.run(person.testbed.on_host(HEAD, ["scontrol", "update", *words]), check=True, timeout=30)


@contextmanager
def nodes_are(person: Person, settings: dict[str, str]) -> Iterator[None]:
    """What the site says of its nodes, by their names; afterwards nothing again."""
    try:
        for node, words in settings.items():
            told(person, f"NodeName={node}", *words.split())
        yield
    finally:
        for node, words in settings.items():
            nothing = [f"{each.partition('=')[0]}={'1' if 'Weight' in each else ''}" for each in words.split()]
            told(person, f"NodeName={node}", *nothing)


@contextmanager
def taken(person: Person, nodes: Sequence[str]) -> Iterator[None]:
    """Nodes that are in use by others. The first becomes free when a job waits for better ones than there are."""
    ends = threading.Event()

    def free(nodes: Sequence[str], are: bool) -> None:
        told(person, f"NodeName={','.join(nodes)}", *(["State=RESUME"] if are else ["State=DRAIN", "Reason=taken"]))

    def give_way() -> None:
        is_free = False
        while not ends.wait(0.2):
            waits = "(Resources)" in person.types("squeue --noheader --states=PENDING --format=%R")
            if waits != is_free:  # who runs there already goes on
                free(nodes[:1], are=waits)
                is_free = waits

    free(nodes, are=False)
    giving = threading.Thread(target=give_way)
    giving.start()
    try:
        yield
    finally:
        ends.set()
        giving.join()
        free(nodes, are=False)  # Slurm refuses to resume the one that is in use
        free(nodes, are=True)


def proof(person: Person, folder: Path, script: str, *options: str) -> tuple[dict[str, dict[str, Any]], str]:
    """The rows of the table, and what was said. On a quiet machine it is clear after three rounds."""
    person.types(f"clearway fix --rounds 12 {' '.join(options)} -o {folder} {script} 2>&1")
    said = person.types(f"clearway fix --resume {folder} --watch --write --json {folder}.json 2>&1", timeout_s=400)
    assert folder.with_suffix(".json").exists(), said + person.logs()
    return {row["name"]: row for row in json.loads(folder.with_suffix(".json").read_text())["rows"]}, said


def is_proved(row: dict[str, Any]) -> bool:
    """Rounds go on until the interval has no 1 in it, and no longer: on a busy machine it is wide."""
    return bool(row["ratio_high"] < 1 and row["ratio"] < 0.8)


@pytest.mark.slow
@pytest.mark.timed
@pytest.mark.timeout(500)
def test_a_slow_host_is_left_out_and_the_jobs_without_it_are_faster(
    person: Person, programs: ProgramBuilder, folder: Path
) -> None:
    """Of the same work: as many ranks, which call as often. What the script excludes stays so."""
    if mpi("mpich-debian").missing:
        pytest.skip(mpi("mpich-debian").missing)
    program = person.brings(programs.build(mpi("mpich-debian"), "crowded-mpich", "crowded.c"))
    script = person.home / "slow.sh"
    script.write_text(SLOW.format(program=program))
    with slow(person, "node4", 0.1):
        rows, said = proof(person, folder, script.name, "--remedy", "leave-host-out")
    assert is_proved(rows["leave-host-out"]), said
    assert not rows["leave-host-out"]["not_compared"]
    assert "leave-host-out gives back" in said
    assert "sbatch --exclude=node4,node1 slow.sh" in said, "what was tried: on the command line it replaces -x node1"
    assert "#SBATCH --exclude=node4,node1 --time=5" in script.read_text()
    submitted = [json.loads(path.read_text()) for path in sorted((folder / "jobs").glob("*.json"))]
    assert [len(job["arrays"]) for job in submitted] == [1, 13], "each stretch of equal options is an array"


@pytest.mark.slow
@pytest.mark.timed
@pytest.mark.timeout(500)
def test_hosts_with_the_feature_that_the_slow_one_lacks_are_faster(
    person: Person, programs: ProgramBuilder, folder: Path
) -> None:
    if mpi("mpich-debian").missing:
        pytest.skip(mpi("mpich-debian").missing)
    program = person.brings(programs.build(mpi("mpich-debian"), "crowded-mpich", "crowded.c"))
    script = person.home / "kinds.sh"
    script.write_text(SLOW.replace("-x node1", "-C ib").format(program=program))
    kinds = {f"node{at}": f"AvailableFeatures={at} ActiveFeatures={at}" for at in (1, 2, 3, 4)}
    kinds = {node: words.replace("=4", "=old,ib").replace("=3", "=new,ib") for node, words in kinds.items()}
    kinds = {node: words.replace("=2", "=new,ib").replace("=1", "=none") for node, words in kinds.items()}
    with slow(person, "node4", 0.1), nodes_are(person, kinds), nodes_are(person, {"node2": "Weight=9"}):
        rows, said = proof(person, folder, script.name, "--remedy", "alike-hosts")
    assert "ask for hosts with the feature 'new'" in said
    assert "+#SBATCH '--constraint=new&ib' --time=5" in said
    assert is_proved(rows["alike-hosts"]), said
    assert "sbatch '--constraint=new&ib' kinds.sh" in said, "what was tried: on the command line it replaces -C ib"
    assert "#SBATCH '--constraint=new&ib' --time=5" in script.read_text(), said


@pytest.mark.slow
@pytest.mark.timed
@pytest.mark.timeout(500)
def test_one_switch_is_faster_than_two(person: Person, programs: ProgramBuilder, folder: Path) -> None:
    """One node on each switch is free; who asks for one switch waits for another node. The way between them is slow."""
    program = person.brings(programs.build(mpi("openmpi-debian"), "exchange", "exchange.c"))
    script = person.home / "switches.sh"
    script.write_text(
        f"#!/bin/bash\n#SBATCH --nodes=2 --ntasks-per-node=1\n#SBATCH --time=5\n"
        f"srun --mpi=pmix --cpu-bind=none {program} alltoall 400000 8\n"
    )
    with taken(person, ["node1", "node4"]):
        rows, said = proof(person, folder, script.name, "--remedy", "one-switch")
    assert is_proved(rows["one-switch"]), said
    assert "#SBATCH --switches=1" in script.read_text(), said
