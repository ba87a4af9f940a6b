"""outage and mtu-black-hole: ways that let nothing through for a while, or small packets only."""

from __future__ import annotations

from pathlib import Path

import pytest
from python.made_runs import SegmentKind
from rules.network_jobs import Job

from clearway.diagnosis.diagnose import diagnose
from clearway.diagnosis.rules import rules

BLOCK = 20_000_000  # bytes that each rank contributes
SMALL_PASS = {"timeouts": 4, "sacked": 1, "in_flight": 14}
NONE_PASS = {"timeouts": 4, "sacked": 0, "heard": 5, "in_flight": 14}


def silent(job: Job, rank: int, begin_s: float, end_s: float, connection: int = 0, **seen: int) -> Job:
    """What `rank` sends on that one of its connections is not acknowledged."""
    made = job.ranks[rank]
    ticks = {"begin_ticks": made.machine.ticks(begin_s), "end_ticks": made.machine.ticks(end_s)}
    made.rows[SegmentKind.SOCKETS][connection]["stall_ticks"] = ticks["end_ticks"] - ticks["begin_ticks"]
    made.add(SegmentKind.STALLS, socket=connection, **seen, **ticks)
    return job


def job() -> Job:
    """Rank r's connections are to the others in the order of their ranks; rank r is on node r + 1."""
    return Job(hosts=4, nbytes=BLOCK).all_connected(mss=1448, total_rto=4, total_retrans=9, cwnd=30)


def said(made: Job, directory: Path) -> dict[str, str]:
    return {each.finding.rule: each.finding.says for each in diagnose(made.case(directory))}


def test_large_packets_that_vanish(tmp_path: Path) -> None:
    found = said(silent(silent(job(), 0, 2.0, 8.0, 1, **SMALL_PASS), 1, 2.1, 8.0, 1, **SMALL_PASS), tmp_path)
    assert "1,448 bytes of data did not reach node3" in found["mtu-black-hole"]
    assert "From second 2.0 on" in found["mtu-black-hole"]
    assert not {"outage", "congestion-loss", "flow-control"} & set(found)


def test_large_packets_vanish_too_where_acknowledgements_arrive(tmp_path: Path) -> None:
    """Nothing is behind a gap, but what the silent host itself had sent is acknowledged meanwhile."""
    made = silent(silent(job(), 0, 2.0, 8.0, 1, **NONE_PASS), 1, 2.0, 8.0, 1, **NONE_PASS)
    silent(made, 2, 2.1, 2.4, 1, timeouts=0, sacked=0, heard=0, in_flight=1)
    found = said(made, tmp_path)
    assert "mtu-black-hole" in found
    assert "outage" not in found


ASKED = {"passed_bytes": 1051, "vanished_bytes": 1062}


def test_large_packets_vanish_where_only_the_recorders_own_small_ones_tell(tmp_path: Path) -> None:
    """Nothing is behind a gap, and the silent host has nothing to send."""
    made = silent(silent(job(), 0, 2.0, 8.0, 1, **NONE_PASS, **ASKED), 1, 2.0, 8.0, 1, **NONE_PASS)
    found = said(made, tmp_path)
    assert "packets of up to 1,051 bytes arrived, when Clearway sent some" in found["mtu-black-hole"]
    assert "outage" not in found


def test_large_packets_that_vanish_both_ways(tmp_path: Path) -> None:
    """A port with a smaller MTU takes none and gives none."""
    made = silent(silent(job(), 0, 2.0, 8.0, 1, **NONE_PASS, **ASKED), 2, 2.0, 8.0, 0, **NONE_PASS, **ASKED)
    silent(silent(made, 1, 2.0, 8.0, 1, **NONE_PASS, **ASKED), 2, 2.0, 8.0, 1, **NONE_PASS, **ASKED)
    assert "did not reach node3 or did not leave it" in said(made, tmp_path)["mtu-black-hole"]


@pytest.mark.parametrize("answered", [{}, {"passed_bytes": 1500}], ids=["nothing", "large ones too"])
def test_a_host_that_answers_nothing_or_everything_is_behind_no_black_hole(
    answered: dict[str, int], tmp_path: Path
) -> None:
    """A way that comes back lets all sizes through while TCP still waits for its timer."""
    found = said(silent(job(), 0, 2.0, 8.0, 1, **{**SMALL_PASS, "sacked": 0}, **answered), tmp_path)
    assert "outage" in found
    assert "mtu-black-hole" not in found


def test_what_is_acknowledged_once_the_way_is_back_tells_of_no_black_hole(tmp_path: Path) -> None:
    """The last try of the others comes later: their timers had doubled once more."""
    made = silent(silent(job(), 0, 2.0, 3.5, 1, **NONE_PASS), 1, 2.0, 3.5, 1, **NONE_PASS)
    silent(made, 2, 2.0, 3.4, 1, timeouts=2, sacked=0, heard=0, in_flight=2)
    found = said(made, tmp_path)
    assert "outage" in found
    assert "mtu-black-hole" not in found


