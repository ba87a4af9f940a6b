"""`clearway tune --site`: what Runs were recorded to call is measured in each way that their MPI has."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest
from harness.command_line import run_clearway
from harness.mpis import clearway_tool, mpi
from harness.programs import ProgramBuilder
from harness.runs import run_command
from rules.network_jobs import Job
from tune.made_sweeps import KIB, OPEN_MPI, sweep_file

from clearway.base.errors import ClearwayError
from clearway.testbed.privilege import why_not
from clearway.tune.files.site import Where, tune_site

LAUNCHER = ("mpirun", "-np", "2")
RANKS = 3


@pytest.fixture(scope="module")
def run(programs: ProgramBuilder, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A recorded job on three ranks: an all-to-all of 16 KiB, and an allgather too small to be worth a rule."""
    open_mpi = mpi("openmpi-debian")
    if open_mpi.missing:
        pytest.skip(open_mpi.missing)
    program = programs.build(open_mpi, "collective_loop", "collective_loop.c")
    folder = tmp_path_factory.mktemp("site") / "run"
    words = [clearway_tool("clearway-record"), "-o", folder, "--", program, "alltoall", 16 * KIB, 5, "allgather", 8, 5]
    outcome = run_command(open_mpi.command(RANKS, words), open_mpi.environment, 100)
    assert outcome.exit_code == 0, outcome.says
    return folder


class MadeBench:
    """In the place of `clearway bench`: pairwise (2) takes half as long as all others; one of them fails."""

    def __init__(self) -> None:
        self.commands: list[list[str]] = []

    def __call__(self, command: Sequence[str], environment: Mapping[str, str]) -> int:
        self.commands.append(list(command))
        told = {name: value for name, value in environment.items() if name.startswith("OMPI_MCA_") and "coll" in name}
        algorithm = told.get("OMPI_MCA_coll_tuned_alltoall_algorithm")
        if algorithm == "4":
            return 1
        file = Path(command[command.index("--json") + 1])
        sizes = {int(size) // KIB: 1.0 if algorithm == "2" else 2.0 for size in sizes_in(command)}
        sweep_file(file, sizes, told, ranks=RANKS, hosts=1)
        return 0


def sizes_in(command: Sequence[str]) -> list[str]:
    return command[command.index("--sizes") + 1].split(",")


def site(run: Path, output: Path, bench: MadeBench, rounds: int = 3) -> None:
    tune_site([str(run)], str(output), Where(LAUNCHER), rounds, None, lambda *_: None, bench)


def test_each_way_is_measured_at_the_sizes_and_ranks_of_the_runs(run: Path, tmp_path: Path) -> None:
    bench = MadeBench()
    site(run, tmp_path / "site", bench)
    assert {command[command.index("bench") + 1] for command in bench.commands} == {"alltoall"}
    assert {tuple(sizes_in(command)) for command in bench.commands} == {("16384",)}
    assert all(command[-3:] == ["mpirun", "-np", str(RANKS)] for command in bench.commands)
    module = (tmp_path / "site/files/module.lua").read_text()
    assert f'setenv("OMPI_MCA_coll_tuned_dynamic_rules_filename", "{tmp_path}/site/files/' in module
    assert "from 16.0 KiB pairwise" in (tmp_path / "site/files/README.md").read_text()


def test_what_was_measured_is_not_measured_again(run: Path, tmp_path: Path) -> None:
    first, second = MadeBench(), MadeBench()
    site(run, tmp_path / "a", first)
    kept = tmp_path / "b" / "measured"
    kept.mkdir(parents=True)
    for file in sorted((tmp_path / "a/measured").iterdir())[:3]:
        (kept / file.name).write_bytes(file.read_bytes())
    site(run, tmp_path / "b", second)
    assert len(second.commands) == len(first.commands) - 3


def test_files_that_jobs_may_read_are_not_replaced(run: Path, tmp_path: Path) -> None:
    site(run, tmp_path / "site", MadeBench())
    bench = MadeBench()
    with pytest.raises(ClearwayError, match="exists already"):
        site(run, tmp_path / "site", bench)
    assert not bench.commands


def test_where_nothing_can_be_measured_nothing_is_written(run: Path, tmp_path: Path) -> None:
    with pytest.raises(ClearwayError, match="nothing could be measured"):
        tune_site([str(run)], str(tmp_path / "s"), Where(LAUNCHER), 1, None, lambda *_: None, lambda *_: 1)
    assert not (tmp_path / "s/files").exists()


def test_on_a_testbed_each_rank_has_a_host() -> None:
    assert Where(testbed="--hosts 2 --buffer 20k").words(8) == ["--testbed", "--hosts 2 --buffer 20k --hosts 8"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--site", "RUN"], "no directory for the files"),
        (["--site", "RUN", "-o", "x"], "either a launcher or a testbed"),
        (["--site", "RUN", "-o", "x", "--testbed", "--hosts 4", "--", "mpirun"], "either a launcher or a testbed"),
        (["--site", "/nowhere", "-o", "x", "--", "mpirun", "-np", "2"], "/nowhere"),
        (["--site", "RUN", "-o", "x", "--", "mpirun", "-np", "2", "lmp"], "the launcher is followed by 'lmp'"),
        (["--site", "RUN", "-o", "x", "--", "lmp"], "'lmp' is not an MPI launcher"),
        (["--site", "RUN", "-o", "x", "--rounds", "0", "--", "mpirun", "-np", "2"], "--rounds must be at least 1"),
        (["--site", "RUN", "-o", "x", "--within", "1%", "--", "mpirun", "-np", "2"], "'--within' exclude each other"),
        (["--site", "RUN", "--files", "a", "-o", "x", "--", "mpirun", "-np", "2"], "'--files' exclude each other"),
    ],
)
def test_mistakes_are_told(words: list[str], said: str, tmp_path: Path) -> None:
    outcome = run_clearway("tune", *words, directory=tmp_path)
    assert outcome.exit_code == 1
    assert said in outcome.stderr
    assert "Traceback" not in outcome.stderr and outcome.stderr.count("hint:") == 1
    assert not (tmp_path / "x").exists()


