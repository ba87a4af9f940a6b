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

If scratch files need more memory than the I/O cache may use, some records must be evicted. Quantum chemistry programs
scan their files repeatedly, so the least recently used record is just the one needed next: plain LRU never hits.

The accesses of real programs were recorded once with strace, and replayed with different policies, at cache sizes
from 5 % to 100 % of the files' peak size. The tables count the records of 4 kB that are read from files or
written to them, in percent of those that the program reads and writes.

- **page-cache**: a model of Linux, with two lists and promotion of records that return soon. It favours Linux: the
  real kernel also writes data that has been dirty for 30 seconds.
- **lru**: evicts the least recently used record.
- **keep-first**: the oldest records stay until their file is deleted.
- **lirs**: LIRS (Jiang and Zhang 2002): records that were reused soon stay, new ones are evicted.
- **next-use**: the cache's default. For each file it learns after how long a record is used again;
  it evicts the record whose next use is furthest away, and overdue ones.
- **optimum**: Belady (1966): it knows the future, and reads the fewest records. It ignores writes, so other policies
  can move slightly less in total. """

END = """\
**Why next-use.** For scans it keeps as much as possible, and if a program moves on from file to file (Psi4) it
evicts the old files, like LRU, and unlike LIRS and keep-first.
{worst}

The figures do not show that an evicted record is written together with those that follow it, and that data that is not
cached goes directly between file and program, in requests as long as the program's.

## Other sizes

The effect of other cache sizes is estimated while the job runs: a sample of at most 1024 records goes through the same
policy at sixteen sizes (Waldspurger et al. 2015 and 2017). Tests compare this with real caches of these sizes: it
agrees within a fifth for scans, and within about a third for random reads. The largest size shown is the peak size of
all files.

Before each 4 MB that it takes, the cache checks how much memory the host and the control group have free. It leaves
128 MB to other programs (or a sixteenth of all memory, if that is less), and gives memory back when they need it.

To measure again: `PYTHONPATH=benchmarks .venv/bin/python -m io_cache_policies.measure`
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
        f"Compared with the page cache it moves up to {saved:.0f} % fewer records; in the worst case\n"
        f"({trace.name} at {size} %) it moves {max(0.0, excess):.1f} % more."
    )
