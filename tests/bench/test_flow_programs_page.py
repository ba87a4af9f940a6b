"""docs/flow-programs.md is made of the results in the repository."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import pytest
from harness.mpis import REPOSITORY


@pytest.fixture
def page(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.syspath_prepend(REPOSITORY / "benchmarks/flow_programs")
    before = set(sys.modules)
    import page as module

    yield module
    for name in {"page", "programs", "running", "inputs"} - before:
        sys.modules.pop(name, None)


def test_the_page_is_what_its_results_say(page: Any) -> None:
    assert page.text_of_page() == page.PAGE.read_text(), "benchmarks/flow_programs/compare.py --page-only"


def test_what_is_measured_again_takes_the_place_of_published_rows(page: Any) -> None:
    published = [["cp.x", "8", "old"], ["", "", "more of it"], ["cp.x", "4", "kept"], ["halo", "8", "kept"]]
    run = {"way": "bare", "wall_s": 1.0, "result": "", "timeouts": 0, "drops": 0, "page": None}
    program = next(one for one in page.PROGRAMS if one.name == "cp.x")
    measured = [page.Measured(program, {"hosts": "8"}, [[run]])]
    rows = page.merged(measured, [["cp.x", "8", "new"]], published)
    assert rows == [["cp.x", "8", "new"], ["cp.x", "4", "kept"], ["halo", "8", "kept"]]
