#!/usr/bin/env python3
"""How time and memory of clearway-simulate grow with the hosts: one all-to-all on each number of them.

    PYTHONPATH=python:benchmarks .venv/bin/python benchmarks/simulator/growth.py
    PYTHONPATH=python:benchmarks .venv/bin/python benchmarks/simulator/growth.py --only direct
    PYTHONPATH=python:benchmarks .venv/bin/python benchmarks/simulator/growth.py --only direct --memory-only
    PYTHONPATH=python:benchmarks .venv/bin/python benchmarks/simulator/growth.py --page-only

Writes docs/simulator-growth.md and its picture; what was measured is kept in benchmarks/simulator/growth.json.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from measured.circumstances import Circumstances, here_and_now, told

REPOSITORY = Path(__file__).resolve().parents[2]
PROGRAM = REPOSITORY / ".venv/bin/clearway-simulate"
RESULTS = Path(__file__).with_name("growth.json")
PAGE = REPOSITORY / "docs/simulator-growth.md"
PICTURE = REPOSITORY / "docs/simulator-growth.svg"
HOSTS = (64, 128, 256, 512, 1024, 2048, 4096)
ALGORITHMS = ("direct", "ordered", "pairwise", "bruck")
BLOCK_BYTES = 1024
REPETITIONS = 3
LIMIT_S = 120  # of one: what takes longer is not repeated, nor tried on more hosts
LIMIT_BYTES = 8 << 30
COLOURS = dict(zip(ALGORITHMS, ("#0072B2", "#009E73", "#D55E00", "#CC79A7"), strict=True))
MIB = 1 << 20
GIB = 1 << 30


@dataclass(frozen=True, slots=True)
class Took:
    algorithm: str
    hosts: int
    seconds: tuple[float, ...]  # processor time of each repetition
    peak_bytes: int  # the largest of all
    hops: int  # of packets
    fault: str  # why there are no figures

    @property
    def middle_s(self) -> float:
        return median(self.seconds)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--page-only", action="store_true", help="write the page from what has been measured")
    parser.add_argument("--only", choices=ALGORITHMS, help="measure this one, and keep the others as they are")
    parser.add_argument(
        "--memory-only", action="store_true", help="keep the times: memory can be measured beside other work"
    )
    arguments = parser.parse_args()
    algorithms = [arguments.only] if arguments.only else ALGORITHMS
    if arguments.memory_only:
        measure_memory(algorithms)
    elif not arguments.page_only:
        measure(algorithms)
    circumstances, known = read()
    draw(known)
    PAGE.write_text("\n".join(page(circumstances, known)) + "\n")
    return 0


def measure(algorithms: Sequence[str]) -> None:
    known = [one for one in read()[1] if one.algorithm not in algorithms] if RESULTS.exists() else []
    for algorithm in algorithms:
        for hosts in HOSTS:
            took = simulated(algorithm, hosts)
            print(took, flush=True)
            known.append(took)
            known.sort(key=lambda one: (ALGORITHMS.index(one.algorithm), one.hosts))
            kept = {"circumstances": dataclasses.asdict(here_and_now()), "took": list(map(dataclasses.asdict, known))}
            RESULTS.write_text(json.dumps(kept, indent=1) + "\n")
            if took.fault or took.middle_s > LIMIT_S / 4:
                break


def measure_memory(algorithms: Sequence[str]) -> None:
    """Of what took less than the limit."""
    kept = json.loads(RESULTS.read_text())
    kept["memory"] = {"algorithms": list(algorithms), "circumstances": dataclasses.asdict(here_and_now())}
    for one in kept["took"]:
        if one["algorithm"] in algorithms and not one["fault"]:
            job = subprocess.Popen(words(one["algorithm"], one["hosts"]), stdout=subprocess.DEVNULL)
            _, status, used = os.wait4(job.pid, 0)
            if status:
                raise SystemExit(f"{one['algorithm']} on {one['hosts']} hosts failed")
            one["peak_bytes"] = used.ru_maxrss * 1024
            print(one["algorithm"], one["hosts"], memory(one["peak_bytes"]), flush=True)
    RESULTS.write_text(json.dumps(kept, indent=1) + "\n")


def words(algorithm: str, hosts: int) -> list[str]:
    asked = ["--candidate", algorithm, "--hosts", str(hosts), "--bytes", str(BLOCK_BYTES), "--calls", "1"]
    return [str(PROGRAM), *asked]


def simulated(algorithm: str, hosts: int) -> Took:
    seconds, peaks, hops = [], [0], 0
    for _ in range(REPETITIONS):
        begin = time.monotonic()
        job = subprocess.Popen(
            ["timeout", str(LIMIT_S), *words(algorithm, hosts)],
            stdout=subprocess.PIPE,
            text=True,
            preexec_fn=limit_memory,
        )
        answer = job.stdout.read() if job.stdout else ""
        _, status, used = os.wait4(job.pid, 0)
        if status:
            beyond = "time" if time.monotonic() - begin >= LIMIT_S else "memory"
            return Took(algorithm, hosts, (), 0, 0, f"more {beyond} than the limit")
        seconds.append(used.ru_utime + used.ru_stime)
        peaks.append(used.ru_maxrss * 1024)
        hops = json.loads(answer)["hops"]
        if seconds[-1] > LIMIT_S / REPETITIONS / 2:
            break
    return Took(algorithm, hosts, tuple(seconds), max(peaks), hops, "")


def limit_memory() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (LIMIT_BYTES, LIMIT_BYTES))


def read() -> tuple[Circumstances, list[Took]]:
    kept = json.loads(RESULTS.read_text())
    took = [Took(**{**one, "seconds": tuple(one["seconds"])}) for one in kept["took"]]
    return Circumstances(**kept["circumstances"]), took


def page(circumstances: Circumstances, known: Sequence[Took]) -> Iterator[str]:
    yield "# How the simulator grows with the hosts\n"
    yield from verdict(known)
    yield f"One all-to-all of {BLOCK_BYTES:,} bytes per pair on a switch of 1 Gbit/s, in which each of n hosts sends to"
    yield "each: n² blocks. Time is on one core, the median of up to three runs; memory is the"
    yield "largest resident size, of which the smallest, about 11 MiB, is that of the program"
    yield f"that starts it and measures. The series stops when a run takes more than {LIMIT_S // 4} s or"
    yield f"{LIMIT_BYTES // GIB} GiB.\n"
    yield "![time and memory against hosts](simulator-growth.svg)\n"
    yield f"{told([circumstances])}, by"
    yield "`PYTHONPATH=python:benchmarks .venv/bin/python benchmarks/simulator/growth.py`; the figures are in"
    yield "`benchmarks/simulator/growth.json`.\n"
    yield from measured_again()
    yield "| algorithm | hosts | time | memory | packet-hops | packet-hops a second | bytes a pair of hosts |"
    yield "| --- | --- | --- | --- | --- | --- | --- |"
    yield from map(row, known)


def measured_again() -> Iterator[str]:
    """Memory does not depend on what else runs, so it may be newer than the times."""
    again = json.loads(RESULTS.read_text()).get("memory")
    if again:
        yield f"Only the memory of {', '.join(f'`{name}`' for name in again['algorithms'])} is newer."
        yield f"{told([Circumstances(**again['circumstances'])])}.\n"


def verdict(known: Sequence[Took]) -> Iterator[str]:
    for hosts in (1024, 4096):
        of = [one for one in known if one.hosts == hosts and not one.fault]
        if of:
            most, longest = max(of, key=lambda one: one.peak_bytes), max(of, key=lambda one: one.middle_s)
            yield f"**{hosts:,} hosts take at most {memory(most.peak_bytes)} (`{most.algorithm}`) and"
            yield f"{longest.middle_s:.1f} s (`{longest.algorithm}`), of {len(of)} of {len(ALGORITHMS)} algorithms.**\n"


def row(one: Took) -> str:
    if one.fault:
        return f"| `{one.algorithm}` | {one.hosts:,} | {one.fault} | | | | |"
    cells = [
        f"`{one.algorithm}`",
        f"{one.hosts:,}",
        f"{one.middle_s:.2f} s",
        memory(one.peak_bytes),
        f"{one.hops:,}",
        f"{one.hops / max(one.middle_s, 1e-3) / 1e6:.1f} million",
        f"{one.peak_bytes / one.hosts**2:,.0f}",
    ]
    return f"| {' | '.join(cells)} |"


def memory(size: int) -> str:
    return f"{size / GIB:.2f} GiB" if size >= GIB else f"{size / MIB:.0f} MiB"


def draw(known: Sequence[Took]) -> None:
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "clearway"
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, 2, figsize=(9, 3.6))
    for axis, title in zip(axes, ("processor time, s", "memory, MiB"), strict=True):
        axis.set(xscale="log", yscale="log", xlabel="hosts", title=title)
        axis.set_xticks(HOSTS, [f"{hosts:,}" for hosts in HOSTS])
        axis.minorticks_off()
        axis.grid(alpha=0.3)
    for algorithm in ALGORITHMS:
        own = [one for one in known if one.algorithm == algorithm and not one.fault]
        hosts = [one.hosts for one in own]
        axes[0].plot(hosts, [one.middle_s for one in own], "o-", color=COLOURS[algorithm], label=algorithm)
        axes[1].plot(hosts, [one.peak_bytes / MIB for one in own], "o-", color=COLOURS[algorithm], label=algorithm)
    axes[0].legend(frameon=False)
    figure.tight_layout()
    figure.savefig(PICTURE, metadata={"Date": None})


if __name__ == "__main__":
    sys.exit(main())
