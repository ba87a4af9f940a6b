"""naive-collective, small-messages, tcp-inside-host: from the recorded calls and the connections that carried them."""

from __future__ import annotations

from pathlib import Path

import pytest
from python.made_runs import SegmentKind
from rules.network_jobs import GIGABIT_PAYLOAD, Job

from clearway.diagnosis.rules import Suspicion, rules

BLOCK = 20_000_000  # bytes that each rank contributes


def examine(rule: str, job: Job, directory: Path) -> Suspicion | None:
    return rules()[rule].examine(job.case(directory))


def test_an_allgather_that_takes_far_longer_than_its_bytes_need(tmp_path: Path) -> None:
    job = Job(hosts=4, function="MPI_Allgather", nbytes=BLOCK).all_connected()
    found = examine("naive-collective", job, tmp_path)
    assert found is not None and "MPI_Allgather" in found.says
    least_s = 3 * BLOCK / GIGABIT_PAYLOAD  # a host must receive what the three others have
    assert found.claims["transfer_s"] == pytest.approx(4 * (8.0 - least_s), rel=1e-3)


def test_an_allgather_near_the_speed_of_the_wire(tmp_path: Path) -> None:
    job = Job(hosts=4, function="MPI_Allgather", nbytes=BLOCK, moving_s=1.0).all_connected()
    assert examine("naive-collective", job, tmp_path) is None


def test_an_alltoall_has_to_bring_more_through_a_card_of_two_ranks(tmp_path: Path) -> None:
    job = Job(hosts=2, per_host=2, nbytes=BLOCK).all_connected()
    found = examine("naive-collective", job, tmp_path)
    assert found is not None
    least_s = BLOCK * 2 * 2 / 4 / GIGABIT_PAYLOAD  # two ranks of a host send half of their blocks out
    assert found.claims["transfer_s"] == pytest.approx(4 * (8.0 - least_s), rel=1e-3)


def test_small_buffers_are_not_the_algorithms_fault(tmp_path: Path) -> None:
    held = {"min_rtt_us": 10_000, "rtt_us": 10_000, "send_buffer_bytes": 131_072, "sndbuf_limited_us": 6_000_000}
    job = Job(hosts=4, function="MPI_Allgather", nbytes=BLOCK).all_connected(**held)
    assert examine("naive-collective", job, tmp_path) is None


def test_nothing_is_said_where_the_speed_is_unknown(tmp_path: Path) -> None:
    job = Job(hosts=4, cards={"eth0": {}}, function="MPI_Allgather", nbytes=BLOCK).all_connected()
    assert examine("naive-collective", job, tmp_path) is None


def test_nor_where_a_virtual_card_makes_it_up(tmp_path: Path) -> None:
    veth = {"speed_mbit": "10000", "duplex": "full", "driver": "veth"}
    job = Job(hosts=4, cards={"eth0": veth}, function="MPI_Allgather", nbytes=BLOCK).all_connected()
    assert examine("naive-collective", job, tmp_path) is None


def many_small(calls: int, each_s: float, rtt_us: int, late_s: float = 0.0) -> Job:
    """Small allreduces, one after the other, to which rank 1 comes late."""
    path = {"min_rtt_us": rtt_us, "rtt_us": rtt_us}
    job = Job(moving_s=0.001).connect(0, 1, back=path, **path)
    for rank in job.ranks:
        for number in range(calls):
            begin_s = 2.0 + number * each_s
            rank.collective("MPI_Allreduce", begin_s + late_s * rank.rank, begin_s + each_s, nbytes=8)
    return job


def test_messages_that_only_wait_for_the_round_trip(tmp_path: Path) -> None:
    found = examine("small-messages", many_small(calls=1000, each_s=0.004, rtt_us=3000), tmp_path)
    assert found is not None and found.confidence < 0.9
    assert found.claims["transfer_s"] == pytest.approx(2 * 1000 * 0.003, rel=0.01)  # 3 of each 4 ms


@pytest.mark.parametrize(("late_s", "moving_s"), [(0.0005, 3.0), (0.0018, 0.4)])
def test_waits_for_a_rank_that_computes_are_no_latency(late_s: float, moving_s: float, tmp_path: Path) -> None:
    found = examine("small-messages", many_small(calls=1000, each_s=0.002, rtt_us=1500, late_s=late_s), tmp_path)
    assert found is not None
    assert sum(found.claims.values()) == pytest.approx(moving_s, rel=0.01)


def test_messages_that_take_far_longer_than_a_round_trip(tmp_path: Path) -> None:
    assert examine("small-messages", many_small(calls=1000, each_s=0.004, rtt_us=300), tmp_path) is None


def test_large_messages_are_not_small(tmp_path: Path) -> None:
    assert examine("small-messages", Job().connect(0, 1, min_rtt_us=8_000, rtt_us=8_000), tmp_path) is None


def test_tcp_between_ranks_of_one_host(tmp_path: Path) -> None:
    found = examine("tcp-inside-host", Job(hosts=1, per_host=2).connect(0, 1, back={"bytes_sent": 1}), tmp_path)
    assert found is not None and found.confidence >= 0.9
    assert found.claims["transfer_s"] == pytest.approx(2 * (8.0 - 0.025), rel=1e-3)  # copying 100 MB takes 25 ms


def test_a_few_bytes_by_tcp_beside_shared_memory(tmp_path: Path) -> None:
    few = {"bytes_sent": 1000}
    job = Job(hosts=1, per_host=2, nbytes=100_000_000).connect(0, 1, back=few, **few)
    assert examine("tcp-inside-host", job, tmp_path) is None


@pytest.mark.parametrize(("size", "told"), [(30, ""), (0, ""), (30, "OMPI_MCA_btl")])
def test_where_nothing_else_says_so_the_users_own_parameters_may(size: int, told: str, tmp_path: Path) -> None:
    job, path = Job(hosts=1, per_host=2).connect(0, 1, back={"bytes_sent": 1}), "/home/me/.openmpi/mca-params.conf"
    for rank in job.ranks:
        rank.fact("mpi.library", "Open MPI v4.1.4").fact("environment." + told, "tcp,self")
        rank.add(SegmentKind.FILES, path=path.encode(), opens=1, reads=1, read_bytes=size)
    found = examine("tcp-inside-host", job, tmp_path)
    assert found is not None
    assert (path in found.says) == (size > 0 and not told)


def test_tcp_between_hosts_is_as_it_should_be(tmp_path: Path) -> None:
    assert examine("tcp-inside-host", Job(hosts=2).connect(0, 1), tmp_path) is None


def test_what_the_wire_takes_is_not_laid_to_tcp_inside_hosts(tmp_path: Path) -> None:
    job = Job(hosts=2, per_host=2).all_connected(bytes_sent=200_000_000)
    found = examine("tcp-inside-host", job, tmp_path)
    assert found is not None
    wire_s = 4 * 200e6 / GIGABIT_PAYLOAD  # two ranks to two ranks
    inside_s = (8.0 - wire_s) * 2 / 6 - 0.1  # one of three connections of each rank, less the copying
    assert found.claims["transfer_s"] == pytest.approx(4 * inside_s, rel=1e-3)
