"""Files are forced onto the disk again and again."""

from __future__ import annotations

from clearway.base import quantities as q
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.file_time import claims, file_system, file_times, shares, synchronous_writes, worst_paths
from clearway.diagnosis.finding import Evidence
from clearway.diagnosis.rules import Suspicion

TITLE = "Files are flushed to disk again and again"
FEW = "Ranks wait until a file is on the disk"  # of calls: each takes long
OFTEN = 3  # times, of each rank
REMEDIES = ("checkpoint-interval", "local-scratch")


def examine(case: Case) -> Suspicion | None:
    """Claims what was lost to fsync, fdatasync, msync and to writing with O_SYNC."""
    sync = shares(case).sync
    lost_s = case.losses.io_s * sync
    calls = sum(file.syncs for file in case.tables.files)
    times = file_times(case)
    worst = worst_paths(case, times.sync_s)
    if lost_s <= 0 or not worst:
        return None
    spent_s = float(times.sync_s.sum())
    at_once = synchronous_writes(case)
    written = sum(file.bytes_written for file in case.tables.files if file.syncs)
    path, _ = worst[0]
    system = file_system(case, path)
    evidence = [
        *([Evidence("flushed to disk", f"{calls:,} times", "fsync, fdatasync, sync_file_range, msync")] * bool(calls)),
        *([Evidence("synchronous writes", f"{at_once:,} times", "files opened with O_SYNC")] * bool(at_once)),
        Evidence("in that", f"{q.seconds(spent_s)} over all ranks", "time in these calls, and in writes with O_SYNC"),
        *([Evidence("a call", q.seconds(spent_s / calls), "mean")] if calls else []),
        *([Evidence("written between two", q.bytes_(written / calls), "mean, of these files")] if calls else []),
        *(
            Evidence(each, q.seconds(seconds), file_system(case, each) or "unknown file system")
            for each, seconds in worst
        ),
    ]
    says = (
        f"Each such call waits until the disk has all of the file, while a plain write returns at once; most of the "
        f"time went into {path}{f' on {system}' if system else ''}."
    )
    few = not at_once and calls < OFTEN * case.ranks
    return Suspicion(claims(case, sync), says, tuple(evidence), 0.95, FEW if few else "")
