"""Stalls are found where a made-up connection had them, however it is sampled."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

NATIVE = Path(__file__).resolve().parents[2] / "native"
MS = 1_000_000
RTO, RTT = 204 * MS, 2 * MS


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Path:
    program = tmp_path_factory.mktemp("silence") / "driver"
    sources = [Path(__file__).with_name("silence_driver.cpp"), NATIVE / "recorder" / "sockets" / "silence.cpp"]
    subprocess.run(["c++", "-std=c++20", "-O1", f"-I{NATIVE}", *sources, "-o", program], check=True)
    return program


@dataclass
class Connection:
    """A sender as the kernel would show it. It sends without pause, but for what is planted; times in ns."""

    stalls: list[tuple[int, int, int]] = field(default_factory=list)  # begin, end, timeouts
    pauses: list[tuple[int, int]] = field(default_factory=list)  # nothing to send
    slow_peer: list[tuple[int, int]] = field(default_factory=list)  # unacknowledged, but nothing is lost
    peer_talks: bool = False  # packets of the peer's own arrive all the time
    timeouts_known: bool = True

    def sample(self, at: int) -> str:
        acked_until = last_ack = at
        unacked, retrans, timeouts, recoveries, backoff, loss = 5, 0, 0, 0, 0, 0
        for begin, end in self.pauses:
            if begin <= at < end:
                acked_until = last_ack = begin
                unacked = 0
        for begin, end in self.slow_peer:
            if begin <= at < end:
                acked_until = last_ack = begin
        for begin, end, count in self.stalls:
            fired = [begin + RTO * (2**k - 1) for k in range(1, count + 1)]
            struck = sum(at >= moment for moment in fired)
            timeouts += struck
            retrans += struck if count else int(at >= begin + RTO)
            recoveries += struck > 0
            if begin <= at < end:
                acked_until = begin
                last_ack = at - at % (3 * MS) if self.peer_talks else begin
                backoff = struck
                loss = int(struck > 0)
                for pause_begin, pause_end in self.pauses:
                    if pause_end == begin:
                        acked_until = last_ack = pause_begin
        busy = at - sum(min(at, end) - begin for begin, end in self.pauses if begin <= at)
        values = [at, acked_until, last_ack, busy, RTO << backoff, RTT, unacked, retrans]
        values += [timeouts if self.timeouts_known else 0, recoveries, backoff, loss, int(self.timeouts_known)]
        return " ".join(map(str, values))


def found_by(driver: Path, connection: Connection, until: int, slow: int = 100 * MS) -> Iterator[tuple[int, int, int]]:
    """The stalls that are over, as the sampler would see them: every `slow` ns, every 10 ms when it is silent."""
    with subprocess.Popen([driver], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as tracker:
        assert tracker.stdin is not None and tracker.stdout is not None
        at = 1000 * MS
        next_slow = at
        while at < until:
            tracker.stdin.write(connection.sample(at) + "\n")
            tracker.stdin.flush()
            words = tracker.stdout.readline().split()
            if words[0] == "stall":
                if words[4] == "1":
                    yield int(words[1]), int(words[2]), int(words[3])
                words = tracker.stdout.readline().split()
            next_slow = next_slow + slow if at >= next_slow else next_slow
            at = min(at + 10 * MS, next_slow) if words[0] == "silent" else next_slow
        tracker.stdin.close()


@pytest.mark.parametrize("phase_ms", [0, 13, 50, 99])
@pytest.mark.parametrize("timeouts", [1, 2, 4])
@pytest.mark.parametrize("peer_talks", [False, True])
def test_timeouts(driver: Path, phase_ms: int, timeouts: int, peer_talks: bool) -> None:
    begin = (3000 + phase_ms) * MS
    end = begin + RTO * (2**timeouts - 1) + RTT
    found = list(found_by(driver, Connection([(begin, end, timeouts)], peer_talks=peer_talks), end + 2000 * MS))
    assert len(found) == 1
    assert found[0][0] == pytest.approx(begin, abs=25 * MS)
    assert found[0][1] == pytest.approx(end, abs=8 * MS)
    assert found[0][2] == timeouts


@pytest.mark.parametrize("phase_ms", [0, 13, 50, 99])
def test_after_a_pause_the_stall_begins_with_the_data(driver: Path, phase_ms: int) -> None:
    begin = (5000 + phase_ms) * MS
    end = begin + RTO + RTT
    connection = Connection([(begin, end, 1)], pauses=[(1500 * MS, begin)])
    found = list(found_by(driver, connection, end + 1000 * MS))
    assert [timeouts for _, _, timeouts in found] == [1]
    assert found[0][0] == pytest.approx(begin, abs=25 * MS)


def test_many_stalls_add_up(driver: Path) -> None:
    stalls = [((2000 + 517 * i) * MS, (2000 + 517 * i) * MS + RTO + RTT, 1) for i in range(40)]
    found = list(found_by(driver, Connection(stalls), 25_000 * MS))
    assert len(found) == 40
    assert sum(end - begin for begin, end, _ in found) == pytest.approx(40 * (RTO + RTT), rel=0.02)


def test_a_slow_peer_makes_no_stall(driver: Path) -> None:
    assert not list(found_by(driver, Connection(slow_peer=[(3000 * MS, 3500 * MS)]), 6000 * MS))


def test_a_late_probe_is_a_stall_without_timeouts(driver: Path) -> None:
    found = list(found_by(driver, Connection([(3000 * MS, 3000 * MS + RTO + RTT, 0)]), 5000 * MS))
    assert [timeouts for _, _, timeouts in found] == [0]


def test_kernels_that_do_not_count_timeouts(driver: Path) -> None:
    begin, end = 3030 * MS, 3030 * MS + 3 * RTO + RTT
    found = list(found_by(driver, Connection([(begin, end, 2)], timeouts_known=False), 5000 * MS))
    assert [timeouts for _, _, timeouts in found] == [2]
    assert found[0][1] - found[0][0] == pytest.approx(end - begin, rel=0.05)


def test_a_late_sampler_still_counts_the_time(driver: Path) -> None:
    stalls = [((2000 + 1000 * i) * MS, (2000 + 1000 * i) * MS + RTO + RTT, 1) for i in range(10)]
    found = list(found_by(driver, Connection(stalls), 15_000 * MS, slow=900 * MS))
    assert sum(end - begin for begin, end, _ in found) == pytest.approx(10 * (RTO + RTT), rel=0.15)
