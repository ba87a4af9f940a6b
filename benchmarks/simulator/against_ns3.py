#!/usr/bin/env python3
"""The same all-to-alls in clearway-simulate and in ns-3, with the same start skews: times, drops, timeouts, speed.

    python3 -m venv /tmp/ns3 && /tmp/ns3/bin/pip install ns3==3.44.post0
    benchmarks/simulator/against_ns3.py --ns3 /tmp/ns3 --simulator .venv/bin/clearway-simulate

    apt-get download libns3-dev libns3.37 libgsl27 libgslcblas0
    for each in libns3*.deb libgsl*.deb; do dpkg -x $each /tmp/debian; done
    LD_LIBRARY_PATH=$(dirname /tmp/debian/usr/lib/*/libgsl.so.27) \
        benchmarks/simulator/against_ns3.py --ns3 /tmp/debian/usr --simulator .venv/bin/clearway-simulate

The wheel of ns-3 has asserts compiled in, Debian's libraries are a release build without; those need the GNU Scientific
Library, which may also be installed: apt-get install libgsl27 libgslcblas0.

Prints the table of docs/simulator-benchmark.md: means over the calls and seeds, and in brackets the means of the
seeds where they differ. Timeouts in ns-3 are counted where its RTO doubles; speed is packet-hops per CPU-second, ours
by ns-3's. With --keep FOLDER what ns-3 has given is kept there and not computed again.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, astuple, dataclass, replace
from itertools import product
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
PROGRAM = Path(__file__).with_name("alltoall_ns3.cpp")
LIBRARIES = ("core", "network", "internet", "point-to-point", "traffic-control")
ALGORITHMS = ("lam", "direct", "ordered", "ordered+barrier")
BUFFER_BYTES = 64_000
SKEW_NS = 20_000
# What ns-3 does differently from Linux, or not at all; frames as its point-to-point links have them.
AS_NS3 = {
    "buffer-bytes": BUFFER_BYTES,
    "skew-ns": SKEW_NS,
    "rate-bps": 1_000_000_000,
    "latency-ns": 10_000,
    "frame-bytes": 2,
    "gap-bytes": 0,
    "least-frame-bytes": 0,
    "eager-bytes": 1 << 30,
    "message-header-bytes": 16,
    "congestion": "reno",
    "timeout-rule": "rfc6298",
    "tick-ns": 0,
    "ack-segments": 2,
    "arrivals-first": 1,
    "quick-acks": 0,
    "restart-after-idle": 0,
    "probe-tails": 0,
}


@dataclass(frozen=True)
class Case:
    hosts: int
    block_bytes: int
    algorithm: str
    calls: int
    seed: int


@dataclass(frozen=True)
class Result:
    calls_ms: tuple[float, ...]
    drops: int
    timeouts: int
    hops: int
    cpu_s: float
    memory_mb: float

    @property
    def mean_ms(self) -> float:
        return statistics.mean(self.calls_ms)


def build(ns3: Path, folder: Path) -> Path:
    """Compiles the ns-3 program against the headers and libraries of a wheel or of Debian's packages."""
    wheels = list(ns3.glob("lib/python3*/site-packages/ns3"))
    root = wheels[0] if wheels else ns3
    first = next(root.glob("lib*/**/libns3*-core.so"))
    libraries = [str(first).replace("-core.so", f"-{name}.so") for name in LIBRARIES]
    program = folder / "alltoall_ns3"
    standard = "c++20" if wheels else "c++17"  # headers of ns-3 3.37 are none of C++20
    flags = [f"-std={standard}", "-O2", f"-I{root}/include", f"-I{REPOSITORY}/native", f"-Wl,-rpath,{first.parent}"]
    subprocess.run(
        ["g++", *flags, str(PROGRAM), "-o", str(program), *libraries, "-Wl,--allow-shlib-undefined"], check=True
    )
    refuse_unless_it_loads(program)
    return program


def refuse_unless_it_loads(program: Path) -> None:
    """Libraries of ns-3's own libraries may be missing: the linker does not ask for them, the loader does."""
    listed = subprocess.run(["ldd", str(program)], check=True, capture_output=True, text=True).stdout
    missing = sorted({line.split()[0] for line in listed.splitlines() if line.endswith("not found")})
    if missing:
        raise SystemExit(
            f"error: ns-3 does not load without {', '.join(missing)}\n\n"
            "hint: Debian's libns3 needs the GNU Scientific Library: apt-get install libgsl27 libgslcblas0, or unpack "
            "these with dpkg -x and set LD_LIBRARY_PATH to the folder of libgsl.so.27"
        )


def measured(command: list[str]) -> tuple[str, float, float]:
    """Output, CPU seconds, and MB of memory."""
    with tempfile.TemporaryFile("w+") as output:
        process = subprocess.Popen(command, stdout=output)
        _, status, used = os.wait4(process.pid, 0)
        if status != 0:
            raise SystemExit(f"error: {' '.join(command)} ended with status {status}")
        output.seek(0)
        return output.read(), used.ru_utime + used.ru_stime, used.ru_maxrss / 1e3


