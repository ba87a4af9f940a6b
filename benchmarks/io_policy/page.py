"""docs/io-cache-policies.md, from what the replays gave."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs/io-cache-policies.md"
PERCENTS = (5, 10, 25, 33, 50, 66, 75, 90, 100)
BASE = "page-cache"
POLICIES = (BASE, "lru", "keep-first", "lirs", "next-use", "optimum")

INTRODUCTION = """\
# What leaves the I/O cache

When scratch files need more memory than the I/O cache may take, something must go. The programs that it is for scan
their files again and again, and what was not used for longest is then just what comes next: plain LRU never hits.

The accesses of real programs were recorded once with strace, and go here through one policy after another, at sizes
from 5 % of what the files need at their peak to all of it. Counted are the records of 4 kB that are read from files or
written to them, in percent of those that the program reads and writes.

- **page-cache**: a model of what Linux does, two lists and a place back for what returns soon. It is kind to Linux: the
  kernel also writes what has lain dirty for 30 seconds.
- **lru**: what was not used for longest goes.
- **keep-first**: what came first stays until its file is deleted.
- **lirs**: LIRS (Jiang and Zhang 2002): what came back soon stays, what is new passes.
- **next-use**: what the cache does, unless told otherwise. Each file shows after how long it comes back to a record;
  what comes back last goes, and what is overdue.
- **optimum**: Belady (1966): it knows the future, and fetches least. It does not count what is written, so others can
  move a little less.
"""

END = """\
**Why next-use.** Of the scans it keeps as much as can be kept, and where a program moves on from file to file (Psi4) it
lets go what is over, as LRU does and LIRS and keep-first do not.
{worst}

What the figures do not show: a record that leaves is written together with those that follow it, and what is not kept
goes straight between the file and the program, in requests as long as the program's.

## Other sizes

What other sizes would have given is found while the job runs: a sample of at most 1024 records goes through the same
policy at sixteen sizes (Waldspurger et al. 2015 and 2017). The tests hold it against caches of these sizes: within a
fifth for scans, within about a third for reads here and there. The largest size told is what all
files needed at their peak.

The cache asks how much memory the host and the control group have to spare before each 4 MB that it takes, leaves
128 MB to others (a sixteenth of all where that is less), and gives memory back where they have taken it.

To measure again: `PYTHONPATH=benchmarks .venv/bin/python -m io_policy.measure`
"""


@dataclass(frozen=True, slots=True)
class Replayed:
    """One trace through all policies."""

    name: str
    uses: int  # of records, by the program
    most_bytes: int  # in its files at one time
    moved: dict[tuple[str, int], int]  # records between cache and files, by policy and size in percent of most_bytes

    def percent(self, policy: str, size: int) -> float:
        return 100 * self.moved[policy, size] / self.uses


def write_page(traces: Sequence[Replayed]) -> None:
    parts = [INTRODUCTION, *(_table(trace) for trace in traces), END.format(worst=_worst(traces))]
    PAGE.write_text("\n".join(parts))


def _table(trace: Replayed) -> str:
    return "\n".join(_lines(trace)) + "\n"


def _lines(trace: Replayed) -> Iterator[str]:
    yield f"## {trace.name}: {trace.most_bytes / 1e6:.0f} MB, {trace.uses} records used\n"
    yield "| size | " + " | ".join(POLICIES) + " |"
    yield "| ---: |" + " ---: |" * len(POLICIES)
    for size in PERCENTS:
        yield f"| {size} % | " + " | ".join(f"{trace.percent(policy, size):.1f}" for policy in POLICIES) + " |"


def _worst(traces: Sequence[Replayed]) -> str:
    excess, trace, size = max(
        (
            (trace.percent("next-use", size) - trace.percent(BASE, size), trace, size)
            for trace in traces
            for size in PERCENTS
        ),
        key=lambda found: found[0],
    )
    saved = max(trace.percent(BASE, size) - trace.percent("next-use", size) for trace in traces for size in PERCENTS)
    return (
        f"Held against the page cache it moves up to {saved:.0f} % of the records less; where it is worst\n"
        f"({trace.name} at {size} %) it moves {max(0.0, excess):.1f} % of them more."
    )
