"""`clearway workload`, as a user types it."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from harness.mpis import Mpi, clearway_tool
from harness.runs import Outcome, load_page, run_command

from clearway.predict.models import make_script, program_names


def workload(*words: str | Path, mpi: Mpi | None = None, directory: Path | None = None) -> Outcome:
    environment = mpi.environment if mpi else {}
    return run_command([clearway_tool("clearway"), "workload", *words], environment, directory=directory)


def test_the_list_has_every_program() -> None:
    outcome = workload("list")
    assert outcome.exit_code == 0, outcome.says
    for name in program_names():
        assert f"  {name} " in outcome.stdout


def test_show_tells_sizes_and_source() -> None:
    outcome = workload("show", "gromacs33", "--system", "aqp1", "--ranks", "8")
    assert outcome.exit_code == 0, outcome.says
    assert "alltoall              2  42.3 KiB" in outcome.stdout  # 43,296 bytes
    assert "Kutzner" in outcome.stdout


def test_the_script_is_the_models_own(tmp_path: Path) -> None:
    target = tmp_path / "pmemd.script"
    outcome = workload("show", "pmemd", "--ranks", "4", "--steps", "3", "--cpu", "2", "--script", target)
    assert outcome.exit_code == 0, outcome.says
    assert target.read_text() == make_script("pmemd", None, 4, cpu=2, steps=3).text()
    said, next_command = outcome.stdout.splitlines()
    assert said == f"pmemd factor9 on 4 ranks, 3 steps: written to {target}"
    assert next_command == f"run it with: mpirun -np 4 clearway-workload {target}"
    assert workload("show", "pmemd", "--ranks", "4", "--script", "-").stdout == make_script("pmemd", None, 4).text()


def test_run_asks_the_launcher_how_many(debian_mpi: Mpi, tmp_path: Path) -> None:
    words = ["run", "gromacs33", "--system", "aqp1", "--steps", "2", "--scale", "0"]
    outcome = workload(*words, "--", *debian_mpi.launcher, "-np", "3", mpi=debian_mpi, directory=tmp_path)
    assert outcome.exit_code == 0, outcome.says
    assert outcome.stdout.startswith("gromacs33 aqp1 on 3 ranks: 2 steps in ")
    assert list(tmp_path.iterdir()) == []


def test_run_records(open_mpi: Mpi, tmp_path: Path) -> None:
    words = [
        "run",
        "namd",
        "--steps",
        "1",
        "--scale",
        "0",
        "-o",
        tmp_path / "run",
        "--",
        *open_mpi.launcher,
        "-np",
        "2",
    ]
    outcome = workload(*words, mpi=open_mpi, directory=tmp_path)
    assert outcome.exit_code == 0, outcome.says
    assert load_page(tmp_path / "run")["mpi_calls"]


ON_TESTBED = ("--testbed", "--hosts 4 --rate 50mbit --buffer deep")


@pytest.mark.usefixtures("privileged")
@pytest.mark.skipif(shutil.which("mpirun.openmpi") is None, reason="Debian's Open MPI is not installed")
def test_a_testbed_beside_its_prediction(tmp_path: Path) -> None:
    """A step takes at least as long as its messages do on the wire, in reality as in the model."""
    words = ("run", "gromacs33", "--steps", "2", "--scale", "0.02", *ON_TESTBED, "--compare", "--alltoall", "ordered")
    outcome = workload(*words, "-o", tmp_path / "run", directory=tmp_path)
    assert outcome.exit_code == 0, outcome.says
    assert "gromacs33 aqp1 on 4 ranks: 2 steps in " in outcome.stdout
    assert "all ranks on" in outcome.stdout
    (measured,) = re.findall(r"^ +measured +([\d.]+) (s|ms) +0 +0$", outcome.stdout, re.MULTILINE)
    (predicted,) = re.findall(r"^ +predicted, ordered +([\d.]+) (s|ms) +([\d.]+) ", outcome.stdout, re.MULTILINE)
    measured_s, predicted_s = (float(value) * (1 if unit == "s" else 1e-3) for value, unit in (measured, predicted[:2]))
    assert float(predicted[2]) == pytest.approx(predicted_s / measured_s, abs=0.02)
    script = make_script("gromacs33", None, 4)
    each_sends = sum(ranks * activity.given_bytes for ranks, activity in script.activities()) / 4
    wire_s = each_sends / (50e6 / 8)
    assert measured_s > wire_s
    assert wire_s < predicted_s < 3 * wire_s
    assert load_page(tmp_path / "run")["mpi_calls"]


@pytest.mark.parametrize(
    ("words", "said", "hint"),
    [
        (
            ("run", "gromacs33", *ON_TESTBED, "--", "mpirun"),
            "--testbed and a launcher exclude each other: the testbed starts the ranks",
            "--testbed",
        ),
        (("run", "gromacs33", "--testbed", "--wide 3"), "clearway workload run --testbed: ", "--help"),
        (("run", "gromacs33", "--compare", "--", "mpirun"), "--compare and --alltoall need --testbed", "--testbed"),
        (("run", "gromacs33"), "no launcher to start the ranks", "-- mpirun -np 8"),
        (("run", "gromacs33", "--", "sleep", "5"), "'sleep' is not an MPI launcher", "-- mpirun -np 8"),
        (
            ("run", "gromacs33", "--", "mpirun.openmpi"),
            "cannot tell the number of ranks from 'mpirun.openmpi",
            "add: --ranks 8",
        ),
        (("run", "gromacs33", "--scale", "-1", "--", "x"), "--scale must be from 0 to 1e6, not -1", "--scale 0.1"),
        (("show", "charmm"), "clearway workload show: argument NAME: invalid choice: 'charmm'", "--help"),
    ],
)
def test_bad_input(words: tuple[str, ...], said: str, hint: str) -> None:
    outcome = workload(*words)
    assert outcome.exit_code != 0
    assert outcome.stdout == ""
    assert outcome.stderr.startswith(f"error: {said}"), outcome.says
    assert hint in outcome.stderr.partition("\nhint: ")[2]


def test_a_folder_that_refuses(open_mpi: Mpi, tmp_path: Path) -> None:
    folder = tmp_path / "gone"
    folder.mkdir()
    words = ["workload", "run", "gromacs33", "--", *open_mpi.launcher, "-np", "2"]
    inside = ["sh", "-c", 'rmdir "$PWD" && exec "$@"', "sh", clearway_tool("clearway"), *words]
    outcome = run_command(inside, open_mpi.environment, directory=folder)
    assert outcome.exit_code == 1
    assert outcome.stderr.startswith("error: cannot write "), outcome.says
