"""Runs of MPI jobs, bare and recorded, and what they left behind."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import time
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from harness.command_line import run_clearway
from harness.mpis import Mpi, clearway_tool
from harness.outcome import Outcome
from harness.tried_again import StartedAgainWarning


class HungJobError(Exception):
    """A job outlived its time limit and was killed."""


def descendants(pid: int) -> list[int]:
    """All processes below `pid`, nearest first."""
    children: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = stat.read_text().rpartition(")")[2].split()
            children.setdefault(int(fields[1]), []).append(int(stat.parent.name))
    below, frontier = [], [pid]
    while frontier:
        frontier = [child for parent in frontier for child in children.get(parent, [])]
        below += frontier
    return below


def kill_all(job: subprocess.Popen[str]) -> None:
    """Kills a launcher and every process it started."""
    for pid in [job.pid, *descendants(job.pid)]:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


@contextlib.contextmanager
def standard_input(command: Sequence[str | Path]) -> Iterator[int]:
    """Nothing to read; under a launcher nothing ever, not even an end.

    MPICH's Hydra passes the end of its input on to a rank, and dies of SIGPIPE where a short job has ended by then: on
    a busy machine half of all jobs of an `echo` did, with no Clearway near.
    """
    if not any(Path(str(word)).name.startswith(("mpiexec", "mpirun")) for word in command):
        yield subprocess.DEVNULL
        return
    reads, writes = os.pipe()
    try:
        yield reads
    finally:
        os.close(reads)
        os.close(writes)


def run_command(
    command: Sequence[str | Path],
    environment: Mapping[str, str] | None = None,
    timeout_s: float = 60,
    directory: Path | None = None,
) -> Outcome:
    """Runs `command` to its end.

    Raises:
        HungJobError: after `timeout_s`, when it and its children were killed.
    """
    begin = time.monotonic()
    with standard_input(command) as reads:
        job = subprocess.Popen(
            [str(word) for word in command],
            env={**os.environ, **(environment or {})},
            cwd=directory,
            stdin=reads,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
        )
        try:
            stdout, stderr = job.communicate(timeout=timeout_s)
        except subprocess.TimeoutExpired:
            kill_all(job)
            stdout, stderr = job.communicate()
            words = " ".join(map(str, command))
            raise HungJobError(f"{words} did not end in {timeout_s} s\n{stdout[-2000:]}\n{stderr[-2000:]}") from None
    return Outcome(stdout, stderr, job.returncode, time.monotonic() - begin)


def run_job(
    mpi: Mpi,
    program: Sequence[str | Path],
    ranks: int = 2,
    run_directory: Path | None = None,
    record_options: Sequence[str] = (),
    environment: Mapping[str, str] | None = None,
    timeout_s: float = 50,
    directory: Path | None = None,
) -> Outcome:
    """Runs `program` on `ranks` ranks; recorded if a `run_directory` is given."""
    if run_directory is not None:
        program = [clearway_tool("clearway-record"), "-o", run_directory, *record_options, "--", *program]
    command = mpi.command(ranks, program)
    everything = {**mpi.environment, **(environment or {})}
    try:
        return run_command(command, everything, timeout_s, directory)
    except HungJobError:
        # Debian's MPICH 4.0.2 over UCX hangs in MPI_Finalize now and then, recorded or not.
        if mpi.name != "mpich-debian":
            raise
        warnings.warn(StartedAgainWarning("Debian's MPICH hung, and the job was started again"), stacklevel=2)
        return run_command(command, everything, timeout_s, directory)


def begin_job(mpi: Mpi, program: Sequence[str | Path], ranks: int, run_directory: Path) -> subprocess.Popen[str]:
    """Starts `program` recorded and silent, for a test that looks at it, or ends it, while it runs."""
    recorded = [clearway_tool("clearway-record"), "-o", run_directory, "--", *program]
    return subprocess.Popen(
        mpi.command(ranks, recorded),
        env={**os.environ, **mpi.environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        text=True,
    )


def load_page(run_directory: Path) -> dict[str, Any]:
    """The page of a Run, as `clearway report --json` writes it."""
    target = run_directory.parent / f"{run_directory.name}.json"
    outcome = run_clearway("report", run_directory, "--json", target)
    assert outcome.exit_code == 0, outcome.says
    page: dict[str, Any] = json.loads(target.read_text())
    return page


def counted(page: Mapping[str, Any]) -> dict[str, dict[str, int]]:
    """Count and bytes of each MPI function on the page."""
    return {row["function"]: {"count": row["count"], "bytes": row["bytes"]} for row in page["mpi_calls"]}


def load_truth(prefix: Path) -> dict[str, dict[str, int | None]]:
    """What the ranks themselves say they called (see programs/tally.h), summed over ranks."""
    count: Counter[str] = Counter()
    size: Counter[str] = Counter()
    unknown: set[str] = set()
    for file in prefix.parent.glob(f"{prefix.name}.*"):
        for function, entry in json.loads(file.read_text()).items():
            count[function] += entry["count"]
            size[function] += entry["bytes"] or 0
            if entry["bytes"] is None:
                unknown.add(function)
    assert count, f"no rank told its truth in {prefix}.*"
    return {name: {"count": count[name], "bytes": None if name in unknown else size[name]} for name in count}


def load_facts(prefix: Path) -> dict[int, dict[str, float]]:
    """Numbers that each rank of a planted program measured on itself (see programs/planted.h), by rank."""
    return {int(file.suffix[1:]): json.loads(file.read_text()) for file in prefix.parent.glob(f"{prefix.name}.*")}


def own_words(stderr: str) -> list[str]:
    """Lines of standard error that come from Clearway."""
    return [line for line in stderr.splitlines() if re.search("clearway", line, re.IGNORECASE)]
