"""Run on each host by a launcher: prints what `clearway.cluster.hosts.ask` asks for, as lines that it finds again."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

from clearway.cluster.files.write import write_cluster
from clearway.cluster.hosts.output_lines import send
from clearway.cluster.hosts.sources import read_state
from clearway.cluster.hosts.state import text_of
from clearway.cluster.this_machine import this_machine

STATE, CLUSTER = "state", "cluster"

# A process's number on its host, as launchers tell it: one a host is enough where all would answer the same.
LOCAL_RANKS = ("OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID", "PALS_LOCAL_RANKID")


def is_first_of_host(environment: Mapping[str, str]) -> bool:
    return all(environment.get(name, "0") == "0" for name in LOCAL_RANKS)


def answer(what: str) -> None:
    """Of a cluster all ranks answer: one that is bound may not have seen all of its host."""
    if what == CLUSTER:
        send(write_cluster(this_machine()))
    elif is_first_of_host(os.environ):
        send(text_of(read_state()))


if __name__ == "__main__":
    answer(sys.argv[1])
