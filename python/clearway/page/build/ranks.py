"""The ledger of the whole job and of each rank."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from clearway.ledger import Account
from clearway.ledger.account import LEDGER
from clearway.ledger.cpu_time import used_s
from clearway.page.build.traffic import Traffic
from clearway.page.model import Ledger, Rank
from clearway.run import Run
from clearway.run.layout import State


def total(ledger: NDArray[np.void]) -> Ledger:
    """The sum over ranks of LEDGER rows."""
    return Ledger(**{name: float(ledger[name].sum()) for name in LEDGER.names or ()})


def ranks(run: Run, books: Account, traffic: Traffic) -> tuple[Rank, ...]:
    """One row a rank, in order."""
    names = LEDGER.names or ()
    cpus = run.fact("process.cpus_allowed")
    cpu_s = np.minimum(used_s(run), books.ledger["wall_s"])
    rows = []
    for index, values in enumerate(books.ledger.tolist()):
        process = run.processes[index]
        ledger = Ledger(**dict(zip(names, values, strict=True)))
        rows.append(
            Rank(
                rank=int(process["rank"]),
                host=run.host_names[process["host"]],
                pid=int(process["pid"]),
                state=run.state_name(index),
                cpus=cpus.get(index, ""),
                ledger=ledger,
                cpu_s=float(cpu_s[index]),
                cpu_utilisation=float(cpu_s[index]) / ledger.wall_s if ledger.wall_s > 0 else 0.0,
                bytes_sent=int(traffic.sent[index]),
                bytes_received=int(traffic.received[index]),
                inside=inside(run, index),
            )
        )
    return tuple(rows)


def inside(run: Run, process: int) -> str | None:
    """The call in which a process's record ends; None for one that left through exit."""
    if int(run.processes["state"][process]) == State.EXITED:
        return None
    number = int(run.main_call[process])
    if number:
        return run.functions.all[number].name
    return "a file function" if int(run.threads.data["io_depth"][process]) else None
