"""Rules about hosts and what runs on them: stragglers, missing ranks, imbalance, far memory, /dev/shm."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from python.made_runs import Rank, SegmentKind, State, connect
from rules.host_jobs import MadeHost, case_of, count, off_the_core, ranks_on, steps_of

from clearway.diagnosis.diagnose import diagnose
from clearway.diagnosis.facts import Case
from clearway.diagnosis.rules import far_memory, load_imbalance, missing_ranks, quota, shared_core, slow_host, small_shm
from clearway.run.run import Launch

STEAL = {"cpu.steal_ms": 3_000, "cpu.user_ms": 7_000}
NO_STEAL = {"cpu.steal_ms": 0, "cpu.user_ms": 10_000}


def two_hosts(directory: Path, compute_s: list[float], **second: dict[str, int]) -> Case:
    hosts = [MadeHost("node0", counters=dict(NO_STEAL)), MadeHost("node1", counters=dict(NO_STEAL))]
    hosts[1].counters |= second.get("counters", {})
    world = ranks_on(*hosts, per_host=len(compute_s) // 2)
    steps_of(world, compute_s)
    return case_of(world, directory, *hosts)


def test_all_ranks_of_one_host_computing_longer_make_it_likely_slow(tmp_path: Path) -> None:
    case = two_hosts(tmp_path, [1.0, 1.1, 1.6, 2.0])
    found = slow_host.examine(case)
    assert found is not None
    assert found.confidence == pytest.approx(0.7)
    assert found.claims["imbalance_s"] == pytest.approx(case.losses.imbalance_s)


def test_one_rank_that_computes_longer_has_more_to_compute(tmp_path: Path) -> None:
    for number, compute_s in enumerate(([1.0, 1.0, 1.0, 2.0], [1.0, 2.0])):
        case = two_hosts(tmp_path / str(number), compute_s)
        assert slow_host.examine(case) is None
        assert load_imbalance.examine(case) is not None


def test_stolen_time_tells_even_of_one_rank(tmp_path: Path) -> None:
    found = slow_host.examine(two_hosts(tmp_path, [1.0, 2.0], counters=STEAL))
    assert found is not None
    assert found.confidence == pytest.approx(0.9)
    assert "30.0 %" in {each.value for each in found.evidence}


def test_a_host_that_nobody_waits_for_is_not_slow(tmp_path: Path) -> None:
    assert slow_host.examine(two_hosts(tmp_path, [1.0, 1.0], counters=STEAL)) is None


def throttled(directory: Path, on_all: bool) -> Case:
    hosts = [MadeHost("node0", boot_id="one clock"), MadeHost("node1", boot_id="one clock")]
    world = ranks_on(*hosts)
    steps_of(world, [1.0, 2.0])
    for rank in world if on_all else world[1:]:
        rank.fact("process.cgroup_cpus", "0.500")
        count(rank, "process.cgroup_throttled_us", 5_000_000)
    off_the_core(world[1], 5.0)
    return case_of(world, directory, *hosts)


def test_a_host_held_back_by_its_control_group(tmp_path: Path) -> None:
    case = throttled(tmp_path, on_all=False)
    found = slow_host.examine(case)
    assert found is not None
    assert quota.examine(case) is None  # these seconds are told of once
    assert found.confidence > 0.95
    assert found.claims["core_wait_s"] == pytest.approx(5.0 + 5.0)  # and what rank 0 waited for it


def test_hosts_held_back_alike_are_no_stragglers(tmp_path: Path) -> None:
    case = throttled(tmp_path, on_all=True)
    assert slow_host.examine(case) is None
    assert shared_core.examine(case) is None
    assert quota.examine(case) is not None


@pytest.mark.parametrize(("virtual", "longest_s", "said"), [("yes", 1.2, True), ("yes", 3.0, False), ("", 1.2, False)])
def test_in_a_virtual_machine_it_may_be_the_core(virtual: str, longest_s: float, said: bool, tmp_path: Path) -> None:
    host = MadeHost(facts={"host.cores": "4"} | ({"host.virtual": virtual} if virtual else {}))
    world = ranks_on(host, per_host=4)
    steps_of(world, [1.0, 1.0, 1.0, longest_s])
    found = load_imbalance.examine(case_of(world, tmp_path, host))
    assert found is not None
    assert ("virtual machine" in found.says) == said


@pytest.mark.parametrize(("longest_s", "others_s", "said"), [(1.6, 5.0, True), (1.6, 0.5, False), (3.0, 5.0, False)])
def test_beside_other_programs_it_may_be_the_core(
    longest_s: float, others_s: float, said: bool, tmp_path: Path
) -> None:
    """1.6 s of two ranks with a mean of 1.3 s; where the others took half a processor, and where a twentieth."""
    wall_s = 5 * longest_s
    host = MadeHost(counters={"cpu.user_ms": round((2 * wall_s + others_s) * 1000), "cpu.idle_ms": 5000})
    world = ranks_on(host, per_host=2)
    steps_of(world, [1.0, longest_s])
    for rank in world:
        count(rank, "process.cpu_all_threads_ns", round(wall_s * 10**9))
    found = load_imbalance.examine(case_of(world, tmp_path, host))
    assert found is not None
    assert ("other programs ran on them" in found.says) == said


def test_load_imbalance_costs_what_the_others_waited(tmp_path: Path) -> None:
    world = ranks_on(MadeHost(), per_host=4)
    steps_of(world, [1.0, 1.0, 1.0, 2.0])
    found = load_imbalance.examine(case_of(world, tmp_path, MadeHost()))
    assert found is not None
    assert found.claims["imbalance_s"] == pytest.approx(15.0)
    assert "rank 3" in found.evidence[0].value


@pytest.mark.parametrize("late", [6, 240])
def test_how_often_a_rank_was_last_is_what_the_record_says(late: int, tmp_path: Path) -> None:
    """Of 300 steps; in the others the next rank comes last by a millisecond."""
    world = ranks_on(MadeHost(), per_host=4)
    now_s = 0.0
    for step in range(300):
        own_s = [0.010, 0.010, 0.011, 1.0 if step < late else 0.010]
        for rank, seconds in zip(world, own_s, strict=True):
            rank.collective("MPI_Allreduce", now_s + seconds, now_s + max(own_s))
        now_s += max(own_s)
    for rank in world:
        rank.end_s = now_s
    found = load_imbalance.examine(case_of(world, tmp_path, MadeHost()))
    assert found is not None
    assert "in every step" not in found.says
    told = "It came last to 80.0 % of the 300 calls of MPI_Allreduce that are on record" in found.says
    assert told == (late == 240)
    assert ("nine tenths of the waiting fell into 6 of the 300 calls of MPI_Allreduce" in found.says) == (late == 6)


def test_how_often_is_read_off_the_calls_that_hold_the_waiting_only(tmp_path: Path) -> None:
    """A rank that always computes longer is waited for by its neighbour, not in MPI_Allreduce."""
    world = ranks_on(MadeHost(), per_host=2)
    for step in range(40):
        begin_s = step * 0.1
        world[0].receive(1, begin_s + 0.02, begin_s + 0.05)
        world[1].send(0, begin_s + 0.05, begin_s + 0.05)
        late_s = 0.02 if step % 8 == 0 else 0.0
        for rank, own_s in zip(world, (late_s, 0.0), strict=True):
            rank.collective("MPI_Allreduce", begin_s + 0.05 + own_s, begin_s + 0.051 + late_s)
    for rank in world:
        rank.end_s = 4.0
        rank.thread["blocked_outside_ns"] = int((4.0 - 40 * (0.02 if rank.rank == 0 else 0.05)) * 1e9) - 200_000_000
    found = load_imbalance.examine(case_of(world, tmp_path, MadeHost()))
    assert found is not None and found.says.startswith("Rank 1 on")
    assert "now and then" not in found.says


def taking_turns(directory: Path, longer_s: float, cpus: str = "0-3", **thread: int) -> Case:
    """Forty steps; in each another rank of four computes longer."""
    world = ranks_on(MadeHost(), per_host=4, cpus=cpus)
    for rank in world:
        rank.end_s = 40 * (0.1 + longer_s)
        rank.thread |= thread
        for step in range(40):
            begin_s = step * (0.1 + longer_s)
            own_s = 0.1 + (longer_s if step % 4 == rank.rank else 0.0)
            rank.collective("MPI_Allreduce", begin_s + own_s, begin_s + 0.1 + longer_s)
    return case_of(world, directory, MadeHost())


def test_load_that_wanders_and_falls_on_one_rank_more_often_is_claimed_whole(tmp_path: Path) -> None:
    """Of two ranks one computes longer in 30 of 50 steps, the other in 20: the first does so in the whole job, too."""
    world = ranks_on(MadeHost(), per_host=2)
    for step in range(50):
        for rank in world:
            late = rank.rank == (0 if step % 5 < 3 else 1)
            rank.collective("MPI_Allreduce", 0.2 * step + (0.2 if late else 0.1), 0.2 * step + 0.2)
    found = load_imbalance.examine(case_of(world, tmp_path, MadeHost()))
    assert found is not None
    assert found.claims["imbalance_s"] == pytest.approx(1.0)
    assert found.claims["wait_s"] == pytest.approx(4.0)
    assert "Besides, 2 ranks were waited for in turn" in found.says


def test_load_that_wanders_from_rank_to_rank_is_found_and_said_to(tmp_path: Path) -> None:
    found = load_imbalance.examine(taking_turns(tmp_path, 0.1))
    assert found is not None
    assert found.claims["wait_s"] == pytest.approx(40 * 3 * 0.1)
    assert "changes each step" in found.title
    assert "4 ranks were waited for in turn, 40 times on record" in found.says


def halves(directory: Path, stretches: int) -> Case:
    """A hundred steps: in each stretch of them the same one of two ranks computes longer."""
    world = ranks_on(MadeHost(), per_host=2)
    for step in range(100):
        for rank in world:
            late = rank.rank == (step * stretches // 100 + 1) % 2
            rank.collective("MPI_Allreduce", 0.1 * step + (0.1 if late else 0.05), 0.1 * step + 0.1)
    return case_of(world, directory, MadeHost())


def test_a_rank_that_is_late_for_half_of_the_job_does_not_change_each_step(tmp_path: Path) -> None:
    found = load_imbalance.examine(halves(tmp_path / "halves", 2))
    assert found is not None
    assert "changes during the job: the others waited for rank 1 until 5" in found.says
    assert "then for rank 0" in found.says
    assert found.remedies is None or "balance-load" in found.remedies  # what stays with a rank for long can be moved
    often = load_imbalance.examine(halves(tmp_path / "four", 4))
    assert often is not None and "changed 3 times" in often.says
    each = load_imbalance.examine(halves(tmp_path / "each", 100))
    assert each is not None and "changes each step" in each.says


@pytest.mark.parametrize("cpus", ["0", "0-1"])
def test_on_one_processor_it_takes_as_long_however_the_work_is_divided(cpus: str, tmp_path: Path) -> None:
    found = load_imbalance.examine(taking_turns(tmp_path, 0.1, cpus))
    assert (found is None) == (cpus == "0")


@pytest.mark.parametrize(("step_s", "longer_s", "found"), [(0.5, 0.2, True), (0.04, 0.019, False)])
def test_a_few_long_turns_are_as_good_as_many_short_ones(
    step_s: float, longer_s: float, found: bool, tmp_path: Path
) -> None:
    """In five of forty steps; each time another rank."""
    world = ranks_on(MadeHost(), per_host=4)
    for step in range(40):
        for rank in world:
            late = step % 8 == 0 and step // 8 % 4 == rank.rank
            begin_s = step_s * (step + 0.5)
            rank.collective(
                "MPI_Allreduce", begin_s + (longer_s if late else 0.0), begin_s + longer_s * (step % 8 == 0)
            )
    for rank in world:
        rank.end_s = 40 * step_s
    said = load_imbalance.examine(case_of(world, tmp_path, MadeHost()))
    assert (said is not None) == found
    if said is not None:
        assert "changes each step" not in said.title + said.says
        assert "4 ranks were waited for in turn, 5 times on record" in said.says


TURN_S, SEND_S = 0.02, 1e-5


def ring(directory: Path, costs: bool = True, ranks: int = 4, rounds: int = 20) -> Case:
    """A token goes round. Each rank computes once it has it; without cost all compute at the same time before that."""
    world = ranks_on(MadeHost(), per_host=ranks)
    step_s = TURN_S + 2 * SEND_S
    for rank in world:
        rank.end_s = rounds * ranks * step_s + step_s
        before, after = (rank.rank - 1) % ranks, (rank.rank + 1) % ranks
        left_s = 0.0
        for turn in range(rounds):
            begin_s = (turn * ranks + rank.rank) * step_s if costs else turn * ranks * TURN_S
            if costs and begin_s > 0:
                rank.receive(before, left_s, begin_s)
            left_s = begin_s + (TURN_S if costs else ranks * TURN_S - 4 * SEND_S)
            rank.send(after, left_s, left_s + SEND_S)
            left_s += 2 * SEND_S
            if not costs:
                rank.receive(before, left_s, left_s + SEND_S)
    return case_of(world, directory, MadeHost())


def pipeline(directory: Path, pieces: int, ranks: int = 4, jobs: int = 10) -> Case:
    """What each rank makes of a piece goes to the next; when the last has the last of them, all meet."""
    world = ranks_on(MadeHost(), per_host=ranks)
    piece_s = 4 * TURN_S / pieces
    step_s = piece_s + 2 * SEND_S
    job_s = (pieces + ranks - 1) * step_s + SEND_S
    for rank in world:
        rank.end_s = jobs * job_s
        for job in range(jobs):
            left_s = job * job_s
            for piece in range(pieces):
                begin_s = job * job_s + (rank.rank + piece) * step_s
                if rank.rank > 0:
                    rank.receive(rank.rank - 1, min(left_s, begin_s), begin_s)
                left_s = begin_s + piece_s
                if rank.rank < ranks - 1:
                    rank.send(rank.rank + 1, left_s, left_s + SEND_S)
                    left_s += SEND_S
            rank.collective("MPI_Allreduce", left_s, (job + 1) * job_s)
    return case_of(world, directory, MadeHost())


@pytest.mark.parametrize("ranks", [2, 4, 12])
def test_ranks_of_a_ring_take_turns(ranks: int, tmp_path: Path) -> None:
    found = load_imbalance.examine(ring(tmp_path, ranks=ranks))
    assert found is not None
    assert found.title == "Ranks take turns: each waits for the one before it"
    assert sum(found.claims.values()) == pytest.approx(20 * ranks * (ranks - 1) * TURN_S, rel=0.1)
    assert f"1.00 of {ranks} ranks" in found.evidence[0].value


def test_ranks_that_pass_on_what_they_computed_together_take_no_turns(tmp_path: Path) -> None:
    assert diagnose(ring(tmp_path, costs=False)) == ()


def test_a_pipeline_of_one_piece_is_a_matter_of_turns(tmp_path: Path) -> None:
    found = load_imbalance.examine(pipeline(tmp_path, pieces=1))
    assert found is not None
    assert found.title == "Ranks take turns: each waits for the one before it"
    assert sum(found.claims.values()) == pytest.approx(0.75 * 4 * 10 * 4 * 4 * TURN_S, rel=0.1)


def test_a_pipeline_of_many_pieces_overlaps(tmp_path: Path) -> None:
    found = load_imbalance.examine(pipeline(tmp_path, pieces=40))
    assert found is None or "turns" not in found.title


def test_load_that_wanders_is_found_however_uneven(tmp_path: Path) -> None:
    """The late rank computes twenty times as long as the others, with which it computes at first."""
    found = load_imbalance.examine(taking_turns(tmp_path, 2.0))
    assert found is not None
    assert found.claims["wait_s"] == pytest.approx(40 * 3 * 2.0)


def test_ordinary_wandering_is_no_finding(tmp_path: Path) -> None:
    assert load_imbalance.examine(taking_turns(tmp_path, 0.002)) is None


def test_who_has_no_core_in_turns_does_not_compute_longer(tmp_path: Path) -> None:
    # Of the five seconds that each rank spends outside MPI it ran for one.
    delay_ns, ran_ns = 4_000_000_000, 1_000_000_000
    found = load_imbalance.examine(taking_turns(tmp_path, 0.1, run_delay_ns=delay_ns, cpu_ns=ran_ns))
    assert found is None


def test_ordinary_imbalance_is_no_finding(tmp_path: Path) -> None:
    world = ranks_on(MadeHost(), per_host=4)
    steps_of(world, [1.0, 1.0, 1.0, 1.04])
    assert load_imbalance.examine(case_of(world, tmp_path, MadeHost())) is None


def spread(directory: Path, *per_host: int, command: tuple[str, ...] = (), state: State = State.EXITED) -> Case:
    """Ranks that compute for 10 s, numbered host by host."""
    hosts = [MadeHost(f"node{number}") for number in range(len(per_host))]
    size = sum(per_host)
    machines = [host.machine for host, ranks in zip(hosts, per_host, strict=True) for _ in range(ranks)]
    ranks = [Rank(rank, size, machine=machines[rank], state=state).cell("MPI_Init", 0.1) for rank in range(size)]
    case = case_of(ranks, directory, *hosts)
    return replace(case, run=replace(case.run, launch=Launch(command, 0, None, None, None)))


def test_a_host_with_fewer_ranks_than_the_others(tmp_path: Path) -> None:
    found = missing_ranks.examine(spread(tmp_path, 2, 2, 1, 2))
    assert found is not None
    assert found.claims["compute_s"] == pytest.approx(9.9 * 7 / 8)
    assert "node2" in found.says


@pytest.mark.parametrize("per_host", [(2, 2, 2), (3, 3, 2, 2), (3, 2, 2, 2), (2, 1), (4,)])
def test_no_host_that_stands_out_is_short(per_host: tuple[int, ...], tmp_path: Path) -> None:
    assert missing_ranks.examine(spread(tmp_path, *per_host)) is None


def test_a_rank_that_left_no_record_is_not_missing_on_its_host(tmp_path: Path) -> None:
    """It crashed in MPI_Init, say: the job was spread evenly."""
    case = spread(tmp_path, 2, 2, 1, 2)
    job = replace(case.tables.job, ranks_expected=8)
    assert missing_ranks.examine(replace(case, tables=replace(case.tables, job=job))) is None


def test_fewer_ranks_than_asked_for(tmp_path: Path) -> None:
    asked = ("mpirun.openmpi", "-np", "4", "md")
    found = missing_ranks.examine(spread(tmp_path, 1, command=asked))
    assert found is not None
    assert found.claims["compute_s"] == pytest.approx(9.9 * 3 / 4)
    assert "may be built with a different MPI" in found.says
    assert missing_ranks.examine(spread(tmp_path / "all", 4, command=asked)) is None
    assert missing_ranks.examine(spread(tmp_path / "early", 1, command=asked, state=State.STARTED)) is None


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (("srun", "-n", "2", "--mpi=none", "md"), "`--mpi` names (here `none`)"),
        (("srun", "-n", "2", "md"), "`--mpi` names, or the site's default"),
        (("mpirun.openmpi", "-np", "2", "md"), ""),
    ],
)
def test_every_process_is_rank_0_under_srun(command: tuple[str, ...], said: str, tmp_path: Path) -> None:
    found = missing_ranks.examine(spread(tmp_path, 1, command=command))
    assert found is not None
    assert said in found.says
    assert ("srun --mpi=list" in found.says) == bool(said)


def test_processors_for_each_rank_are_no_ranks(tmp_path: Path) -> None:
    srun = ("srun", "-n", "1", "-c", "2", "md")
    assert missing_ranks.examine(spread(tmp_path, 1, command=srun)) is None
    assert (
        missing_ranks.examine(spread(tmp_path / "fewer", 1, command=("srun", "-n", "2", "-c", "2", "md"))) is not None
    )


def on_two_nodes(directory: Path, far: int, distances: tuple[str, str], computing_s: float = 10.0) -> Case:
    facts = {f"numa.{node}.distances": said for node, said in enumerate(distances)}
    host = MadeHost(facts={"host.cores": "4", **facts})
    world = ranks_on(host, per_host=2)
    for rank in world:
        if computing_s < rank.end_s:
            rank.collective("MPI_Alltoall", computing_s, rank.end_s)
        count(rank, "process.sampled_pages_near", 256 - far)
        count(rank, "process.sampled_pages_far", far)
    return case_of(world, directory, host)


def test_far_memory_prolongs_a_tenth_of_computing(tmp_path: Path) -> None:
    found = far_memory.examine(on_two_nodes(tmp_path, 256, ("10 20", "20 10")))
    assert found is not None
    assert found.claims["compute_s"] == pytest.approx(2 * (10.0 - 10.0 / 1.1))


def test_memory_that_is_near_or_equally_far_is_no_finding(tmp_path: Path) -> None:
    assert far_memory.examine(on_two_nodes(tmp_path / "near", 40, ("10 20", "20 10"))) is None
    assert far_memory.examine(on_two_nodes(tmp_path / "one", 256, ("10", "10"))) is None


def by_tcp(directory: Path, free_bytes: int, moving_s: float = 6.0) -> Case:
    host = MadeHost(facts={"host.cores": "4", "shm.free_bytes": str(free_bytes), "net.eth0.addresses": "10.0.0.0"})
    world = ranks_on(host, per_host=2)
    for rank in world:
        rank.collective("MPI_Alltoall", 2.0, 2.0 + moving_s)
        connect(rank, 1 - rank.rank)
        rank.rows[SegmentKind.SOCKETS][-1]["bytes_sent"] = 1_000_000
    return case_of(world, directory, host)


def test_tcp_inside_a_host_without_room_for_shared_memory(tmp_path: Path) -> None:
    found = small_shm.examine(by_tcp(tmp_path, 1 << 20))
    assert found is not None
    assert found.claims["transfer_s"] == pytest.approx(12.0)
    assert small_shm.examine(by_tcp(tmp_path / "room", 1 << 30)) is None


def test_a_job_that_ended_in_mpi_init(tmp_path: Path) -> None:
    for name, free_bytes, found in (("small", 1 << 16, True), ("large", 1 << 30, False)):
        host = MadeHost(facts={"shm.free_bytes": str(free_bytes)})
        world = [Rank(-1, 0, end_s=0.5, state=State.STARTED, machine=host.machine) for _ in range(2)]
        for number, rank in enumerate(world):
            rank.header["pid"] = 4000 + number
        (tmp_path / name).mkdir()
        for number, rank in enumerate(world):
            (tmp_path / name / f"rank.node0.{number}.cwr").write_bytes(rank.record())
        case = case_of([], tmp_path / name, host)
        job = replace(case.tables.job, exit_code=15)
        said = small_shm.examine(replace(case, tables=replace(case.tables, job=job)))
        assert (said is not None) == found
