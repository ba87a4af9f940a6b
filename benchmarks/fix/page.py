"""docs/fix-benchmark.md, from what measure.py has measured."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from measured.circumstances import Circumstances, told

PAGE = Path(__file__).resolve().parents[2] / "docs/fix-benchmark.md"

HEAD = """\
# `clearway fix` on real programs, measured

Unmodified programs on the [testbed](testbed.md), one rank per host, links of 20 Mbit/s, switch ports with 20 kB of
buffer: what `clearway fix --testbed "--hosts N --rate 20mbit --buffer 20k" -- PROGRAM` finds, tries and gains, and how
close the best remedy comes to the same testbed with buffers that never overflow (*lossless*). Times are those of the
steps, from the program's own log if it has them; a ratio is the mean over rounds, with its interval
([compare.md](compare.md)). """


@dataclass(frozen=True, slots=True)
class Measured:
    """One program: what fix said and proved, and the same without loss."""

    about: str
    said: str  # by `clearway fix`
    proof: dict[str, Any] | None  # clearway-compare-1; None where there was nothing to try
    lossless: dict[str, Any]  # likewise: the job and itself again
    circumstances: Circumstances

    @property
    def lossless_s(self) -> float:
        """Of both equal variants, the mean."""
        times = [time_of(row) for row in self.lossless["rows"]]
        return sum(times) / len(times)


def time_of(row: dict[str, Any]) -> float:
    return float(row["s_per_step"] or row["wall_s"])


def write_page(measured: Sequence[Measured]) -> None:
    PAGE.write_text("\n".join(page(measured)) + "\n")
    print(f"wrote {PAGE}")


def page(measured: Sequence[Measured]) -> Iterator[str]:
    yield HEAD
    yield f"{told(each.circumstances for each in measured)}, by `benchmarks/fix/measure.py`; what each command printed"
    yield "and measured is in `benchmarks/fix/results`.\n"
    for each in measured:
        yield from section(each)


def section(each: Measured) -> Iterator[str]:
    yield f"## {each.about}\n"
    yield f"Found: {'; '.join(findings(each.said)) or 'nothing'}.\n"
    if each.proof is None:
        yield "There was no remedy to try without root."
        yield f"Unchanged and without losses it took {shown(each.lossless_s)}.\n"
        return
    yield "| | time | ÷ unchanged | ÷ lossless | rounds |\n| --- | --- | --- | --- | --- |"
    for row in each.proof["rows"]:
        share = "1" if row["ratio"] is None else f"{row['ratio']:.2f} ({row['ratio_low']:.2f}–{row['ratio_high']:.2f})"
        by = time_of(row) / each.lossless_s
        yield f"| {row['name']} | {shown(time_of(row))} | {share} | {by:.2f} | {row['rounds']} |"
    yield f"| lossless, unchanged | {shown(each.lossless_s)} | | 1 | {each.lossless['rounds']} |\n"
    yield from (f"- {line}" for line in each.said.splitlines() if " gives back " in line)
    yield ""


def shown(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds >= 1 else f"{1e3 * seconds:.0f} ms a step"


def findings(said: str) -> list[str]:
    """ "The network loses packets … (22.3 %)"."""
    found = re.findall(r"^  \d+\. (.+?)  +(\d[\d.]* %) ·", said, re.MULTILINE)
    return [f"{title} ({share})" for title, share in found]
