"""A Run as pandas frames, for questions that the page does not answer."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from clearway.base.errors import ClearwayError
from clearway.ledger.account import LINES
from clearway.run.load import load
from clearway.run.run import Run

if TYPE_CHECKING:
    import pandas as pd

    from clearway.diagnosis.facts.tables.cores import CoreSeconds
    from clearway.diagnosis.facts.tables.ranks import Rank
    from clearway.ledger.strip import Strip


@dataclass(frozen=True, slots=True)
class Frames:
    """The tables of a Run. Times are in seconds, sizes in bytes.

    calls: one row for each combination of rank, thread, function, communicator, peer and size bin; peers are ranks of
    MPI_COMM_WORLD, negative if there is none. collectives, sockets, files, hosts, ranks: the rows of the page
    (clearway.page.model); in `ranks`, each line of the ledger is a column. threads: one row for each thread of the
    program, and cores one for each processor on which the rank's threads were found; both are empty if each rank has
    one thread and one core.
    functions: where sampled processor time went. strip: one row for each rank and slice of time; empty if
    the record does not have it.
    """

    calls: pd.DataFrame
    collectives: pd.DataFrame
    sockets: pd.DataFrame
    files: pd.DataFrame
    hosts: pd.DataFrame
    ranks: pd.DataFrame
    threads: pd.DataFrame
    cores: pd.DataFrame
    functions: pd.DataFrame
    strip: pd.DataFrame


def load_frames(directory: str | os.PathLike[str]) -> Frames:
    """Reads the newest job in `directory`. Raises ClearwayError, also if pandas is not installed."""
    try:
        import pandas as pd
    except ImportError as error:
        raise ClearwayError("clearway.load needs pandas, which is not installed", "pip install pandas") from error
    from clearway.diagnosis.facts.tables import tables_of
    from clearway.ledger import account
    from clearway.ledger.cores import cores
    from clearway.ledger.delays import delays
    from clearway.ledger.strip import strip

    run = load(directory)
    books = account(run)
    tables = tables_of(run, books, delays(run, books), cores(run, books))
    return Frames(
        calls=pd.DataFrame(_call_columns(run)),
        collectives=_frame(pd, tables.collectives),
        sockets=_frame(pd, tables.sockets),
        files=_frame(pd, tables.files),
        hosts=_frame(pd, tables.hosts),
        ranks=pd.DataFrame(_rank_rows(tables.ranks)),
        threads=pd.DataFrame(_thread_rows(tables.cores)),
        cores=pd.DataFrame(_core_rows(tables.cores)),
        functions=_frame(pd, tables.functions),
        strip=pd.DataFrame(_strip_columns(run, strip(run, books))),
    )


def _frame(pd: Any, rows: Sequence[Any]) -> Any:
    return pd.DataFrame([asdict(row) for row in rows])


def _rank_rows(ranks: Sequence[Rank]) -> list[dict[str, Any]]:
    rows = []
    for rank in ranks:
        row = asdict(rank)
        ledger = row.pop("ledger")
        rows.append({**row, **ledger})
    return rows


def _thread_rows(cores: CoreSeconds | None) -> dict[str, list[Any]]:
    from clearway.diagnosis.facts.tables.cores import Thread

    rows = [(one.rank, thread) for one in (cores.ranks if cores else ()) for thread in one.threads]
    columns: dict[str, list[Any]] = {"rank": [rank for rank, _ in rows]}
    return columns | {field.name: [getattr(thread, field.name) for _, thread in rows] for field in fields(Thread)}


def _core_rows(cores: CoreSeconds | None) -> dict[str, list[Any]]:
    rows = [(one.rank, core) for one in (cores.ranks if cores else ()) for core in one.by_core]
    return {
        "rank": [rank for rank, _ in rows],
        "cpu": [core.cpu for _, core in rows],
        "busy": [core.busy for _, core in rows],
    }


def _strip_columns(run: Run, strip: Strip | None) -> dict[str, Any]:
    if strip is None:
        return {name: [] for name in ("rank", "begin_s", "end_s", "wall_s", *LINES, "parallel_s", "cpu_s")}
    ranks = len(run.processes)
    edges_s = strip.edges_s - strip.edges_s[0]
    nothing = np.full(strip.wall_s.size, np.nan)
    lines = {line: strip.lines_s[:, :, index].ravel() for index, line in enumerate(LINES)}
    return {
        "rank": np.repeat(run.processes["rank"], strip.slices),
        "begin_s": np.tile(edges_s[:-1], ranks),
        "end_s": np.tile(edges_s[1:], ranks),
        "wall_s": strip.wall_s.ravel(),
        **lines,
        "parallel_s": strip.parallel_s.ravel() if strip.threads_known else nothing,
        "cpu_s": strip.cpu_s.ravel() if strip.threads_known else nothing,
    }


def _call_columns(run: Run) -> dict[str, Any]:
    calls = run.calls
    functions = np.array([function.name for function in run.functions.all], object)
    classes = np.array([function.function_class.name.lower() for function in run.functions.all], object)
    communicators = np.array([communicator.name for communicator in run.communicators.all], object)
    rate = run.processes["seconds_per_tick"][calls.process]
    return {
        "rank": run.processes["rank"][calls.process],
        "host": np.array(run.host_names, object)[run.processes["host"][calls.process]],
        "thread": calls.data["thread"],
        "main_thread": calls.main,
        "function": functions[calls.function],
        "function_class": classes[calls.function],
        "communicator": communicators[calls.comm],
        "peer": calls.data["peer"],
        "size_bin": calls.data["size_bin"],
        "count": calls.data["count"],
        "time_s": calls.data["ticks"] * rate,
        "bytes": calls.data["bytes"],
        "min_s": calls.data["min_ticks"] * rate,
        "max_s": calls.data["max_ticks"] * rate,
        "run_delay_s": calls.data["run_delay_ns"] * 1e-9,
    }
