"""Which tests may run beside others, where tools/test runs two at a time."""

from __future__ import annotations

from pathlib import PurePosixPath

from xdist.scheduler import LoadScopeScheduling

# Most of what these say is read off the clock, or they change settings of the kernel, which all of them would see.
# They run one after another, beside the others: two jobs at a time are what two cores can bear.
ONE_BY_ONE = {"every_job", "experiment", "host", "native", "planted", "testbed"}


class SideBySide(LoadScopeScheduling):  # type: ignore[misc]
    """All tests of a scope run one after another in one process; the largest scope begins first."""

    def _split_scope(self, nodeid: str) -> str:
        path, _, name = nodeid.partition("::")
        if name == "test_cpp":
            return name  # they share one build
        return "one by one" if PurePosixPath(path).parent.name in ONE_BY_ONE else nodeid
