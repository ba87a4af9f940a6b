"""Sweeps as `clearway bench --json` writes them, of calls that take as long as the test says."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from clearway.base.json import plain
from clearway.bench.assemble import assemble
from clearway.bench.figures import Job, RawPoint
from clearway.bench.printed import Printed

KIB = 1024
OPEN_MPI = "Open MPI v4.1.4, package: Debian OpenMPI"
DYNAMIC = {"OMPI_MCA_coll_tuned_use_dynamic_rules": "1"}
AT_ONCE = {"OMPI_MCA_btl_tcp_eager_limit": "262144", "OMPI_MCA_btl_tcp_rndv_eager_limit": "262144"}


def algorithm(number: str, operation: str = "alltoall") -> dict[str, str]:
    return {**DYNAMIC, f"OMPI_MCA_coll_tuned_{operation}_algorithm": number}


def sweep_file(
    path: Path,
    times_ms: Mapping[int, float],
    settings: Mapping[str, str] | None = None,
    flow_ms: Mapping[int, float] | None = None,
    *,
    operation: str = "alltoall",
    ranks: int = 8,
    hosts: int = 8,
    mpi: str = OPEN_MPI,
    library: str = "",
) -> str:
    """One sweep of the MPI's own way under `settings`, and of --flow's where `flow_ms` tells it. Sizes in KiB."""
    job = Job(operation, ranks, hosts, ranks // hosts, mpi, library, interleaved=False)
    points = [
        RawPoint(name, kib * KIB, (round(ms * 1e6),) * 3, 0, 0, "")
        for name, times in (("own", times_ms), ("ordered", flow_ms or {}))
        for kib, ms in times.items()
    ]
    sweep = assemble(Printed(job, points, ended=True), settings=settings)
    path.write_text(json.dumps(plain(sweep)))
    return str(path)
