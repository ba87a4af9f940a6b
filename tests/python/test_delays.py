"""Why ranks had to be waited for: what the late one did longer, wherever in the step, along chains of ranks."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from python.made_runs import Rank, world, write_all

from clearway.ledger import account
from clearway.ledger.delays import Delays, delays
from clearway.ledger.timelines import BLOCKED, COMPUTE, CORE_WAIT, DOING, IO, TRANSFER, UNKNOWN, WAIT
from clearway.run import load


def charged(ranks: list[Rank], directory: Path) -> Delays:
    write_all(ranks, directory)
    run = load(directory)
    return delays(run, account(run))


def total_s(found: Delays) -> dict[str, float]:
    return {name: float(seconds) for name, seconds in zip(DOING, found.causes_s.sum(axis=0), strict=True) if seconds}


def steps_of(ranks: list[Rank], outside_s: NDArray[np.float64], **before_s: NDArray[np.float64]) -> None:
    """Steps x ranks: how long each is outside MPI, and what it did there beside computing; then all meet."""
    now_s = 0.0
    for step, row in enumerate(outside_s):
        end_s = now_s + float(row.max())
        for rank, own_s in zip(ranks, row, strict=True):
            figures = {f"{name}_before_s": float(each[step, rank.rank]) for name, each in before_s.items()}
            rank.collective("MPI_Allreduce", now_s + float(own_s), end_s, **figures)
        now_s = end_s
    for rank in ranks:
        rank.end_s = now_s


@pytest.mark.parametrize(
    ("what", "column"), [("blocked", BLOCKED), ("io", IO), ("run_delay", CORE_WAIT)], ids=["blocked", "io", "core"]
)
def test_what_the_late_rank_did_longer_is_the_cause(what: str, column: int, tmp_path: Path) -> None:
    """In each step another of three ranks takes 0.2 s more than 1 s; all compute for 0.9 s, and read for 0.1 s."""
    outside_s, longer_s = np.full((6, 3), 1.0), np.zeros((6, 3))
    longer_s[np.arange(6), np.arange(6) % 3] = 0.2
    figures = {name: np.zeros((6, 3)) for name in ("blocked", "io", "run_delay")}
    figures["io"] += 0.1
    figures[what] = figures[what] + longer_s
    ranks = world(3)
    steps_of(ranks, outside_s + longer_s, **figures)
    found = charged(ranks, tmp_path)
    assert total_s(found) == {DOING[column]: pytest.approx(6 * 2 * 0.2, rel=1e-3)}
    assert found.by_late(3)[:, column] == pytest.approx([0.8, 0.8, 0.8], rel=1e-3)


def test_who_computes_longer_is_waited_for_because_of_that(tmp_path: Path) -> None:
    outside_s = np.full((4, 2), 1.0)
    outside_s[:, 1] += 0.5
    ranks = world(2)
    steps_of(ranks, outside_s)
    found = charged(ranks, tmp_path)
    assert total_s(found) == {"compute": pytest.approx(4 * 0.5, rel=1e-3)}
    assert set(found.late.tolist()) == {1}
    assert set(found.process.tolist()) == {0}


def test_polls_that_find_nothing_are_no_computing(tmp_path: Path) -> None:
    """Both compute for 1 s a step; rank 1 also polls for half a second, and makes another call before it finds any.

    Where it polls, no event tells, but it cannot have computed longer than the ledger says. HPCC's RandomAccess.
    """
    outside_s = np.full((4, 2), 1.0)
    outside_s[:, 1] += 0.5
    ranks = world(2)
    steps_of(ranks, outside_s)
    ranks[1].cell("MPI_Test", 4 * 0.5, count=4_000_000)
    assert total_s(charged(ranks, tmp_path)) == {"unknown": pytest.approx(4 * 0.5, rel=1e-3)}


def test_polls_explain_no_more_than_they_took(tmp_path: Path) -> None:
    """As above, but of the half second 0.4 s are computing; there are 1.4 s of it, 1 s of which both have."""
    outside_s = np.full((4, 2), 1.0)
    outside_s[:, 1] += 0.5
    ranks = world(2)
    steps_of(ranks, outside_s)
    ranks[1].cell("MPI_Test", 4 * 0.1, count=1_000_000)
    found = total_s(charged(ranks, tmp_path))
    assert found == {"compute": pytest.approx(4 * 0.4, rel=1e-3), "unknown": pytest.approx(4 * 0.1, rel=1e-3)}


def test_what_made_a_rank_late_may_be_over_when_it_is_waited_for(tmp_path: Path) -> None:
    """Rank 1 sleeps, exchanges nothing for long, and computes as long as rank 0 does: while that waits, it computes."""
    ranks = world(2)
    for step in range(3):
        begin_s = 4.0 * step
        for rank, late_s, blocked_s in ((ranks[0], 0.0, 0.0), (ranks[1], 1.0, 1.0)):
            at_s = begin_s + 2.0 + late_s
            rank.send(1 - rank.rank, at_s, at_s, function="MPI_Isend", blocked_before_s=blocked_s)
            rank.receive(1 - rank.rank, at_s, begin_s + 3.0)
            # What comes behind costs both the same.
            rank.collective("MPI_Allreduce", begin_s + 4.0, begin_s + 4.0)
    for rank in ranks:
        rank.end_s = 12.0
    found = charged(ranks, tmp_path)
    assert total_s(found) == {"blocked": pytest.approx(3.0, rel=1e-3)}


def test_along_a_chain_the_cause_is_that_of_its_first_rank(tmp_path: Path) -> None:
    """Rank 2 reads a file and is late to rank 1, which is late to rank 0."""
    ranks = world(3)
    for step in range(3):
        begin_s = 3.0 * step
        ranks[2].send(1, begin_s + 2.0, begin_s + 2.0, io_before_s=1.0)
        ranks[1].receive(2, begin_s + 1.0, begin_s + 2.0)
        ranks[1].send(0, begin_s + 2.0, begin_s + 2.0)
        ranks[0].receive(1, begin_s + 1.0, begin_s + 2.0)
        for rank in ranks:
            rank.collective("MPI_Allreduce", begin_s + 3.0, begin_s + 3.0)
            rank.end_s = begin_s + 3.0
    found = charged(ranks, tmp_path)
    assert total_s(found) == {"io": pytest.approx(3 * 2 * 1.0, rel=1e-2)}


def test_moving_data_makes_late_as_well(tmp_path: Path) -> None:
    ranks = world(3)
    for rank in ranks[:2]:
        rank.receive(1 - rank.rank, 1.0, 3.0)
        rank.send(1 - rank.rank, 1.0, 1.0)
    for rank, entry_s in zip(ranks, (3.0, 3.0, 1.0), strict=True):
        rank.collective("MPI_Allreduce", entry_s, 3.0)
    assert total_s(charged(ranks, tmp_path)) == {"transfer": pytest.approx(2.0)}


def test_what_no_event_tells_of_comes_evenly(tmp_path: Path) -> None:
    """The thread was without a core half of its time outside MPI, in stretches too short to be told of one by one."""
    outside_s = np.full((4, 2), 1.0)
    outside_s[:, 1] += 1.0
    ranks = world(2)
    steps_of(ranks, outside_s)
    ranks[1].thread |= {"run_delay_ns": 4 * 10**9, "cpu_ns": 4 * 10**9}
    found = total_s(charged(ranks, tmp_path))
    assert found == {"core_wait": pytest.approx(4.0, rel=1e-2)}


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_the_causes_of_a_wait_add_up_to_it(seed: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Whatever ranks did, and however little of it is known."""
    chance = np.random.default_rng(seed)
    ranks = world(int(chance.integers(2, 6)))
    shape = (int(chance.integers(1, 12)), len(ranks))
    outside_s = chance.exponential(1.0, shape)
    figures = {name: chance.exponential(0.5, shape) for name in ("blocked", "io", "run_delay")}
    steps_of(ranks, outside_s, **figures)
    for rank in ranks:
        rank.thread |= {"io_ticks": int(chance.integers(0, 10**9)), "run_delay_ns": int(chance.integers(0, 10**9))}
    found = charged(ranks, tmp_path_factory.mktemp("run"))
    assert found.causes_s.sum(axis=1) == pytest.approx(found.seconds, rel=1e-6)
    assert (found.causes_s >= 0).all()
    assert not found.causes_s[:, WAIT].any()
    waited_s = (outside_s.max(axis=1, keepdims=True) - outside_s).sum()
    assert found.seconds.sum() == pytest.approx(waited_s, rel=1e-3, abs=1e-3)
    assert found.causes_s[:, [TRANSFER, UNKNOWN]].sum() <= 0.02 * waited_s + 1e-3
    assert found.causes_s[:, COMPUTE].sum() <= waited_s + 1e-3
