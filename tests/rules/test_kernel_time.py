"""kernel-time: system time outside MPI and files; and slow-start: blocked before the program began."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from python.made_runs import Machine, Rank, SegmentKind

from clearway.diagnosis.diagnose import diagnose
from clearway.diagnosis.facts import Case, open_case
from clearway.diagnosis.rules import rules
from clearway.ledger.profile import Function, Profile
from clearway.run import load
from clearway.run.layout import Activity, Place

SECOND_NS = 10**9


def busy_kernel(directory: Path, system_s: float, held_pages: int = 1000) -> Case:
    """Two ranks run for 10 s, of which 1 s in MPI; the kernel takes so much of it."""
    machine = Machine()
    for number in range(2):
        rank = Rank(number, 2, machine=machine, thread={"cpu_ns": 10 * SECOND_NS, "cpu_in_mpi_ns": SECOND_NS})
        rank.collective("MPI_Allreduce", 4.0, 5.0)
        counters = {"process.main_system_ms": round(system_s * 1000), "process.peak_rss_bytes": 4096 * held_pages}
        for name, last in counters.items():
            rank.add(SegmentKind.COUNTERS, name=name.encode(), first=0, last=last)
        rank.write(directory)
    record = Rank(0, 1, machine=machine).host_record({"memory.page_fault_ns": "2000"}, {})
    (directory / "host.node0.00000000.cwr").write_bytes(record)
    return open_case(load(directory))


def started(directory: Path, blocked_s: float, busy_s: float = 0.0) -> Case:
    """Two ranks whose records begin after so many seconds blocked, and so many running."""
    machine = Machine()
    for number in range(2):
        rank = Rank(number, 2, machine=machine, recording_s=blocked_s + busy_s)
        for name in ("process.cpu_all_threads_ns", "process.run_delay_all_threads_ns"):
            half = round(busy_s / 2 * SECOND_NS)
            rank.add(SegmentKind.COUNTERS, name=name.encode(), first=half, last=half + SECOND_NS)
        rank.write(directory)
    return open_case(load(directory))


def test_what_can_only_be_the_kernels_outside_mpi(tmp_path: Path) -> None:
    found = rules()["kernel-time"].examine(busy_kernel(tmp_path, 4.0))
    assert found is not None
    assert found.claims == {"compute_s": pytest.approx(2 * (4.0 - 1.0), rel=0.01)}


@pytest.mark.parametrize(("system_s", "pages"), [(0.0, 1000), (1.2, 1000), (4.0, 800_000)])
def test_nothing_where_it_may_have_been_in_mpi_or_touched_memory_once(
    tmp_path: Path, system_s: float, pages: int
) -> None:
    assert rules()["kernel-time"].examine(busy_kernel(tmp_path, system_s, pages)) is None


@pytest.mark.parametrize(("outside_s", "claimed_s"), [(1.0, 3.0), (6.5, 2.5), (8.9, None), (9.3, None)])
def test_what_was_sampled_outside_the_kernel_is_not_the_kernels(
    tmp_path: Path, outside_s: float, claimed_s: float | None
) -> None:
    """The kernel's own count says 4 s of each rank, of which 1 s may be MPI's; the rank computed for 9 s."""
    case = busy_kernel(tmp_path, 4.0)
    functions = (Function("/home/me/md", "forces"), Function("/opt/openmpi/lib/libmpi.so.40", "PMPI_Allreduce"))
    of, process = np.array([0, 1, 0, 1], np.int32), np.array([0, 0, 1, 1], np.int32)
    sampled = Profile(functions, process, of, np.array([outside_s, 0.5, outside_s, 0.5]), np.zeros(4), 0.01)
    found = rules()["kernel-time"].examine(replace(case, tables=replace(case.tables, profile=sampled)))
    claims = found.claims if found else {}
    assert claims == ({"compute_s": pytest.approx(2 * claimed_s, rel=0.01)} if claimed_s else {})


def test_what_all_ranks_were_blocked_before_they_began(tmp_path: Path) -> None:
    found = rules()["slow-start"].examine(started(tmp_path, 3.0, 1.0))
    assert found is not None
    assert found.claims == {"blocked_s": pytest.approx(2 * 3.0)}


def in_init(directory: Path, activity: Activity, first_s: float, last_s: float) -> str:
    """What is said of two ranks that are in MPI_Init for the first 4 of 10 s, and of what samples found there."""
    machine = Machine()
    for number in range(2):
        rank = Rank(number, 2, machine=machine, header={"mpi_begin": machine.instant(4.0)})
        rank.cell("MPI_Init", 4.0).collective("MPI_Allreduce", 8.0, 8.5)
        rank.thread = {"cpu_ns": 5 * SECOND_NS, "blocked_outside_ns": 4 * SECOND_NS}
        first, last = machine.ticks(first_s), machine.ticks(last_s)
        name = f"/tmp/tool{number}".encode()
        rank.add(
            SegmentKind.ACTIVITIES,
            activity=activity,
            place=Place.MPI,
            samples=38,
            first_ticks=first,
            last_ticks=last,
            object=name,
        )
        rank.add(SegmentKind.ACTIVITIES, activity=Activity.RUNNING, place=Place.OUTSIDE, samples=62, object=b"")
        rank.write(directory)
    found = rules()["slow-start"].examine(open_case(load(directory)))
    assert found is not None
    assert found.claims == {"blocked_s": pytest.approx(8.0)}
    return found.says


@pytest.mark.parametrize(
    ("activity", "last_s", "told"),
    [
        (Activity.FULL_PIPE, 3.9, "most of the time writing to a full pipe (/tmp/tool0 and 1 more). Its reader"),
        (Activity.RECEIVING, 3.9, "most of the time waiting for /tmp/tool0 and 1 more. Look at the other end"),
        (Activity.FULL_PIPE, 8.2, "most of the time writing to a full pipe"),  # some of it in the all-reduce
        (Activity.RUNNING, 3.9, ": MPI looks for hosts"),
        (Activity.SLEEPING, 3.9, ": MPI looks for hosts"),
    ],
)
def test_what_ranks_wait_for_in_mpi_init_is_told(tmp_path: Path, activity: Activity, last_s: float, told: str) -> None:
    assert told in in_init(tmp_path, activity, 0.1, last_s)


def test_what_they_waited_for_in_later_calls_is_not(tmp_path: Path) -> None:
    assert ": MPI looks for hosts" in in_init(tmp_path, Activity.FULL_PIPE, 8.1, 8.4)


def test_a_slow_start_does_not_happen_now_and_then(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Other seconds of its line of the ledger, later in the job, are none of it."""
    monkeypatch.setattr("clearway.diagnosis.diagnose.when", lambda *_: "It happened 4 times.")
    told = {one.finding.rule: one.finding.when for one in diagnose(started(tmp_path, 3.0, 1.0))}
    assert told["slow-start"] == ""


@pytest.mark.parametrize(("blocked_s", "busy_s"), [(0.5, 0.0), (0.5, 3.0)])
def test_nothing_for_a_usual_start_or_a_busy_host(tmp_path: Path, blocked_s: float, busy_s: float) -> None:
    assert rules()["slow-start"].examine(started(tmp_path, blocked_s, busy_s)) is None
