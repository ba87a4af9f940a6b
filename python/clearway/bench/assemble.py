"""From what clearway-bench printed to a Sweep."""

from __future__ import annotations

import time
from collections.abc import Mapping

from clearway.base.errors import ClearwayError
from clearway.base.ethernet import SHARE_OF_SHAPED, SHARE_OF_WIRE
from clearway.bench.figures import curves_of, limit_bytes_per_s
from clearway.bench.printed import Printed
from clearway.bench.sweep import SCHEMA, Sweep


def assemble(
    printed: Printed,
    testbed: str | None = None,
    link_bits_per_s: int | None = None,
    settings: Mapping[str, str] | None = None,
) -> Sweep:
    """Raises ClearwayError where nothing was measured."""
    job = printed.job
    if job is None or not printed.points:
        raise ClearwayError("nothing was measured", "see the job's own messages above")
    payload_share = SHARE_OF_WIRE if testbed is None else SHARE_OF_SHAPED
    limit = None if link_bits_per_s is None else limit_bytes_per_s(job, link_bits_per_s, payload_share)
    return Sweep(
        schema=SCHEMA,
        operation=job.operation,
        ranks=job.ranks,
        hosts=job.hosts,
        ranks_per_host=job.ranks_per_host,
        mpi=" ".join(job.mpi.split()),
        mpi_library=job.mpi_library,
        testbed=testbed,
        interleaved=job.interleaved,
        measured_at=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        link_bits_per_s=link_bits_per_s,
        limit_bytes_per_s=limit,
        curves=curves_of(job, printed.points, limit),
        settings=dict(settings or {}),
    )
