"""What a job was told already is found in its environment and on its command line."""

from __future__ import annotations

from pathlib import Path

import pytest
from remedies.made_cases import INTEL, MPICH, OPEN_MPI, made_case

from clearway.diagnosis.facts.settings_in_force import (
    launcher_option,
    parameter,
    program_option,
    threads_per_rank,
    variable,
)
from clearway.diagnosis.facts.transport import transport


def test_parameter_of_the_environment(tmp_path: Path) -> None:
    case = made_case(tmp_path, environment={"OMPI_MCA_btl": "tcp,self"})
    assert parameter(case, "btl") == "tcp,self"
    assert parameter(case, "pml") is None


def test_parameter_and_variable_of_the_command_line(tmp_path: Path) -> None:
    words = (
        "mpirun.openmpi -np 4 --mca btl tcp,self --mca btl tcp,self,vader -x OMP_NUM_THREADS=2 --bind-to core ./program"
    )
    case = made_case(tmp_path, command=words.split())
    assert parameter(case, "btl") == "tcp,self,vader"
    assert variable(case, "OMP_NUM_THREADS") == "2"
    assert launcher_option(case, "bind-to") == "core"
    assert launcher_option(case, "map-by") is None


def test_program_option(tmp_path: Path) -> None:
    case = made_case(tmp_path, command_line="gmx_mpi mdrun -ntomp 3 -reprod", environment={"OMP_NUM_THREADS": "2"})
    assert program_option(case, "-ntomp") == "3"
    assert program_option(case, "-reprod") == ""
    assert program_option(case, "-npme") is None
    assert threads_per_rank(case) == 3


def test_threads_of_nonsense_are_one(tmp_path: Path) -> None:
    assert threads_per_rank(made_case(tmp_path, environment={"OMP_NUM_THREADS": "many"})) == 1


@pytest.mark.parametrize(
    ("library", "device", "environment", "expected"),
    [
        (OPEN_MPI, "", {}, "btl"),
        (OPEN_MPI, "", {"OMPI_MCA_pml": "ucx"}, "ucx"),
        (OPEN_MPI, "", {"OMPI_MCA_pml": "cm"}, "ofi"),
        (MPICH, "ch4:ucx", {}, "ucx"),
        (MPICH, "ch4:ucx ofi", {}, "ucx"),
        (MPICH, "ch4:ucx ofi", {"MPIR_CVAR_CH4_NETMOD": "ofi"}, "ofi"),
        (MPICH, "ch3:nemesis", {}, ""),
        (MPICH, "", {}, ""),
        (INTEL, "", {}, "ofi"),
        ("Cray MPT 8", "", {}, ""),
    ],
)
def test_transport(tmp_path: Path, library: str, device: str, environment: dict[str, str], expected: str) -> None:
    facts = {"mpi.device": device} if device else {}
    assert transport(made_case(tmp_path, library=library, environment=environment, facts=facts)) == expected