def run_ours(simulator: Path, case: Case) -> Result:
    options = {**AS_NS3, "hosts": case.hosts, "bytes": case.block_bytes, "calls": case.calls, "seed": case.seed}
    options["candidate"] = case.algorithm
    words = [word for name, value in options.items() for word in (f"--{name}", str(value))]
    text, cpu_s, memory_mb = measured([str(simulator), *words])
    told = json.loads(text)
    calls = told["calls"]
    times = tuple(call["duration_ns"] / 1e6 for call in calls)
    drops, timeouts = (sum(call[name] for call in calls) for name in ("drops", "timeouts"))
    return Result(times, drops, timeouts, told["hops"], cpu_s, memory_mb)


def run_ns3(program: Path, case: Case, keep: Path | None) -> Result:
    kept = keep / f"{'-'.join(map(str, astuple(case)))}.json" if keep else None
    if kept and kept.exists():
        return Result(**json.loads(kept.read_text()))
    result = measured_ns3(program, case)
    if kept:
        kept.write_text(json.dumps(asdict(result)))
    return result


def measured_ns3(program: Path, case: Case) -> Result:
    words = [case.hosts, case.block_bytes, case.algorithm, case.calls, case.seed, BUFFER_BYTES, SKEW_NS]
    text, cpu_s, memory_mb = measured([str(program), *map(str, words)])
    *times, last = text.splitlines()
    told = dict(zip(last.split()[::2], map(float, last.split()[1::2]), strict=True))
    return Result(
        tuple(int(time) / 1e6 for time in times), int(told["drops"]), int(told["timeouts"]), int(told["hops"]), cpu_s,
        memory_mb,
    )  # fmt: skip


HEAD = """| hosts, block | algorithm | ns-3, ms | ours, ms | ratio | ns-3 drops / timeouts | ours | speed |
| --- | --- | --- | --- | --- | --- | --- | --- |"""


def milliseconds(results: list[Result]) -> str:
    """Of all calls, and in brackets those of the fastest and the slowest seed."""
    means = sorted(result.mean_ms for result in results)
    spread = f" ({means[0]:.0f}–{means[-1]:.0f})" if means[-1] > 1.01 * means[0] else ""
    return f"{statistics.mean(means):.2f}{spread}"


def lost(results: list[Result]) -> str:
    return " / ".join(
        f"{statistics.mean(counts):,.0f}"
        for counts in ([result.drops for result in results], [result.timeouts for result in results])
    )


def hops_per_s(results: list[Result]) -> float:
    return sum(result.hops for result in results) / sum(result.cpu_s for result in results)


def row(case: Case, ours: list[Result], theirs: list[Result]) -> str:
    our_ms, their_ms = (statistics.mean(result.mean_ms for result in results) for results in (ours, theirs))
    return (
        f"| {case.hosts}, {case.block_bytes:,} | {case.algorithm} | {milliseconds(theirs)} | {milliseconds(ours)} "
        f"| {our_ms / their_ms:.3f} | {lost(theirs)} | {lost(ours)} | {hops_per_s(ours) / hops_per_s(theirs):.0f} |"
    )


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--ns3",
        type=Path,
        required=True,
        help="a virtual environment with the package ns3, or the folder usr of Debian's",
    )
    parser.add_argument("--simulator", type=Path, required=True, help="clearway-simulate")
    parser.add_argument("--keep", type=Path, help="an existing folder for the results of ns-3")
    parser.add_argument("--hosts", default="8,16,32")
    parser.add_argument("--sizes", default="16384,65536,173184")
    parser.add_argument("--algorithms", default=",".join(ALGORITHMS))
    parser.add_argument("--calls", type=int, default=25)
    parser.add_argument("--seeds", type=int, default=3, help="from 1, of ours")
    parser.add_argument("--ns3-seeds", type=int, default=1, help="from 1, of ns-3's, which take long")
    parser.add_argument("--jobs", type=int, default=1, help="at once; above 1 the speeds are less exact")
    return parser.parse_args()


def main() -> None:
    arguments = parsed()
    hosts, sizes = ([int(each) for each in text.split(",")] for text in (arguments.hosts, arguments.sizes))
    cases = [Case(*each, arguments.calls, 1) for each in product(hosts, sizes, arguments.algorithms.split(","))]
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(arguments.jobs) as pool:
        program = build(arguments.ns3, Path(folder))

        def compared(case: Case) -> str:
            ours = [run_ours(arguments.simulator, replace(case, seed=1 + i)) for i in range(arguments.seeds)]
            theirs = [run_ns3(program, replace(case, seed=1 + i), arguments.keep) for i in range(arguments.ns3_seeds)]
            return row(case, ours, theirs)

        print(HEAD)
        for line in pool.map(compared, cases):
            print(line, flush=True)


if __name__ == "__main__":
    main()
