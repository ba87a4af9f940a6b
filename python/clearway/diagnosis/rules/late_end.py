"""Ranks stand in MPI_Finalize for one that goes on."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from clearway.base import quantities as q
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.longer_in import longer_in
from clearway.diagnosis.finding import Evidence
from clearway.diagnosis.rules import Suspicion
from clearway.ledger.account import LINES
from clearway.ledger.ending import ending

TITLE = "Ranks wait in MPI_Finalize for one that goes on"
REMEDIES = ()
LATE_S = 0.5  # what a busy host does to one rank as it ends is no fault
WORTH = 0.02  # of the wall-clock
DID = {
    "compute_s": "computing",
    "io_s": "reading and writing files",
    "other_s": "blocked outside MPI and files",
    "mpi_wait_s": "waiting in MPI",
    "mpi_transfer_s": "moving data",
    "mpi_stall_s": "waiting for lost packets",
}
CORE = "core_wait_s"  # is told by rules of its own
TOLD = 0.2  # of what the late rank did meanwhile


def examine(case: Case) -> Suspicion | None:
    """Claims the waiting, but for the part in which the late rank had no core."""
    ends = ending(case.run, case.books)
    if ends is None:
        return None
    last = int(np.argmax(ends.entry_s))
    others_s = np.delete(ends.entry_s, last)
    begin_s, end_s = float(np.median(others_s)), float(ends.entry_s[last])
    did_s = _did_s(case, last, begin_s, end_s)
    core = did_s.get(CORE, 0.0) / max(sum(did_s.values()), 1e-9)
    waited_s = float(ends.wait_s.sum()) * (1 - core)
    if end_s - begin_s < LATE_S or waited_s < WORTH * case.tables.ledger.wall_s:
        return None
    rank = case.tables.ranks[last]
    waiters = int((ends.wait_s > 0).sum())
    each = q.seconds(float(ends.wait_s.sum()) / max(waiters, 1))
    who = f"1 rank waited {each}" if waiters == 1 else f"{waiters} ranks waited {each} each, on average,"
    says = (
        f"Rank {rank.rank} on {rank.host} went on for {q.seconds(end_s - begin_s)} after the others had nothing left "
        f"to do: {who} in MPI_Finalize for it. {_meanwhile(did_s)}{_in_which(case, last, did_s)}"
    )
    start_s = float(case.run.processes["begin_s"].min())
    evidence = (
        Evidence("the others reached MPI_Finalize at", f"second {begin_s - start_s:.2f}", "entries of it, median"),
        Evidence(f"rank {rank.rank} reached it at", f"second {end_s - start_s:.2f}", "entry of MPI_Finalize"),
        *(
            Evidence(f"meanwhile {DID[line]}", q.seconds(did_s[line]), "the ledger over time")
            for line in sorted(DID, key=lambda line: -did_s.get(line, 0.0))
            if did_s.get(line, 0.0) > TOLD * (end_s - begin_s)
        ),
    )
    return Suspicion({"blocked_s": waited_s}, says, evidence, confidence=0.9)


def _did_s(case: Case, process: int, begin_s: float, end_s: float) -> Mapping[str, float]:
    """By line of the ledger: what a process did between two instants; nothing where there are no readings."""
    strip = case.strip
    if strip is None or end_s <= begin_s:
        return {}
    edges_s = strip.edges_s
    inside_s = np.clip(np.minimum(edges_s[1:], end_s) - np.maximum(edges_s[:-1], begin_s), 0.0, None)
    done_s = (strip.lines_s[process] * (inside_s / strip.slice_s)[:, np.newaxis]).sum(axis=0)
    return dict(zip(LINES, done_s.tolist(), strict=True))


def _meanwhile(did_s: Mapping[str, float]) -> str:
    line = max(DID, key=lambda line: did_s.get(line, 0.0))
    all_s = sum(did_s.values())
    return f"It was mostly {DID[line]}." if did_s.get(line, 0.0) > all_s / 2 > 0 else ""


def _in_which(case: Case, process: int, did_s: Mapping[str, float]) -> str:
    if did_s.get("compute_s", 0.0) <= sum(did_s.values()) / 2:
        return ""
    found = longer_in(case, process)
    return "" if found is None else f" In the whole job it computes longer than the others in {found.where}."
