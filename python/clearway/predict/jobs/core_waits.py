"""How much of a recorded rank's computing it was on a core, and how much it waited for one."""

from __future__ import annotations

import numpy as np

from clearway.ledger import Account
from clearway.ledger.cores import cores
from clearway.run import Run


def shares_on_a_core(run: Run, books: Account) -> list[float]:
    """By process, of its time outside MPI and files.

    A core that another thread of the process had meanwhile worked for the job: that is no waiting which would go away.
    """
    ledger = books.ledger
    in_mpi_s = np.bincount(books.units.process, books.weight * books.split.core_wait_s, len(ledger))
    waited_s = np.maximum(ledger["core_wait_s"] - in_mpi_s, 0.0)
    outside_s = ledger["compute_s"] + waited_s
    made = cores(run, books)
    own_threads_s = np.minimum(made.table["displaced_s"], waited_s) if made else np.zeros(len(ledger))
    worked_s = ledger["compute_s"] + own_threads_s
    shares = np.divide(worked_s, outside_s, out=np.ones(len(ledger)), where=outside_s > 0)
    return [float(share) for share in shares]
