"""mpi-threads: progress threads that take turns with the ranks, and the word that switches them off."""

from __future__ import annotations

from pathlib import Path

import pytest
from python.made_runs import Rank
from rules.host_jobs import MadeHost, case_of
from rules.test_threads import WALL_S, ns, thread

from clearway.diagnosis.diagnose import diagnose
from clearway.diagnosis.facts import Case
from clearway.diagnosis.rules import mpi_threads
from clearway.run.layout import THREAD_OF_MPI


def with_progress(directory: Path, costs: bool, asked: str = "1") -> Case:
    """Two ranks on two cores, whose MPI has a thread for each: they take turns with them for 4 of 10 s, or seldom."""
    busy_s = 4.0 if costs else 0.2
    ranks = []
    for number in range(2):
        main = {"tid": 10 * number + 1, "cpu_ns": ns(WALL_S - busy_s), "run_delay_ns": ns(busy_s)}
        one = Rank(number, 2, end_s=WALL_S, thread=main)
        one.fact("process.cpus_allowed", "0-1").fact("environment.MPIR_CVAR_ASYNC_PROGRESS", asked)
        thread(one, main["tid"], WALL_S - busy_s, busy_s)
        thread(one, main["tid"] + 1, busy_s, WALL_S - busy_s, flags=THREAD_OF_MPI)
        ranks.append(one)
    return case_of(ranks, directory, MadeHost(facts={"host.cores": "2"}))


def test_what_they_took_is_claimed_and_they_are_switched_off(tmp_path: Path) -> None:
    found = next(one for one in diagnose(with_progress(tmp_path, costs=True)) if one.finding.rule == "mpi-threads")
    assert found.finding.cost_s == pytest.approx(4.0, rel=0.05)
    assert "started a thread in each of 2 ranks" in found.finding.says
    [offer] = found.offers.values()
    assert dict(offer.change.environment) == {"MPIR_CVAR_ASYNC_PROGRESS": "0"}


def test_where_nobody_asked_for_them_nothing_is_switched_off(tmp_path: Path) -> None:
    found = next(one for one in diagnose(with_progress(tmp_path, True, "0")) if one.finding.rule == "mpi-threads")
    assert not found.offers


def test_threads_that_wait_take_nothing(tmp_path: Path) -> None:
    assert mpi_threads.examine(with_progress(tmp_path, costs=False)) is None
