"""The ledger over time of made records: each second in its slice, all of them as many as in the ledger."""

from __future__ import annotations

import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from python.made_runs import SECOND, Rank, SegmentKind, world, write_all

from clearway.diagnosis.facts import Case, open_case
from clearway.diagnosis.when import moment, when
from clearway.ledger import account
from clearway.ledger.account import LINES
from clearway.ledger.strip import MOST_SLICES, Strip, spread_s, strip
from clearway.page.build import summarise
from clearway.page.render.html import html_of
from clearway.page.render.terminal import text_of
from clearway.run import load

COMPUTE, CORE, WAIT, MOVE, STALL, IO, OTHER = range(len(LINES))


def read(rank: Rank, second: float, settled_s: float | None = None, phase: int = 0, **seconds: float) -> Rank:
    """A reading: `mpi`, `mpi_io`, `life`, `io` in ticks, `run_delay`, `blocked_outside` in nanoseconds, as they are."""
    units = {name: "ns" if name in ("run_delay", "blocked_outside") else "ticks" for name in seconds}
    return rank.add(
        SegmentKind.READINGS,
        ticks=rank.machine.ticks(second),
        settled_ticks=rank.machine.ticks(second if settled_s is None else settled_s),
        phase=phase,
        phases=1 if phase else 0,
        **{f"{name}_{units[name]}": round(value * SECOND) for name, value in seconds.items()},
    )


def strip_of(directory: Path, ranks: list[Rank]) -> Strip:
    run = load(write_all(ranks, directory))
    books = account(run)
    made = strip(run, books)
    assert made is not None
    for index, line in enumerate(LINES):
        assert made.lines_s[:, :, index].sum(axis=1) == pytest.approx(np.maximum(books.ledger[line], 0.0), rel=1e-12)
    return made


def three_phases(compute_s: float, wait_s: float, io_s: float, each_s: float = 0.5, phases: bool = False) -> list[Rank]:
    """Two ranks; the second waits for the first in calls of half a second, then both read."""
    end_s = compute_s + wait_s + io_s
    ranks = world(2, end_s=end_s)
    for rank in ranks:
        rank.thread = {"io_ticks": round(io_s * SECOND)}
        for second in np.arange(each_s, end_s + 1e-9, each_s).tolist():
            waited = min(max(second - compute_s, 0.0), wait_s) if rank.rank else 0.0
            wrote = max(second - compute_s - wait_s, 0.0)
            phase = 1 + (second > compute_s) + (second > compute_s + wait_s) if phases else 0
            read(rank, second, mpi=waited, io=wrote, phase=phase)
    begin_s = compute_s
    while begin_s < compute_s + wait_s - 1e-9:
        ranks[0].collective("MPI_Barrier", begin_s + 0.5, begin_s + 0.5)
        ranks[1].collective("MPI_Barrier", begin_s, begin_s + 0.5)
        begin_s += 0.5
    return ranks


def case_of(directory: Path, ranks: list[Rank]) -> Case:
    return open_case(load(write_all(ranks, directory)))


def test_each_second_is_in_its_slice(tmp_path: Path) -> None:
    made = strip_of(tmp_path, three_phases(4, 3, 3))
    assert made.slices == 20
    sums = made.sums_s
    expected = np.zeros((20, len(LINES)))
    expected[:8, COMPUTE], expected[8:14, COMPUTE], expected[8:14, WAIT], expected[14:, IO] = 1.0, 0.5, 0.5, 1.0
    assert sums == pytest.approx(expected, abs=1e-6)
    assert made.sums_s.sum(axis=1) == pytest.approx(made.wall_s.sum(axis=0))


