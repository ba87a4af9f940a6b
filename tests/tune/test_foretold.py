"""What the simulator says of a job's collectives, from made Runs of jobs between hosts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from harness.command_line import run_clearway
from harness.mpis import Mpi
from harness.programs import ProgramBuilder
from rules.network_jobs import Job
from rules.test_congestion_loss import stalled
from tune.test_knobs import GROMACS, WORTH, names, why_not

from clearway.diagnosis.facts import Case
from clearway.job.change import Change
from clearway.testbed import privilege
from clearway.tune.foretold import Foretold, foretold
from clearway.tune.own_network import own_network
from clearway.tune.space import settings

OPEN_MPI, MPICH = "Open MPI v4.1.4, package: Debian OpenMPI", "MPICH Version: 4.0.2"


def case_of(
    directory: Path, library: str = OPEN_MPI, function: str = "MPI_Alltoall", hosts: int = 4, nbytes: int = 200_000,
    lossy: bool = True,
) -> Case:  # fmt: skip
    """Hosts exchange blocks for 8 s; where packets were lost, two ranks stand still for 3 s of them."""
    job = Job(hosts=hosts, function=function, nbytes=nbytes, moving_s=8.0).all_connected()
    if lossy:
        stalled(job, 2.0, 5.0)
    for rank in job.ranks:
        rank.fact("mpi.library", library)
    directory.mkdir()
    return job.case(directory)


@pytest.mark.parametrize(
    ("library", "words"),
    [
        (OPEN_MPI, ("coll_tuned_use_dynamic_rules", "coll_tuned_alltoall_algorithm")),
        (MPICH, ("MPIR_CVAR_ALLTOALL_INTRA_ALGORITHM",)),
    ],
)
def test_algorithms_in_their_mpis_words(library: str, words: tuple[str, ...], tmp_path: Path) -> None:
    found = foretold(case_of(tmp_path / "run", library), "", None)
    own = [one for one in found if one.function == "MPI_Alltoall"]
    assert {one.way for one in own} >= {"pairwise"} and len(own) >= 3
    assert all(name in words for one in own for name, _ in (*one.change.parameters, *one.change.environment))
    assert [one.change.recorder_options for one in found if not one.function] == [("--flow",)]


def test_what_floods_the_ports_comes_last(tmp_path: Path) -> None:
    """Packets were lost, so the ports are taken to be shallow. MPICH has eight ranks exchange in pairs."""
    found = foretold(case_of(tmp_path / "run", MPICH, hosts=8), "", None)
    ways = [one.way for one in found if one.function]
    assert ways.index("pairwise") < ways.index("scattered")
    assert [one.gives for one in found] == sorted((one.gives for one in found), reverse=True)
    flow = next(one for one in found if not one.function)
    assert flow.simulated_s <= min(one.simulated_s for one in found if one.way == "pairwise") * 1.001


def test_where_nothing_was_lost_the_ports_are_deep(tmp_path: Path) -> None:
    sound, lossy = (own_network(case_of(tmp_path / str(lossy), lossy=lossy), "") for lossy in (False, True))
    assert sound is not None and lossy is not None
    assert sound.network.switch is not None and sound.network.switch.buffer_bytes is None
    assert lossy.network.switch is not None and lossy.network.switch.buffer_bytes == 16_000


def test_a_testbed_is_known(tmp_path: Path) -> None:
    model = own_network(case_of(tmp_path / "run"), "--hosts 4 --rate 40mbit --buffer 6k")
    assert model is not None and model.network.switch is not None
    assert (model.network.rate_bps, model.network.switch.buffer_bytes) == (40_000_000, 6_000)
    assert foretold(case_of(tmp_path / "other"), "--hosts 4 --fault node1:loss=1%", None) == ()


@pytest.mark.parametrize(
    "job",
    [
        Job(hosts=4, function="MPI_Bcast"),  # MPIs have algorithms for it, of which no Schedule is chosen
        Job(hosts=2, function="MPI_Alltoall"),  # each has one partner
        Job(hosts=4, function="MPI_Alltoall", moving_s=0.001),
    ],
)
def test_what_is_not_asked_about(job: Job, tmp_path: Path) -> None:
    job.all_connected()
    for rank in job.ranks:
        rank.fact("mpi.library", OPEN_MPI)
    (tmp_path / "run").mkdir()
    assert foretold(job.case(tmp_path / "run"), "", None) == ()


def told(way: str, gives: float, function: str = "MPI_Alltoall") -> Foretold:
    return Foretold(function, way, Change(environment=(("WAY", way),)), 2.0, 2.0 - 4 * gives, gives)


def test_what_is_simulated_to_be_fastest_has_the_first_turn_and_what_is_slower_none() -> None:
    seen = replace(GROMACS, foretold=(told("ring", 0.3), told("bruck", 0.1), told("pairs", 0.05), told("all", -0.2)))
    found = settings(seen, (), WORTH)
    assert [name for name in names(found) if name.startswith("MPI_")] == ["MPI_Alltoall ring", "MPI_Alltoall bruck"]
    assert "ring 0.40, bruck 0.80, pairs 0.90, all 1.40" in found.because["algorithm of MPI_Alltoall"]


def test_what_cannot_pay_is_doubted_and_what_costs_is_not_tried() -> None:
    seen = replace(GROMACS, foretold=(told("ring", 0.01), told("ring", -0.1, "MPI_Allgather")))
    found = settings(seen, (), WORTH)
    assert "MPI_Alltoall ring" in [one.name for one in found.doubted]
    assert "simulated ÷ recorded: ring 1.20" in why_not(found, "algorithm of MPI_Allgather")


def test_a_job_on_a_testbed(programs: ProgramBuilder, open_mpi: Mpi, tmp_path: Path) -> None:
    """Its first run, and what the simulator says of its own all-to-all: as it was, give or take what others do."""
    if (trouble := privilege.why_not()) is not None:
        pytest.skip(trouble)
    program = programs.build(open_mpi, "collective_loop", "collective_loop.c")
    outcome = run_clearway(
        "tune", "--dry-run", "--same-work", "-o", tmp_path / "out", "--testbed", "--hosts 4 --buffer 20k",
        "--", program, "alltoall", "20000", "20",
    )  # fmt: skip
    assert outcome.exit_code == 0, outcome.says
    said = " ".join(outcome.stdout.split())
    assert "algorithm of MPI_Alltoall: times of these calls, simulated ÷ recorded:" in said or "MPI_Alltoall " in said
    assert "pairwise" in said and "modified_bruck" in said and "linear" in said
