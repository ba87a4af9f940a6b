"""How each MPI is told to make a collective operation, and what share of the trouble such operations have."""

from __future__ import annotations

from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.settings_in_force import parameter, variable
from clearway.job.change import Change

# What `--flow` can order: native/collectives/wrappers.
STEERED = ("MPI_Alltoall", "MPI_Alltoallv", "MPI_Alltoallw", "MPI_Allgather", "MPI_Allgatherv")

# ompi_info --param coll tuned --level 9; MPICH's control variables; Intel MPI's developer reference, "I_MPI_ADJUST".
OPEN_MPI = {
    "alltoall": (("coll_tuned_alltoall_algorithm", "4"), ("coll_tuned_alltoallv_algorithm", "2")),  # linear with sync
    "allgather": (("coll_tuned_allgather_algorithm", "4"), ("coll_tuned_allgatherv_algorithm", "3")),  # ring
}
DYNAMIC_RULES = ("coll_tuned_use_dynamic_rules", "1")  # without it Open MPI does not look at the others
VARIABLES = {
    "mpich": {
        "alltoall": (("MPIR_CVAR_ALLTOALL_INTRA_ALGORITHM", "scattered"),),
        "allgather": (
            ("MPIR_CVAR_ALLGATHER_INTRA_ALGORITHM", "ring"),
            ("MPIR_CVAR_ALLGATHERV_INTRA_ALGORITHM", "ring"),
        ),
    },
    "intel": {
        "alltoall": (("I_MPI_ADJUST_ALLTOALL", "3"),),  # pairwise exchange
        "allgather": (("I_MPI_ADJUST_ALLGATHER", "3"), ("I_MPI_ADJUST_ALLGATHERV", "3")),  # ring
    },
}


def algorithm_change(case: Case, operation: str) -> Change | None:
    """`operation` with few messages under way at a time, or around a ring; None where the MPI has no word for it."""
    if case.family == "openmpi":
        return Change(parameters=(DYNAMIC_RULES, *OPEN_MPI[operation]))
    words = VARIABLES.get(case.family, {}).get(operation)
    return Change(environment=words) if words else None


def algorithms(case: Case, operation: str) -> frozenset[str]:
    """What the algorithms of `algorithm_change` are called."""
    words = OPEN_MPI if case.family == "openmpi" else VARIABLES.get(case.family, {})
    return frozenset(value for _, value in words.get(operation, ()))


def told(case: Case, operation: str) -> str | None:
    """The algorithm that the job names already for one of these operations."""
    if case.family == "openmpi":
        if parameter(case, DYNAMIC_RULES[0]) not in ("1", "true"):
            return None
        return next((value for name, _ in OPEN_MPI[operation] if (value := parameter(case, name))), None)
    words = VARIABLES.get(case.family, {}).get(operation, ())
    return next((value for name, _ in words if (value := variable(case, name))), None)


def share_of(case: Case, functions: tuple[str, ...]) -> float:
    """The share of `functions` in the stalls of all MPI calls; where nothing stalls, in the moving of data."""
    rows = case.tables.mpi_calls
    stalled_s = sum(row.stall_s for row in rows)
    if stalled_s > 0:
        return sum(row.stall_s for row in rows if row.function in functions) / stalled_s
    moving_s = sum(row.transfer_s for row in rows)
    return sum(row.transfer_s for row in rows if row.function in functions) / moving_s if moving_s > 0 else 0.0


def collective_share(case: Case) -> float:
    """The share of collective operations in the stalls."""
    functions = tuple(row.function for row in case.tables.mpi_calls if row.function_class == "collective")
    return share_of(case, functions)
