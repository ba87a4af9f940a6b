"""A test that is tried again, or marked `alone`, has the machine for itself: no other test runs beside it.

What spoils a reading of the clock here is most often the test beside it, and that one may last longer than all the
tries. Each test holds `running` together with the others, such a test holds it alone. Before it everybody passes
`turnstile`, where such a test stands until it is alone: else the tests beside it would follow each other too closely
for it ever to be.
"""

from __future__ import annotations

import fcntl
import os
import tempfile
import time
from collections.abc import Generator
from pathlib import Path

import pytest

LONGEST_WAIT_S = 60.0  # then it goes beside the other, as the first try did


class Alone:
    """A plugin of each of xdist's workers. Without xdist there is nothing beside a test, and nothing to do."""

    def __init__(self, run: str) -> None:
        folder = Path(tempfile.gettempdir())
        self.turnstile = (folder / f"clearway-tests-{run}.turnstile").open("w")
        self.running = (folder / f"clearway-tests-{run}.running").open("w")

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        fcntl.flock(self.turnstile, fcntl.LOCK_EX)
        is_second = getattr(item, "execution_count", 1) > 1  # pytest-rerunfailures counts
        if is_second or item.get_closest_marker("alone") is not None:
            self._wait_for_all_others()
        else:
            fcntl.flock(self.running, fcntl.LOCK_SH)
        fcntl.flock(self.turnstile, fcntl.LOCK_UN)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_teardown(self) -> Generator[None, object, object]:
        try:
            return (yield)
        finally:
            fcntl.flock(self.running, fcntl.LOCK_UN)  # said, not left to a close: a forked child may have it, too

    def _wait_for_all_others(self) -> None:
        until = time.monotonic() + LONGEST_WAIT_S
        while time.monotonic() < until:
            try:
                fcntl.flock(self.running, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            except BlockingIOError:
                time.sleep(0.05)
        fcntl.flock(self.running, fcntl.LOCK_SH | fcntl.LOCK_NB)


def alone() -> Alone | None:
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID")
    return Alone(run) if run else None
