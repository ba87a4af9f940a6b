"""Files are read a few bytes at a time."""

from __future__ import annotations

from clearway.base import quantities as q
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.file_time import (
    SMALL_BYTES,
    claims,
    file_system,
    file_times,
    read_anew,
    seeks_often,
    shares,
    worst_paths,
)
from clearway.diagnosis.finding import Evidence
from clearway.diagnosis.rules import Suspicion

TITLE = "Files are read a few bytes at a time"
REMEDIES = ()
MOSTLY = 0.5


def examine(case: Case) -> Suspicion | None:
    """Claims what such reads took longer than a few large ones of the same bytes would have."""
    data, spent_s = case.run.files.data, file_times(case).small_reads_s
    small = shares(case).small_reads
    if case.losses.io_s * small <= 0:
        return None
    little = spent_s > 0
    calls, read, seeks = (int(data[name][little].sum()) for name in ("reads", "read_bytes", "seeks"))
    seconds, sought_s = float(spent_s.sum()), float(spent_s[seeks_often(case)].sum())
    path, _ = worst_paths(case, spent_s, 1)[0]
    each = read / calls
    says = (
        f"{calls:,} reads of {q.bytes_(each)} on average, most of them from {path}, and the ranks' cores work in them: "
        f"no disk is waited for, so a faster one, or another folder, gains nothing. Each asks the kernel anew, which "
        f"costs more than the bytes do: blocks of {q.bytes_(128 * SMALL_BYTES)} would need one call in "
        f"{round(128 * SMALL_BYTES / max(each, 1)):,}."
    )
    if sought_s > MOSTLY * seconds:
        says += (
            " The program seeks for most of them: the C library then gives up the block that it has read ahead. Leave "
            "out seeks to where the file stands already; for others, read the file whole and look for the places in "
            "memory."
        )
    again = next((read_anew(file) for file in case.tables.files if file.path == path), "")
    evidence = (
        Evidence("read", f"{calls:,} times, {q.bytes_(each)} each", "calls of all ranks, mean"),
        Evidence("seeks", f"{seeks:,}", "calls of all ranks"),
        Evidence("in both, at work", q.seconds(seconds), "ledger: file I/O, a part of it"),
        Evidence("a read, with its seek", q.seconds(seconds / calls), "mean"),
        Evidence("from", path, file_system(case, path) or "unknown file system"),
    )
    return Suspicion(claims(case, small), f"{says} {again}".strip(), evidence, confidence=0.93)