def test_what_the_kernel_said_late_belongs_to_the_time_before(tmp_path: Path) -> None:
    """Blocked from second 2 to 6, and read of it at second 6 only."""
    rank = Rank(0, 1, thread={"blocked_outside_ns": 4 * SECOND})
    for second in range(1, 11):
        settled = min(second, 2) if second < 6 else second
        read(rank, second, settled_s=settled, blocked_outside=4.0 if second >= 6 else 0.0)
    made = strip_of(tmp_path, [rank])
    assert made.sums_s[:, OTHER] == pytest.approx([0, 0, 1, 1, 1, 1, 0, 0, 0, 0], abs=1e-6)
    assert made.sums_s[:, COMPUTE] == pytest.approx([1, 1, 0, 0, 0, 0, 1, 1, 1, 1], abs=1e-6)


def test_a_record_without_readings_has_no_strip(tmp_path: Path) -> None:
    page = summarise(load(write_all(world(2), tmp_path)))
    assert page.strip == ()
    assert "Over time" not in text_of(page) + html_of(page)


def test_readings_that_were_being_moved(tmp_path: Path) -> None:
    """Killed while room was made: some are there twice, one has no ticks."""
    rank = Rank(0, 1, thread={"io_ticks": 4 * SECOND})
    for second in (2, 4, 3, 4, 5, 6, 7, 8, 9, 10):
        read(rank, second, io=min(max(second - 3, 0), 4))
    rank.add(SegmentKind.READINGS, io_ticks=99 * SECOND)
    made = strip_of(tmp_path, [rank])
    assert made.slices == 9
    assert made.sums_s.sum() == pytest.approx(10.0)


@settings(deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 4), st.integers(2, 300))
def test_slices_add_up_whatever_the_record_says(seed: int, size: int, number: int) -> None:
    random = np.random.default_rng(seed)
    ranks = world(size, end_s=float(random.uniform(0.1, 100)))
    for rank in ranks:
        rank.end_s *= float(random.uniform(0.5, 1.0))
        rank.thread = {"io_ticks": int(random.integers(50 * SECOND))}
        rank.thread["blocked_outside_ns"] = int(random.integers(SECOND))
        rank.cell("MPI_Barrier", float(random.uniform(0, 50)))
        for _ in range(number):
            totals = {name: float(random.uniform(0, 60)) for name in ("mpi", "io", "life")}
            read(rank, float(random.uniform(-1, 101)), **totals)
    with tempfile.TemporaryDirectory() as directory:
        made = strip_of(Path(directory), ranks)
    assert made.slices <= MOST_SLICES
    assert (made.lines_s >= 0).all()
    assert np.isfinite(made.lines_s).all()


def test_stretches_between_edges() -> None:
    edges = np.array([0.0, 1.0, 2.0, 3.0])
    made = spread_s(edges, np.array([0.5, 1.25]), np.array([2.5, 1.75]), np.array([1.0, 2.0]))
    assert made == pytest.approx([0.5, 2.0, 0.5])


def test_when_it_was(tmp_path: Path) -> None:
    late = case_of(tmp_path / "late", three_phases(40, 0, 40))
    assert when(late, {"io_s": 80.0}) == "It began 40.0 s into the job."
    assert when(late, {"start_wait_s": 5.0, "io_s": 1.0}) == ""  # before all of this
    burst = three_phases(40, 2, 0)
    for rank in burst:
        rank.end_s = 82
        read(rank, 82, mpi=2.0 * rank.rank)
    assert when(case_of(tmp_path / "burst", burst), {"imbalance_s": 2.0}).startswith("It happened in 2.")
    always = case_of(tmp_path / "always", three_phases(0, 0, 40))
    assert when(always, {"io_s": 80.0}) == ""
    phases = case_of(tmp_path / "phases", three_phases(20, 10, 10, phases=True))
    assert when(phases, {"io_s": 20.0}).endswith("That is in phase 3 of the program (MPI_Pcontrol).")
    assert when(phases, {"compute_s": 20.0}) == ""
    assert when(phases, {"compute_s": 20.0, "io_s": 5.0}) == ""  # the small part tells nothing of the whole


