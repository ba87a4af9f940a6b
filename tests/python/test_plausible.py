"""Seconds that never passed, of a damaged record: they are cut, and the page says so."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from python.made_runs import SegmentKind, world, write_all

from clearway.page.build import summarise
from clearway.run import layout, load
from clearway.run.plausible import calls_within


def test_no_call_is_longer_than_its_process_lived() -> None:
    """Those of other threads were cut only where those of the main thread were too long as well."""
    cells = np.zeros(2, layout.CALL_CELL)
    cells["count"], cells["ticks"], cells["max_ticks"] = 1, (50, 1 << 62), (50, 1 << 62)
    cut = calls_within(cells, np.array([True, False]), 10.0, 0.1)
    assert cut["ticks"].tolist() == [50, 200]
    assert cut["max_ticks"].tolist() == [50, 200]
    assert cells["ticks"][1] == 1 << 62, "the argument stays"


def test_the_page_says_that_a_record_is_damaged(tmp_path: Path) -> None:
    ranks = world(2)
    for rank in ranks:
        rank.collective("MPI_Barrier", 1.0, 2.0)
    ranks[1].add(SegmentKind.SOCKETS, family=2, stall_ticks=1 << 62)
    write_all(ranks, tmp_path)
    page = summarise(load(tmp_path))
    (note,) = (note for note in page.job.notes if "is damaged" in note)
    assert note.startswith(ranks[1].path())
    assert all(one.stall_s < 100 for one in page.sockets)


def test_a_sound_record_is_not_called_damaged(tmp_path: Path) -> None:
    ranks = world(1)
    ranks[0].collective("MPI_Barrier", 1.0, 2.0)
    write_all(ranks, tmp_path)
    assert not any("is damaged" in note for note in summarise(load(tmp_path)).job.notes)


def test_no_more_than_the_wall_clock_can_come_back(tmp_path: Path) -> None:
    """The page of a damaged record said that 191 % of it could."""
    ranks = world(2)
    for rank in ranks:
        rank.collective("MPI_Barrier", 1.0, 2.0)
        ticks = rank.machine.ticks
        for number in range(20):
            rank.add(SegmentKind.FILES, path=b"/scratch/%d" % number, reads=10**7, read_bytes=10**7,
                     extent_bytes=10**7, read_ticks=ticks(9.0) - ticks(0.0))  # fmt: skip
    write_all(ranks, tmp_path)
    page = summarise(load(tmp_path))
    assert page.findings
    assert sum(one.share for one in page.findings) <= 1.0001
