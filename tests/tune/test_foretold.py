"""What the simulator says of a job's collectives, from made Runs of jobs between hosts."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from harness.command_line import run_clearway
from harness.mpis import Mpi
from harness.programs import ProgramBuilder
from rules.network_jobs import Job
from rules.test_congestion_loss import stalled
from tune.test_knobs import GROMACS, WORTH, names, why_not

from clearway.base.installed import find_program
from clearway.diagnosis.facts import Case
from clearway.job.change import Change
from clearway.run.names import Communicator
from clearway.testbed import privilege
from clearway.tune.foretold import Foretold, foretold
from clearway.tune.own_network import own_networks
from clearway.tune.schedules_of_mpis import Asked, Steps, steps_of
from clearway.tune.setting import MayChange
from clearway.tune.space import settings

OPEN_MPI, MPICH = "Open MPI v4.1.4, package: Debian OpenMPI", "MPICH Version: 4.0.2"
INTEL = "Intel(R) MPI Library 2021.17 for Linux* OS"


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
        if function in ("MPI_Bcast", "MPI_Reduce"):
            rank.events = [(*event[:2], 0, *event[3:]) for event in rank.events]  # the root
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
    """Packets were lost, so the ports cannot be deep. MPICH has eight ranks exchange in pairs."""
    found = foretold(case_of(tmp_path / "run", MPICH, hosts=8), "", None)
    ways = [one.way for one in found if one.function]
    assert ways.index("pairwise") < ways.index("scattered")
    assert [one.gives for one in found] == sorted((one.gives for one in found), reverse=True)
    flow = next(one for one in found if not one.function)
    assert flow.simulated_s <= min(one.simulated_s for one in found if one.way == "pairwise") * 1.001


def test_buffers_are_deep_where_nothing_was_lost_and_else_of_a_usual_size(tmp_path: Path) -> None:
    sizes = [
        [model.network.switch.buffer_bytes for model in own_networks(case_of(tmp_path / str(lossy), lossy=lossy), "")
         if model.network.switch]
        for lossy in (False, True)
    ]  # fmt: skip
    assert sizes[0] == [None]
    assert sizes[1] == sorted(sizes[1], key=lambda size: -(size or 0)) and len(sizes[1]) > 3


def test_over_libfabric_no_message_waits_for_its_receiver(tmp_path: Path) -> None:
    limits = [
        own_networks(case_of(tmp_path / str(number), library), "")[0].stack.eager_bytes
        for number, library in enumerate((OPEN_MPI, INTEL))
    ]
    assert limits == [65_536, 1 << 30]


def test_buffers_are_as_small_as_the_record_says(tmp_path: Path) -> None:
    """The largest at which the slowest algorithm takes as long as the job did."""
    case = case_of(tmp_path / "run", MPICH, hosts=8, nbytes=2_000_000)

    def slowest_s(recorded_s: float) -> float:
        row = replace(case.tables.collectives[0], time_s=8 * recorded_s, wait_s=0.0)
        found = foretold(replace(case, tables=replace(case.tables, collectives=(row,))), "", None)
        return max(one.simulated_s for one in found)

    assert 0.9 * 0.14 <= slowest_s(0.14) < 0.9 * 0.2 <= slowest_s(0.2)


def test_a_testbed_is_known(tmp_path: Path) -> None:
    (model,) = own_networks(case_of(tmp_path / "run"), "--hosts 4 --rate 40mbit --buffer 6k")
    assert model.network.switch is not None
    assert (model.network.rate_bps, model.network.switch.buffer_bytes) == (40_000_000, 6_000)
    assert foretold(case_of(tmp_path / "other"), "--hosts 4 --fault node1:loss=1%", None) == ()


@pytest.mark.parametrize(
    "job",
    [
        Job(hosts=4, function="MPI_Scan"),  # of which no Schedule is chosen
        Job(hosts=1, per_host=4, function="MPI_Allreduce"),  # nothing goes over the network
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


@pytest.mark.parametrize(
    ("library", "function", "ways"),
    [
        (OPEN_MPI, "MPI_Allreduce", {"ring", "rabenseifner", "recursive_doubling", "nonoverlapping"}),
        (OPEN_MPI, "MPI_Bcast", {"pipeline", "scatter_allgather_ring", "basic_linear"}),
        (OPEN_MPI, "MPI_Reduce", {"pipeline", "binomial", "rabenseifner"}),
        (MPICH, "MPI_Allreduce", {"recursive_doubling", "reduce_scatter_allgather"}),
        (MPICH, "MPI_Bcast", {"binomial", "scatter_ring_allgather"}),
        (MPICH, "MPI_Reduce", {"binomial", "reduce_scatter_gather"}),
    ],
)
def test_operations_on_a_vector(library: str, function: str, ways: set[str], tmp_path: Path) -> None:
    """Those that a Schedule does alike, and no other; besides, what the MPI itself would choose."""
    found = foretold(case_of(tmp_path / "run", library, function, hosts=8, nbytes=1_000_000), "", None)
    assert {one.way for one in found} == ways
    assert all(one.own_s and one.simulated_s > 0 for one in found)
    names = {name for one in found for name, _ in (*one.change.parameters, *one.change.environment)}
    assert any(function.removeprefix("MPI_").lower() in name.lower() for name in names)


def test_a_ring_sums_long_vectors_fastest(tmp_path: Path) -> None:
    """Eight hosts: each sends 7/4 of a vector around the ring, in parts that need no grant, and three by doubling."""
    case = case_of(tmp_path / "run", function="MPI_Allreduce", hosts=8, nbytes=480_000, lossy=False)
    found = foretold(case, "", None)
    taken_s = {one.way: one.simulated_s for one in found}
    assert taken_s["ring"] < 0.75 * taken_s["recursive_doubling"] < taken_s["nonoverlapping"]
    assert all(one.own_s == taken_s["rabenseifner"] for one in found), "what Open MPI chooses itself"
    assert next(one for one in found if one.way == "rabenseifner").gives == 0


def test_who_is_done_early_in_a_bcast_has_gained_nothing(tmp_path: Path) -> None:
    """Down a chain of eight hosts a vector of two milliseconds takes seven times that: the mean over ranks is half."""
    found = foretold(case_of(tmp_path / "run", function="MPI_Bcast", hosts=8, nbytes=237_000, lossy=False), "", None)
    chain = next(one for one in found if one.way == "pipeline")
    assert 7 * 0.002 < chain.simulated_s < 8.5 * 0.002


def test_an_algorithm_that_was_asked_for_is_not_the_mpis_own(tmp_path: Path) -> None:
    job = Job(hosts=4, function="MPI_Allreduce").all_connected()
    for rank in job.ranks:
        rank.fact("mpi.library", MPICH).fact("environment.MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM", "recursive_doubling")
    (tmp_path / "run").mkdir()
    found = foretold(job.case(tmp_path / "run"), "", None)
    assert found and all(one.own_s is None for one in found)


def on_some(case: Case, *groups: tuple[int, ...]) -> Case:
    """As if the calls had been made by these ranks among themselves; each rank of a group took as long as before."""
    row = case.tables.collectives[0]
    share_s = (row.time_s - row.wait_s) / row.communicator_size
    rows = []
    for group in groups:
        members = {rank: place for place, rank in enumerate(group)}
        case.run.communicators.all.append(Communicator("pool", len(group), 0, False, members))
        number = len(case.run.communicators.all) - 1
        rows.append(
            replace(row, communicator="pool", communicator_size=len(group), communicator_number=number,
                    time_s=share_s * len(group), wait_s=0.0)
        )  # fmt: skip
    return replace(case, tables=replace(case.tables, collectives=tuple(rows), mpi_calls=()))


def test_pools_are_simulated_beside_each_other(tmp_path: Path) -> None:
    """Two pools, each on all four hosts, share the hosts' links; on hosts of their own they do not."""
    taken_s = {}
    for name, hosts, per_host in (("shared", 4, 2), ("own", 8, 1)):
        job = Job(hosts=hosts, per_host=per_host, function="MPI_Alltoall", nbytes=2_000_000).all_connected()
        for rank in job.ranks:
            rank.fact("mpi.library", OPEN_MPI)
        (tmp_path / name).mkdir()
        pools = ((0, 2, 4, 6), (1, 3, 5, 7))
        found = foretold(on_some(job.case(tmp_path / name), *pools), "", None)
        taken_s[name] = next(one.simulated_s for one in found if one.way == "pairwise")
    assert 1.7 * taken_s["own"] < taken_s["shared"] < 2.3 * taken_s["own"]


