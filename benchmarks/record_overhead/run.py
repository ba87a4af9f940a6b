"""What recording adds to a call: MPI_Iprobe that finds nothing, an 8-byte MPI_Sendrecv, short file calls.

Each repetition runs the program bare, behind a library that only hands the calls on, and recorded, one after the
other; what is compared are the 10th percentiles of chunks of 1,000 calls within one repetition. The spread over
repetitions is printed, since a figure of nanoseconds without it says little.

Of parallel regions (GCC's OpenMP runtime, empty, of one thread and of two), and of 64 threads that sleep, or wake up 20
times a second: what is added to a region, and what the sampler uses of a core, in turns with the plain process. Threads
are bound and spin while they wait: when the kernel wakes and moves them, that takes longer than what is measured.
Instructions of regions are those of all threads, which sleep while they wait then, for turns of a spinning loop are no
cost.

Of calls that may wait for others (locks, pipes, connect; poll and nanosleep, which are not intercepted): what is added
to a call that need not wait, median of chunks in turns with the plain call within one recorded process.

Of file calls (lseek, and reads and writes of 64 bytes on a file in the page cache) what counts is recorded time divided
by that of a plain process, median over repetitions.

    python run.py [--repetitions N] [--chunks N] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
AIM_NS = {"iprobe": 20.0, "sendrecv": 40.0}
ENVIRONMENT = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "CLEARWAY_CLOCK": "counter",  # valgrind's processor does not say that its counter is steady
}


@dataclass(frozen=True)
class Added:
    """Cost of one kind of call, in ns a call over the bare run of the same repetition."""

    mpi: str
    call: str
    bare_ns: float  # median over repetitions
    pass_through_ns: float
    recorded_ns: float
    lowest_ns: float
    highest_ns: float
    instructions: float | None  # added a call, counted by valgrind; None without it
    memory_kb: float  # resident, added
    record_kb: float  # size of one rank's record


@dataclass(frozen=True)
class FileCost:
    """A short file call, in ns, and recorded time divided by that of a plain process of the same repetition."""

    call: str
    bare_ns: float  # median over repetitions
    recorded_ns: float
    ratio: float
    lowest: float
    highest: float


FILE_AIM = 1.15


@dataclass(frozen=True)
class TeamCost:
    """An empty parallel region, in ns; or CPU time of a process whose threads sleep, in percent of a core."""

    what: str
    bare: float  # median over repetitions
    recorded: float
    added: float
    lowest: float
    highest: float
    aim: float
    instructions: float | None = None  # added a region, of all threads, counted by valgrind; None without it


BOUND = {"OMP_PROC_BIND": "true", "OMP_PLACES": "cores", "OMP_WAIT_POLICY": "active"}
ASLEEP = {"OMP_WAIT_POLICY": "passive", "GOMP_SPINCOUNT": "0"}
TEAMS = (("region of 1 thread, ns", "regions", 1, 100.0, 0), ("region of 2 threads, ns", "regions", 2, 100.0, 0))
SETTLED_S = 12  # a young job is sampled up to four times as often: twice at 5 s, once from 10 s on
SLEEPERS = (
    ("64 threads asleep, %", "threads", 64, 0.5, SETTLED_S),
    ("  in the first 5 s, %", "threads", 64, 0.5, 0),
    ("64 that wake up, %", "waking", 64, 0.5, SETTLED_S),
    ("  in the first 5 s, %", "waking", 64, 0.5, 0),
)


def measure_teams(folder: Path, recorder: Path, repetitions: int, chunks: int) -> list[TeamCost]:
    program = folder / "teams"
    subprocess.run(["cc", "-O2", "-Wall", "-fopenmp", HERE / "teams.c", "-o", program], check=True)
    rows = []
    for what, kind, threads, aim, after in (*TEAMS, *SLEEPERS):
        command: list[str | Path] = [program, kind, str(threads), str(chunks if kind == "regions" else 5), str(after)]
        pairs = []
        for _ in range(repetitions if kind == "regions" else 3):
            shutil.rmtree(folder / "teams-run", ignore_errors=True)
            bare = float(_output(command, more=BOUND))
            record = [recorder, "--always", "-o", folder / "teams-run", "--"]
            pairs.append((bare, float(_output([*record, *command], more=BOUND))))
        added = [seen - plain for plain, seen in pairs]
        plain, seen = (statistics.median(column) for column in zip(*pairs, strict=True))
        counted = _region_instructions(command[:-2], record) if kind == "regions" and shutil.which("valgrind") else None
        rows.append(TeamCost(what, plain, seen, statistics.median(added), min(added), max(added), aim, counted))
    return rows


def _region_instructions(command: list[str | Path], record: list[str | Path]) -> float:
    """That recording adds to a region. Of two lengths the difference, so that starting cancels out."""
    counts = []
    for before in ([], record):
        short, long = (_collected([*before, *CALLGRIND, *command, chunks], ASLEEP) for chunks in ("0", "10"))
        counts.append((long - short) / 10_000)
    return counts[1] - counts[0]


BLOCKING_AIM_NS = 50.0


@dataclass(frozen=True)
class BlockingCost:
    """A call that may wait for others and need not, in ns."""

    call: str
    bare_ns: float  # median over repetitions
    added_ns: float
    lowest_ns: float
    highest_ns: float


def measure_blocking(folder: Path, recorder: Path, repetitions: int) -> list[BlockingCost]:
    program = folder / "blocking"
    subprocess.run(["cc", "-O2", "-Wall", HERE / "blocking.c", "-o", program, "-ldl"], check=True)
    times: dict[str, list[tuple[float, float]]] = {}
    for _ in range(repetitions):
        shutil.rmtree(folder / "blocking-run", ignore_errors=True)
        record: list[str | Path] = [recorder, "--always", "-o", folder / "blocking-run", "--"]
        for line in _output([*record, program, "40", folder / "locked"]).splitlines():
            call, plain, _, more = line.split()
            times.setdefault(call, []).append((float(plain), float(more)))
    rows = []
    for call, pairs in times.items():
        plain_ns, added_ns = (statistics.median(column) for column in zip(*pairs, strict=True))
        added = [each for _, each in pairs]
        rows.append(BlockingCost(call, plain_ns, added_ns, min(added), max(added)))
    return rows


def measure_files(folder: Path, recorder: Path, repetitions: int, chunks: int) -> list[FileCost]:
    program = folder / "files"
    subprocess.run(["cc", "-O2", "-Wall", HERE / "files.c", "-o", program, "-ldl"], check=True)
    times: dict[str, list[tuple[float, float]]] = {}
    for _ in range(repetitions):
        shutil.rmtree(folder / "files-run", ignore_errors=True)
        command: list[str | Path] = [program, str(chunks), folder / "file"]
        bare = _output(command).splitlines()
        recorded = _output([recorder, "--always", "-o", folder / "files-run", "--", *command]).splitlines()
        for plain, seen in zip(bare, recorded, strict=True):
            times.setdefault(plain.split()[0], []).append((float(plain.split()[2]), float(seen.split()[2])))
    rows = []
    for call, pairs in times.items():
        ratios = [seen / plain for plain, seen in pairs]
        plain_ns, seen_ns = (statistics.median(column) for column in zip(*pairs, strict=True))
        rows.append(FileCost(call, plain_ns, seen_ns, statistics.median(ratios), min(ratios), max(ratios)))
    return rows


class Bench:
    """One MPI with its programs, built into `folder`."""

    def __init__(self, mpi: str, folder: Path, recorder: Path) -> None:
        self.mpi, self.folder, self.recorder = mpi, folder, recorder
        folder.mkdir(parents=True)
        self.program = folder / "calls"
        self.library = folder / "pass_through.so"
        compiler = f"mpicc.{mpi}"
        subprocess.run([compiler, "-O2", "-Wall", HERE / "calls.c", "-o", self.program], check=True)
        subprocess.run([compiler, "-O2", "-shared", "-fPIC", HERE / "pass_through.c", "-o", self.library], check=True)

    def prefix(self, variant: str, *options: str) -> list[str | Path]:
        if variant == "pass_through":
            return ["env", f"LD_PRELOAD={self.library}"]
        if variant == "recorded":
            shutil.rmtree(self.folder / "run", ignore_errors=True)
            return [self.recorder, *options, "-o", self.folder / "run", "--"]
        return []

    def time(self, variant: str, call: str, chunks: int) -> tuple[float, float]:
        """ns a call, and resident kB."""
        launcher: list[str | Path] = [f"mpirun.{self.mpi}", "-np", "2"]
        command = [*launcher, *self.prefix(variant), self.program, call, str(chunks)]
        output = _output(command).split()
        return float(output[0]), float(output[1])

    def instructions(self, variant: str, call: str) -> float:
        """Instructions a call of one rank alone: the difference between two lengths, so that starting cancels out."""
        count = [self._count_instructions(variant, call, chunks) for chunks in (0, 10)]
        return (count[1] - count[0]) / 10_000

    def _count_instructions(self, variant: str, call: str, chunks: int) -> int:
        prefix = self.prefix(variant, "--sample-ms", "60000")  # a sampler that looks in between is counted, too
        return _collected([f"mpirun.{self.mpi}", "-np", "1", *prefix, *CALLGRIND, self.program, call, str(chunks)])


CALLGRIND = ("valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", "--trace-children=yes")


def _collected(command: list[str | Path], more: Mapping[str, str] | None = None) -> int:
    """Instructions of the process that had most."""
    text = _output(command, stderr=True, more=more)
    found = re.findall(r"Collected : (\d+)", text)
    if not found:
        raise SystemExit(f"error: valgrind counted nothing in {' '.join(map(str, command))}\n{text}")
    return max(map(int, found))


def _output(command: list[str | Path], stderr: bool = False, more: Mapping[str, str] | None = None) -> str:
    words, environment = [str(word) for word in command], {**os.environ, **ENVIRONMENT, **(more or {})}
    result = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=300)
    if result.returncode != 0:
        raise SystemExit(f"error: {' '.join(words)} failed\n{result.stdout}{result.stderr}")
    return result.stdout + (result.stderr if stderr else "")


def measure(bench: Bench, call: str, repetitions: int, chunks: int, count: bool) -> Added:
    times: dict[str, list[float]] = {"bare": [], "pass_through": [], "recorded": []}
    memory: dict[str, list[float]] = {"bare": [], "pass_through": [], "recorded": []}
    for _ in range(repetitions):
        for variant in times:
            nanoseconds, kilobytes = bench.time(variant, call, chunks)
            times[variant].append(nanoseconds)
            memory[variant].append(kilobytes)
    record_kb = max(file.stat().st_size for file in (bench.folder / "run").glob("rank.*")) / 1024
    recorded = [with_us - bare for with_us, bare in zip(times["recorded"], times["bare"], strict=True)]
    passed = [through - bare for through, bare in zip(times["pass_through"], times["bare"], strict=True)]
    instructions = None
    if count:
        instructions = bench.instructions("recorded", call) - bench.instructions("bare", call)
    return Added(
        mpi=bench.mpi,
        call=call,
        bare_ns=statistics.median(times["bare"]),
        pass_through_ns=statistics.median(passed),
        recorded_ns=statistics.median(recorded),
        lowest_ns=min(recorded),
        highest_ns=max(recorded),
        instructions=instructions,
        memory_kb=statistics.median(memory["recorded"]) - statistics.median(memory["bare"]),
        record_kb=record_kb,
    )


def show(rows: list[Added]) -> None:
    print("ns a call, over the bare run of the same repetition (10th percentile of chunks of 1,000 calls; median)")
    print(f"{'MPI':8} {'call':9} {'bare':>7} {'passed on':>10} {'recorded':>9} {'range':>15} {'aim':>5} "
          f"{'instructions':>13} {'memory':>9} {'record':>9}")  # fmt: skip
    for row in rows:
        counted = "" if row.instructions is None else f"{row.instructions:.0f}"
        spread = f"{row.lowest_ns:.1f} … {row.highest_ns:.1f}"
        print(
            f"{row.mpi:8} {row.call:9} {row.bare_ns:7.1f} {row.pass_through_ns:10.1f} {row.recorded_ns:9.1f} "
            f"{spread:>15} {AIM_NS[row.call]:5.0f} {counted:>13} {row.memory_kb:6.0f} kB {row.record_kb:6.0f} kB"
        )


def show_files(rows: list[FileCost]) -> None:
    print(f"\n{'file call':10} {'plain':>9} {'recorded':>9} {'ratio':>6} {'range':>13} {'aim':>5}")
    for row in rows:
        spread = f"{row.lowest:.2f} … {row.highest:.2f}"
        times = f"{row.bare_ns:6.0f} ns {row.recorded_ns:6.0f} ns"
        print(f"{row.call:10} {times} {row.ratio:6.2f} {spread:>13} {FILE_AIM:5.2f}")


def show_blocking(rows: list[BlockingCost]) -> None:
    print(f"\n{'may wait':10} {'plain':>10} {'added':>9} {'range':>17} {'aim':>5}")
    for row in rows:
        spread = f"{row.lowest_ns:.0f} … {row.highest_ns:.0f}"
        times = f"{row.bare_ns:7.0f} ns {row.added_ns:6.0f} ns"
        print(f"{row.call:10} {times} {spread:>17} {BLOCKING_AIM_NS:5.0f}")


def show_teams(rows: list[TeamCost]) -> None:
    print(f"\n{'threads':24} {'plain':>9} {'recorded':>9} {'added':>8} {'range':>16} {'aim':>6} {'instructions':>13}")
    for row in rows:
        spread = f"{row.lowest:.3g} … {row.highest:.3g}"
        print(
            f"{row.what:24} {row.bare:9.4g} {row.recorded:9.4g} {row.added:8.3g} {spread:>16} {row.aim:6g} "
            f"{'' if row.instructions is None else f'{row.instructions:.0f}':>13}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repetitions", type=int, default=9)
    parser.add_argument("--chunks", type=int, default=300, help="chunks of 1,000 calls a run")
    parser.add_argument("--threads-only", action="store_true", help="neither MPI calls nor file calls")
    parser.add_argument("--json", type=Path, help="write the table there as well")
    options = parser.parse_args()
    recorder = shutil.which("clearway-record") or str(Path(sys.executable).parent / "clearway-record")
    if not Path(recorder).exists():
        raise SystemExit("error: clearway-record is not on the PATH\n\nhint: make build")
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for mpi in () if options.threads_only else ("openmpi", "mpich"):
            if shutil.which(f"mpicc.{mpi}") is None:
                print(f"{mpi}: mpicc.{mpi} is not installed, skipped")
                continue
            bench = Bench(mpi, Path(folder) / mpi, Path(recorder))
            count = bool(shutil.which("valgrind"))
            rows += [measure(bench, call, options.repetitions, options.chunks, count) for call in AIM_NS]
        file_rows = (
            []
            if options.threads_only
            else measure_files(Path(folder), Path(recorder), options.repetitions, options.chunks)
        )
        blocking_rows = (
            [] if options.threads_only else measure_blocking(Path(folder), Path(recorder), options.repetitions)
        )
        team_rows = measure_teams(Path(folder), Path(recorder), options.repetitions, options.chunks)
    if not options.threads_only:
        show(rows)
        show_files(file_rows)
        show_blocking(blocking_rows)
    show_teams(team_rows)
    if options.json:
        tables: dict[str, list[Any]] = {
            "calls": rows,
            "files": file_rows,
            "blocking": blocking_rows,
            "threads": team_rows,
        }
        figures = {name: [asdict(row) for row in table] for name, table in tables.items()}
        options.json.write_text(json.dumps(figures, indent=2) + "\n")


if __name__ == "__main__":
    main()
