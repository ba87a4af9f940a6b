"""mpirun within a batch script: each is a Run, of its ranks on all hosts; what else the script does is as without."""

from __future__ import annotations

from pathlib import Path

from every_job.cluster import Cluster
from every_job.test_harmless import ALONE, CASES, folder
from harness.mpis import clearway_tool

from clearway.run import load

__all__ = ["folder"]
TWO_HOSTS = ("-N2", "-n4", "--ntasks-per-node=2")


def runs_of(cluster: Cluster, job: int) -> list[str]:
    return [name for name in cluster.runs() if name.startswith(f"{job}.")]


def ranks_in(cluster: Cluster, run: str) -> list[int]:
    return sorted(load(cluster.folder / run).processes["rank"].tolist())


def test_each_is_one_run_with_the_ranks_of_all_hosts(cluster: Cluster, launch: str) -> None:
    """Whoever starts them on the other host: a step of srun's, whose tasks are mpirun's daemons."""
    four, two = launch.replace("RANKS", "4"), launch.replace("RANKS", "2")
    # Not at the same instant: one of two mpiruns of Open MPI fails if both make /tmp/ompi.HOST.USER ("File exists").
    both = f"{two} &\nsleep 0.5\n{two} &\nwait\n"
    job = cluster.script(f"{four}\nls / | head -n 1\n{both}{launch.split()[0]} --version\n", *TWO_HOSTS)
    output = cluster.output(job)
    assert sorted(line for line in output.splitlines() if "ranks" in line) == ["2 ranks", "2 ranks", "4 ranks"], output
    assert "clearway" not in output
    assert runs_of(cluster, job) == [f"{job}.mpirun{number}" for number in (1, 2, 3)]
    assert [ranks_in(cluster, run) for run in runs_of(cluster, job)] == [[0, 1, 2, 3], [0, 1], [0, 1]]
    run = load(cluster.folder / f"{job}.mpirun1")
    assert (run.job, sorted(run.host_names), run.notes) == (f"slurm-{job}.mpirun1", ["node1", "node2"], ())
    assert [cluster.spool(host) for host in ("node1", "node2")] == [[], []]
    page = cluster.clearway("report", f"{job}.mpirun1")
    assert page.returncode == 0, page
    assert f"job {job} (job.sh) · 2 nodes" in page.stdout


def test_beside_srun_and_for_who_does_not_want_it(cluster: Cluster, launch: str, late: Path) -> None:
    two = launch.replace("RANKS", "2")
    job = cluster.script(f"srun -n2 {late}\n{two}\nsrun -n2 {late}\nsrun --clearway=off -n2 {late}\n", *TWO_HOSTS)
    assert cluster.output(job).count("2 ranks") == 4
    runs = runs_of(cluster, job)
    assert len(runs) == 3
    assert runs[-1] == f"{job}.mpirun1"
    assert [ranks_in(cluster, run) for run in runs] == [[0, 1]] * 3
    job = cluster.script(f"{two}\nenv | grep libclearway.so || echo none\n", *TWO_HOSTS, ALONE)
    assert cluster.output(job) == "2 ranks\nnone\n"
    assert runs_of(cluster, job) == []


def test_what_a_person_records_in_the_script_is_recorded_there_only(cluster: Cluster, launch: str) -> None:
    mpirun, program = launch.replace("RANKS", "4").rsplit(" ", 1)
    recorded = f"{mpirun} {clearway_tool('clearway-record')} -o {cluster.home}/mine {program}"
    job = cluster.script(f"rm -rf mine\n{recorded}\n", *TWO_HOSTS)
    assert "4 ranks" in cluster.output(job)
    assert sorted(load(cluster.home / "mine").processes["rank"].tolist()) == [0, 1, 2, 3]
    assert runs_of(cluster, job) == []
    assert [cluster.spool(host) for host in ("node1", "node2")] == [[], []]


def test_what_is_no_mpi_program_does_what_it_does_without(cluster: Cluster, folder: Path, late: Path) -> None:
    """Shells, Python, a pager, programs of other libraries: and an MPI program that nobody launched."""
    for number, line in enumerate(CASES.values()):
        (folder / f"case-{number}.sh").write_text(f"{line}\n")
    each = "".join(f"echo CASE {number}; sh ./case-{number}.sh 2>&1; echo $?\n" for number in range(len(CASES)))
    script = f"#!/bin/sh\n{each}{late}\n"
    said = []
    for options in ([], [ALONE]):
        job = cluster.script(script, "-N1", "-n1", *options)
        lines = cluster.output(job).splitlines()
        said.append([line for line in lines if "libclearway-testbed-idle.so" not in line])
        assert runs_of(cluster, job) == []
    numbered = [["".join(each for each in line if not each.isdigit()) for line in lines] for lines in said]
    assert numbered[0] == numbered[1]
    assert "1 ranks" in said[0][-1]