def test_calls_on_all_communicators_count_together(tmp_path: Path) -> None:
    """An MPI has one algorithm for all. Ranks 2 and 3 are in both, and so the ones that gain or lose most."""
    case = case_of(tmp_path / "run", hosts=6, nbytes=500_000, lossy=False)
    both = foretold(on_some(case, (0, 1, 2, 3), (2, 3, 4, 5)), "", None)
    first, second = (foretold(on_some(case, group), "", None) for group in ((0, 1, 2, 3), (2, 3, 4, 5)))
    for way in ("pairwise", "modified_bruck"):
        sums = [next(one for one in found if one.way == way).simulated_s for found in (both, first, second)]
        assert sums[0] == pytest.approx(sums[1] + sums[2], rel=1e-3)
    recorded_s = {one.recorded_s for found in (first, second) for one in found if one.way == "pairwise"}
    assert next(one for one in both if one.way == "pairwise").recorded_s == pytest.approx(2 * recorded_s.pop())


def test_ranks_on_one_host_and_pairs_are_not_asked_about(tmp_path: Path) -> None:
    job = Job(hosts=2, per_host=3, function="MPI_Alltoall").all_connected()
    for rank in job.ranks:
        rank.fact("mpi.library", OPEN_MPI)
    (tmp_path / "run").mkdir()
    case = job.case(tmp_path / "run")
    assert foretold(on_some(case, (0, 1, 2), (3, 4, 5)), "", None) == ()
    assert foretold(on_some(case, (0, 3), (1, 4)), "", None) == ()
    assert foretold(on_some(case, (0, 1, 3)), "", None)


