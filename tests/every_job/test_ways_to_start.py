"""The ways in which people start MPI programs under Slurm, with the plugin: each is a Run, or nothing is said and
nothing is left."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from every_job.cluster import Cluster
from every_job.conftest import HERE
from harness.mpis import mpi
from harness.programs import ProgramBuilder

from clearway.run import load


def made_by(cluster: Cluster, before: list[str]) -> dict[str, list[int]]:
    """The Runs since then, with their ranks; and the spools are empty."""
    assert [cluster.spool(host) for host in ("node1", "node2")] == [[], []]
    new = [name for name in cluster.runs() if name not in before]
    return {name.partition(".")[2]: sorted(load(cluster.folder / name).processes["rank"].tolist()) for name in new}


STEPS = {
    "the shell of salloc": "salloc -N2 -n4 srun LATE",
    "no variables": "srun --export=NONE -N2 -n4 LATE",
    "one variable": "srun --export=HOME -N2 -n4 LATE",
    "a copy on each node": "srun --bcast=/tmp/copy-of-late -N2 -n4 LATE",
    "a list of programs": "srun -N2 -n4 --multi-prog HOME/programs",
    "a terminal": "script -qec 'srun --pty -N2 -n4 LATE' /dev/null",
    "a file a task": "srun -N2 -n4 --output=late.%t.out LATE && cat late.0.out",
    "a shell around it": "srun -N2 -n4 sh -c 'umask 077; LATE && true'",
    "overlap": "salloc -N2 -n4 sh -c 'srun --overlap sleep 1 & srun --overlap LATE; wait'",
}
BELOW = "import subprocess, sys; subprocess.run(sys.argv[1:], check=True)"


@pytest.mark.parametrize("name", STEPS)
def test_a_step_is_a_run_of_its_ranks(cluster: Cluster, late, name: str) -> None:  # type: ignore[no-untyped-def]
    if name == "a terminal" and shutil.which("script") is None:
        pytest.skip("no script(1)")
    (cluster.home / "programs").write_text(f"0-1 {late} 5\n2-3 {late} 5\n")
    before = cluster.runs()
    done = cluster.run("sh", "-c", STEPS[name].replace("LATE", str(late)).replace("HOME/", f"{cluster.home}/"))
    said = done.stderr.splitlines()
    assert done.returncode == 0, done
    assert "4 ranks" in done.stdout, done
    assert not [line for line in said if "clearway" in line], said
    (ranks,) = made_by(cluster, before).values()
    assert ranks == [0, 1, 2, 3]


@pytest.mark.timed  # on a busy machine Open MPI 4.1 may crash in MPI_Init under Slurm's PMIx, without Clearway as well
@pytest.mark.parametrize("around", [(), ("python3", "-c", BELOW)], ids=["alone", "python around it"])
def test_a_step_of_open_mpi_by_pmix(cluster: Cluster, late_openmpi: Path, around: tuple[str, ...]) -> None:
    before = cluster.runs()
    done = cluster.srun("--mpi=pmix", "-N2", "-n4", *around, late_openmpi)
    assert done.returncode == 0, done
    assert done.stdout == "4 ranks\n"
    assert made_by(cluster, before) == {"0": [0, 1, 2, 3]}


def test_a_step_of_two_components_is_one_run(cluster: Cluster, late: Path) -> None:
    """Under PMIx srun of such a step now and then does not return, without Clearway as well: each component's
    thread stops the same agent (pmixp_abort_agent_stop), and one waits for ever."""
    before = cluster.runs()
    done = cluster.srun("-N1", "-n2", late, ":", "-N1", "-n2", late)
    assert done.returncode == 0, done
    assert "4 ranks" in done.stdout, done
    (ranks,) = made_by(cluster, before).values()
    assert ranks == [0, 1, 2, 3]


def test_a_heterogeneous_job_is_one_run(cluster: Cluster, late: Path) -> None:
    before = cluster.runs()
    text = f"#SBATCH -n2\n#SBATCH hetjob\n#SBATCH -n2\nsrun --het-group=0,1 {late}\n"
    job = cluster.script(text)
    assert "4 ranks" in cluster.output(job)
    made = made_by(cluster, before)
    assert made == {"0": [0, 1, 2, 3]}
    assert f"{job}.0" in cluster.runs()


def test_a_job_without_the_variables_of_who_submits(cluster: Cluster, late) -> None:  # type: ignore[no-untyped-def]
    before = cluster.runs()
    job = cluster.script(f"srun -n2 {late}\n{late.parent}/../../bin/true 2>/dev/null\ntrue\n", "-n2", "--export=NONE")
    assert cluster.output(job) == "2 ranks\n"
    assert made_by(cluster, before) == {"0": [0, 1]}


def test_a_job_that_a_job_submits(cluster: Cluster, late) -> None:  # type: ignore[no-untyped-def]
    """It has the environment of the first, and of its records only its own."""
    (cluster.home / "next.sh").write_text(f"#!/bin/sh\nsrun -n2 {late}\nprintenv CLEARWAY_BATCH\n")
    for options, expected in (("", {"0": [0, 1]}), ("--clearway=off", {})):
        before = cluster.runs()
        waits = "while squeue -h -j $(cat next.number) | grep -q .; do sleep 0.2; done"
        text = f"sbatch --parsable -n2 -o next.out {options} next.sh > next.number\n{waits}\n"
        job = cluster.script(text, "-n1")
        assert cluster.output(job) == ""
        lines = (cluster.home / "next.out").read_text().splitlines()
        said = [line for line in lines if not line.startswith("clearway: ")]  # its verdict, where a cause has one
        number = (cluster.home / "next.number").read_text().strip()
        assert said == ["2 ranks", *([f"/dev/shm/clearway/{number}.batch"] if expected else [])]
        assert made_by(cluster, before) == expected


@pytest.mark.parametrize("name", ["openmpi-debian", "mpich-debian"])
def test_mpirun_in_the_shell_of_salloc(cluster: Cluster, programs: ProgramBuilder, name: str) -> None:
    """Its ranks are started by a step, if it has srun start its daemons: that is the Run."""
    one = mpi(name)
    if one.missing:
        pytest.skip(one.missing)
    program = cluster.copy(programs.build(one, f"late-{name}", str(HERE / "late.c")))
    before = cluster.runs()
    mpirun = " ".join([*one.launcher, "-n", "4", str(program)])
    done = cluster.run("salloc", "-N2", "-n4", "--ntasks-per-node=2", "sh", "-c", mpirun)
    assert (done.returncode, done.stdout) == (0, "4 ranks\n"), done
    assert "clearway" not in done.stderr
    (ranks,) = made_by(cluster, before).values()
    assert ranks == [0, 1, 2, 3]


AGENT = """#!/bin/sh
# As ssh: another environment on another host. Here the host is the same.
shift
exec env -i HOME=$HOME PATH=$PATH sh -c "$*"
"""


def test_ranks_that_ssh_starts_are_missed_and_the_page_says_so(cluster: Cluster, late_openmpi: Path) -> None:
    agent = cluster.home / "agent"
    agent.write_text(AGENT)
    agent.chmod(0o755)
    before = cluster.runs()
    # Without shared memory: both daemons are on one host, and would give their ranks' segments the same names.
    by_agent = ["--mca btl tcp,self --mca plm rsh --mca plm_rsh_agent", str(agent)]
    words = [*mpi("openmpi-debian").launcher, *by_agent, "-n 4", str(late_openmpi)]
    job = cluster.script(" ".join(words) + "\n", "-N2", "-n4", "--ntasks-per-node=2")
    assert "4 ranks" in cluster.output(job)
    assert made_by(cluster, before) == {"mpirun1": [0, 1]}
    page = " ".join(cluster.clearway("report", str(job)).stdout.split())
    assert "2 of 4 ranks left no record" in page, page
