"""Which files of a directory make the Run: the records of its newest job, one per rank."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path

from clearway.base.errors import ClearwayError
from clearway.base.pasted import pasted
from clearway.base.whole import is_whole
from clearway.run.besides import besides
from clearway.run.launches import cpu_s, fact, launches, lived_ns, recorded_ns
from clearway.run.layout import FileKind, SegmentKind, text
from clearway.run.reader import CLOSED, Record, UnbegunRecordError, UnreadableRecordError, open_record
from clearway.run.run import Besides, Launch

HINT = "`clearway run -- mpirun … PROGRAM …` records a job and prints its directory"
SUFFIX = ".cwr"  # of the files of a Run
CLOCK_TICK_NS = 10_000_000  # the kernel tells the start of a process in these
NAMED_AT_MOST = 3  # files or ranks that a note names before it only counts


@dataclass(slots=True)
class Found:
    """The records of one job, ranks in order, and what has to be said about the rest."""

    job: str
    ranks: list[tuple[int, Record]]
    hosts: list[Record]
    flows: list[Record]
    io_caches: list[Record]
    notes: list[str] = field(default_factory=list)
    besides: Besides | None = None
    processes: list[Record] = field(default_factory=list)  # all of the job: launchers and a script's programs, too


def find_records(directory: Path) -> Found:
    """Opens every record in `directory` and picks the newest job. Raises ClearwayError where there is none."""
    if not directory.is_dir():
        problem = "it is a file" if directory.exists() else "there is no such directory"
        is_of_a_run = directory.exists() and directory.suffix == SUFFIX
        hint = f"give the directory: {pasted(str(directory.parent))}" if is_of_a_run else HINT
        raise ClearwayError(f"cannot read a Run from {directory}: {problem}", hint)
    try:
        paths = sorted(path for path in directory.iterdir() if path.suffix == SUFFIX)
    except OSError as error:
        hint = CLOSED if isinstance(error, PermissionError) else HINT
        raise ClearwayError(f"cannot read a Run from {directory}: {error.strerror}", hint) from error
    if not paths:
        below = _record_below(directory)
        hint = HINT if below is None else f"there are Runs below it: clearway list {pasted(str(directory))}"
        raise ClearwayError(f"{directory} has no record of a job (no *{SUFFIX} file)", hint)
    records: list[Record] = []
    errors: list[UnreadableRecordError] = []
    for path in paths:
        try:
            records.append(open_record(path))
        except UnreadableRecordError as error:
            errors.append(error)
    processes = [record for record in records if record.header["kind"] == FileKind.RANK]
    if not processes:
        unbegun = sum(isinstance(error, UnbegunRecordError) for error in errors)
        if unbegun and unbegun == len(errors):
            ends = f"{_count(unbegun, 'file')} {'ends' if unbegun == 1 else 'end'} before the first clock reading"
            raise ClearwayError(
                f"{directory} has no record of a process: {ends}",
                "the job was killed while it started; there is nothing to read",
            )
        if errors:
            raise next((error for error in errors if not isinstance(error, UnbegunRecordError)), errors[0])
        raise ClearwayError(f"{directory} has no record of a process, only of hosts", HINT)
    found = _newest_job(records, processes)
    if errors:
        found.notes.append(f"{_count(len(errors), 'file')} could not be read: {_some([e.message for e in errors])}.")
    cut = [record.path.name for record in records if record.cut]
    if cut:
        found.notes.append(f"{_count(len(cut), 'record')} ended before its data: {_some(cut)}.")
    return found


def _record_below(directory: Path) -> Path | None:
    try:
        return next(directory.glob(f"*/*{SUFFIX}"), None)
    except OSError:  # a folder that went away meanwhile, as processes do in /proc
        return None


def read_launch(directory: Path) -> tuple[Launch | None, str | None]:
    """What run.json says, and a note where it is there but cannot be understood."""
    path = directory / "run.json"
    if not path.is_file():
        return None, None
    try:
        with path.open("rb") as file:
            said = json.loads(file.read(1 << 20))
        command = said.get("command") or []
        launch = Launch(
            command=tuple(str(word) for word in command),
            exit_code=_integer(said.get("exit_code")),
            started_ns=_integer(said.get("started_ns")),
            ended_ns=_integer(said.get("ended_ns")),
            stdout=said["stdout"] if isinstance(said.get("stdout"), str) else None,
            stdout_inode=_integer(said.get("stdout_inode")),
            stdout_begin=_integer(said.get("stdout_begin")),
            stdout_end=_integer(said.get("stdout_end")),
            oom_kills=_integer(said.get("oom_kills")),
            oom_kills_of_machine=_integer(said.get("oom_kills_of_machine")),
            is_script=said.get("is_script") is True,
            batch=_texts(said.get("batch")),
        )
    except (OSError, ValueError, AttributeError, TypeError, RecursionError) as error:
        return None, f"run.json is damaged: {error}."
    return launch, None


def _integer(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _texts(value: object) -> dict[str, str]:
    pairs = value.items() if isinstance(value, dict) else ()
    return {name: text for name, text in pairs if isinstance(name, str) and isinstance(text, str)}


def _newest_job(records: list[Record], processes: list[Record]) -> Found:
    newest = max(processes, key=lambda record: int(record.header["start"]["realtime_ns"]))
    job = newest.header["job"]
    own = [record for record in processes if record.header["job"] == job]
    hosts, flows, io_caches = (
        [record for record in records if record.header["kind"] == kind and record.header["job"] == job]
        for kind in (FileKind.HOST, FileKind.FLOW, FileKind.IO_CACHE)
    )
    found = Found(text(bytes(job)), [], hosts, flows, io_caches, processes=own)
    others = len({bytes(record.header["job"]) for record in processes}) - 1
    if others:
        found.notes.append(f"The directory also has {_count(others, 'older job')}; only the newest is shown.")
    _assign_ranks(own, found)
    return found


def _assign_ranks(records: list[Record], found: Found) -> None:
    """One record per rank. Processes that never learned their rank are numbered only where none did."""
    placed = [record for record in records if record.header["rank"] >= 0]
    if not placed:
        _assign_as_launched(records, found)
        return
    through = {int(record.header["rank"]) for record in placed}
    unplaced = [record for record in records if record.header["rank"] < 0 and _is_rank(record, through)]
    if unplaced:
        are = "is" if len(unplaced) == 1 else "are"
        found.notes.append(
            f"{_count(len(unplaced), 'process')} never got through MPI_Init and {are} left out: "
            f"{_some(sorted(map(_who, unplaced)))}."
        )
    all_ = launches(placed)
    shown = max(all_, key=lambda launch: sum(map(recorded_ns, launch)))
    if len(all_) > 1:
        longest_s, together_s = (sum(map(lived_ns, some)) * 1e-9 for some in (shown, placed))
        found.notes.append(
            f"There are {len(all_)} jobs on record, each with an MPI_COMM_WORLD of its own (started one after another, "
            f"at the same time, or spawned). Only the longest is shown: {longest_s:.1f} of {together_s:.1f} "
            f"rank-seconds. To see the others, record each by itself: `clearway run -- mpirun …` in the script."
        )
        found.besides = besides(shown, all_)
    found.ranks = sorted((int(record.header["rank"]), record) for record in shown)


def _last_programs(records: list[Record]) -> list[Record]:
    """Of a process that executed one program after another, as a wrapper does that ends with `exec`, the last one's.

    In order of their beginning. The time before it is counted, for the process began with the first.
    """
    newest: dict[tuple[bytes, int], Record] = {}
    replaced = set[Path]()
    for record in records:
        process = bytes(record.header["host"]), int(record.header["pid"])
        if process in newest and abs(_process_start_ns(record) - _process_start_ns(newest[process])) < CLOCK_TICK_NS:
            replaced.add(newest[process].path)
        newest[process] = record
    return [record for record in records if record.path not in replaced]


def _process_start_ns(record: Record) -> int:
    return int(record.header["process_start_monotonic_ns"])


def _assign_as_launched(records: list[Record], found: Found) -> None:
    """No process got through MPI_Init: each has the rank that its launcher gave it, or a number where none did.

    What else was recorded (launchers, shells around a rank) is left out beside processes that were given a rank.
    """
    records.sort(key=lambda record: (int(record.header["start"]["realtime_ns"]), record.path.name))
    records = _last_programs(records)
    by_rank: dict[int, Record] = {}
    for record in records:
        rank = _launched_rank(record) if len(records) > 1 else None
        if rank is not None and (rank not in by_rank or not _is_in_mpi(by_rank[rank])):
            by_rank[rank] = record  # of a shell and the program that it starts, the program
    if not by_rank:
        by_clearway_run = (records[0].path.parent / "run.json").exists()
        if by_clearway_run and len(records) > 1 and not any(map(_is_in_mpi, records)):
            records = _busiest(records, found)
        found.ranks = list(enumerate(records))
        return
    found.ranks = sorted(by_rank.items())
    left_out = len(records) - len(by_rank)
    if left_out:
        found.notes.append(
            f"{_count(left_out, 'process')} beside the ranks (launchers, shells) {'is' if left_out == 1 else 'are'} "
            "left out."
        )


def _busiest(records: list[Record], found: Found) -> list[Record]:
    """Of the program that `clearway run` started, without a launcher, and those that it started itself, the one that
    used most CPU time. They are no ranks: most of them wait for each other, and not all were there at a time.
    """
    used_s = [cpu_s(record) for record in records]
    shown = max(range(len(records)), key=lambda number: (used_s[number], recorded_ns(records[number])))
    found.notes.append(
        f"{len(records)} processes are on record, none of them of MPI: a program, and those that it started. Only the "
        f"one with most CPU time is shown: {used_s[shown]:.1f} of {sum(used_s):.1f} s."
    )
    return [records[shown]]


def _is_rank(record: Record, through: Collection[int]) -> bool:
    """Whether a launcher started it as a rank; else it is a launcher, or a shell of the script.

    In a batch job of Slurm its shells, prologs and launchers are rank 0 to the environment, too: a rank that another
    process has been is one that an MPI started.
    """
    if _is_in_mpi(record):
        return True
    rank = _launched_rank(record)
    return rank is not None and (rank not in through or fact(record, b"mpi.library") is not None)


def _is_in_mpi(record: Record) -> bool:
    try:
        threads = record.read(frozenset({SegmentKind.THREADS}))[SegmentKind.THREADS]
    except UnreadableRecordError:
        return False
    return bool((threads["call_function"] > 0).any())


def _launched_rank(record: Record) -> int | None:
    """The rank that the launcher gave to a process."""
    told = fact(record, b"process.launched_rank")
    return int(told) if told and is_whole(told) and len(told) < 9 else None


def _who(record: Record) -> str:
    rank, host = _launched_rank(record), text(bytes(record.header["host"]))
    return f"process {int(record.header['pid'])} on {host}" if rank is None else f"rank {rank} on {host}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}{'es' if noun.endswith('s') else 's'}"


def _some(names: list[str]) -> str:
    shown = "; ".join(names[:NAMED_AT_MOST])
    rest = len(names) - NAMED_AT_MOST
    return f"{shown}; and {rest} more" if rest > 0 else shown
