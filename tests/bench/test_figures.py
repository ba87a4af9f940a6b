"""Throughput, worked by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from clearway.base.ethernet import SHARE_OF_SHAPED, SHARE_OF_WIRE
from clearway.bench.figures import Job, RawPoint, limit_bytes_per_s, point_of

JOB = Job("alltoall", ranks=8, hosts=8, ranks_per_host=1, mpi="", mpi_library="", interleaved=False)
GIGABIT = 10**9
PAYLOAD = GIGABIT / 8 * SHARE_OF_WIRE


def test_what_is_left_to_the_data() -> None:
    """Iperf shows 941 Mbit/s on a gigabit link; the testbed's best connection carries 1448 of 1514 bytes."""
    assert round(1000 * SHARE_OF_WIRE) == 941
    assert SHARE_OF_SHAPED == 1448 / 1514


def test_the_wire_of_one_rank_a_host() -> None:
    assert limit_bytes_per_s(JOB, GIGABIT, SHARE_OF_WIRE) == pytest.approx(PAYLOAD)


def test_the_wire_of_two_ranks_a_host() -> None:
    """Of 4 ranks on 2 hosts each host sends 2 × 2 blocks; of its 3 blocks, each rank keeps one inside the host."""
    job = replace(JOB, ranks=4, hosts=2, ranks_per_host=2)
    assert limit_bytes_per_s(job, GIGABIT, SHARE_OF_WIRE) == pytest.approx(PAYLOAD * 3 / 4)
    # An allgather brings each host the 2 blocks from elsewhere, once.
    assert limit_bytes_per_s(replace(job, operation="allgather"), GIGABIT, SHARE_OF_WIRE) == pytest.approx(
        PAYLOAD * 3 / 2
    )


def test_ranks_of_one_host_use_no_wire() -> None:
    assert limit_bytes_per_s(replace(JOB, hosts=1, ranks_per_host=8), GIGABIT, SHARE_OF_WIRE) is None


def test_a_stall_counts_by_its_time() -> None:
    """7 blocks of 1,000 bytes in 1 ms, and once in 99 ms: 14,000 bytes in 100 ms."""
    point = point_of(JOB, RawPoint("own", 1000, (1_000_000, 99_000_000), 3, 1, ""), limit=280_000)
    assert point.mean_bytes_per_s == pytest.approx(140_000)
    assert point.share_of_limit == pytest.approx(0.5)
    assert point.most_bytes_per_s == pytest.approx(7_000_000)
    assert point.least_bytes_per_s == pytest.approx(7000 / 0.099)
    assert (point.retransmits, point.timeouts) == (3, 1)


def test_what_was_not_measured_has_no_figures() -> None:
    point = point_of(JOB, RawPoint("ring", 1000, (), 0, 0, "not served"), limit=1.0)
    assert point.mean_bytes_per_s is None
    assert point.share_of_limit is None
