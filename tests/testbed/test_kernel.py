"""Looking through /proc while processes come and go."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from clearway.testbed.kernel import processes_in


def test_a_process_that_ends_meanwhile_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    stat = Path.stat

    def ended(path: Path, *, follow_symlinks: bool = True) -> os.stat_result:
        if path.match("/proc/*/ns/net"):
            raise ProcessLookupError(errno.ESRCH, "No such process", str(path))
        return stat(path, follow_symlinks=follow_symlinks)

    monkeypatch.setattr(Path, "stat", ended)
    assert processes_in(["no-such-namespace"]) == []
