"""Whether a launcher has started `clearway run` itself as one of several ranks: `srun -n8 clearway run -- PROGRAM`."""

from __future__ import annotations

from collections.abc import Mapping

from clearway.base.whole import is_whole

# Of Open MPI, of MPICH and Intel MPI, of Slurm: the number of ranks, and which this is.
TOLD = (
    ("OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"),
    ("PMI_SIZE", "PMI_RANK"),
    ("SLURM_STEP_NUM_TASKS", "SLURM_PROCID"),
)


def warning(environment: Mapping[str, str], launched: bool) -> str | None:
    """What the first rank says: each would get a Run of its own. `launched`: the command has a launcher of its own."""
    told = [(environment[size], environment.get(rank, "")) for size, rank in TOLD if environment.get(size)]
    if launched or not told or not is_whole(told[0][0]):
        return None
    size, rank = int(told[0][0]), told[0][1]
    if size < 2 or rank != "0":
        return None
    return (
        f"clearway: each of {size} ranks has started `clearway run`, and gets a Run of its own\n"
        "hint: for one Run of them all, put `clearway run --` before the launcher, or `clearway-record -o DIR` after it"
    )
