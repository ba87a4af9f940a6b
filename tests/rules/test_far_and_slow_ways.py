"""far-host and one-way-rate: a host that is further away, and one that is sent to slower than its card takes."""

from __future__ import annotations

from pathlib import Path

import pytest
from python.made_runs import SegmentKind
from rules.network_jobs import Job

from clearway.diagnosis.diagnose import diagnose
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.slow_ways import slow_way
from clearway.diagnosis.rules import rules

HOSTS, CALLS = 4, 200
ODD = 2  # rank, on node3
Figures = dict[str, int]  # of connections


def job(moving_s: float, function: str, nbytes: int, toward: Figures, back: Figures, rest: Figures) -> Job:
    """What is sent to rank ODD, what it sends itself, and the rest."""
    each_s = moving_s / CALLS
    made = Job(hosts=HOSTS, moving_s=each_s, function=function, nbytes=nbytes).all_connected(busy_time_us=2_600_000)
    for rank, record in enumerate(made.ranks):
        for number in range(1, CALLS):
            record.collective(function, 1 + number * each_s, 1 + (number + 1) * each_s, nbytes=nbytes)
        others = [other for other in range(HOSTS) if other != rank]
        for row, other in zip(record.rows[SegmentKind.SOCKETS], others, strict=True):
            for name, value in (toward if other == ODD else back if rank == ODD else rest).items():
                row[name] = value
    return made


def far(
    directory: Path, costs: bool, min_rtt_us: int = 20_000, function: str = "MPI_Allreduce", all_are: bool = False
) -> Case:
    """200 calls of 40 ms each; without cost they move hardly any data."""
    away = {"min_rtt_us": min_rtt_us, "rtt_us": min_rtt_us + 500}
    return job(8.0 if costs else 0.05, function, 1000, away, away, away if all_are else {}).case(directory)


def queued(directory: Path, costs: bool, rest: Figures | None = None, **toward: int) -> Case:
    """Three times 100 MB reach node3 in 8 s; elsewhere in 2.6, as a gigabit carries them. What it sends waits for its
    acknowledgements in the same queue."""
    slow = {"busy_time_us": 8_000_000, "rtt_us": 60_000, **toward}
    back = {"busy_time_us": 6_000_000, "rtt_us": 50_000}
    return job(8.0 if costs else 0.05, "MPI_Alltoall", 2_000_000, slow, back, rest or {}).case(directory)


def found(rule: str, case: Case) -> str:
    return next((one.finding.says for one in diagnose(case) if one.finding.rule == rule), "")


def test_a_host_that_is_far_away(tmp_path: Path) -> None:
    case = far(tmp_path, True)
    assert "A packet to node3 and back takes 20.0 ms, between the other hosts 200 µs" in found("far-host", case)
    suspicion = rules()["far-host"].examine(case)
    assert suspicion is not None
    assert sum(suspicion.claims.values()) == pytest.approx(HOSTS * CALLS * 0.0198 / 2, rel=0.01)


@pytest.mark.parametrize(
    ("library", "nbytes", "ways"),
    [("Open MPI v4.1.4", 9000, 1), ("Open MPI v4.1.4", 1_000_000, 3), ("MPICH Version: 4.0.2", 100_000, 4)],
    ids=["sent at once", "asked first", "asked first, and confirmed"],
)
def test_each_way_of_a_message_takes_longer(library: str, nbytes: int, ways: int, tmp_path: Path) -> None:
    """What others send meanwhile hides nothing: the last of what comes from afar is sent when theirs is."""
    away = {"min_rtt_us": 10_000, "rtt_us": 10_500}
    made = job(8.0, "MPI_Alltoall", nbytes, away, away, {})
    for rank in made.ranks:
        rank.fact("mpi.library", library).fact("mpi.device", "ch4:ucx ofi")
    suspicion = rules()["far-host"].examine(made.case(tmp_path))
    assert suspicion is not None
    assert sum(suspicion.claims.values()) == pytest.approx(HOSTS * CALLS * ways * 0.0098 / 2, rel=0.02)


@pytest.mark.parametrize(
    ("min_rtt_us", "function", "all_are"),
    [
        (220, "MPI_Allreduce", False),
        (2000, "MPI_Allreduce", False),
        (20_000, "MPI_Allreduce", True),
    ],
    ids=["no further", "further, but soon there", "all are"],
)
def test_a_host_that_holds_nobody_up(min_rtt_us: int, function: str, all_are: bool, tmp_path: Path) -> None:
    assert not found("far-host", far(tmp_path, True, min_rtt_us, function, all_are))


def test_a_far_host_does_not_make_messages_small(tmp_path: Path) -> None:
    """A kilobyte a call: within the round trip of the far host, and small between the others, too; each moves 40 ms."""
    case = far(tmp_path, True, min_rtt_us=40_000)
    assert found("far-host", case)
    assert not found("small-messages", case)


def test_a_port_that_is_slower_than_the_card_behind_it(tmp_path: Path) -> None:
    case = queued(tmp_path, True)
    way = slow_way(case)
    assert way is not None and way.host == "node3"
    assert way.bytes_per_s == pytest.approx(3 * 100e6 / 8)
    assert "Data reaches node3 at 319 Mbit/s or less, though 1,000 Mbit/s should" in found("one-way-rate", case)
    assert not found("naive-collective", case)


def test_a_far_host_is_no_slow_way(tmp_path: Path) -> None:
    """Its round trips are long; no queue is."""
    assert not found("one-way-rate", queued(tmp_path, True, min_rtt_us=59_900))


@pytest.mark.parametrize(
    "toward",
    [
        {"busy_time_us": 2_600_000},
        {"rtt_us": 300},
        {"rwnd_limited_us": 5_400_000},
        {"total_retrans": 2000},
    ],
    ids=["as fast as the others", "nothing waits", "the receiver was busy", "losses slow it"],
)
def test_ways_that_are_not_to_blame(toward: dict[str, int], tmp_path: Path) -> None:
    assert not found("one-way-rate", queued(tmp_path, True, **toward))


def test_ways_that_are_held_back_themselves_are_no_measure(tmp_path: Path) -> None:
    """What the receiver's window holds back keeps no queue, whatever its port is like."""
    assert not found("one-way-rate", queued(tmp_path, True, {"rwnd_limited_us": 2_000_000}))


def test_a_host_that_is_sent_more_than_the_others_has_no_slow_way(tmp_path: Path) -> None:
    """A gather: its queue is full, and its link too."""
    assert not found("one-way-rate", queued(tmp_path, True, bytes_sent=310_000_000))
