"""docs/flow-short-jobs.md is made of its results."""

from __future__ import annotations

import runpy

from harness.mpis import REPOSITORY


def test_the_page_is_what_its_results_say() -> None:
    page = runpy.run_path(str(REPOSITORY / "benchmarks/flow/short_jobs.py"))
    assert page["text_of_page"]() == page["PAGE"].read_text(), "python benchmarks/flow/short_jobs.py"
