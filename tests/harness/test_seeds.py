"""A seed that failed is tried first, until it passes."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness import seeds as kept
from harness.seeds import seeds, trying


def test_what_failed_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "FAILING", tmp_path)
    test = "tests/a.py::test[b/c]"
    assert len(seeds(test, 2)) == 2
    with pytest.raises(ZeroDivisionError) as failure, trying(test, 4711):
        raise ZeroDivisionError
    assert "seed 4711" in failure.value.__notes__[0]
    assert seeds(test, 1)[0] == 4711
    assert len(seeds(test, 1)) == 2
    assert len(seeds("tests/a.py::test_other", 1)) == 1
    with trying(test, 4711):
        pass
    assert len(seeds(test, 1)) == 1
