"""The ledger of each rank, and where it is now."""

from __future__ import annotations

from dataclasses import dataclass

from clearway.diagnosis.facts.tables.traffic import Traffic
from clearway.ledger import Account
from clearway.ledger.account import LEDGER
from clearway.ledger.cpu_time import used_s
from clearway.ledger.totals import Ledger
from clearway.run import Run
from clearway.run.layout import State


@dataclass(frozen=True, slots=True)
class Rank:
    """One rank's share of the ledger."""

    rank: int
    host: str
    pid: int
    state: str  # "exited", "finalized", or the state at the end of the record: "running", "started", "missing"
    cpus: str  # affinity mask as a list: "0-1"
    ledger: Ledger
    cpu_s: float  # CPU time of all threads
    cpu_utilisation: float  # cpu_s ÷ wall_s: above 1 with several threads
    bytes_sent: int
    bytes_received: int
    inside: str | None = None  # the call in which its record ends


def ranks(run: Run, books: Account, traffic: Traffic) -> tuple[Rank, ...]:
    """One row a rank, in order."""
    names = LEDGER.names or ()
    cpus = run.fact("process.cpus_allowed")
    cpu_s = used_s(run)
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
