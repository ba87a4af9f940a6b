"""What a short job gets: the first calls of an all-to-all, under flow and the MPI's own way, on a testbed.

    python benchmarks/flow/first_calls.py --mpis openmpi,mpich --sizes 16Ki,64Ki --hosts 8 --buffers 20k,deep

As root. Shares of the wire over calls 1 to 24, 1 to 12, 13 to 24, and the last quarter (settled); the median of the
repetitions, with the smallest and the largest in brackets. The ways take turns, each in a job and on a testbed of its
own. Ways: `flow` (knows nothing), `again` (the same, after a job on the same hosts), `own` (no flow library); any
other word is an algorithm that all calls go by, such as pairwise+token:12000 (with `/` for commas): what a trial is
held against.
`--save FILE` keeps what each call took.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from clearway.base.units import parse_buffer, parse_bytes, parse_rate_bps
from clearway.testbed import Mpi, Shape, Testbed, find_mpi

HERE = Path(__file__).resolve().parent
FOLDER = HERE.parents[1] / "build/first-calls"
CARRIED = 1448 / 1514  # of a link's rate, by TCP
FIRST = 24
LIMIT_S = 120


@dataclass(frozen=True, slots=True)
class Case:
    """One testbed, MPI and size."""

    mpi: str
    hosts: int
    buffer: str
    block_bytes: int
    rate: str

    @property
    def name(self) -> str:
        size = f"{self.block_bytes // 1024} KiB" if self.block_bytes >= 1024 else f"{self.block_bytes} B"
        return f"{self.mpi}, {self.hosts} hosts, {self.buffer}, {size}"

    @property
    def shape(self) -> Shape:
        return Shape(hosts=self.hosts, rate_bps=parse_rate_bps(self.rate), buffer_bytes=parse_buffer(self.buffer))

    @property
    def wire_us(self) -> float:
        """The least that a call can take."""
        return (self.hosts - 1) * self.block_bytes * 8 / (parse_rate_bps(self.rate) * CARRIED) * 1e6


def main() -> int:
    arguments = parse_arguments()
    os.nice(-15)  # whatever else runs on this machine must not decide when a rank answers
    kept: list[dict[str, object]] = []
    for mpi, hosts, buffer, size in itertools.product(
        arguments.mpis.split(","), arguments.hosts.split(","), arguments.buffers.split(","), arguments.sizes.split(",")
    ):
        case = Case(mpi, int(hosts), buffer, parse_bytes(size), arguments.rate)
        measured: dict[str, list[list[float]]] = {}
        for _ in range(arguments.repetitions):
            for way, calls_us in measure(case, arguments.ways.split(","), arguments.calls):
                measured.setdefault(way, []).append(calls_us)
        for way, runs in measured.items():
            print(f"{case.name}, {way}: {'; '.join(words(case, runs))}", flush=True)
            kept.append({"case": case.name, "wire_us": round(case.wire_us), "way": way, "runs_us": runs})
        if arguments.save:
            arguments.save.write_text(json.dumps(kept))
    return 0


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mpis", default="openmpi", metavar="LIST")
    parser.add_argument("--hosts", default="8", metavar="LIST")
    parser.add_argument("--buffers", default="20k", metavar="LIST")
    parser.add_argument("--sizes", default="64Ki", metavar="LIST")
    parser.add_argument("--rate", default="20mbit")
    parser.add_argument("--ways", default="flow,own", metavar="LIST")
    parser.add_argument("--calls", type=int, default=48)
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--save", type=Path, metavar="FILE")
    return parser.parse_args()


def measure(case: Case, ways: list[str], calls: int) -> Iterator[tuple[str, list[float]]]:
    """Each way once."""
    mpi = find_mpi(case.mpi)
    program = build(mpi)
    with tempfile.TemporaryDirectory() as memory:
        for way in ways:
            settings = {"CLEARWAY_FLOW_MEMORY": memory if way == "again" else "off"}
            if way not in ("flow", "again", "own"):
                settings["CLEARWAY_FLOW_ALGORITHM"] = way.replace("/", ",")
            if way == "again":
                run(case, mpi, program, calls, True, settings)
            yield way, run(case, mpi, program, calls, way != "own", settings)


def run(case: Case, mpi: Mpi, program: Path, calls: int, with_flow: bool, settings: dict[str, str]) -> list[float]:
    """What each call took, in microseconds."""
    folder = Path(tempfile.mkdtemp(dir=FOLDER))
    recorder = [tool("clearway-record"), "--flow", "-o", str(folder / "run")] if with_flow else []
    words = [*recorder, str(program), str(case.block_bytes), str(calls if with_flow else FIRST)]
    with Testbed(case.shape) as testbed:
        outcome = testbed.run(mpi, words, env=settings, timeout_s=LIMIT_S)
    if outcome.returncode != 0:
        raise SystemExit(f"error: {case.name} ended with {outcome.returncode}\n{outcome.stdout}{outcome.stderr}")
    return [float(word) for word in outcome.stdout.split()]


def build(mpi: Mpi) -> Path:
    """With Debian's compiler, or against the library that a wheel brings."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    program = FOLDER / f"first_calls-{mpi.name}"
    root = Path(mpi.launcher).resolve().parents[1]
    wheel = ["cc", f"-I{root}/include", f"-L{root}/lib", "-Wl,--allow-shlib-undefined"]
    compiler = [f"mpicc.{mpi.name}"] if mpi.name in ("openmpi", "mpich") else wheel
    library = [] if compiler is not wheel else ["-lmpi"]
    command = [*compiler, "-O1", "-D_GNU_SOURCE", str(HERE / "first_calls.c"), "-o", str(program), *library]
    subprocess.run(command, check=True, timeout=60)
    return program


def tool(name: str) -> str:
    return str(Path(os.environ.get("CLEARWAY_BIN", Path(sys.executable).parent)) / name)


def words(case: Case, runs: list[list[float]]) -> Iterator[str]:
    count = len(runs[0])
    spans = {"1-24": (0, FIRST), "1-12": (0, 12), "13-24": (12, FIRST), "settled": (count * 3 // 4, count)}
    for title, (begin, end) in spans.items():
        if begin >= FIRST or end <= FIRST:
            shares = [case.wire_us * (end - begin) / sum(run[begin:end]) for run in runs]
            yield f"{title} {statistics.median(shares):.2f} ({min(shares):.2f}–{max(shares):.2f})"


if __name__ == "__main__":
    sys.exit(main())
