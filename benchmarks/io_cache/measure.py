"""Real programs on three file systems: the kernel's page cache, tmpfs, and the I/O cache.

    PYTHONPATH=python:benchmarks .venv/bin/python -m io_cache.measure
    PYTHONPATH=python:benchmarks .venv/bin/python -m io_cache.measure --only nwchem.uncached --rounds 1

As root. In each round all ways follow one another. What has been measured is kept in benchmarks/io_cache/results.jsonl,
all of it of one build: another one begins anew. The page is docs/io-cache-benchmark.md, written when it is complete.
"""

from __future__ import annotations

import argparse
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from measured.circumstances import here_and_now

from clearway.base.installed import RECORDER, find_program
from clearway.page.model import Page
from io_cache.disks import DISKS
from io_cache.page import write_page
from io_cache.programs import PROGRAMS, Program
from io_cache.results import RESULTS, Kept, add, build_of, of, read
from io_cache.running import MOST_MEMORY_BYTES, Result, run_program
from io_cache.ways import MEMORY, PLAIN, SIZED, WAYS, Way

ATTEMPTS = 2


@dataclass(frozen=True, slots=True)
class Cell:
    """What is to be measured once."""

    program: Program
    way: Way

    def __str__(self) -> str:
        return f"{self.program.name}.{self.way.disk}.{self.way.name}"


def main() -> int:
    arguments = parse_arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that what is mounted is taken away again
    recorder = Path(arguments.recorder) if arguments.recorder else find_program(RECORDER)
    build = build_of(recorder)
    if arguments.page_only:
        write_page(read())
        return 0
    if any(one.build != build for one in read()):
        RESULTS.unlink()
    cells = list(missing(read(), arguments.rounds, arguments.only))
    begin_s = time.monotonic()
    done = 0
    for number, cell in enumerate(cells, 1):
        one = attempted(cell, recorder, read())
        if one is not None:
            add(replace(one, build=build))
            done += 1
            passed_s = time.monotonic() - begin_s
            print(f"{number} of {len(cells)}, after {passed_s:.0f} s: {cell} took {one.wall_s:.2f} s", flush=True)
    unknown = sorted({str(cell) for cell in missing(read(), 1, "")})
    if unknown:
        print(f"not all of the page has been measured: {', '.join(unknown)}", file=sys.stderr)
    else:
        write_page(read())
    return 0 if done == len(cells) else 1


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", metavar="LIST", default="", help="what begins so: PROGRAM.DISK.WAY")
    parser.add_argument("--rounds", type=int, default=3, help="of each, those that are kept included (default 3)")
    parser.add_argument("--recorder", metavar="PATH", help="the clearway-record to use (default: the installed one)")
    parser.add_argument("--page-only", action="store_true", help="write the page from what has been measured")
    return parser.parse_args()


def missing(known: list[Kept], rounds: int, only: str) -> Iterator[Cell]:
    for number in range(rounds):
        for cell in (Cell(program, way) for program in PROGRAMS.values() for way in WAYS):
            wanted = not only or str(cell).startswith(tuple(only.split(",")))
            can_run = not cell.program.missing and not DISKS[cell.way.disk].why_not() and not hopeless(known, cell)
            if wanted and can_run and len(of(known, cell.program.name, cell.way.disk, cell.way.name)) <= number:
                yield cell


def hopeless(known: list[Kept], cell: Cell) -> bool:
    """The finding of its plain run recommended nothing to try."""
    plain = of(known, cell.program.name, "uncached", PLAIN)
    return cell.way.promised and bool(plain) and not any(one.recommended for one in plain)


def attempted(cell: Cell, recorder: Path, known: list[Kept]) -> Kept | None:
    for _ in range(ATTEMPTS):
        try:
            return measured(cell.program, cell.way, recorder, known)
        except (OSError, ValueError, subprocess.SubprocessError) as error:
            print(f"{cell}: FAILED: {error}", file=sys.stderr, flush=True)
    return None


def measured(program: Program, way: Way, recorder: Path, known: list[Kept]) -> Kept:
    """One run. What a program needs of memory, itself and for its files, is known from a run that is watched."""
    if way.name == SIZED:
        result = run_program(program, DISKS[way.disk], [recorder], watched=True)
        return kept(program, way, result, result.scratch_bytes)
    needs = next(iter(of(known, program.name, "memory", SIZED)), None)
    if needs is None:
        raise OSError(f"{program.name}.memory.{SIZED} comes first")
    options = recommended(known, program.name) if way.promised else way.options(needs.scratch_bytes)
    limit = needs.memory_bytes + int(MEMORY * needs.scratch_bytes) if way.disk == "throttled" else MOST_MEMORY_BYTES
    result = run_program(program, DISKS[way.disk], [recorder], options, limit)
    if result.energy != needs.energy:
        raise OSError(f"another energy: {result.energy}, not {needs.energy}")
    return kept(program, way, result, needs.scratch_bytes)


def kept(program: Program, way: Way, result: Result, scratch_bytes: int) -> Kept:
    offered = found(result.page) if way.name == PLAIN and result.page else None
    return Kept(
        program=program.name,
        disk=way.disk,
        way=way.name,
        wall_s=result.wall_s,
        cpu_s=result.cpu_s,
        delay_s=result.delay_s,
        energy=result.energy,
        memory_bytes=result.memory_bytes,
        scratch_bytes=scratch_bytes,
        promised_s=offered[0] if offered else None,
        recommended=offered[1] if offered else None,
        circumstances=here_and_now(),
    )


def found(page: Page) -> tuple[float, list[str]] | None:
    """What the page promises of the I/O cache, and with which options; None where it does not recommend it."""
    for finding in page.findings:
        for remedy in finding.remedies:
            if remedy.id == "io-cache" and remedy.expected_gain_s is not None:
                return remedy.expected_gain_s, re.findall(r"--io-cache[\w-]*=[^\s,']+", remedy.command)
    return None


def recommended(known: list[Kept], program: str) -> list[str]:
    options = [one.recommended for one in of(known, program, "uncached", PLAIN) if one.recommended]
    if not options:
        raise OSError("no finding recommends the I/O cache")
    return options[-1]


if __name__ == "__main__":
    sys.exit(main())
