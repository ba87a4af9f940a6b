"""`mpirun --app` and `mpiexec -configfile`: the recorder stands before each program that the file lists."""

from __future__ import annotations

from pathlib import Path

import pytest
from harness.mpis import Mpi, clearway_tool
from harness.runs import run_command

from clearway.base.errors import ClearwayError
from clearway.job.launcher_options import Grammar
from clearway.job.launchers.mpich_hydra import HYDRA
from clearway.job.launchers.openmpi import OPEN_MPI_4
from clearway.job.recorded_command import find_programs

OF_OPEN_MPI = """# ocean and atmosphere
  -np 1 ./ocean -n 4

-np 3 -x A=b --wdir sub\t./atmosphere "two words" : -np 9"""
OF_HYDRA = """-n 1 ./ocean -n 4 : -n 2 ./ice
-n 1 -env A b ./atmosphere one \\
  -n two
"""


def recorded(grammar: Grammar, option: str, path: Path, directory: Path) -> list[str]:
    command = ["mpirun", "-v", option, str(path), "-np", "7"]
    job = find_programs(command, {}, lambda word, _: grammar if word == "mpirun" else None)
    return job.recorded(["/bin/clearway-record", "-o", str(directory), "--job", "7"])


@pytest.mark.parametrize(
    ("grammar", "option", "text", "programs"),
    [
        (OPEN_MPI_4, "--app", OF_OPEN_MPI.replace(" : -np 9", ""), ["./ocean", "./atmosphere"]),
        (HYDRA, "-configfile", OF_HYDRA, ["./ocean", "./ice", "./atmosphere"]),
        (HYDRA, "--ConfigFile", OF_HYDRA, ["./ocean", "./ice", "./atmosphere"]),
    ],
)
def test_before_each_program_of_the_file(
    grammar: Grammar, option: str, text: str, programs: list[str], tmp_path: Path
) -> None:
    path = tmp_path / "jobs.txt"
    path.write_text(text)
    made = tmp_path / "programs.txt"
    assert recorded(grammar, option, path, tmp_path) == ["mpirun", "-v", option, str(made), "-np", "7"]
    recorder = f"/bin/clearway-record -o {tmp_path} --job 7 "
    said = made.read_text()
    assert said.replace(recorder, "") == text
    assert [part.split()[0] for part in said.split(recorder)[1:]] == programs
    assert path.read_text() == text


def test_what_cannot_be_is_said(tmp_path: Path) -> None:
    with pytest.raises(ClearwayError, match=r"cannot read '.*none', the list of programs of mpirun"):
        recorded(OPEN_MPI_4, "--app", tmp_path / "none", tmp_path)
    path = tmp_path / "jobs.txt"
    path.write_text("-np 1 ./ocean\n")
    with pytest.raises(ClearwayError, match="cannot hold the path of the Run directory"):
        recorded(OPEN_MPI_4, "--app", path, tmp_path / "a b")
    path.write_text("-np 1\n")
    with pytest.raises(ClearwayError, match="no program in the command line"):
        recorded(OPEN_MPI_4, "--app", path, tmp_path)


def test_the_launchers_read_it(any_mpi: Mpi, tmp_path: Path) -> None:
    option, number = ("--app", "-np") if any_mpi.family == "openmpi" else ("-configfile", "-n")
    (tmp_path / "jobs.txt").write_text(f"{number} 1 /bin/echo one\n{number} 1 /bin/echo two\n")
    job = [*any_mpi.launcher, option, "jobs.txt"]
    bare = run_command(job, any_mpi.environment, 50, tmp_path)
    assert (bare.exit_code, sorted(bare.stdout.split())) == (0, ["one", "two"]), bare.says
    own = [clearway_tool("clearway"), "run", "-q", "-o", "run", "--"]
    outcome = run_command([*own, *job], any_mpi.environment, 50, tmp_path)
    assert (outcome.exit_code, sorted(outcome.stdout.split())) == (0, ["one", "two"]), outcome.says
    assert (tmp_path / "run" / "programs.txt").read_text().count("clearway-record") == 2
