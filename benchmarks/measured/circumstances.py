"""When and where something was measured: kept with each result, so that a page tells it of the results and not of the
machine that happens to write the page."""

from __future__ import annotations

import os
import platform
import subprocess
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class Circumstances:
    date: str  # UTC
    commit: str  # with a + where files differed from it
    processor: str
    cores: int
    linux: str


def here_and_now() -> Circumstances:
    return Circumstances(
        time.strftime("%Y-%m-%d", time.gmtime()),
        commit(),
        processor(),
        len(os.sched_getaffinity(0)),
        platform.release().partition("-")[0],
    )


def commit() -> str:
    """Results and pages may differ: they are what is being made."""
    head = git("rev-parse", "--short=10", "HEAD")
    changed = git("status", "--porcelain", "--untracked-files=no", "--", ":!docs", ":!benchmarks/*/results")
    return f"{head}+" if changed else head


def git(*words: str) -> str:
    ran = subprocess.run(["git", "-C", str(REPOSITORY), *words], capture_output=True, text=True, timeout=60)
    return ran.stdout.strip()


def processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()


def told(all_of_them: Iterable[Circumstances]) -> str:
    """'Measured 2026-11-22 at commit 0123456789 on 2 cores (AMD EPYC), Linux 6.18.44'; lists where they differ."""
    known = list(all_of_them)

    def each(figure: str) -> str:
        return ", ".join(sorted({str(getattr(one, figure)) for one in known}))

    dates = sorted({one.date for one in known})
    when = dates[0] if len(dates) == 1 else f"{dates[0]} to {dates[-1]}"
    commits = each("commit")
    return (
        f"Measured {when} at {'commits' if ', ' in commits else 'commit'} {commits} on {each('cores')} cores "
        f"({each('processor')}), Linux {each('linux')}"
    )
