"""send-buffer, receive-window, buffer-ceilings: the kernel's limited time counts only while the pipe stands empty."""

from __future__ import annotations

from pathlib import Path

import pytest
from rules.network_jobs import GIGABIT_PAYLOAD, Job

from clearway.diagnosis.diagnose import diagnose
from clearway.diagnosis.rules import Suspicion, rules

# 10 ms at a gigabit: a pipe of 1.18 MB. 64 kB in flight of each 10 ms are 6.5 MB/s, 5.6 % of the link.
LONG = {"min_rtt_us": 10_000, "rtt_us": 10_000, "bytes_sent": 52_000_000}
SMALL = 131_072  # as the kernel tells it: twice what was asked for


def examine(rule: str, job: Job, directory: Path) -> Suspicion | None:
    return rules()[rule].examine(job.case(directory))


def test_a_small_send_buffer_costs_the_idle_part_of_the_limited_time(tmp_path: Path) -> None:
    job = Job().connect(0, 1, **LONG, send_buffer_bytes=SMALL, sndbuf_limited_us=6_000_000)
    found = examine("send-buffer", job, tmp_path)
    assert found is not None and found.confidence >= 0.9
    idle = 1 - 52_000_000 / (GIGABIT_PAYLOAD * 8.0)
    # 6 s of one connection, felt at both of its ends.
    assert found.claims["transfer_s"] == pytest.approx(2 * 6.0 * idle)
    assert any("128 KiB" in one.value for one in found.evidence)


def test_both_directions_at_once_cost_no_more_than_the_worst_share(tmp_path: Path) -> None:
    limits = {"send_buffer_bytes": SMALL, "sndbuf_limited_us": 8_000_000}
    job = Job().connect(0, 1, back={**LONG, **limits}, **LONG, **limits)
    found = examine("send-buffer", job, tmp_path)
    assert found is not None
    idle = 1 - 52_000_000 / (GIGABIT_PAYLOAD * 8.0)
    assert found.claims["transfer_s"] == pytest.approx(2 * 8.0 * idle)


def test_a_full_link_is_not_the_buffers_fault(tmp_path: Path) -> None:
    full = {"bytes_sent": int(GIGABIT_PAYLOAD * 8.0), "min_rtt_us": 10_000, "rtt_us": 10_000}
    job = Job().connect(0, 1, **full, send_buffer_bytes=SMALL, sndbuf_limited_us=8_000_000)
    assert examine("send-buffer", job, tmp_path) is None


def test_a_short_path_needs_no_large_buffer(tmp_path: Path) -> None:
    job = Job().connect(0, 1, send_buffer_bytes=SMALL, sndbuf_limited_us=8_000_000)
    assert examine("send-buffer", job, tmp_path) is None  # 200 µs: a pipe of 24 kB


def test_a_round_trip_that_was_never_measured(tmp_path: Path) -> None:
    unknown = {"min_rtt_us": 2**32 - 1, "rtt_us": 200}
    job = Job().connect(0, 1, **unknown, send_buffer_bytes=SMALL, sndbuf_limited_us=8_000_000)
    assert examine("send-buffer", job, tmp_path) is None


def test_queues_count_against_it_where_the_speed_is_unknown(tmp_path: Path) -> None:
    path = {"min_rtt_us": 10_000, "rtt_us": 40_000, "send_buffer_bytes": SMALL, "sndbuf_limited_us": 8_000_000}
    found = examine("send-buffer", Job(cards={"eth0": {}}).connect(0, 1, **path), tmp_path)
    assert found is not None and found.confidence < 0.9
    assert found.claims["transfer_s"] == pytest.approx(2 * 8.0 * 0.25)


def test_little_limited_time_says_nothing(tmp_path: Path) -> None:
    job = Job().connect(0, 1, **LONG, send_buffer_bytes=SMALL, sndbuf_limited_us=300_000)
    assert examine("send-buffer", job, tmp_path) is None


def test_the_window_is_the_receivers_buffer(tmp_path: Path) -> None:
    job = Job().connect(0, 1, back={"receive_buffer_bytes": SMALL}, **LONG, rwnd_limited_us=6_000_000)
    found = examine("receive-window", job, tmp_path)
    assert found is not None
    assert found.claims["transfer_s"] == pytest.approx(2 * 6.0 * (1 - 52_000_000 / (GIGABIT_PAYLOAD * 8.0)))
    assert "receive buffer" in {one.what for one in found.evidence}


def test_a_receiver_that_does_not_read_is_no_small_buffer(tmp_path: Path) -> None:
    job = Job().connect(0, 1, **LONG, rwnd_limited_us=6_000_000)
    assert examine("receive-window", job, tmp_path) is None


@pytest.mark.parametrize(
    ("buffer_bytes", "setting"), [(2 * 212_992, "net.core.wmem_max"), (1_048_576, "net.ipv4.tcp_wmem")]
)
def test_a_buffer_at_the_hosts_ceiling(buffer_bytes: int, setting: str, tmp_path: Path) -> None:
    job = Job().connect(0, 1, **LONG, send_buffer_bytes=buffer_bytes, sndbuf_limited_us=6_000_000)
    job.facts[1] = {"tcp.wmem": "4096 16384 1048576"}
    case = job.case(tmp_path)
    found = rules()["buffer-ceilings"].examine(case)
    assert found is not None and setting in found.says
    assert rules()["send-buffer"].examine(case) is None  # a larger request would be cut


@pytest.mark.parametrize("number", [1, 2], ids=["where it comes from", "where it goes to"])
def test_without_window_scaling_no_buffer_helps(number: int, tmp_path: Path) -> None:
    job = Job().connect(0, 1, **LONG, rwnd_limited_us=6_000_000)  # 6 MB of receive buffer
    job.facts[number] = {"tcp.window_scaling": "0", "tcp.rmem": "4096 131072 212992"}
    case = job.case(tmp_path)
    found = rules()["buffer-ceilings"].examine(case)
    assert found is not None
    assert f"Window scaling is switched off on node{number}" in found.says
    assert found.claims["transfer_s"] == pytest.approx(2 * 6.0 * (1 - 52_000_000 / (GIGABIT_PAYLOAD * 8.0)))
    assert rules()["receive-window"].examine(case) is None
    told = [one.finding for one in diagnose(case) if one.finding.rule == "buffer-ceilings"]
    assert [one.remedies for one in told] == [()]


def test_a_buffer_below_the_ceiling_is_the_jobs_own_matter(tmp_path: Path) -> None:
    job = Job().connect(0, 1, **LONG, send_buffer_bytes=SMALL, sndbuf_limited_us=6_000_000)
    assert examine("buffer-ceilings", job, tmp_path) is None
