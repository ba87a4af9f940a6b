#!/usr/bin/env python3
"""What was measured on testbeds, with real TCP and Open MPI (docs/flow-benchmark.md), beside what is simulated.

    benchmarks/simulator/against_testbed.py --simulator .venv/bin/clearway-simulate

Prints the table of docs/simulator.md: shares of what the wire carries. Two figures are fitted on two points, `ordered`
on 8 hosts with 256 B and 1 KiB: the core's time for a message, and the rest between calls, in which token buckets fill.
All else is as the testbed is built.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
MEASURED = REPOSITORY / "docs" / "flow-benchmark.md"
RATE_BPS = 20_000_000
LIMIT_BYTES_PER_S = RATE_BPS / 8 * 1448 / 1514
UNITS = {"B": 1, "KiB": 1024, "MiB": 1024**2}
FITTED = {"message-ns": 60_000, "pause-ns": 500_000}
# Token buckets instead of wires: a frame has its header and nothing around it, and 3,200 bytes pass at once.
AS_TESTBED = {
    "rate-bps": RATE_BPS,
    "latency-ns": 20_000,
    "burst-bytes": 3_200,
    "frame-bytes": 14,
    "least-frame-bytes": 0,
    "gap-bytes": 0,
    "card-queue-bytes": 4_344,  # three segments: tcp_limit_output_bytes of 9,000, which counts the kernel's memory
    "eager-bytes": 65_000,  # Open MPI's 64 KiB hold its header as well
    "skew-ns": 200_000,
    "calls": 25,
    "seed": 1,
}


@dataclass(frozen=True)
class Case:
    hosts: int
    buffer_bytes: int
    block_bytes: int
    candidate: str
    measured: float


def cases(text: str, mpi: str) -> Iterator[Case]:
    """The measured shares of one MPI with one rank on each host."""
    section = text.partition("## What the tables were chosen from")[2].partition("Two ranks a host:")[0]
    head, _, *lines = re.findall(r"^\|(.*)\|$", section, re.MULTILINE)
    candidates = [name.strip(" `") for name in head.split("|")][4:]
    for line in lines:
        name, hosts, buffers, block, *shares = (cell.strip() for cell in line.split("|"))
        if name != mpi or buffers == "deep":
            continue
        number, unit = block.split()
        for candidate, share in zip(candidates, shares, strict=True):
            if candidate != "own":
                buffer_bytes = int(buffers.split()[0]) * 1000
                yield Case(int(hosts), buffer_bytes, int(number) * UNITS[unit], candidate, float(share.split()[0]))


def simulated(simulator: Path, case: Case) -> tuple[float, int]:
    """The share of the wire, and timeouts."""
    options = {**AS_TESTBED, **FITTED, "hosts": case.hosts, "buffer-bytes": case.buffer_bytes}
    options |= {"bytes": case.block_bytes, "candidate": case.candidate}
    words = [str(word) for name, value in options.items() for word in (f"--{name}", value)]
    told = json.loads(subprocess.run([simulator, *words], capture_output=True, text=True, check=True).stdout)
    seconds = sum(call["duration_ns"] for call in told["calls"]) * 1e-9
    moved = (case.hosts - 1) * case.block_bytes * len(told["calls"])
    return moved / seconds / LIMIT_BYTES_PER_S, sum(call["timeouts"] for call in told["calls"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--simulator", type=Path, required=True, help="clearway-simulate")
    parser.add_argument("--mpi", default="openmpi")
    parser.add_argument("--jobs", type=int, default=2, help="at once")
    arguments = parser.parse_args()
    asked = list(cases(MEASURED.read_text(encoding="utf-8"), arguments.mpi))
    print("| hosts, buffers | block | algorithm | measured | simulated | ratio | timeouts simulated |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    with ThreadPoolExecutor(arguments.jobs) as pool:
        results = pool.map(lambda case: simulated(arguments.simulator, case), asked)
        for case, (share, timeouts) in zip(asked, results, strict=True):
            place = f"{case.hosts}, {case.buffer_bytes // 1000} kB"
            ratio = share / case.measured
            print(
                f"| {place} | {case.block_bytes:,} | `{case.candidate}` | {case.measured:.2f} | {share:.2f} "
                f"| {ratio:.2f} | {timeouts} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
