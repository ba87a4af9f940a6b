#!/usr/bin/env python3
"""All-to-alls on a testbed, with real TCP and Open MPI, beside what is simulated: how long calls last, how many stall.

    benchmarks/simulator/against_testbed.py

Prints the table of docs/simulator-benchmark.md, or with --page writes it there. What was measured is kept in
benchmarks/simulator/results/testbed, a file a point; remove the folder to measure anew: all of it, never single points.
Each point is a job of its own, so that none inherits the windows of a collapse before it.
What a message costs the machine's two cores is estimated, how long a rank takes to notice one is fitted, on two points
that docs/simulator-benchmark.md names; all else is as the testbed is built.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import product
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
RESULTS = Path(__file__).resolve().parent / "results/testbed"
PAGE = REPOSITORY / "docs/simulator-benchmark.md"
RATE_BPS = 20_000_000
WIRE_BYTES_PER_S = RATE_BPS / 8 * 1448 / 1514
BUFFER_BYTES = 20_000
CALLS = 40
BUDGET_S = 8
LIMIT_S = 60
CLOSE = 0.15
STALL_NS = 150_000_000  # the least timeout is 200 ms
COSTS = {"message-ns": 10_000, "kilobyte-ns": 1_000, "wakeup-ns": 150_000, "pause-ns": 500_000}
# Token buckets instead of wires: a frame has its header and nothing around it, and 3,200 bytes pass at once.
AS_TESTBED = {
    "rate-bps": RATE_BPS,
    "buffer-bytes": BUFFER_BYTES,
    "latency-ns": 20_000,
    "burst-bytes": 3_200,
    "frame-bytes": 14,
    "least-frame-bytes": 0,
    "gap-bytes": 0,
    "card-queue-bytes": 9_000,  # tcp_limit_output_bytes
    "eager-bytes": 65_000,  # Open MPI's 64 KiB hold its header as well
    "message-header-bytes": 22,  # of an eager one: 14 of ob1's, 8 of btl/tcp's
    "meeting": "dissemination",  # clearway-bench has a barrier before each call, and each rank times its own
    "shared-cores": 2,
    "seed": 1,
}


@dataclass(frozen=True)
class Case:
    hosts: int
    block_bytes: int
    candidate: str

    @property
    def file(self) -> Path:
        return RESULTS / f"{self.hosts}-{self.block_bytes}-{self.candidate}.json"


@dataclass(frozen=True)
class Calls:
    """What the calls of a case took, and how often TCP timed out in all of them."""

    times_ns: tuple[int, ...]
    timeouts: int

    def share_of_wire(self, case: Case) -> float:
        moved = (case.hosts - 1) * case.block_bytes * len(self.times_ns)
        return moved / (sum(self.times_ns) * 1e-9) / WIRE_BYTES_PER_S

    @property
    def median_ms(self) -> float:
        return statistics.median(self.times_ns) * 1e-6

    @property
    def mean_ms(self) -> float:
        return statistics.mean(self.times_ns) * 1e-6

    def stalled(self, case: Case) -> float:
        """The share of calls that have waited for a timeout: pairs that take turns need twice the wire's time."""
        wire_ns = (case.hosts - 1) * case.block_bytes / WIRE_BYTES_PER_S * 1e9
        return sum(time > 2 * wire_ns + STALL_NS for time in self.times_ns) / len(self.times_ns)


def tool(name: str) -> str:
    found = shutil.which(name) or str(Path(sys.executable).parent / name)
    if not Path(found).exists():
        raise SystemExit(f"error: {name} is not on the PATH\n\nhint: make build")
    return found


def measure(case: Case) -> None:
    RESULTS.mkdir(parents=True, exist_ok=True)
    partial = case.file.with_suffix(".partial")
    testbed = f"--hosts {case.hosts} --rate {RATE_BPS // 1_000_000}mbit --buffer {BUFFER_BYTES // 1000}k"
    command = [tool("clearway"), "bench", "alltoall", "--sizes", str(case.block_bytes), "--json", str(partial)]
    command += ["--algorithms", case.candidate, "--calls", str(CALLS), "--budget-s", str(BUDGET_S)]
    subprocess.run([*command, "--testbed", testbed], check=True, timeout=LIMIT_S, stdout=subprocess.DEVNULL)
    partial.replace(case.file)


