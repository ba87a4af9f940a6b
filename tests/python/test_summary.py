"""The page of hand-made Runs, figure by figure."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from python.made_runs import FUNCTIONS, TICKS, Rank, SegmentKind, State, connect, world, write_all

import clearway
from clearway.engines.speed import Engine
from clearway.ledger import account
from clearway.page.build import summarise
from clearway.page.build.notes import notes
from clearway.page.model import Page
from clearway.run import load
from clearway.run.layout import EventKind


def page_of(directory: Path, *ranks: Rank) -> Page:
    write_all(list(ranks), directory)
    return summarise(load(directory))


def test_the_sentence_names_what_matters(tmp_path: Path) -> None:
    # Of 4 x 10 s: ranks 0 to 2 wait 4 s each for rank 3, so 12 of 40 s; nothing else but computing.
    ranks = world(4)
    for rank in ranks:
        for end_s in (2.0, 4.0, 6.0, 8.0):
            rank.collective("MPI_Alltoall", end_s if rank.rank == 3 else end_s - 1, end_s)
    page = page_of(tmp_path, *ranks)
    assert page.sentence == (
        "Of 4 ranks × 10.0 s, 70 % went into computing and 30 % into waiting for late ranks in MPI_Alltoall. "
        "Rank 3 was the last to enter 100 % of the MPI_Alltoall calls."
    )


@pytest.mark.parametrize(
    ("others", "told"),
    [
        ({"MPI_Barrier": 0.1}, "waiting for late ranks in MPI_Alltoall"),
        ({"MPI_Barrier": 1.0}, "waiting for late ranks (most of it in MPI_Alltoall)"),
        ({"MPI_Barrier": 1.5, "MPI_Allreduce": 1.5}, "waiting for late ranks"),
    ],
)
def test_the_sentence_names_a_function_by_its_part_of_a_line(
    others: dict[str, float], told: str, tmp_path: Path
) -> None:
    ranks = world(4)
    for rank in ranks:
        for at_s, (function, waited_s) in enumerate({"MPI_Alltoall": 2.0, **others}.items()):
            end_s = 3.0 * at_s + 2.5
            rank.collective(function, end_s - (0 if rank.rank == 3 else waited_s), end_s)
    assert f"into {told}." in page_of(tmp_path, *ranks).sentence


def test_what_may_be_waiting_is_not_said_to_move_data(tmp_path: Path) -> None:
    """A rank whose waits for started sends left no event: whether its partner was late, the record does not tell."""
    ranks = world(2)
    ranks[1].cell("MPI_Waitall", 8.0, count=100)
    assert " into moving data or waiting for it in MPI_Waitall." in page_of(tmp_path, *ranks).sentence


def test_a_short_job_has_a_length(tmp_path: Path) -> None:
    assert page_of(tmp_path, Rank(0, 1, end_s=0.03)).sentence.startswith("Of 1 rank × 30.0 ms, ")


@pytest.mark.parametrize("calls", [0, 1])
def test_what_a_full_disk_kept_from_the_record_is_not_called_computing(calls: int, tmp_path: Path) -> None:
    """Where some calls are on record, all that did not fit are in a note."""
    ranks = world(2)
    ranks[1].header["dropped"] = [3 if kind == SegmentKind.CALLS else 0 for kind in range(16)]
    for rank in ranks[calls:1] + ranks[: 2 * calls]:
        rank.cell("MPI_Barrier", 1.0)
    page = page_of(tmp_path, *ranks)
    told = "There was no room to record the calls of 1 of 2 ranks: all that time counts as computing. "
    assert page.sentence.startswith("Of 2 ranks" if calls else f"{told}Of 2 ranks")
    assert (page.health == "Without the ranks' calls no fault can be found.") is not bool(calls)


def test_calls_on_communicators_without_room_are_not_said_to_be_communicators(tmp_path: Path) -> None:
    """The recorder counts each of the calls: of 6,800 windows it counted 362,092."""
    ranks = world(2)
    ranks[1].header["dropped"] = [9000 if kind in (SegmentKind.COMMS, SegmentKind.CALLS) else 0 for kind in range(16)]
    for rank in ranks:
        rank.cell("MPI_Barrier", 1.0)
    write_all(ranks, tmp_path)
    told = "\n".join(notes(load(tmp_path), account(load(tmp_path)), 2))
    assert "9,000 calls were on communicators or windows that did not fit into the record" in told
    assert "9,000 calls with further peers were added up" in told


@pytest.mark.parametrize(
    ("command", "program"),
    [
        (["srun", "-n", "2", "/opt/bin/md", "--steps", "10"], "md"),
        (["./md", "10"], "md"),
        (["/nowhere/mpirun", "-np", "2", "md", "10"], "mpirun"),  # whose MPI nobody can be asked
    ],
)
def test_a_record_without_room_for_the_programs_name(command: list[str], program: str, tmp_path: Path) -> None:
    """Then the command line that `clearway run` was given has it: the last word of that, "10", is none."""
    write_all(world(2), tmp_path)
    (tmp_path / "run.json").write_text(json.dumps({"command": command}))
    assert summarise(load(tmp_path)).job.program == program


def test_calls_by_function(tmp_path: Path) -> None:
    ranks = world(2)
    ranks[0].collective("MPI_Barrier", 1.0, 3.0).collective("MPI_Barrier", 4.0, 4.5)
    ranks[1].collective("MPI_Barrier", 2.5, 3.0).collective("MPI_Barrier", 4.0, 4.5)
    ranks[1].cell("MPI_Isend", 0.001, count=10, nbytes=5000, peer=0)
    page = page_of(tmp_path, *ranks)
    barrier, isend = page.mpi_calls
    assert (barrier.function, barrier.function_class, barrier.count) == ("MPI_Barrier", "collective", 4)
    assert barrier.time_s == pytest.approx(3.5)
    assert (barrier.wait_s, barrier.transfer_s) == pytest.approx((1.5, 2.0))
    assert (barrier.min_s, barrier.max_s) == pytest.approx((0.5, 2.0))
    assert (isend.function, isend.count, isend.bytes) == ("MPI_Isend", 10, 5000)
    assert isend.undivided_s == 0.0


def test_collectives_by_size(tmp_path: Path) -> None:
    ranks = world(2)
    for call, (nbytes, late) in enumerate(((100, 0), (100, 0), (5000, 1))):
        for rank in ranks:
            entry_s = 1.0 + call + (0.5 if rank.rank == late else 0.0)
            rank.collective("MPI_Allreduce", entry_s, 1.6 + call, nbytes=nbytes)
    page = page_of(tmp_path, *ranks)
    small, large = sorted(page.collectives, key=lambda row: row.low_bytes)
    assert (small.low_bytes, small.high_bytes, small.count, small.recorded) == (64, 127, 2, 2)
    assert (large.low_bytes, large.high_bytes, large.count, large.recorded) == (4096, 8191, 1, 1)
    assert small.wait_s == pytest.approx(1.0)
    assert large.wait_s == pytest.approx(0.5)
    assert (small.last_rank, small.last_share) == (0, 1.0)
    assert (large.last_rank, large.last_share) == (1, 1.0)
    assert (small.communicator, small.communicator_size) == ("MPI_COMM_WORLD", 2)


def test_a_collective_takes_no_longer_than_its_calls(tmp_path: Path) -> None:
    """A row's parts are estimated from the calls on record, its time is exact: 110 % was shown once."""
    ranks = world(2)
    for rank in ranks:
        for begin_s, end_s, nbytes in ((1.0, 2.5, 100), (3.0, 3.5, 5000)):
            rank.event(EventKind.COLLECTIVE, "MPI_Allreduce", begin_s, end_s, nbytes=nbytes)
            rank.cell("MPI_Allreduce", 1.0, nbytes=nbytes)
    small, large = sorted(page_of(tmp_path, *ranks).collectives, key=lambda row: row.low_bytes)
    assert (small.time_s, small.transfer_s) == pytest.approx((2.0, 2.0))
    assert (large.time_s, large.transfer_s) == pytest.approx((2.0, 1.0))


