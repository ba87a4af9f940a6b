"""The table of what ranks waited for: it adds up to the ledger's line, whatever the record tells."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from python.made_runs import Rank, world, write_all
from python.test_delays import steps_of

from clearway.page.build import summarise
from clearway.page.model import Page
from clearway.page.render.highlights import inside
from clearway.run import load


def page_of(ranks: list[Rank], directory: Path) -> Page:
    write_all(ranks, directory)
    return summarise(load(directory))


def test_waits_by_what_the_late_ones_did(tmp_path: Path) -> None:
    """Ten steps: rank 1 computes 0.5 s longer in each, rank 2 reads for 0.8 s longer in the first five of them."""
    outside_s, io_s = np.full((10, 3), 1.0), np.zeros((10, 3))
    outside_s[:, 1] += 0.5
    io_s[:5, 2] = 0.8
    ranks = world(3)
    steps_of(ranks, outside_s + io_s, io=io_s)
    page = page_of(ranks, tmp_path)
    rows = {row.cause: row for row in page.waited}
    assert rows["io"].seconds == pytest.approx(5 * (0.8 + 0.3), rel=0.05)
    assert rows["io"].most_rank == 2
    assert rows["compute"].seconds == pytest.approx(5 * 2 * 0.5, rel=0.05)
    assert rows["compute"].most_rank == 1
    assert sum(row.seconds for row in page.waited) == pytest.approx(page.ledger.mpi_wait_s, rel=1e-6)
    said = inside(page, "mpi_wait_s").replace("\N{NO-BREAK SPACE}", " ")
    assert said.startswith("for ranks in file functions 5.5")
    assert "(rank 1: 5.0" in said


def test_waits_that_no_event_explains_are_said_to_be_so(tmp_path: Path) -> None:
    """Rank 1 has no record, and rank 0 waits for a message from it."""
    ranks = world(2)
    ranks[0].receive(1, 1.0, 9.0)
    page = page_of(ranks[:1], tmp_path)
    assert sum(row.seconds for row in page.waited) == pytest.approx(page.ledger.mpi_wait_s, abs=1e-6)
    assert {row.cause for row in page.waited} <= {"unknown"}
