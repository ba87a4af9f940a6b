"""Changed command lines under the real launchers: what they say reaches the ranks."""

from __future__ import annotations

import os
from collections.abc import Sequence

import pytest
from harness.mpis import Mpi
from harness.runs import run_command

from clearway.job.change import Change, changed
from clearway.job.recorded_command import find_programs


def printed(mpi: Mpi, words: Sequence[str], change: Change) -> list[str]:
    """What the ranks of `mpirun words` print, with `change`."""
    environment = {**os.environ, **mpi.environment}
    outcome = run_command(changed([*mpi.launcher, *words], change, environment), mpi.environment)
    assert outcome.exit_code == 0, outcome.says
    return outcome.lines


def test_variables_reach_every_rank_of_every_program(any_mpi: Mpi) -> None:
    change = Change(environment=(("PLANTED", "a=b c"),))
    words = ["-np", "1", "printenv", "PLANTED", ":", "-np", "2", "printenv", "PLANTED"]
    assert printed(any_mpi, words, change) == ["a=b c"] * 3


def test_ranks_and_what_was_said_before(any_mpi: Mpi) -> None:
    before = ["-x", "PLANTED=old"] if any_mpi.family == "openmpi" else ["-genv", "PLANTED", "old"]
    change = Change(environment=(("PLANTED", "new"),), ranks=3)
    assert printed(any_mpi, [*before, "-n", "1", "printenv", "PLANTED"], change) == ["new"] * 3


def test_parameters_reach_open_mpi(any_mpi: Mpi) -> None:
    if any_mpi.family != "openmpi":
        pytest.skip("parameters are Open MPI's")
    change = Change(parameters=(("btl_tcp_sndbuf", "54321"),))
    show = ["printenv", "OMPI_MCA_btl_tcp_sndbuf"]
    words = ["--mca", "btl_tcp_sndbuf", "1", "-np", "1", *show, ":", "-np", "1", *show]
    assert printed(any_mpi, words, change) == ["54321"] * 2


def test_open_mpi_takes_empty_parts(any_mpi: Mpi) -> None:
    if any_mpi.family != "openmpi":
        pytest.skip("MPICH refuses them")
    show = ["printenv", "PLANTED"]
    words = [":", "-np", "1", *show, ":", ":", "-np", "2", *show, ":"]
    assert printed(any_mpi, words, Change(environment=(("PLANTED", "new"),))) == ["new"] * 3
    command = [*any_mpi.launcher, *words]
    recorded = find_programs(command, {**os.environ, **any_mpi.environment}).recorded(["env", "PLANTED=recorded"])
    assert run_command(recorded, any_mpi.environment).lines == ["recorded"] * 3


def test_other_launcher(debian_mpi: Mpi) -> None:
    """A job of Open MPI under MPICH, and the other way round."""
    words, other = (
        (["--oversubscribe", "--mca", "btl", "self", "-x", "PLANTED=1", "-np", "2"], "mpirun.mpich")
        if debian_mpi.family == "openmpi"
        else (["-genv", "PLANTED", "1", "-n", "2"], "mpirun.openmpi")
    )
    allowed = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    command = [*debian_mpi.launcher, *words, "printenv", "PLANTED"]
    line = changed(command, Change(launcher=other), {**os.environ, **debian_mpi.environment})
    assert line[0] == other
    outcome = run_command(line, {**debian_mpi.environment, **allowed})
    assert outcome.lines == ["1", "1"], outcome.says
