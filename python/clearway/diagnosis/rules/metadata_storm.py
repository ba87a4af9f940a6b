"""Files are opened, closed, looked for and deleted by the thousand."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath

from clearway.base import quantities as q
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.file_time import claims, file_system, file_times, shares, worst_paths
from clearway.diagnosis.finding import Evidence
from clearway.diagnosis.rules import Suspicion

TITLE = "Files are opened, closed and looked up again and again"
REMEDIES = ("checkpoint-interval", "local-scratch")
LOCAL = ("ext4", "xfs", "btrfs", "tmpfs")
COPIES_UP = ("overlay", "fuse.fuse-overlayfs")
SLOW_S = 2e-3  # a call
KINDS = ("open", "close", "metadata", "read", "write", "seek", "sync")
MANY = 100  # calls of a rank: fewer are what starting and ending takes
LONG_S = 0.1  # a call, on average, of those for one file
MOSTLY = 0.5  # of the time in all such calls
FEW = "A few calls that open or look up a file take long"


def examine(case: Case) -> Suspicion | None:
    """Claims what was lost to calls that move no data."""
    metadata = shares(case).metadata
    lost_s = case.losses.io_s * metadata
    data = case.run.files.data
    calls = int((data["opens"] + data["closes"] + data["metadata"]).sum())
    times = file_times(case)
    worst = worst_paths(case, times.metadata_s, number=1)
    if lost_s <= 0 or not worst:
        return None
    spent_s = float(times.metadata_s.sum())
    few = _few(case, *worst[0], spent_s)
    if few is not None:
        return Suspicion(claims(case, metadata), few.says, few.evidence, confidence=0.93, title=FEW, remedies=())
    if calls < MANY * case.ranks:
        return None
    path = worst[0][0]
    folder = str(PurePath(path).parent) if "/" in path else path  # "(other files)"
    system = file_system(case, path)
    evidence = (
        Evidence("opened, closed, looked at, deleted", f"{calls:,} times", "calls of all ranks"),
        Evidence("in that", f"{q.seconds(spent_s)} over all ranks", "time in these calls"),
        Evidence("a call", q.seconds(spent_s / calls), "mean"),
        Evidence("files touched", f"{len(case.tables.files):,}", "names in the record"),
        Evidence("longest in", folder, system or "unknown file system"),
    )
    says = (
        f"Calls that move no data took longest in {folder}{f' on {system}' if system else ''}. Each asks the file "
        f"system (a shared one: its server) before the rank can continue.{_held_up(case, system, spent_s / calls)}"
    )
    return Suspicion(claims(case, metadata), says, evidence, confidence=0.93)


@dataclass(frozen=True, slots=True)
class _Few:
    says: str
    evidence: tuple[Evidence, ...]


def _few(case: Case, path: str, seconds: float, all_s: float) -> _Few | None:
    """Where it is not their number: most of the time went into a few calls for one file."""
    files = case.run.files.data
    data = files[files["path"] == path.encode(errors="surrogateescape")]
    calls = int((data["opens"] + data["closes"] + data["metadata"]).sum())
    if "/" not in path or calls == 0 or seconds < LONG_S * calls or seconds < MOSTLY * all_s:
        return None
    system = file_system(case, path)
    each = f"{calls:,} calls" if calls > 1 else "1 call"
    says = (
        f"Opening, closing and looking up {path}{f' on {system}' if system else ''} took {q.seconds(seconds)} in "
        f"{each}. That is not their number: look for what holds them up."
    )
    if system.startswith(COPIES_UP) and int(data["writes"].sum()):
        says += (
            " On an overlay, as containers have it, a file of the image is copied whole when it is opened for "
            "writing for the first time. Put files that the job writes on a folder bound into the container, or open "
            "them for reading only."
        )
    evidence = (
        Evidence("opened, closed, looked up", each, "calls of all ranks for this file"),
        Evidence("in that", f"{q.seconds(seconds)} over all ranks", "time in these calls"),
        Evidence("in all such calls", f"{q.seconds(all_s)} over all ranks", "time in calls for all files"),
        Evidence("file", path, system or "unknown file system"),
    )
    return _Few(says, evidence)


def _held_up(case: Case, system: str, mean_s: float) -> str:
    """What is not the file system's own speed, where that is known. Of the time in calls, some may be run delay."""
    files, in_files_s = case.run.files, case.tables.ledger.io_s
    all_s = sum(float(case.run.seconds(files.process, files.data[f"{kind}_ticks"]).sum()) for kind in KINDS)
    blocked_s = mean_s * min(in_files_s / all_s, 1.0) if all_s > 0 else 0.0
    if system.partition(" ")[0] not in LOCAL or blocked_s < SLOW_S:
        return ""
    return (
        f" On a file system of the host's own such a call takes some microseconds, not {q.seconds(blocked_s)}: a disk "
        f"with a full queue may hold it up, or a program that looks into each file that is opened (a virus scanner)."
    )
