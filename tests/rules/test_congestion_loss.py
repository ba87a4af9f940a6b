"""congestion-loss: the stalls, and what the loss costs besides."""

from __future__ import annotations

from copy import deepcopy
from itertools import pairwise
from pathlib import Path

import pytest
from python.made_runs import SegmentKind
from rules.network_jobs import GIGABIT_PAYLOAD, Job

from clearway.diagnosis.diagnose import diagnose
from clearway.diagnosis.facts.packet_loss import CROWDED, kind_of_loss, losing_host
from clearway.diagnosis.rules import Suspicion, rules
from clearway.page.build import page_of

BLOCK = 20_000_000  # bytes that each rank contributes
EXCHANGES, EACH = 100, 12_000_000  # bytes, likewise


def examine(job: Job, directory: Path) -> Suspicion | None:
    return rules()["congestion-loss"].examine(job.case(directory))


def stalled(job: Job, begin_s: float, end_s: float, timeouts: int = 1, **seen: int) -> Job:
    """On the first connection of rank 0."""
    rank = job.ranks[0]
    ticks = {"begin_ticks": rank.machine.ticks(begin_s), "end_ticks": rank.machine.ticks(end_s)}
    rank.rows[SegmentKind.SOCKETS][0]["stall_ticks"] = ticks["end_ticks"] - ticks["begin_ticks"]
    rank.add(SegmentKind.STALLS, socket=0, timeouts=timeouts, **seen, **ticks)
    return job


def test_nothing_without_a_stall(tmp_path: Path) -> None:
    assert examine(Job(hosts=4, nbytes=BLOCK).all_connected(), tmp_path) is None


def test_what_is_slower_than_the_links_counts_beside_the_stalls(tmp_path: Path) -> None:
    # Four ranks exchange for 8 s, two of them stand still for 3. Each must bring three of four parts out.
    found = examine(stalled(Job(hosts=4, nbytes=BLOCK).all_connected(), 2.0, 5.0), tmp_path)
    assert found is not None
    assert found.claims["stall_s"] == pytest.approx(6.0)
    least_s = BLOCK * 3 / 4 / GIGABIT_PAYLOAD
    assert found.claims["transfer_s"] == pytest.approx(2 * 5.0 + 2 * 8.0 - 4 * least_s, rel=1e-3)


def test_a_stall_that_hardly_counts_costs_all_in_the_call_what_it_lasted_and_no_more(tmp_path: Path) -> None:
    found = examine(stalled(Job(hosts=4, nbytes=BLOCK).all_connected(), 2.0, 2.3), tmp_path)
    assert found is not None
    assert found.claims == pytest.approx({"stall_s": 2 * 0.3, "transfer_s": 2 * 0.3, "wait_s": 0.0}, abs=1e-3)


@pytest.mark.parametrize(("lost", "usual_s"), [(2, 0.1), (200, EACH * 3 / 4 / GIGABIT_PAYLOAD)])
def test_exchanges_that_lost_nothing_tell_what_losses_cost(lost: int, usual_s: float, tmp_path: Path) -> None:
    """Twenty of 100 ms, but for two that take 500 and stand still meanwhile. If most lose something, the links tell."""
    job = Job(hosts=4, moving_s=0.1, nbytes=EACH).all_connected()
    ends_s = [1.1]
    for number in range(1, 20):
        ends_s.append(ends_s[-1] + (0.5 if number in (7, 13) else 0.1))
    for made in job.ranks:
        for begin_s, end_s in pairwise(ends_s):
            made.collective("MPI_Alltoall", begin_s, end_s, nbytes=EACH)
    socket = job.ranks[0].rows[SegmentKind.SOCKETS][0]
    socket["total_retrans"], socket["total_rto"] = lost, 2
    for number in (7, 13):
        stalled(job, ends_s[number] - 0.4, ends_s[number] - 0.05)
    found = examine(job, tmp_path)
    assert found is not None
    assert sum(found.claims.values()) == pytest.approx(4 * (ends_s[-1] - 1.0 - 20 * usual_s), rel=0.01)


def test_a_silence_that_a_probe_ended_is_not_called_a_timeout(tmp_path: Path) -> None:
    found = examine(stalled(Job(hosts=4, nbytes=BLOCK).all_connected(), 2.0, 5.0, timeouts=0), tmp_path)
    assert found is not None
    assert found.claims["stall_s"] == pytest.approx(6.0)
    assert "timeouts holds" not in found.says


LOSES = {"total_retrans": 40}


def test_a_way_that_was_interrupted_is_no_congestion(tmp_path: Path) -> None:
    case = stalled(Job(hosts=4, nbytes=BLOCK).all_connected(), 2.0, 5.2, timeouts=4).case(tmp_path)
    assert rules()["congestion-loss"].examine(case) is None
    [found] = [one for one in diagnose(case) if one.finding.rule == "outage"]
    assert "From second 2.0 to second 5.2, 3.20 s of " in found.finding.says
    assert not found.offers
    assert rules()["flow-control"].examine(case) is None


