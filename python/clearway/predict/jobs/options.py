"""The options that say which job is predicted."""

from __future__ import annotations

import argparse

DEFAULT_RANKS = "1,2,4,8"
DEFAULT_ALLTOALLS = "direct,ordered"
DEFAULT_ALLGATHER = "ring"
JOB_OPTIONS = ("no_core_wait", "ranks", "steps", "alltoall", "allgather", "run")


def add_job_options(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--workload", metavar="NAME[:SYSTEM]", help="predict a model of a program (clearway workload list)"
    )
    group.add_argument(
        "--from", metavar="DIR", help="replay the computing and messages of this Run, recorded with --timeline"
    )
    group.add_argument(
        "--no-core-wait",
        action="store_true",
        default=None,
        help="replay the Run as if its ranks had never waited for a core",
    )
    group.add_argument("--ranks", metavar="LIST", help=f"numbers of ranks of the workload (default {DEFAULT_RANKS})")
    group.add_argument("--steps", type=int, metavar="N", help="time steps of the workload (default 10)")
    group.add_argument(
        "--alltoall", metavar="LIST", help=f"algorithms to compare for MPI_Alltoall(v) (default {DEFAULT_ALLTOALLS})"
    )
    group.add_argument(
        "--allgather", metavar="NAME", help=f"algorithm for MPI_Allgather(v) (default {DEFAULT_ALLGATHER})"
    )
    group.add_argument("--run", metavar="DIR", help="write a Run of each prediction, as if it had been recorded")
