"""What `clearway host apply tcp.rto_min=…` gives an all-to-all that loses packets: the table of docs/host.md.

    PYTHONPATH=python .venv/bin/python benchmarks/host/measure.py --rounds 5

As root. On one testbed, in rounds: as it is, then each value applied to all hosts and taken back. Prints a table in
Markdown; what is compared are runs of the same round, so that other work on the machine weighs on all alike.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
from pathlib import Path

from clearway.base.installed import find_program
from clearway.bench.assemble import assemble
from clearway.bench.printed import read_lines
from clearway.bench.program import PROGRAM, find_flow_library
from clearway.testbed import Shape, Testbed, find_mpi

KERNEL = "200 ms (the kernel's)"
VALUES = ("50ms", "10ms")
CASES = {"own": 65536, "lam": 4096}  # algorithm: bytes of a block
CLEARWAY = Path(sys.executable).parent / "clearway"
# The hosts share this machine's file systems: their undo files go to a place that ends with the command's folder.
ON_HOST = ["unshare", "--mount", "sh", "-c", 'mkdir -p "$1" && mount --bind "$1" /var/lib && shift && exec "$@"', "sh"]
UNDO = Path("build/host-undo").absolute()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--calls", type=int, default=12)
    arguments = parser.parse_args()
    measured: dict[tuple[str, str], list[float]] = {}
    with Testbed(Shape(hosts=8, rate_bps=20_000_000, buffer_bytes=20_000)) as testbed:
        for turn in range(arguments.rounds):
            for value in (KERNEL, *VALUES):
                if value != KERNEL:
                    on_all(testbed, f"tcp.rto_min={value}")
                for candidate, size in CASES.items():
                    rate = measure(testbed, candidate, size, arguments.calls)
                    measured.setdefault((candidate, value), []).append(rate)
                    print(f"round {turn + 1}: {candidate}, {value}: {rate / 1e6:.2f} MB/s a rank", file=sys.stderr)
                if value != KERNEL:
                    on_all(testbed, "--undo")
    print_table(measured)
    return 0


def on_all(testbed: Testbed, *words: str) -> None:
    for host in testbed.layout.hosts:
        command = [*ON_HOST, str(UNDO), str(CLEARWAY), "host", "apply", *words, "--yes"]
        subprocess.run(testbed.on_host(host.name, command), check=True, stdout=subprocess.DEVNULL, timeout=60)


def measure(testbed: Testbed, candidate: str, size: int, calls: int) -> float:
    """Throughput per rank, in bytes/s: all bytes by all time."""
    program = find_program(PROGRAM)
    words = ["alltoall", "--sizes", str(size), "--calls", str(calls), "--candidate", candidate]
    if candidate != "own":
        words += ["--flow-library", str(find_flow_library(program))]
    outcome = testbed.run(find_mpi("openmpi"), [program, *words], timeout_s=120)
    rate = assemble(read_lines(outcome.stdout.splitlines())).curves[0].points[0].mean_bytes_per_s
    if rate is None:
        raise SystemExit(f"{candidate} was not measured\n{outcome.stderr}")
    return rate


def print_table(measured: dict[tuple[str, str], list[float]]) -> None:
    print("| all-to-all | least timeout | MB/s a rank | of the kernel's, same round |\n| --- | --- | --- | --- |")
    for candidate, size in CASES.items():
        for value in (KERNEL, *VALUES):
            rates = measured[candidate, value]
            ratios = [rate / usual for rate, usual in zip(rates, measured[candidate, KERNEL], strict=True)]
            spread = f"{statistics.median(ratios):.2f} ({min(ratios):.2f} – {max(ratios):.2f})"
            cells = [f"{candidate}, {size // 1024} KiB", value, f"{statistics.median(rates) / 1e6:.2f}"]
            print("| " + " | ".join([*cells, "1" if value == KERNEL else spread]) + " |")


if __name__ == "__main__":
    sys.exit(main())