def test_messages_and_matrix(tmp_path: Path) -> None:
    ranks = world(4)
    ranks[0].cell("MPI_Send", 0.1, count=2, nbytes=2000, peer=1)
    ranks[1].cell("MPI_Recv", 0.1, count=2, nbytes=2000, peer=0)
    ranks[2].cell("MPI_Isend", 0.1, nbytes=300, peer=3)
    ranks[3].cell("MPI_Irecv", 0.1, nbytes=300, peer=2).cell("MPI_Iprobe", 0.1, count=6)
    for rank in ranks:
        rank.cell("MPI_Alltoall", 0.1, nbytes=4000).cell("MPI_Barrier", 0.1)
    page = page_of(tmp_path, *ranks)
    table = page.messages.matrix.bytes
    assert page.messages.matrix.block == 1
    assert table[0] == pytest.approx([1000, 3000, 1000, 1000])
    assert table[2][3] == pytest.approx(1300)
    assert page.messages.aggregate_bytes == 2000 + 300 + 4 * 4000
    assert [(size.low_bytes, size.count) for size in page.messages.histogram] == [(256, 1), (512, 2), (2048, 4)]
    assert page.messages.calls == 2 + 2 + 1 + 1 + 6 + 8
    assert page.messages.poll_share == pytest.approx(6 / 20)
    assert [rank.bytes_sent for rank in page.ranks] == [6000, 4000, 4300, 4000]
    assert [rank.bytes_received for rank in page.ranks] == [4000, 6000, 4000, 4300]
    assert page.messages.mpi_user_ratio == pytest.approx(1.3 / 38.7)


