"""What batch systems and machine files say of hosts."""

from __future__ import annotations

from pathlib import Path

import pytest
from cluster.clusters import example

from clearway.base.errors import ClearwayError
from clearway.cluster.batch import find_allocation, of_het_group
from clearway.cluster.files.machine_file import read_machine_file
from clearway.cluster.find import find_cluster
from clearway.cluster.placement import Request, place

THREE = [("n1", 4), ("n2", 4), ("n3", 2)]


def slots(environment: dict[str, str]) -> list[tuple[str, int | None]]:
    allocation = find_allocation(environment)
    assert allocation is not None
    return [(host.name, host.slots) for host in allocation.hosts]


def test_no_batch_system() -> None:
    assert find_allocation({"HOME": "/root"}) is None


def test_slurm() -> None:
    tasks = {"SLURM_JOB_NODELIST": "n[1-3]", "SLURM_NTASKS": "10", "SLURM_TASKS_PER_NODE": "4(x2),2"}
    assert slots(tasks) == THREE
    cores = {"SLURM_JOB_NODELIST": "n[1-3]", "SLURM_TASKS_PER_NODE": "1(x3)", "SLURM_JOB_CPUS_PER_NODE": "4(x2),2"}
    assert slots(cores) == THREE, "nobody asked for tasks: the cores count"
    with pytest.raises(ClearwayError, match="3 nodes"):
        slots({**tasks, "SLURM_TASKS_PER_NODE": "4(x2)"})


def test_slurm_with_several_cores_a_task() -> None:
    cores = {"SLURM_JOB_NODELIST": "n[1-3]", "SLURM_JOB_CPUS_PER_NODE": "8(x2),4", "SLURM_CPUS_PER_TASK": "2"}
    assert slots(cores) == THREE


def test_a_group_of_a_heterogeneous_job() -> None:
    first = {"SLURM_JOB_NODELIST": "n0", "SLURM_NTASKS": "1", "SLURM_TASKS_PER_NODE": "1"}
    second = {"SLURM_JOB_NODELIST": "n[1-3]", "SLURM_NTASKS": "10", "SLURM_TASKS_PER_NODE": "4(x2),2"}
    told = {
        f"{name}_HET_GROUP_{at}": value for at, of_it in enumerate((first, second)) for name, value in of_it.items()
    }
    environment = {**first, **told, "SLURM_HET_SIZE": "2"}
    assert slots(environment) == slots(of_het_group(environment, "0")) == [("n0", 1)]
    assert slots(of_het_group(environment, "1")) == THREE
    for group in ("2", "0,1"):
        with pytest.raises(ClearwayError, match="this job has 2 groups"):
            of_het_group(environment, group)


def test_pbs(tmp_path: Path) -> None:
    file = tmp_path / "nodes"
    file.write_text("n1\nn1\nn1\nn1\nn2\nn2\nn2\nn2\nn3\nn3\n")
    assert slots({"PBS_NODEFILE": str(file)}) == THREE


def test_grid_engine(tmp_path: Path) -> None:
    file = tmp_path / "pe"
    file.write_text("n1 4 all.q@n1 UNDEFINED\nn2 4 all.q@n2 UNDEFINED\nn3 2 all.q@n3 UNDEFINED\n")
    assert slots({"PE_HOSTFILE": str(file)}) == THREE


def test_lsf() -> None:
    assert slots({"LSB_MCPU_HOSTS": "n1 4 n2 4 n3 2"}) == THREE
    assert slots({"LSB_HOSTS": "n1 n1 n1 n1 n2 n2 n2 n2 n3 n3"}) == THREE


def test_machine_files_in_all_spellings(tmp_path: Path) -> None:
    """The first two lines are those of Robert Duke's mail, blanks and all."""
    file = tmp_path / "machines"
    file.write_text(
        "tiger : 2\nlion :2\n\n# compute nodes\nn1 slots=4 max_slots=8\nn2 cpu=2\nn3\nn3\nn4:1 binding=user:0\n"
    )
    found = [(host.name, host.slots) for host in read_machine_file(file)]
    assert found == [("tiger", 2), ("lion", 2), ("n1", 4), ("n2", 2), ("n3", 2), ("n4", 1)]
    file.write_text("n1\n= 3\n")
    with pytest.raises(ClearwayError, match="line 2"):
        read_machine_file(file)


def test_a_cluster_as_far_as_it_was_given(tmp_path: Path) -> None:
    """The batch system says which hosts and how many ranks, the file says all else."""
    nodes = tmp_path / "nodes"
    nodes.write_text("node3.cluster.local\nnode3.cluster.local\nnode1\n")
    file = Path(__file__).resolve().parents[2] / "examples" / "clusters" / "beowulf-2000.toml"
    cluster = find_cluster(file, None, {"PBS_NODEFILE": str(nodes)})
    placement = place(cluster, Request())
    assert [(seat.host.name, seat.cpus) for seat in placement.seats] == [
        ("node3", (0,)),
        ("node3", (1,)),
        ("node1", (0,)),
    ]
    assert [host.cores for host in cluster.hosts] == [example("beowulf-2000").hosts[0].cores] * 2
    nodes.write_text("node9\n")
    with pytest.raises(ClearwayError, match="PBS_NODEFILE gives host 'node9'"):
        find_cluster(file, None, {"PBS_NODEFILE": str(nodes)})
