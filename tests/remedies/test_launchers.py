"""What remedies say to launchers, said to real ones."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from remedies.made_cases import INTEL, MPICH, OPEN_MPI, OPEN_MPI_5, made_case, offer

from clearway.base.errors import ClearwayError
from clearway.job.change import changed
from clearway.testbed import find_mpi

LIBRARIES = {"openmpi": OPEN_MPI, "openmpi5": OPEN_MPI_5, "mpich": MPICH, "mpich5": MPICH, "impi": INTEL}
SHOW_CORES = ("grep", "Cpus_allowed_list", "/proc/self/status")


@pytest.mark.parametrize("name", LIBRARIES)
@pytest.mark.skipif((os.cpu_count() or 1) < 2, reason="two ranks need two cores")
def test_pinned_ranks_have_a_core_each(tmp_path: Path, name: str) -> None:
    try:
        mpi = find_mpi(name)
    except ClearwayError as error:
        pytest.skip(error.message)
    found = offer("pin-ranks", made_case(tmp_path, library=LIBRARIES[name]), "not-pinned")
    assert found is not None and found.change is not None
    environment = {**os.environ, **mpi.environment}
    command = changed([str(mpi.launcher), "-np", "2", *SHOW_CORES], found.change, environment)
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=True)
    cores = [line.split()[1] for line in ended.stdout.splitlines()]
    assert len(cores) == 2
    assert len(set(cores)) == 2
    assert all(core.isdecimal() for core in cores)