def no_record(run: Path) -> None:
    run.mkdir()


def cut_off(run: Path) -> None:
    made_run(run)
    for file in run.iterdir():
        file.write_bytes(file.read_bytes()[:40])


def no_mpi(run: Path) -> None:
    made_run(run, library="")


def unknown_mpi(run: Path) -> None:
    made_run(run, library="FT-MPI 1.0")


def no_collectives(run: Path) -> None:
    made_run(run, function="MPI_Allreduce")


def two_ranks(run: Path) -> None:
    made_run(run, hosts=2)


def large_blocks(run: Path) -> None:
    made_run(run, nbytes=400_000_000)


def made_run(
    run: Path, library: str = OPEN_MPI, function: str = "MPI_Alltoall", hosts: int = 4, nbytes: int = 256 * KIB
) -> None:
    job = Job(hosts=hosts, function=function, nbytes=nbytes).all_connected()
    for rank in job.ranks:
        if library:
            rank.fact("mpi.library", library)
    run.mkdir()
    job.case(run)


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (no_record, "no record"),
        (cut_off, "is cut short"),
        (no_mpi, "used no MPI"),
        (unknown_mpi, "cannot write tuning files for 'FT-MPI 1.0'"),
        (no_collectives, "no collective on three ranks or more"),
        (two_ranks, "no collective on three ranks or more"),
        (large_blocks, "no collective on three ranks or more"),
    ],
)
def test_runs_that_say_nothing_to_measure(made: Callable[[Path], None], said: str, tmp_path: Path) -> None:
    """One message and one hint each; nothing is measured or written."""
    made(tmp_path / "run")
    words = ["--site", str(tmp_path / "run"), "-o", "x", "--", *LAUNCHER]
    outcome = run_clearway("tune", *words, directory=tmp_path)
    assert outcome.exit_code == 1
    assert said in outcome.stderr
    assert "Traceback" not in outcome.stderr and outcome.stderr.count("hint:") == 1
    assert not (tmp_path / "x").exists()


def test_where_the_mpis_own_way_fails_the_others_are_not_tried(tmp_path: Path) -> None:
    """Too many ranks for this launcher: one message of `clearway bench` is enough."""
    made_run(tmp_path / "run")
    tried: list[Sequence[str]] = []

    def bench(command: Sequence[str], environment: Mapping[str, str]) -> int:
        tried.append(command)
        return 1

    with pytest.raises(ClearwayError, match="nothing could be measured"):
        tune_site([str(tmp_path / "run")], str(tmp_path / "s"), Where(LAUNCHER), 3, None, lambda *_: None, bench)
    assert len(tried) == 1


def test_a_budget_that_is_spent_at_once(tmp_path: Path) -> None:
    made_run(tmp_path / "run")
    with pytest.raises(ClearwayError, match="budget was spent"):
        tune_site([str(tmp_path / "run")], str(tmp_path / "s"), Where(LAUNCHER), 3, -1.0, lambda *_: None, MadeBench())


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    made_run(tmp_path / "run")
    (tmp_path / "file").write_text("")
    with pytest.raises(ClearwayError, match="cannot write"):
        output = str(tmp_path / "file/s")
        tune_site([str(tmp_path / "run")], output, Where(LAUNCHER), 3, None, lambda *_: None, MadeBench())


@pytest.mark.slow
@pytest.mark.timed
@pytest.mark.timeout(600)
def test_for_real_on_a_testbed(run: Path, tmp_path: Path) -> None:
    trouble = why_not()
    if trouble is not None:
        pytest.skip(trouble[0])
    options = ["--testbed", "--rate 20mbit --buffer 20k", "--rounds", "1", "-o", tmp_path / "site"]
    outcome = run_command([clearway_tool("clearway"), "tune", "--site", run, *options], {}, 590)
    assert outcome.exit_code == 0, outcome.says
    sweeps = [json.loads(file.read_text()) for file in (tmp_path / "site/measured").iterdir()]
    assert {(sweep["ranks"], sweep["hosts"]) for sweep in sweeps} == {(RANKS, RANKS)}
    assert "MPI_Alltoall on 3 ranks" in outcome.stdout
    assert (tmp_path / "site/files/README.md").exists()
