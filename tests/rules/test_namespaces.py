"""Ranks of one host in different user namespaces."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from remedies.made_cases import INTEL, MPICH, OPEN_MPI, offer
from rules.network_jobs import Job

from clearway.diagnosis.facts import Case
from clearway.diagnosis.rules import blocked_cma
from clearway.job.change import Change
from clearway.run.run import Launch


def contained(
    directory: Path, costs: bool, same: bool = False, nbytes: int = 1_000_000, hosts: int = 1, **facts: str
) -> Case:
    """Ranks of a host, each in a container of its own, move data for most of the time, or for a moment."""
    job = Job(hosts=hosts, per_host=2 // hosts, nbytes=nbytes, moving_s=8.0 if costs else 0.05)
    for number, rank in enumerate(job.ranks):
        for name, value in facts.items():
            rank.fact(name.replace("__", "."), value)
        rank.fact("process.user_namespace", f"user:[{4026531837 + (0 if same else number)}]")
    return job.case(directory)


def test_ranks_in_namespaces_of_their_own(tmp_path: Path) -> None:
    case = contained(tmp_path, True)
    found = blocked_cma.examine(case)
    assert found is not None
    assert found.claims["transfer_s"] == pytest.approx(0.5 * case.losses.transfer_s)
    assert "The 2 ranks on node1 are in 2 user namespaces" in found.says


def test_where_nobody_has_to_read_anothers_memory(tmp_path: Path) -> None:
    assert blocked_cma.examine(contained(tmp_path / "same", True, same=True)) is None
    assert blocked_cma.examine(contained(tmp_path / "small", True, nbytes=1_000)) is None
    assert blocked_cma.examine(contained(tmp_path / "hosts", True, hosts=2)) is None


@pytest.mark.parametrize(
    ("library", "environment", "change"),
    [
        (OPEN_MPI, {}, Change(parameters=(("btl_vader_single_copy_mechanism", "none"),))),
        (OPEN_MPI.replace("v4", "v5"), {}, Change(parameters=(("smsc", "^cma"),))),
        (OPEN_MPI, {"OMPI_MCA_pml": "ucx"}, Change(environment=(("UCX_TLS", "^cma"),))),
        (OPEN_MPI, {"OMPI_MCA_pml": "ucx", "UCX_TLS": "sysv"}, None),
        (INTEL, {}, Change(environment=(("FI_SHM_DISABLE_CMA", "1"),))),
    ],
)
def test_an_mpi_does_without(tmp_path: Path, library: str, environment: dict[str, str], change: Change | None) -> None:
    told = {f"environment__{name}": value for name, value in environment.items()}
    found = offer("no-single-copy", contained(tmp_path, True, mpi__library=library, **told), "blocked-cma")
    assert (found.change if found else None) == change


def test_containers_are_told_to_share_in_their_own_words(tmp_path: Path) -> None:
    case = contained(tmp_path, True)
    command = ("mpirun.openmpi", "-np", "2", "podman", "run", "image", "./program")
    for words, expected in ((command, "podman run --userns=host …"), ((), "apptainer exec --sharens …")):
        launched = replace(case, run=replace(case.run, launch=Launch(words, 0, None, None, None)))
        found = offer("share-namespace", launched, "blocked-cma")
        assert found is not None and found.command == expected


def test_mpich_over_libfabric_and_ucx(tmp_path: Path) -> None:
    for device, name in (("ch4:ofi", "FI_SHM_DISABLE_CMA"), ("ch4:ucx", "UCX_TLS")):
        case = contained(tmp_path / device, True, mpi__library=MPICH, mpi__device=device)
        found = offer("no-single-copy", case, "blocked-cma")
        assert found is not None and found.change is not None
        assert found.change.environment[0][0] == name
