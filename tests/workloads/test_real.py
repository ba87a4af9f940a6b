"""Scripts over real MPIs: every byte arrives, damage is noticed, and the recorder sees what the Script says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from harness.mpis import Mpi, clearway_tool
from harness.programs import ProgramBuilder
from harness.runs import Outcome, counted, load_page, run_command, run_job
from testbed.conftest import clearway

from clearway.predict.models import make_script

EVERY_KIND = Path(__file__).parent / "every_kind.script"
TIMES = re.compile(r"(.+): (\d+) steps in [\d.]+ s, ([\d.]+) ms a step \([\d.]+ to [\d.]+\)\n")


def run_script(mpi: Mpi, script: Path, ranks: int, *options: str, **settings: object) -> Outcome:
    return run_job(mpi, [clearway_tool("clearway-workload"), script, *options], ranks, **settings)  # type: ignore[arg-type]


def test_every_kind_on_every_mpi(any_mpi: Mpi) -> None:
    if any_mpi.name == "mpich-standard-abi":
        pytest.skip("its launcher is MPICH's, whose usual library is loaded")
    outcome = run_script(any_mpi, EVERY_KIND, 4)
    assert outcome.exit_code == 0, outcome.says
    told = TIMES.fullmatch(outcome.stdout)
    assert told, outcome.says
    assert told.group(1, 2) == ("every kind on 4 ranks", "3")


@pytest.mark.timed  # mpirun does not always end within the limit after a rank's error, bare as well
def test_damage_is_noticed(open_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path) -> None:
    library = programs.build_plain("libflips.so", "flips_a_byte.c", shared=True)
    script = tmp_path / "one.script"
    script.write_text("clearway-script 1\nranks 2\nrank 0-1\nalltoall 100\n")
    assert run_script(open_mpi, script, 2).exit_code == 0
    outcome = run_script(open_mpi, script, 2, environment={"LD_PRELOAD": str(library)})
    assert outcome.exit_code != 0
    # It damages the second byte of what rank 0 receives from rank 1: a word of eight is named by its first.
    assert "clearway-workload: rank 0, step 0: the message from rank 1 of 'world'" in outcome.stderr
    assert "is wrong at byte 0 of 100" in outcome.stderr


def test_the_recorder_sees_what_the_script_says(debian_mpi: Mpi, tmp_path: Path, run_directory: Path) -> None:
    ranks, steps = 3, 2
    script = make_script("gromacs33", "aqp1", ranks)
    path = tmp_path / "aqp1.script"
    path.write_text(script.text())
    outcome = run_script(debian_mpi, path, ranks, "--steps", str(steps), "--scale", "0", run_directory=run_directory)
    assert outcome.exit_code == 0, outcome.says
    recorded = counted(load_page(run_directory))
    for kind, function in (("sendrecv", "MPI_Sendrecv"), ("alltoall", "MPI_Alltoall"), ("allreduce", "MPI_Allreduce")):
        calls = [(number, activity) for number, activity in script.activities() if activity.kind == kind]
        own_block = 1 if kind == "alltoall" else 0  # which MPI counts as sent
        expected = {
            "count": steps * sum(number for number, _ in calls),
            "bytes": steps * sum(number * activity.bytes * (activity.copies + own_block) for number, activity in calls),
        }
        assert recorded[function] == expected


def test_flow_serves_the_collective_calls(debian_mpi: Mpi, tmp_path: Path, run_directory: Path) -> None:
    """And their contents are checked with its orderings as well."""
    script = tmp_path / "transpose.script"
    script.write_text("clearway-script 1\nranks 4\nsteps 60\nrank 0-3\nalltoall 3000\n")
    settings = {"CLEARWAY_FLOW_HOSTS": "4"}
    outcome = run_script(
        debian_mpi, script, 4, run_directory=run_directory, record_options=["--flow"], environment=settings
    )
    assert outcome.exit_code == 0, outcome.says
    (row,) = load_page(run_directory)["flow"]
    assert (row["operation"], row["calls"]) == ("alltoall", 60)
    assert len(row["ways"]) > 1


def test_ranks_that_share_a_core_take_turns(open_mpi: Mpi, tmp_path: Path) -> None:
    """Computing is time of a core: a step of two ranks on one lasts as long as both together, at least."""
    script = tmp_path / "busy.script"
    script.write_text("clearway-script 1\nranks 2\nsteps 5\nrank 0-1\ncompute 50000000\nbarrier\n")
    program = ["taskset", "-c", "0", clearway_tool("clearway-workload"), script]
    outcome = run_job(open_mpi, program, 2)
    told = TIMES.fullmatch(outcome.stdout)
    assert told, outcome.says
    assert float(told.group(3)) > 0.95 * 100


def test_a_script_for_other_ranks(debian_mpi: Mpi) -> None:
    outcome = run_script(debian_mpi, EVERY_KIND, 2)
    assert outcome.exit_code != 0
    assert "clearway-workload: the Script is for 4 ranks, but the job has 2\n\nhint: mpirun -np 4\n" in outcome.stderr


@pytest.mark.parametrize(
    ("text", "said", "hint"),
    [
        ("clearway-script 2\n", "bad.script, line 1: the Script has version 2, this program reads version 1", "show"),
        (
            "clearway-script 1\nranks 2\nrank 0\nsend 1\n",
            "line 4: 'send' needs another value",
            "send PEER BYTES [tag N]",
        ),
        ("clearway-script 1\nranks 2\nrank 0\nsend 1 5\n", "bad.script: no rank receives the message", "receive"),
        ("", "cannot read", "clearway workload show"),
    ],
)
def test_what_makes_no_sense(text: str, said: str, hint: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.script"
    path.write_text(text)
    outcome = run_command([clearway_tool("clearway-workload"), "--check", path])
    assert outcome.exit_code == 1
    assert outcome.stdout == ""
    assert said in outcome.stderr, outcome.says
    assert hint in outcome.stderr.partition("\nhint: ")[2]


@pytest.mark.usefixtures("privileged")
@pytest.mark.parametrize("mpi_name", ["openmpi", "mpich"])
def test_on_a_testbed(mpi_name: str) -> None:
    program = [clearway_tool("clearway-workload"), EVERY_KIND]
    outcome = clearway("run", "--hosts", "2", "--per-host", "2", "--buffer", "deep", "--mpi", mpi_name, "--", *program)
    assert outcome.exit_code == 0, outcome.says
    assert "every kind on 4 ranks: 3 steps in " in outcome.stdout
