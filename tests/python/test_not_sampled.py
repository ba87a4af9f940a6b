"""The page's note that functions could not be sampled."""

from __future__ import annotations

from errno import EACCES, EMFILE
from pathlib import Path

import pytest
from python.made_runs import world, write_all

from clearway.diagnosis.facts import open_case
from clearway.page.build import page_of
from clearway.run import load


@pytest.mark.parametrize(
    ("error", "waits_s", "noted"), [(EACCES, 0.1, True), (EMFILE, 0.1, False), (EACCES, 9.0, False)]
)
def test_it_is_noted_of_a_job_that_computes(tmp_path: Path, error: int, waits_s: float, noted: bool) -> None:
    ranks = world(2)
    for rank in ranks:
        rank.fact("profile.errno", str(error))
        rank.thread = {"cpu_ns": round((10.0 - waits_s) * 1e9)}
        rank.collective("MPI_Allreduce", 0.5, 0.5 + waits_s, nbytes=8)
    notes = page_of(open_case(load(write_all(ranks, tmp_path)))).job.notes
    assert any("perf_event_paranoid" in note for note in notes) == noted
