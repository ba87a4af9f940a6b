"""Real programs on three file systems: the kernel's page cache, tmpfs, and the I/O cache.

    PYTHONPATH=python:benchmarks .venv/bin/python -m io_cache.measure
    PYTHONPATH=python:benchmarks .venv/bin/python -m io_cache.measure --only nwchem.uncached --rounds 1

As root. In each round all ways follow one another. What has been measured is kept under build/io-cache; the page is
docs/io-cache-benchmark.md.
"""

from __future__ import annotations

import argparse
import re
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

from clearway.installed import RECORDER, find_program
from clearway.page import Page
from io_cache.disks import DISKS
from io_cache.page import write_page
from io_cache.programs import PROGRAMS, Program
from io_cache.results import Kept, add, of, read
from io_cache.running import MOST_MEMORY_BYTES, Result, run_program
from io_cache.ways import MEMORY, PLAIN, TMPFS, WAYS, Way


def main() -> int:
    arguments = parse_arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that what is mounted is taken away again
    recorder = Path(arguments.recorder) if arguments.recorder else find_program(RECORDER)
    for program, way in missing(arguments.rounds, arguments.only):
        try:
            one = measured(program, way, recorder)
        except OSError as error:
            print(f"{program.name}.{way.disk}.{way.name}: FAILED: {error}", file=sys.stderr, flush=True)
            continue
        add(one)
        print(one, flush=True)
    write_page()
    return 0


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", metavar="LIST", default="", help="what begins so: PROGRAM.DISK.WAY")
    parser.add_argument("--rounds", type=int, default=3, help="of each, those that are kept included (default 3)")
    parser.add_argument("--recorder", metavar="PATH", help="the clearway-record to use (default: the installed one)")
    return parser.parse_args()


def missing(rounds: int, only: str) -> Iterator[tuple[Program, Way]]:
    for number in range(rounds):
        for program in PROGRAMS.values():
            for way in WAYS:
                name = f"{program.name}.{way.disk}.{way.name}"
                wanted = not only or name.startswith(tuple(only.split(",")))
                can_run = not program.missing and not DISKS[way.disk].why_not()
                if wanted and can_run and len(of(read(), program.name, way.disk, way.name)) <= number:
                    yield program, way


def measured(program: Program, way: Way, recorder: Path) -> Kept:
    """One run. What a program needs of memory, itself and for its files, is known from its run on tmpfs."""
    if way.name == TMPFS:
        result = run_program(program, DISKS[way.disk], [recorder], watched=True)
        return kept(program, way, result, result.scratch_bytes, None)
    needs = next(iter(of(read(), program.name, "memory", TMPFS)), None)
    if needs is None:
        raise OSError(f"{program.name}.memory.{TMPFS} comes first")
    budget = way.budget_bytes(needs.scratch_bytes)
    size = recommended(program.name) if way.promised else None if budget is None else str(budget)
    limit = needs.memory_bytes + int(MEMORY * needs.scratch_bytes) if way.disk == "throttled" else MOST_MEMORY_BYTES
    result = run_program(program, DISKS[way.disk], [recorder], [f"--io-cache={size}"] if size else [], limit)
    if result.energy != needs.energy:
        raise OSError(f"another energy: {result.energy}, not {needs.energy}")
    return kept(program, way, result, needs.scratch_bytes, budget)


def kept(program: Program, way: Way, result: Result, scratch_bytes: int, budget_bytes: int | None) -> Kept:
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
        budget_bytes=budget_bytes,
        promised_s=offered[0] if offered else None,
        recommended=offered[1] if offered else None,
    )


def found(page: Page) -> tuple[float, str] | None:
    """What the page promises of the I/O cache, and of which size; None where it does not recommend it."""
    for finding in page.findings:
        for remedy in finding.remedies:
            if remedy.id == "io-cache" and remedy.expected_gain_s is not None:
                size = re.search(r"--io-cache=(\w+)", remedy.command)
                return (remedy.expected_gain_s, size[1]) if size else None
    return None


def recommended(program: str) -> str:
    sizes = [one.recommended for one in of(read(), program, "uncached", PLAIN) if one.recommended]
    if not sizes:
        raise OSError("no finding recommends the I/O cache")
    return sizes[-1]


if __name__ == "__main__":
    sys.exit(main())
