"""What a job prints: to standard output and error, and to the log that its engine keeps."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.once import once
from clearway.ledger.blocked import parts

STREAMS = (b"stdout", b"stderr")  # that lead into a pipe or a terminal: the recorder's names
TERMINALS = ("/dev/pts/", "/dev/tty", "/dev/console")
FULL = ("full_pipe", "sending")  # activities: whoever reads takes no more
# The kernel's own part, of a line through a terminal: it wakes a thread of its own, which wakes the reader. Measured
# with Open MPI 4, whose ranks print into one: 10 to 17 us. No process is charged for it.
TERMINAL_S = 10e-6


def is_output(case: Case) -> NDArray[np.bool_]:
    """By row of Run.files."""
    files, engine = case.run.files, case.tables.engine
    paths = {*STREAMS, *((engine.log.encode(),) if engine else ())}
    stdout = {process: path.encode() for process, path in case.run.fact("process.stdout").items()}
    rows = zip(files.process.tolist(), files.data["path"].tolist(), strict=True)
    return np.array([path in paths or path == stdout.get(process) for process, path in rows], np.bool_)


@once
def is_stream(case: Case) -> NDArray[np.bool_]:
    """By row of Run.files: those that somebody has to read while the job runs."""
    return np.isin(case.run.files.data["path"], STREAMS)


def full_s(case: Case) -> float:
    """For how long ranks stood still because whoever reads what they print took no more."""
    return sum(part.seconds for part in parts(case.run, case.books) if part.activity in FULL and part.line == "io_s")


def terminals_s(case: Case, processes: Collection[int]) -> float:
    """CPU time of the kernel's own threads for what these print into terminals; an estimate."""
    leads_to = case.run.fact("process.stdout_to")
    return TERMINAL_S * prints_of(case, [one for one in processes if leads_to.get(one, "").startswith(TERMINALS)])


def prints_of(case: Case, processes: Collection[int]) -> int:
    """Writes to standard output and error, where somebody reads them."""
    files = case.run.files
    mine = is_stream(case) & np.isin(files.process, list(processes))
    return int(files.data["writes"][mine].sum())