@pytest.mark.parametrize(("in_init_s", "said"), [(0.0, "It happened in 1.00 s"), (1.0, "")])
def test_what_lies_in_starting_is_not_told_by_the_little_that_follows(in_init_s: float, said: str) -> None:
    """MPI_Init takes 20 s of 40; of what is claimed to be blocked, 0.4 s lie after it."""
    sums_s = np.zeros((40, len(LINES)))
    sums_s[:20, OTHER] = in_init_s
    sums_s[22, OTHER] = 0.4
    rows = np.zeros(2, [("recording_s", float), ("end_s", float)])
    rows["end_s"] = 40.0
    started = SimpleNamespace(
        strip=SimpleNamespace(edges_s=np.arange(41.0), sums_s=sums_s, phase=None),
        run=SimpleNamespace(processes=rows),
        books=SimpleNamespace(starting=SimpleNamespace(exit_s=np.array([20.0, 20.0]))),
    )
    assert when(cast(Case, started), {"blocked_s": 7.0}).startswith(said)
    assert bool(when(cast(Case, started), {"blocked_s": 7.0})) == bool(said)


@pytest.mark.parametrize(("second", "text"), [(23.4, "23.4 s"), (723, "12:03 min"), (4323, "1:12:03 h")])
def test_moments(second: float, text: str) -> None:
    assert moment(second) == text


def test_the_page_shows_it(tmp_path: Path) -> None:
    page = summarise(load(write_all(three_phases(10, 10, 10), tmp_path)))
    text = text_of(page, 100)
    io = next(line for line in text.splitlines() if line.strip().startswith("file I/O") and "█" in line)
    assert io.rstrip().endswith("█" * 15)
    assert text.count("\n", text.index("Over time"), text.index("Where the wall-clock went")) <= 5
    html = html_of(page)
    assert "file I/O 100.0 %</title>" in html


def with_threads(directory: Path) -> Path:
    """A rank alone for ten seconds, then with a second thread in parallel regions for ten; a thread of its own."""
    rank = Rank(0, 1, end_s=20.0, thread={"tid": 1})
    rank.fact("process.cpus_allowed", "0-1")
    for tid, cpu_s in ((1, 20), (2, 10)):
        end = rank.machine.ticks(20.0)
        rank.add(
            SegmentKind.THREAD_USES, tid=tid, cpu_ns=cpu_s * SECOND, first_ticks=1, last_ticks=end, cpus_allowed=b"0-1"
        )
    for second in range(1, 21):
        read(rank, second)
        together_s = max(second - 10, 0)
        rank.add(
            SegmentKind.THREADS_AT,
            ticks=rank.machine.ticks(second),
            region_ticks=together_s * SECOND,
            cpu_ns=(second + together_s) * SECOND,
        )
    return write_all([rank], directory)


def test_parallel_regions_have_their_place_in_time(tmp_path: Path) -> None:
    page = summarise(load(with_threads(tmp_path)))
    assert [one.parallel_s for one in page.strip] == pytest.approx([0.0] * 10 + [1.0] * 10, abs=1e-6)
    assert [one.cpu_s for one in page.strip] == pytest.approx([1.0] * 10 + [2.0] * 10, abs=1e-6)
    lines = {line[2:22].strip(): line[23:] for line in text_of(page, 100).splitlines()}
    assert lines["parallel regions"] == " " * 10 + "█" * 10
    assert lines["cores busy"] == "▄" * 10 + "█" * 10
    html = html_of(page)
    assert html.count("<title>parallel regions: 100.0 %</title>") == 10
    assert html.count("<title>cores busy: 50.0 %</title>") == 10


def test_without_a_word_of_threads_the_slices_say_so(tmp_path: Path) -> None:
    page = summarise(load(write_all(three_phases(2, 2, 2), tmp_path)))
    assert {(one.parallel_s, one.cpu_s) for one in page.strip} == {(None, None)}
    assert "cores busy" not in text_of(page, 100)
