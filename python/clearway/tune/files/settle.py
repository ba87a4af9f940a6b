"""From the sources to what is to be written."""

from __future__ import annotations

from dataclasses import replace

from clearway.tune.files.from_run import by_run
from clearway.tune.files.from_sweeps import by_sweeps
from clearway.tune.files.model import Library, Settled
from clearway.tune.files.mpis import mpi_of
from clearway.tune.files.sources import Sources


def settle(sources: Sources, library: Library) -> Settled:
    """What was measured goes before what a Run makes likely. Raises ClearwayError."""
    mpi = mpi_of(library)
    names = (*(each.path for each in sources.sweeps), *(path for path, _ in sources.cases))
    settled = Settled(library, (), (), (), names)
    places: frozenset[tuple[str, int]] = frozenset()
    if sources.sweeps:
        found = by_sweeps(mpi, library, sources.sweeps)
        places = found.places
        settled = replace(
            settled,
            choices=found.choices,
            everywhere=found.everywhere,
            left=found.left,
            lacking=(*found.lacking, *found.skipped),
        )
    for path, case in sources.cases:
        seen = by_run(mpi, library, path, case, places)
        settled = replace(
            settled,
            choices=(*settled.choices, *seen.choices),
            everywhere=tuple({**dict(seen.everywhere), **dict(settled.everywhere)}.items()),
            left=(*settled.left, *seen.left),
            lacking=(*settled.lacking, *seen.lacking),
        )
        places |= {(one.operation, one.ranks) for one in seen.choices} | {
            (one.operation, one.ranks) for one in seen.left
        }
    return settled
