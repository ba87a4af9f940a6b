"""What is said of a record that ends while ranks are in a call that has not returned."""

from __future__ import annotations

from collections import Counter

import numpy as np

from clearway.diagnosis.facts.tables.ranks import inside
from clearway.ledger import Account
from clearway.ledger.open_calls import OPEN_LONG_S
from clearway.run import Run
from clearway.run.layout import State

WORTH_SAYING = 0.05  # of the wall-clock


def ending(run: Run, books: Account) -> str:
    """ " The record ends with 7 of 8 ranks in MPI_Recv, the first since second 3.1; rank 0 is in no recorded call."

    Only where they have been in it for long: any moment of a running job finds ranks in some call.
    """
    opened, wall_s = books.open_calls, float(books.ledger["wall_s"].max())
    left = run.processes["state"] == State.EXITED  # from within a call: it does not stand in it any more
    long = np.flatnonzero(~left & (opened.time_s > OPEN_LONG_S) & (opened.time_s >= WORTH_SAYING * wall_s)).tolist()
    if not long:
        return ""
    name, number = Counter(inside(run, process) or "" for process in long).most_common(1)[0]
    since_s = min(float(opened.since_s[process]) for process in long if inside(run, process) == name)
    all_ = len(run.processes)
    who = "its rank" if all_ == 1 else f"all {all_} ranks" if number == all_ else f"{number} of {all_} ranks"
    first = "" if number == 1 else "the first "
    return f" The record ends with {who} in {name}, {first}since second {since_s:.1f}{_elsewhere(run, name)}."


def _elsewhere(run: Run, name: str) -> str:
    """Where a single other rank is: it is the one to look at."""
    others = [process for process in range(len(run.processes)) if inside(run, process) != name]
    if len(others) != 1:
        return ""
    rank, left = int(run.processes["rank"][others[0]]), int(run.processes["state"][others[0]]) == State.EXITED
    where = inside(run, others[0]) or ("no recorded call" if not left else "")
    return f"; rank {rank} is in {where}" if where else f"; rank {rank} has ended"
