"""Much of the time in files is the C library's own work: it makes text of numbers, or numbers of text."""

from __future__ import annotations

from clearway.base import quantities as q
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.file_time import claims, file_times, read_anew, shares, worst_paths
from clearway.diagnosis.finding import Evidence
from clearway.diagnosis.rules import Suspicion

TITLE = "Numbers are written or read as text"
REMEDIES = ()
WRITES = ("write", "text of numbers", "`fprintf`", "`fwrite`")
READS = ("read", "numbers of text", "`fscanf`", "`fread`")
LESS = 0.9  # of it comes back: bytes that need no formatting take some time, too


def examine(case: Case) -> Suspicion | None:
    """Claims calls of few bytes each through C's stdio, as far as the rank's core worked meanwhile, and its waits."""
    data, spent_s = case.run.files.data, file_times(case).text_s
    text = shares(case).text
    if case.losses.io_s * text <= 0:
        return None
    those = spent_s > 0
    reads, writes = int(data["reads"][those].sum()), int(data["writes"][those].sum())
    moved = int(data["read_bytes"][those].sum()) + int(data["written_bytes"][those].sum())
    each = q.bytes_(moved / max(reads + writes, 1))
    path, _ = worst_paths(case, spent_s, 1)[0]
    doing, makes, by, instead = WRITES if writes >= reads else READS
    says = (
        f"{reads + writes:,} calls of C's stdio {doing} {each} each, most of them for {path}, and the ranks' cores "
        f"work in them: no disk is waited for, so a faster one, or another folder, gains nothing. The time goes into "
        f"making {makes} ({by}). {doing.capitalize()} them as bytes, many with one call ({instead}, or a format such "
        f"as HDF5, DCD or XTC), or {doing} less often."
    )
    again = next((read_anew(file) for file in case.tables.files if file.path == path), "")
    evidence = (
        Evidence("calls", f"{reads + writes:,}, {each} each", "calls of all ranks, mean"),
        Evidence(
            "in them, at work", f"{case.tables.ledger.io_s * text:.2f} rank-seconds", "ledger: file I/O, a part of it"
        ),
    )
    return Suspicion(claims(case, LESS * text), f"{says} {again}".strip(), evidence, confidence=0.93)