@pytest.mark.parametrize(
    ("family", "name", "operation", "nbytes", "hosts", "steps"),
    [
        ("openmpi", "ring", "allreduce", 1_000_000, (0, 0, 1, 1), (("allreduce", "ring"),)),
        ("openmpi", "ring", "allreduce", 1_000_000, (0, 1, 0, 1), None),  # theirs follows ranks, ours hosts
        ("openmpi", "ring", "allreduce", 8, (0, 1, 2, 3), None),  # fewer numbers than ranks: they do something else
        ("openmpi", "segmented_ring", "allreduce", 1_000_000, (0, 1, 2, 3), None),
        ("openmpi", "linear", "reduce", 10_000, (0, 1, 2, 3), (("reduce", "linear"),)),
        ("openmpi", "linear", "reduce", 100_000, (0, 1, 2, 3), None),  # the root asks for one after another
        ("openmpi", "basic_linear", "allreduce", 100_000, (0, 1, 2, 3), None),
        ("openmpi", "binomial", "bcast", 10_000, (0, 1, 2, 3), None),  # to all below it at once
        ("openmpi", "pipeline", "bcast", 10_000, (0, 1, 2, 3), (("bcast", "chain"),)),
        ("mpich", "pairwise", "alltoall", 10_000, (0, 1, 2), (("alltoall", "ordered"),)),
        ("mpich", "recursive_doubling", "allgather", 10_000, (0, 1, 2), None),
        ("mpich", "scatter_recursive_doubling_allgather", "bcast", 10_000, (0, 1, 2, 3), None),
        ("intel", "ring", "allreduce", 10_000, (0, 1, 2, 3), (("allreduce", "ring"),)),
    ],
)
def test_what_a_schedule_does_as_the_mpi_does(
    family: str, name: str, operation: str, nbytes: int, hosts: tuple[int, ...], steps: Steps | None
) -> None:
    assert steps_of(family, name, Asked(operation, nbytes, hosts, 65_536)) == steps


