"""rendezvous: blocks above the MPI's eager limit, whose exchange leaves the links idle though nothing is lost."""

from __future__ import annotations

from pathlib import Path

import pytest
from python.made_runs import SegmentKind
from rules.network_jobs import GIGABIT, GIGABIT_PAYLOAD, Job

from clearway.diagnosis.rules import Suspicion, rules
from clearway.run.layout import Activity, Place

BLOCK = 20_000_000  # bytes that each rank contributes
LEAST_S = BLOCK * 3 / 4 / GIGABIT_PAYLOAD  # of a call on four hosts


def examine(job: Job, directory: Path, library: str = "Open MPI v4.1.4", **environment: str) -> Suspicion | None:
    for rank in job.ranks:
        rank.fact("mpi.library", library)
        for name, value in environment.items():
            rank.fact(f"environment.{name}", value)
    return rules()["rendezvous"].examine(job.case(directory))


def exchange(times_the_least: float, function: str = "MPI_Alltoall") -> Job:
    return Job(hosts=4, function=function, nbytes=BLOCK, moving_s=times_the_least * LEAST_S).all_connected()


def test_what_the_bytes_do_not_need_is_claimed(tmp_path: Path) -> None:
    found = examine(exchange(1.6), tmp_path)
    assert found is not None and "MPI_Alltoall" in found.says and "1.6 times" in found.says
    assert found.claims["transfer_s"] == pytest.approx(4 * 0.6 * LEAST_S, rel=1e-3)
    assert found.claims["wait_s"] == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize("times", [1.05, 2.5])
def test_in_step_it_is_sound_and_beyond_twice_it_is_the_algorithm(tmp_path: Path, times: float) -> None:
    assert examine(exchange(times), tmp_path) is None


def test_blocks_that_are_sent_at_once(tmp_path: Path) -> None:
    assert examine(exchange(1.6), tmp_path, OMPI_MCA_btl_tcp_eager_limit="8000000") is None


def test_an_algorithm_that_the_job_names(tmp_path: Path) -> None:
    told = {"OMPI_MCA_coll_tuned_use_dynamic_rules": "1", "OMPI_MCA_coll_tuned_alltoall_algorithm": "3"}
    assert examine(exchange(1.6), tmp_path, **told) is None


def test_operations_without_blocks_for_each(tmp_path: Path) -> None:
    assert examine(exchange(1.6, "MPI_Bcast"), tmp_path) is None


def test_an_mpi_whose_limit_is_not_known(tmp_path: Path) -> None:
    assert examine(exchange(1.6), tmp_path, library="Intel(R) MPI Library 2021.17") is None


def test_mpich_over_ucx_where_nothing_came_back(tmp_path: Path) -> None:
    assert examine(exchange(1.6), tmp_path, library="MPICH Version: 4.0.2") is None


def test_a_link_that_a_core_cannot_fill(tmp_path: Path) -> None:
    fast = {**GIGABIT, "speed_mbit": "100000"}
    job = Job(hosts=4, nbytes=2_000_000_000, moving_s=1.6 * LEAST_S, cards={"eth0": fast}).all_connected()
    assert examine(job, tmp_path) is None


def test_a_slow_link_has_its_part_of_what_answers_cost(tmp_path: Path) -> None:
    """One host's link carries half. Answers make the exchange 1.6 times as long at any rate: of its 1.6 parts the link
    has 0.8, and of what is left on sound links 0.3 are for answers.
    """
    moving_s = 1.6 * 2 * LEAST_S
    job = Job(hosts=4, nbytes=BLOCK, moving_s=moving_s).all_connected(bytes_sent=BLOCK // 4)
    job.facts[2] = {"net.eth0.speed_mbit": "500", "net.eth0.supported_mbit": "1000"}
    found = examine(job, tmp_path)
    link = rules()["link-speed"].examine(job.case(tmp_path))
    assert found is not None and link is not None
    assert link.claims["transfer_s"] == pytest.approx(4 * moving_s / 2, rel=0.01)
    assert found.claims["transfer_s"] == pytest.approx(4 * moving_s * 0.6 / 1.6 / 2, rel=0.01)


@pytest.mark.parametrize("stopped", [0.0, 0.35, 0.6])
def test_a_job_that_was_stopped_meanwhile(tmp_path: Path, stopped: float) -> None:
    """One rank was, for so many times what the bytes need: nothing moved anywhere."""
    job, samples_a_second = exchange(1.6), 1000
    samples = round(stopped * LEAST_S * samples_a_second)
    for activity, number in ((Activity.STOPPED, samples), (Activity.RUNNING, 10 * samples_a_second - samples)):
        job.ranks[1].add(SegmentKind.ACTIVITIES, activity=activity, place=Place.MPI, samples=number)
    found = examine(job, tmp_path)
    assert (found is None) is (stopped > 0.4), "sound is up to 1.2 times"
    assert found is None or found.claims["transfer_s"] == pytest.approx(4 * (0.6 - stopped) * LEAST_S, rel=0.02)