def measured(case: Case) -> Calls:
    ((point,),) = (curve["points"] for curve in json.loads(case.file.read_text())["curves"])
    return Calls(tuple(point["calls_ns"]), point["timeouts"])


def simulated(simulator: str, case: Case, costs: dict[str, int]) -> Calls:
    """As many calls as were measured, after one that is not timed."""
    options = {**AS_TESTBED, **costs, "hosts": case.hosts, "bytes": case.block_bytes, "candidate": case.candidate}
    options["calls"] = 1 + len(measured(case).times_ns)
    words = [str(word) for name, value in options.items() for word in (f"--{name}", value)]
    told = json.loads(subprocess.run([simulator, *words], capture_output=True, text=True, check=True).stdout)
    calls = told["calls"][1:]
    return Calls(tuple(call["duration_ns"] for call in calls), sum(call["timeouts"] for call in calls))


HEAD = """| hosts | block | algorithm | median, ms | simulated | ratio | of the wire | simulated | stalled | simulated |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"""


def row(case: Case, real: Calls, model: Calls) -> str:
    return (
        f"| {case.hosts} | {case.block_bytes:,} | `{case.candidate}` "
        f"| {real.median_ms:.1f} | {model.median_ms:.1f} | {model.median_ms / real.median_ms:.2f} "
        f"| {real.share_of_wire(case):.2f} | {model.share_of_wire(case):.2f} "
        f"| {real.stalled(case):.0%} | {model.stalled(case):.0%} |"
    )


def table(points: Sequence[tuple[Case, Calls, Calls]]) -> Iterator[str]:
    """Medians and means: with losses the mean is what a job feels."""
    medians = sum(abs(model.median_ms / real.median_ms - 1) <= CLOSE for _, real, model in points)
    means = sum(abs(model.mean_ms / real.mean_ms - 1) <= CLOSE for _, real, model in points)
    yield f"Of {len(points)} medians {medians} are within 15 %, of the means, losses included, {means}."
    yield ""
    yield HEAD
    yield from (row(*point) for point in points)


def write_between_marks(page: Path, name: str, told: str) -> None:
    """Between the lines `<!-- NAME -->` and `<!-- end of NAME -->`."""
    begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->\n"
    before, _, rest = page.read_text(encoding="utf-8").partition(begin)
    _, _, after = rest.partition(end)
    page.write_text(f"{before}{begin}{told}\n{end}{after}", encoding="utf-8")


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hosts", default="4,8,12")
    parser.add_argument("--sizes", default="1024,4096,16384,65536,262144")
    parser.add_argument("--algorithms", default="lam,ordered,ordered+barrier")
    parser.add_argument("--simulator", help="clearway-simulate, where another one is meant")
    parser.add_argument("--measured-only", action="store_true", help="compare what is there, measure nothing")
    parser.add_argument("--page", action="store_true", help="write the table into docs/simulator-benchmark.md")
    parser.add_argument("--jobs", type=int, default=2, help="simulations at once")
    for name, value in COSTS.items():
        parser.add_argument(f"--{name}", type=int, default=value, help=f"default {value}")
    return parser.parse_args()


def main() -> None:
    arguments = parsed()
    hosts, sizes = ([int(each) for each in text.split(",")] for text in (arguments.hosts, arguments.sizes))
    cases = [Case(*each) for each in product(hosts, sizes, arguments.algorithms.split(","))]
    for case in cases:
        if not case.file.exists() and not arguments.measured_only:
            measure(case)
    known = [case for case in cases if case.file.exists()]
    costs = {name: getattr(arguments, name.replace("-", "_")) for name in COSTS}
    simulator = arguments.simulator or tool("clearway-simulate")
    with ThreadPoolExecutor(arguments.jobs) as pool:
        models = list(pool.map(lambda case: simulated(simulator, case, costs), known))
    told = "\n".join(table(list(zip(known, map(measured, known), models, strict=True))))
    print(told)
    if arguments.page:
        write_between_marks(PAGE, "testbed", told)


if __name__ == "__main__":
    main()