def test_a_big_matrix_is_folded(tmp_path: Path) -> None:
    ranks = world(130)
    for rank in ranks:
        rank.cell("MPI_Send", 0.1, nbytes=10, peer=(rank.rank + 1) % 130)
    matrix = page_of(tmp_path, *ranks).messages.matrix
    assert matrix.block == 3
    assert len(matrix.bytes) == len(matrix.bytes[0]) == 44
    assert sum(map(sum, matrix.bytes)) == pytest.approx(1300)


def test_sockets_know_their_peers(tmp_path: Path) -> None:
    ranks = world(2)
    connect(ranks[0], 1)
    connect(ranks[1], 0)
    connect(ranks[1], 9)
    ranks[1].rows[SegmentKind.SOCKETS][1]["stall_ticks"] = 2 * 10**8
    page = page_of(tmp_path, *ranks)
    assert [socket.peer_rank for socket in page.sockets] == [None, 1, 0]
    assert page.sockets[0].stall_s == pytest.approx(0.2)
    assert page.sockets[0].local == "10.0.0.1:5000"
    assert page.sockets[0].peer == "10.0.0.9:5000"


def test_files_are_summed_over_ranks(tmp_path: Path) -> None:
    ranks = world(2)
    for rank in ranks:
        rank.add(
            SegmentKind.FILES,
            path=b"/scratch/integrals",
            opens=1,
            reads=10,
            sequential_reads=9,
            read_bytes=1400,
            extent_bytes=100,
            read_ticks=5 * 10**8,
            flags=1,
        )
    (file,) = page_of(tmp_path, *ranks).files
    assert (file.path, file.ranks, file.calls, file.bytes_read) == ("/scratch/integrals", 2, 22, 2800)
    assert file.time_s == pytest.approx(1.0)
    assert file.reread_factor == pytest.approx(14.0)
    assert file.sequential_share == pytest.approx(0.9)
    assert file.deleted


def test_hosts(tmp_path: Path) -> None:
    rank = Rank(0, 1)
    facts = {"host.cores": "8", "net.eth0.100.speed_mbit": "1000", "net.eth0.100.duplex": "full", "tcp.rmem": "4 5 6"}
    counters = {
        "net.eth0.100.rx_bytes": (10, 110),
        "net.eth0.100.rx_pause_frames": (0, 3),
        "tcp.RetransSegs": (5, 9),
        "tcpext.TCPTimeouts": (1, 1),
        "cpu.steal_ms": (0, 250),
    }
    (tmp_path / "host.node0.cwr").write_bytes(rank.host_record(facts, counters))
    (host,) = page_of(tmp_path, rank).hosts
    assert (host.name, host.ranks, host.cores) == ("node0", 1, 8)
    assert (host.retransmitted_segments, host.timeouts, host.steal_s) == (4, 0, 0.25)
    (interface,) = host.interfaces
    assert (interface.name, interface.speed_mbit, interface.duplex) == ("eth0.100", 1000, "full")
    assert (interface.received_bytes, interface.pause_received, interface.pause_sent) == (100, 3, None)
    assert host.facts["tcp.rmem"] == "4 5 6"


def test_a_killed_rank_is_named_with_its_call(tmp_path: Path) -> None:
    thread = {"call_function": 4, "call_entry_ticks": TICKS + 6 * 10**9}
    page = page_of(tmp_path, Rank(0, 2), Rank(1, 2, end_s=8.0, state=State.RUNNING, thread=thread))
    assert page.ranks[1].inside == "MPI_Recv"
    assert page.ranks[1].state == "running"
    assert not page.job.complete
    killed = "1 rank has no end in the record (still running, or killed): rank 1 after 8.0 s, in MPI_Recv for 2.0 s."
    assert page.job.notes[0] == killed
    assert page.sentence.endswith(" The record ends with 1 of 2 ranks in MPI_Recv, since second 6.0; rank 0 has ended.")