def test_what_is_lost_both_ways_is_an_outage_whatever_came_before(tmp_path: Path) -> None:
    """The peer's own data is not acknowledged either: not even small packets reach it."""
    made = silent(silent(job(), 0, 2.0, 8.0, 1, **SMALL_PASS), 2, 2.0, 8.0, 0, **NONE_PASS)
    found = said(made, tmp_path)
    assert "From second 2.0 to second 8.0, 6.00 s of 10.0 s" in found["outage"]
    assert "mtu-black-hole" not in found


def test_an_outage_says_from_when_to_when_and_where(tmp_path: Path) -> None:
    made = job()
    for rank in (0, 1):
        silent(made, rank, 3.0, 6.0, 1, **NONE_PASS)
    silent(made, 2, 3.1, 6.1, 0, **NONE_PASS)
    silent(made, 3, 3.0, 6.0, 2, **NONE_PASS)
    found = said(made, tmp_path)
    assert (
        "From second 3.0 to second 6.1, 3.10 s of 10.0 s, no data moved between node3 and the others" in found["outage"]
    )


ONCE = {"timeouts": 1, "sacked": 0, "heard": 0, "in_flight": 14}


def test_a_host_that_nobody_heard_for_a_moment_was_cut_off(tmp_path: Path) -> None:
    made = Job(hosts=4, nbytes=BLOCK).all_connected(mss=1448, total_rto=1, total_retrans=2, cwnd=30)
    silent(made, 0, 3.0, 3.5, 1, **ONCE)  # to rank 2
    silent(made, 1, 3.0, 3.5, 1, **ONCE)
    silent(made, 2, 3.1, 3.6, 0, **ONCE)  # of rank 2
    found = said(made, tmp_path)
    assert "no data moved between node3 and the others: nothing came through either way" in found["outage"]
    assert "congestion-loss" not in found


@pytest.mark.parametrize("timeouts", [1, 2])
def test_what_all_others_lost_twice_was_lost_by_no_full_port(timeouts: int, tmp_path: Path) -> None:
    """The host itself had nothing to send."""
    made = Job(hosts=4, nbytes=BLOCK).all_connected(mss=1448, total_rto=1, total_retrans=2, cwnd=30)
    for rank, connection in ((0, 1), (1, 1), (3, 2)):
        silent(made, rank, 3.0, 3.7, connection, **ONCE | {"timeouts": timeouts})
    assert ("outage" in said(made, tmp_path)) == (timeouts == 2)


def test_what_was_on_its_way_when_a_host_was_cut_off_is_lost_with_it(tmp_path: Path) -> None:
    """However large the windows were."""
    made = Job(hosts=4, nbytes=BLOCK).all_connected(mss=1448, total_rto=1, cwnd=30)
    for rank, connection in ((0, 1), (1, 1), (2, 0)):
        made.ranks[rank].rows[SegmentKind.SOCKETS][connection]["total_retrans"] = 32
        silent(made, rank, 3.0, 3.5, connection, **ONCE | {"in_flight": 30})
    assert "outage" in said(made, tmp_path)


def test_where_much_is_lost_besides_it_is_congestion(tmp_path: Path) -> None:
    made = job()
    silent(made, 0, 3.0, 3.5, 1, **ONCE)
    silent(made, 1, 3.0, 3.5, 1, **ONCE)
    silent(made, 2, 3.1, 3.6, 0, **ONCE)
    found = said(made, tmp_path)
    assert "outage" not in found
    assert "congestion-loss" in found


@pytest.mark.parametrize("back", [False, True], ids=["one way", "behind a gap"])
def test_a_moment_in_which_a_host_lost_something_may_be_congestion(back: bool, tmp_path: Path) -> None:
    made = job()
    for rank in (0, 1):
        silent(made, rank, 3.0, 3.5, 1, **ONCE | ({"sacked": 2} if back else {}))
    if back:
        silent(made, 2, 3.1, 3.6, 0, **ONCE)
    found = said(made, tmp_path)
    assert "outage" not in found
    assert "congestion-loss" in found


def test_outages_apart_are_counted_and_not_joined(tmp_path: Path) -> None:
    made = job()
    for begin_s in (2.0, 6.0):
        silent(made, 0, begin_s, begin_s + 1.5, 1, **NONE_PASS)
        silent(made, 2, begin_s + 0.1, begin_s + 1.6, 0, **NONE_PASS)
    assert (
        "2 times, first from second 2.0 to second 3.6, 3.20 s in all of 10.0 s, no data moved"
        in said(made, tmp_path)["outage"]
    )


@pytest.mark.parametrize("seen", [{"timeouts": 1, "sacked": 3}, {"timeouts": 2, "sacked": 1, "heard": 2}])
def test_single_losses_behind_which_more_arrived_are_neither(seen: dict[str, int], tmp_path: Path) -> None:
    found = said(silent(job(), 0, 2.0, 2.6, 1, **seen), tmp_path)
    assert "congestion-loss" in found
    assert not {"outage", "mtu-black-hole"} & set(found)


@pytest.mark.parametrize("rule", ["outage", "mtu-black-hole"])
def test_silences_while_all_compute_cost_nothing(rule: str, tmp_path: Path) -> None:
    """From 9 s on they do."""
    found = said(silent(job(), 0, 9.1, 9.9, 1, **SMALL_PASS), tmp_path)
    assert rule not in found
    assert rules()[rule].examine(job().case(tmp_path / "sound")) is None