@pytest.mark.parametrize(("segments", "by_chance"), [(3, True), (30, False)])
def test_packets_lost_by_chance_need_no_other_order(segments: int, by_chance: bool, tmp_path: Path) -> None:
    """Each host is sent to by three others."""
    job = stalled(Job(hosts=4, nbytes=BLOCK).all_connected(cwnd=segments, total_rto=1, **LOSES), 2.0, 2.8)
    [found] = [one for one in diagnose(job.case(tmp_path)) if one.finding.rule == "congestion-loss"]
    assert ("lost by chance" in found.finding.says) == by_chance
    assert ("flow" in found.offers) != by_chance


@pytest.mark.parametrize(("in_flight", "sacked", "by_chance"), [(4, 0, False), (4, 3, True), (1, 0, True)])
def test_what_a_port_without_room_loses_is_lost_together(
    in_flight: int, sacked: int, by_chance: bool, tmp_path: Path
) -> None:
    """However little is on its way: of four segments all were lost, or the first, or there was one."""
    job = Job(hosts=4, nbytes=BLOCK).all_connected(cwnd=3, total_rto=1, **LOSES)
    stalled(job, 2.0, 2.8, in_flight=in_flight, sacked=sacked)
    [found] = [one for one in diagnose(job.case(tmp_path)) if one.finding.rule == "congestion-loss"]
    assert ("lost by chance" in found.finding.says) == by_chance


@pytest.mark.parametrize("besides", [40, 0])
def test_a_host_that_loses_all_the_time_loses_the_same_thrice_now_and_then(besides: int, tmp_path: Path) -> None:
    """Rank 1's host: nothing else was lost where the way was down."""
    job = Job(hosts=4, nbytes=BLOCK).all_connected(cwnd=30, bytes_sent=BLOCK)
    for rank, made in enumerate(job.ranks):
        others = [other for other in range(4) if other != rank]
        for row, other in zip(made.rows[SegmentKind.SOCKETS], others, strict=True):
            row["total_retrans"] = besides if other == 1 else 0
    found = {one.finding.rule for one in diagnose(stalled(job, 2.0, 3.4, timeouts=3, in_flight=2).case(tmp_path))}
    assert ("congestion-loss" in found, "outage" in found) == (besides > 0, besides == 0)


@pytest.mark.parametrize("more", [1, 4], ids=["sent as much as the others", "sent most"])
def test_what_is_lost_on_the_way_to_one_host_alone(more: int, tmp_path: Path) -> None:
    """Rank 1's host, to which rank 0 stalls; the windows are as large as in congestion."""
    job = Job(hosts=4, nbytes=BLOCK).all_connected(cwnd=30, total_rto=1, bytes_sent=BLOCK)
    for rank, made in enumerate(job.ranks):
        others = [other for other in range(4) if other != rank]
        for row, other in zip(made.rows[SegmentKind.SOCKETS], others, strict=True):
            row["total_retrans"] = 20 if other == 1 else 0
            row["bytes_sent"] = BLOCK * (more if other == 1 else 1)
    [found] = [one for one in diagnose(stalled(job, 2.0, 2.8).case(tmp_path)) if one.finding.rule == "congestion-loss"]
    assert ("Nearly all of it was on its way to node2" in found.finding.says) == (more == 1)
    assert ("flow" in found.offers) == (more > 1)


def repaired(hits: dict[int, int], needless: int = 0, rtt_us: int = 5000, moving_s: float = 8.0) -> Job:
    """A hundred exchanges of 80 ms; of what is sent to rank r, `hits[r]` segments are lost on each connection."""
    each_s = moving_s / EXCHANGES
    job = Job(hosts=4, moving_s=each_s, nbytes=EACH).all_connected(cwnd=30, rtt_us=rtt_us)
    for rank, made in enumerate(job.ranks):
        for number in range(1, EXCHANGES):
            made.collective("MPI_Alltoall", 1 + number * each_s, 1 + (number + 1) * each_s, nbytes=EACH)
        others = [other for other in range(4) if other != rank]
        for row, other in zip(made.rows[SegmentKind.SOCKETS], others, strict=True):
            row["total_retrans"] = hits.get(other, 0) + needless
            row["dsack_dups"] = needless
    return job


def test_losses_that_no_timeout_repaired_cost_something_too(tmp_path: Path) -> None:
    """Most exchanges lose something, each is longer by a few round trips at most."""
    [found] = diagnose(repaired({0: 60, 1: 60, 2: 60, 3: 60}, rtt_us=60_000).case(tmp_path))
    assert found.finding.rule == "congestion-loss"
    assert found.finding.title == "The network loses packets"
    assert "720 segments were lost and sent again without a timeout" in found.finding.says
    assert 100 * 0.06**2 / (2 * 0.08) < found.finding.cost_s < 100 * 0.06