def test_few_calls_say_nothing_of_who_is_late(tmp_path: Path) -> None:
    ranks = world(4)
    for rank in ranks:
        rank.collective("MPI_Alltoall", 7.0 if rank.rank == 3 else 3.0, 7.0)
    assert "came last" not in page_of(tmp_path, *ranks).sentence


def test_a_call_that_has_just_begun_is_no_ending(tmp_path: Path) -> None:
    thread = {"call_function": 4, "call_entry_ticks": TICKS + round(7.9 * 10**9)}
    page = page_of(tmp_path, Rank(0, 2), Rank(1, 2, end_s=8.0, state=State.RUNNING, thread=thread))
    assert "record ends" not in page.sentence


@pytest.mark.parametrize("several", [True, False])
def test_of_several_simulations_the_speed_of_one_is_told(several: bool, tmp_path: Path) -> None:
    line = "gmx_mpi mdrun -multidir a b" if several else "gmx_mpi mdrun -deffnm a-multidir"
    made = load(write_all([rank.fact("process.command_line", line) for rank in world(2)], tmp_path))
    engine = Engine("GROMACS", "a/md.log", 10.0, None, None)
    told = notes(made, account(made), 2, engine)
    assert any("of one of them, not of all" in note for note in told) is several
    assert not any("-multidir" in note for note in notes(made, account(made), 2))


def test_a_complete_job(tmp_path: Path) -> None:
    rank = Rank(0, 1).fact("process.program", "/opt/md/bin/md").fact("process.command_line", "md -n 3")
    job = page_of(tmp_path, rank).job
    assert (job.program, job.command, job.complete, job.exit_code) == ("md", "md -n 3", True, 0)
    assert job.started_at == "2025-06-15T15:06:40+00:00"
    assert job.notes == ()


def test_a_process_killed_before_any_time_passed(tmp_path: Path) -> None:
    page = page_of(tmp_path, Rank(-1, 0, end_s=0.0, state=State.STARTED))
    assert page.ledger.wall_s == 0.0
    assert page.sentence == "The record ends before any time was measured."


def test_the_last_steps(tmp_path: Path) -> None:
    ranks, alltoall = world(2), FUNCTIONS.index("MPI_Alltoall") + 1
    for rank in ranks:
        ticks = rank.machine.ticks
        for step in range(200):
            at_s = 1.0 + step * 0.04
            span = {"entry_ticks": ticks(at_s), "exit_ticks": ticks(at_s + 0.01)}
            rank.add(SegmentKind.TIMELINE, **span, function=alltoall, bytes=8)
        rank.add(SegmentKind.TIMELINE, entry_ticks=ticks(9.5), exit_ticks=ticks(9.9), function=2)
    steps = page_of(tmp_path, *ranks).timeline
    assert {step.rank for step in steps} == {0, 1}
    assert {step.function for step in steps} == {"MPI_Alltoall"}
    assert len(steps) == 2 * 120
    assert min(step.begin_s for step in steps) == pytest.approx(0.0, abs=1e-6)


def test_frames(tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    ranks = world(2)
    for rank in ranks:
        rank.collective("MPI_Barrier", 1.0 + rank.rank, 2.0)
    write_all(ranks, tmp_path)
    frames = clearway.load(tmp_path)
    assert frames.ranks["mpi_wait_s"].tolist() == pytest.approx([1.0, 0.0])
    assert frames.calls["function"].tolist() == ["MPI_Barrier"] * 2
    assert frames.calls["time_s"].tolist() == pytest.approx([1.0, 0.0])
    assert frames.collectives["recorded"].tolist() == [1]
    assert len(frames.sockets) == len(frames.files) == 0
    assert frames.hosts["name"].tolist() == ["node0"]
    assert frames.threads.columns.tolist() == ["rank", "name", "main", "busy", "core_wait", "cpus"]


def test_one_thing_without_room_is_one(tmp_path: Path) -> None:
    ranks = world(2)
    ranks[1].header["dropped"] = [int(kind == SegmentKind.SOCKETS) for kind in range(16)]
    write_all(ranks, tmp_path)
    assert "1 connection did not fit into the record." in notes(load(tmp_path), account(load(tmp_path)), 2)
