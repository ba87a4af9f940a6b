"""Which tests may run beside others, where tools/test runs two at a time."""

from __future__ import annotations

from pathlib import PurePosixPath

from xdist.scheduler import LoadScopeScheduling

# Right or wrong does not depend on the clock here, and what these make on the machine is theirs alone.
FOLDERS_BESIDE = {
    "browser",
    "collectives",
    "engines",
    "io_cache",
    "predict",
    "python",
    "readme",
    "remedies",
    "report",
    "reproduce",
    "rules",
    "schedule",
    "workloads",
}


class SideBySide(LoadScopeScheduling):  # type: ignore[misc]
    """All tests of a scope run one after another in one process; the largest scope begins first."""

    def _split_scope(self, nodeid: str) -> str:
        path, _, name = nodeid.partition("::")
        if name == "test_cpp":
            return name  # they share one build
        # The jobs of all the others need the cores, and some change settings of the kernel.
        return nodeid if PurePosixPath(path).parent.name in FOLDERS_BESIDE else "alone"
