"""congestion-loss: the stalls, and what the loss costs besides."""

from __future__ import annotations

from pathlib import Path

import pytest
from python.made_runs import SegmentKind
from rules.network_jobs import GIGABIT_PAYLOAD, Job

from clearway.rules import Suspicion, rules

BLOCK = 20_000_000  # bytes that each rank contributes


def examine(job: Job, directory: Path) -> Suspicion | None:
    return rules()["congestion-loss"].examine(job.case(directory))


def stalled(job: Job, begin_s: float, end_s: float, timeouts: int = 1) -> Job:
    """On the first connection of rank 0."""
    rank = job.ranks[0]
    ticks = {"begin_ticks": rank.machine.ticks(begin_s), "end_ticks": rank.machine.ticks(end_s)}
    rank.rows[SegmentKind.SOCKETS][0]["stall_ticks"] = ticks["end_ticks"] - ticks["begin_ticks"]
    rank.add(SegmentKind.STALLS, socket=0, timeouts=timeouts, **ticks)
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


def test_a_stall_that_hardly_counts_does_not_make_all_the_rest_a_loss(tmp_path: Path) -> None:
    found = examine(stalled(Job(hosts=4, nbytes=BLOCK).all_connected(), 2.0, 2.3), tmp_path)
    assert found is not None
    assert found.claims["transfer_s"] == 0


def test_a_silence_that_a_probe_ended_is_not_called_a_timeout(tmp_path: Path) -> None:
    found = examine(stalled(Job(hosts=4, nbytes=BLOCK).all_connected(), 2.0, 5.0, timeouts=0), tmp_path)
    assert found is not None
    assert found.claims["stall_s"] == pytest.approx(6.0)
    assert "timeouts holds" not in found.says
