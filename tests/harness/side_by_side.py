"""Which tests may run beside others, where tools/test runs two at a time."""

from __future__ import annotations

from pathlib import PurePosixPath

from xdist.scheduler import LoadScopeScheduling

PER_FILE = {"packages"}  # the tests of a file share what was built for them
# Most of what these say is read off the clock, or they change settings of the kernel, which all of them would see.
# They run one after another, beside the others: two jobs at a time are what two cores can bear.
ONE_BY_ONE = {"every_job", "experiment", "host", "native", "planted", "testbed"}


class SideBySide(LoadScopeScheduling):  # type: ignore[misc]
    """All tests of a scope run one after another in one process; the largest scope begins first."""

    def _split_scope(self, nodeid: str) -> str:
        path, _, name = nodeid.partition("::")
        if name == "test_cpp":
            return name  # they share one build
        folder = PurePosixPath(path).parent.name
        if folder in PER_FILE:
            return path
        return "one by one" if folder in ONE_BY_ONE else nodeid