@pytest.mark.parametrize(
    ("lost", "longer", "cost_s"), [(7, (1,), 20 * 0.03), (0, (1,), None), (90, (0, 1, 2, 3), 80 * 0.03)]
)
def test_exchanges_that_took_longer_than_others_did_so_for_their_losses(
    lost: int, longer: tuple[int, ...], cost_s: float | None, tmp_path: Path
) -> None:
    """Every fifth of a hundred took 70 ms, not 40: a timer ran out. Where nothing was lost, TCP has no part in it.

    Where nearly all lose something, most take long, and the few that do not tell what is usual.
    """
    made = Job(hosts=4, moving_s=0.04, nbytes=EACH // 4).all_connected(cwnd=30, rtt_us=5000)
    for rank, record in enumerate(made.ranks):
        begin_s = 1.04
        for number in range(1, EXCHANGES):
            end_s = begin_s + (0.07 if number % 5 in longer else 0.04)
            record.collective("MPI_Alltoall", begin_s, end_s, nbytes=EACH // 4)
            begin_s = end_s
        others = [other for other in range(4) if other != rank]
        for row, other in zip(record.rows[SegmentKind.SOCKETS], others, strict=True):
            row["total_retrans"] = lost if other == 2 else 0
    found = {one.finding.rule: one.finding.cost_s for one in diagnose(made.case(tmp_path))}
    assert found.get("congestion-loss") == (None if cost_s is None else pytest.approx(cost_s, rel=0.1))


def test_losses_to_one_host_that_no_timeout_repaired(tmp_path: Path) -> None:
    [found] = diagnose(repaired({2: 60}, rtt_us=60_000).case(tmp_path))
    assert "Nearly all of it was on its way to node3" in found.finding.says
    assert not found.offers


@pytest.mark.parametrize(
    "harmless",
    [
        repaired({}, needless=60, rtt_us=60_000),
        repaired({0: 1, 1: 1, 2: 1, 3: 1}),
        repaired({0: 60, 1: 60, 2: 60, 3: 60}, rtt_us=200),
        repaired({0: 60, 1: 60, 2: 60, 3: 60}, rtt_us=60_000, moving_s=0.1),
    ],
    ids=["all had arrived", "few", "back at once", "hardly any data"],
)
def test_segments_sent_again_that_cost_nothing(harmless: Job, tmp_path: Path) -> None:
    assert not diagnose(harmless.case(tmp_path))


def test_a_kernel_that_does_not_tell_what_had_arrived_accuses_nobody(tmp_path: Path) -> None:
    job = repaired({0: 60, 1: 60, 2: 60, 3: 60}, rtt_us=60_000)
    for made in job.ranks:
        for row in made.rows[SegmentKind.SOCKETS]:
            row["dsack_dups"] = 2**32 - 1
    assert not diagnose(job.case(tmp_path))


@pytest.mark.parametrize(("one", "others", "alone"), [(1, 0, False), (2, 0, True), (20, 2, True), (9, 3, False)])
def test_how_much_must_be_lost_to_one_host_before_it_is_no_accident(
    one: int, others: int, alone: bool, tmp_path: Path
) -> None:
    hits = {host: (one if host == 1 else others) for host in range(4)}
    case = repaired(hits).case(tmp_path)
    assert (losing_host(case) == "node2") == alone


def test_a_window_that_is_not_known_says_nothing(tmp_path: Path) -> None:
    assert kind_of_loss(stalled(Job(hosts=4).all_connected(**LOSES), 2.0, 2.8).case(tmp_path)) == CROWDED


@pytest.mark.parametrize(("rtt_us", "advised"), [(250, False), (900, True)])
def test_marks_are_advised_where_queues_were_seen(rtt_us: int, advised: bool, tmp_path: Path) -> None:
    """At a gigabit a segment takes 12 µs; the shortest round trip is 200."""
    job = Job(hosts=4, nbytes=BLOCK, facts={number: {"tcp.ecn": "2"} for number in range(1, 5)})
    job.all_connected(cwnd=30, rtt_us=rtt_us, total_rto=1, **LOSES)
    [found] = [one for one in diagnose(stalled(job, 2.0, 2.8).case(tmp_path)) if one.finding.rule == "congestion-loss"]
    assert ("host-ecn" in found.offers) == advised


def test_stalls_that_held_no_rank_up_are_said_to_be_elsewhere(tmp_path: Path) -> None:
    """From 9 s on all compute."""
    job = Job(hosts=4, nbytes=BLOCK).all_connected()
    for directory, begin_s, said in (("outside", 9.1, True), ("inside", 2.0, False)):
        notes = page_of(stalled(deepcopy(job), begin_s, begin_s + 0.8).case(tmp_path / directory)).job.notes
        assert any("A connection was stalled for 0.8 s" in note for note in notes) == said
