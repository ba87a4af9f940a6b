"""Scratch files in memory, in as much of it as they need: `clearway run --io-cache`."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import accumulate
from pathlib import PurePath

from clearway.base import quantities as q
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.file_time import file_times
from clearway.diagnosis.facts.scratch import (
    ScratchFile,
    as_option,
    budget_bytes,
    needed_bytes,
    scratch_files,
    spare_bytes,
)
from clearway.diagnosis.facts.scratch_names import globs
from clearway.diagnosis.finding import Finding
from clearway.diagnosis.remedies import Offer
from clearway.job.change import Change

EXCLUDES = frozenset({"local-scratch"})
WORTH_TRYING = 0.1  # of the finding's cost
WORTH_NAMING = 0.98  # of the gain: the files that make it up
RECORDS = 1.05  # times the files: what the cache needs beside them
MOST_PATTERNS = 8


def offer(case: Case, finding: Finding) -> Offer | None:
    """gain = 1 - time in memory / time now, of the share that these files have in the time of all.

    What does not fit is read as now: keeping one part of a file that is read from front to back again and again serves
    that part.
    """
    files = _that_matter(scratch_files(case))
    times = file_times(case)
    data_s = float((times.data_s + times.small_s).sum())
    if not files or data_s <= 0:
        return None
    needed = RECORDS * needed_bytes(case, files)
    spare = spare_bytes(case)
    size = needed if spare is None else min(needed, spare)
    if size <= budget_bytes(case):
        return None
    part = size / needed
    gain = part * sum(one.gain_s for one in files) / data_s
    if gain < WORTH_TRYING:
        return None
    count = "1 file" if len(files) == 1 else f"{len(files)} files"
    room = "" if part == 1 else f"; {q.percent(part)} of them fit, as no more memory is free"
    return Offer(
        what=f"keep scratch files in {as_option(size).removesuffix('Mi')} MiB of memory on each host",
        why=f"{q.seconds(sum(one.data_s for one in files))} went into {count} that the job {_did(files)}{room}",
        gain=gain,
        change=Change(recorder_options=(f"--io-cache={as_option(size)}", f"--io-cache-files={_patterns(files)}")),
    )


def _that_matter(files: tuple[ScratchFile, ...]) -> tuple[ScratchFile, ...]:
    """The fewest that make up the gain."""
    reached_s = list(accumulate(one.gain_s for one in files))
    fewer = sum(seconds < WORTH_NAMING * reached_s[-1] for seconds in reached_s)
    return files[: fewer + 1]


def _patterns(files: Iterable[ScratchFile]) -> str:
    """Globs for them, of what their names have in common with those of the next run."""
    names = globs([one.path for one in files])
    folders = dict.fromkeys(f"{PurePath(name).parent}/*" for name in names)
    return ":".join(names if len(names) <= MOST_PATTERNS else folders)


def _did(files: Iterable[ScratchFile]) -> str:
    read = [one.read_bytes > 0 for one in files]
    return "wrote and read" if all(read) else "wrote, and read in part" if any(read) else "only wrote"