def test_sums_may_be_rounded_otherwise() -> None:
    seen = replace(GROMACS, foretold=(told("ring", 0.3, "MPI_Allreduce"), told("bruck", 0.2, "MPI_Allgather")))
    may = {one.name: one.may_change for one in settings(seen, (), WORTH).settings}
    assert (may["MPI_Allreduce ring"], may["MPI_Allgather bruck"]) == (MayChange.ORDER, MayChange.NOTHING)


def test_what_the_mpi_does_itself_is_said() -> None:
    seen = replace(GROMACS, foretold=(replace(told("ring", 0.3, "MPI_Allreduce"), own_s=2.2),))
    assert "by its own choice 1.10, ring 0.40" in settings(seen, (), WORTH).because["algorithm of MPI_Allreduce"]


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


def empty(directory: Path) -> Path:
    """A working directory, of which each run has a copy."""
    (directory / "job").mkdir()
    return directory / "job"


POOLS = """clearway-script 1
title pools
ranks 8
steps 10
comm even 0 2 4 6
comm odd 1 3 5 7
rank 0-7
compute 1000000
rank 0,2,4,6
allreduce 100000 comm even
rank 1,3,5,7
allreduce 100000 comm odd
rank 0-7
bcast 0 50000
"""


@pytest.mark.timeout(300)
def test_pools_on_a_testbed(tmp_path: Path) -> None:
    """Two ranks a host, each of a pool that sums: what of the MPI is asked about, in a real record of communicators."""
    if (trouble := privilege.why_not()) is not None:
        pytest.skip(trouble)
    (tmp_path / "pools.script").write_text(POOLS)
    outcome = run_clearway(
        "tune", "--dry-run", "--same-work", "-o", tmp_path / "out", "--testbed",
        "--hosts 4 --per-host 2 --buffer 20k", "--", find_program("clearway-workload"), tmp_path / "pools.script",
        directory=empty(tmp_path),
    )  # fmt: skip
    assert outcome.exit_code == 0, outcome.says
    said = " ".join(outcome.stdout.split())
    assert re.search(r"simulated ÷ recorded: by its own choice [\d.]+, [^;]*recursive_doubling [\d.]+", said), said
    assert re.search(r"simulated ÷ recorded: by its own choice [\d.]+, [^;]*scatter_allgather_ring [\d.]+", said), said


@pytest.mark.timeout(300)
def test_a_job_on_a_testbed(programs: ProgramBuilder, open_mpi: Mpi, tmp_path: Path) -> None:
    """Its first run, and what the simulator says of its own all-to-all: as it was, give or take what others do."""
    if (trouble := privilege.why_not()) is not None:
        pytest.skip(trouble)
    program = programs.build(open_mpi, "collective_loop", "collective_loop.c")
    outcome = run_clearway(
        "tune", "--dry-run", "--same-work", "-o", tmp_path / "out", "--testbed", "--hosts 4 --buffer 20k",
        "--", program, "alltoall", "20000", "20", directory=empty(tmp_path),
    )  # fmt: skip
    assert outcome.exit_code == 0, outcome.says
    said = " ".join(outcome.stdout.split())
    assert "algorithm of MPI_Alltoall: times of these calls, simulated ÷ recorded:" in said or "MPI_Alltoall " in said
    assert "pairwise" in said and "modified_bruck" in said and "linear" in said
