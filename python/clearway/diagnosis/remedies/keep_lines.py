"""Standard output in blocks: under a launcher that gives ranks a terminal, C's library writes each line by itself."""

from __future__ import annotations

from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.settings_in_force import program_wrapper
from clearway.diagnosis.finding import Finding
from clearway.diagnosis.remedies import Offer
from clearway.job.change import Change
from clearway.run.layout import FILE_LINES

EXCLUDES = frozenset({"output-file"})
PREFIX = ("stdbuf", "-o64K")


def offer(case: Case, finding: Finding) -> Offer | None:
    """No gain is promised: the lines are still passed on, but many at a time."""
    data = case.run.files.data
    in_lines = (data["path"] == b"stdout") & ((data["flags"] & FILE_LINES) != 0)
    if not in_lines.any() or program_wrapper(case) == PREFIX[0]:
        return None
    return Offer(
        what="buffer what the ranks print, 64 KiB at a time",
        why="the launcher gives them a terminal for their output, so the C library writes each line by itself",
        gain=None,
        change=Change(program_prefix=PREFIX),
    )
