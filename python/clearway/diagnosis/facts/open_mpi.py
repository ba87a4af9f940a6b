"""Which Open MPI it is, by what the library says of itself: "Open MPI v5.0.11, package: Debian … root@srv5 …"."""

from __future__ import annotations

import re

from clearway.diagnosis.facts import Case

SM_SINCE = 5


def shared_memory_layer(case: Case) -> str:
    """What its byte transfer layer for shared memory is called."""
    version = re.match(r"Open MPI v(\d+)\.", case.tables.job.mpi_library)
    return "sm" if version and int(version[1]) >= SM_SINCE else "vader"
