"""Where the core-seconds went that the ranks were given, and how busy each thread was."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np

from clearway.ledger import Account
from clearway.ledger.cores import Cores
from clearway.run import Run
from clearway.run.layout import NOT_OF_PROGRAM, text


@dataclass(frozen=True, slots=True)
class Thread:
    """One thread of a rank's program."""

    name: str
    main: bool
    busy: float  # CPU time ÷ the rank's wall-clock
    core_wait: float  # time ready to run, but without a core, ÷ the rank's wall-clock
    cpus: str  # cores that it may use: "0-1"


@dataclass(frozen=True, slots=True)
class CoreUse:
    """A processor on which a rank's threads were found."""

    cpu: int  # the kernel's number of it
    busy: float  # threads at a time that ran there or were ready to: above 1, they queued


@dataclass(frozen=True, slots=True)
class RankThreads:
    """The threads of a rank that compute, the main thread first."""

    rank: int
    cores: float  # number of cores that it was given
    threads: tuple[Thread, ...]
    by_core: tuple[CoreUse, ...] = ()  # in order; empty if the record does not have it


@dataclass(frozen=True, slots=True)
class CoreSeconds:
    """Where every core-second went, summed over ranks. The lines add up to given_s, but for residue_s.

    The efficiencies are POP's for hybrid programs (pop-coe.eu, multiplicative): parallel = process x thread.
    """

    given_s: float
    cores: float
    fewest_threads: int  # fewest threads of any rank
    most_threads: int
    compute_s: float  # all threads on a core, in the program's own code
    core_wait_s: float  # ready to run, but without a core
    team_wait_s: float  # threads waiting for each other in parallel regions
    serial_s: float  # cores idle while the main thread computed alone
    elsewhere_s: float  # the main threads in MPI, in files, blocked
    beside_s: float  # other cores, idle during that time
    mpi_threads_s: float  # the MPI's own threads
    unused_s: float  # more cores than threads
    residue_s: float
    told_by: str  # "OpenMP runtime" or "samples": how the time of idle cores was divided
    allocation_used: float  # the part of given_s for which there were threads
    parallel_efficiency: float
    process_efficiency: float
    thread_efficiency: float
    ranks: tuple[RankThreads, ...] = ()


def core_seconds(run: Run, books: Account, cores: Cores | None) -> CoreSeconds | None:
    """None where the record does not tell of threads, and where there is one thread on one core in each rank."""
    if cores is None:
        return None
    table, ledger = cores.table, books.ledger
    given_s = float(table["given_s"].sum())
    if given_s <= 0 or ((table["threads"] == 1) & (table["cores"] == 1)).all():
        return None
    sums = {name: float(table[name].sum()) for name in table.dtype.names or ()}
    blocked_in_team = table["main_blocked_s"]
    spun_in_team = table["main_wait_s"] - blocked_in_team
    compute_s = float((ledger["compute_s"] - spun_in_team).sum()) + sums["compute_s"]
    core_wait_s = float(ledger["core_wait_s"].sum()) - sums["displaced_s"] + sums["core_wait_s"]
    away_s = ledger["wall_s"] - ledger["compute_s"] - ledger["core_wait_s"] - ledger["residue_s"]
    away_s = away_s - blocked_in_team - table["lent_s"]
    used_s = given_s - sums["unused_s"]
    parallel = compute_s / max(used_s, 1e-12)
    # A main thread that waits for its others, as for a pool, is away and yet holds up nothing.
    process = max(1 - float(away_s.sum()) / max(float(ledger["wall_s"].sum()), 1e-12), min(parallel, 1.0))
    return CoreSeconds(
        given_s=given_s,
        cores=sums["cores"],
        fewest_threads=int(table["threads"].min()),
        most_threads=int(table["threads"].max()),
        compute_s=compute_s,
        core_wait_s=core_wait_s,
        team_wait_s=sums["wait_s"] + sums["main_wait_s"],
        serial_s=sums["serial_s"],
        elsewhere_s=float(away_s.sum()),
        beside_s=sums["beside_s"],
        mpi_threads_s=sums["mpi_threads_s"],
        unused_s=sums["unused_s"],
        residue_s=sums["residue_s"] + float(ledger["residue_s"].sum()),
        told_by="OpenMP runtime" if cores.runtime_told.any() else "samples",
        allocation_used=used_s / given_s,
        parallel_efficiency=parallel,
        process_efficiency=process,
        thread_efficiency=parallel / process if process > 0 else 0.0,
        ranks=tuple(_rank(run, cores, process) for process in range(len(run.processes))),
    )


def core_seconds_added(now: CoreSeconds | None, before: CoreSeconds | None) -> CoreSeconds | None:
    """`now` with the seconds that came since `before`; None where threads were not known then.

    A second that an earlier look put into another line is taken from no line: what is less than before is nothing.
    """
    if now is None or before is None:
        return None
    names = [field.name for field in fields(CoreSeconds) if field.name.endswith("_s")]
    return replace(now, **{name: max(getattr(now, name) - getattr(before, name), 0.0) for name in names})


def _rank(run: Run, cores: Cores, process: int) -> RankThreads:
    rows = run.thread_uses
    uses = rows.data[rows.process == process]
    main = uses["tid"] == run.threads.data["tid"][process]
    uses_of_program = (uses["flags"] & NOT_OF_PROGRAM == 0) | main
    wall_s = max(float(run.processes["end_s"][process] - run.processes["begin_s"][process]), 1e-12)
    made = [
        Thread(
            name=text(bytes(use["name"])),
            main=bool(is_main),
            busy=int(use["cpu_ns"]) * 1e-9 / wall_s,
            core_wait=int(use["run_delay_ns"]) * 1e-9 / wall_s,
            cpus=text(bytes(use["cpus_allowed"])),
        )
        for use, is_main in zip(uses[uses_of_program], main[uses_of_program], strict=True)
    ]
    made.sort(key=lambda thread: (not thread.main, -thread.busy))
    return RankThreads(
        int(run.processes["rank"][process]),
        float(cores.table["cores"][process]),
        tuple(made[: int(cores.table["threads"][process])]),
        _by_core(run, process),
    )


def _by_core(run: Run, process: int) -> tuple[CoreUse, ...]:
    samples = int(run.concurrency.data["samples"][run.concurrency.process == process].sum())
    cells = run.cores.data[run.cores.process == process]
    return tuple(CoreUse(int(cell["cpu"]), int(cell["busy"]) / max(samples, 1)) for cell in np.sort(cells, order="cpu"))
