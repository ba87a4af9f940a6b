"""asking-threads: the program's own threads that look for messages without pause, and those that do not."""

from __future__ import annotations

from pathlib import Path

import pytest
from python.made_runs import Rank
from rules.host_jobs import MadeHost, case_of
from rules.test_threads import WALL_S, ns, thread

from clearway.diagnosis.facts import Case
from clearway.diagnosis.rules import asking_threads


def asking(
    directory: Path, costs: bool, asked: float = 0.9, waited_s: float = 4.0, besides: tuple[float, ...] = ()
) -> Case:
    """Two ranks on two cores, each with a thread that asks for messages for `asked` of the time that it can run.

    They take turns with the main threads for 4 of 10 s, or seldom. Threads besides compute for so many seconds.
    """
    busy_s = 4.0 if costs else 0.2
    ranks = []
    for number in range(2):
        main = {"tid": 10 * number + 1, "cpu_ns": ns(WALL_S - busy_s), "run_delay_ns": ns(waited_s)}
        one = Rank(number, 2, end_s=WALL_S, thread=main).fact("process.cpus_allowed", "0-1")
        thread(one, main["tid"], WALL_S - busy_s, waited_s)
        thread(one, main["tid"] + 1, busy_s, WALL_S - busy_s)
        for tid, cpu_s in enumerate(besides, main["tid"] + 2):
            thread(one, tid, cpu_s)
        one.cell("MPI_Iprobe", asked * WALL_S, count=10_000_000, thread=1)
        ranks.append(one)
    return case_of(ranks, directory, MadeHost(facts={"host.cores": "2"}))


def test_what_they_took_is_claimed(tmp_path: Path) -> None:
    found = asking_threads.examine(asking(tmp_path, costs=True))
    assert found is not None
    assert found.claims["core_wait_s"] == pytest.approx(8.0, rel=0.05)
    assert "In 2 ranks a thread of the program" in found.says


def test_one_that_sleeps_between_two_looks_takes_nothing(tmp_path: Path) -> None:
    assert asking_threads.examine(asking(tmp_path, costs=False)) is None


def test_one_that_has_a_core_of_its_own_takes_nothing_from_a_rank(tmp_path: Path) -> None:
    assert asking_threads.examine(asking(tmp_path, costs=True, waited_s=0.0)) is None


def test_threads_that_compute_and_look_now_and_then_are_none(tmp_path: Path) -> None:
    assert asking_threads.examine(asking(tmp_path, costs=True, asked=0.1)) is None


def test_threads_that_compute_beside_it_are_not_claimed(tmp_path: Path) -> None:
    found = asking_threads.examine(asking(tmp_path, costs=True, waited_s=9.0, besides=(3.0, 3.0)))
    assert found is not None
    assert found.claims["core_wait_s"] == pytest.approx(2 * 4.0, rel=0.05)
