"""Which policy should choose what leaves the I/O cache? Accesses of real programs, recorded once, through all of them.

    tools/install-packages engines
    PYTHONPATH=benchmarks .venv/bin/python -m io_cache_policies.measure

Needs strace and the programs; what is not there is left out. Traces are kept under build/io-cache-policies; the page is
docs/io-cache-policies.md.
"""

from __future__ import annotations

import argparse
import csv
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from io_cache.programs import PROGRAMS, Program

from io_cache_policies.page import PERCENTS, POLICIES, Replayed, write_page
from io_cache_policies.trace import trace_lines, watch

REPOSITORY = Path(__file__).resolve().parents[2]
FOLDER = REPOSITORY / "build/io-cache-policies"
RECORD_BYTES = 4096
SCANS = 12
SCAN_BYTES = 32 << 20
REQUEST_BYTES = 64 << 10


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--again", action="store_true", help="record again what has been recorded")
    arguments = parser.parse_args()
    FOLDER.mkdir(parents=True, exist_ok=True)
    traces = {"scans": FOLDER / "scans.trace"}
    write_scans(traces["scans"])
    for program in PROGRAMS.values():
        trace = FOLDER / f"{program.name}.trace"
        if trouble := program.missing or ("" if shutil.which("strace") else "there is no strace"):
            print(f"{program.name}: {trouble}", file=sys.stderr)
        elif arguments.again or not trace.exists():
            record(program, trace)
        if trace.exists():
            traces[program.name] = trace
    tool = build()
    write_page([replay(tool, name, trace) for name, trace in traces.items()])
    return 0


def write_scans(trace: Path) -> None:
    """One file, written once, read from front to back again and again, deleted."""
    with trace.open("w") as lines:
        for scan in range(1 + SCANS):
            for offset in range(0, SCAN_BYTES, REQUEST_BYTES):
                print("r" if scan else "w", 0, offset, REQUEST_BYTES, file=lines)
        print("d 0", file=lines)


def record(program: Program, trace: Path) -> None:
    print(f"recording {program.name}", file=sys.stderr)
    with tempfile.TemporaryDirectory(prefix="clearway-io-cache-policies-") as base:
        folder = program.make_folder(Path(base) / program.name)
        seen = Path(base) / "strace"
        watch(program.command, folder, {**os.environ, **program.variables(folder)}, seen)
        with seen.open(errors="replace") as calls, trace.open("w") as lines:
            lines.writelines(f"{line}\n" for line in trace_lines(calls, folder))


def build() -> Path:
    folder = FOLDER / "build"
    subprocess.run(["cmake", "-S", REPOSITORY, "-B", folder], check=True, stdout=subprocess.DEVNULL)
    command = ["cmake", "--build", folder, "--target", "clearway-io-replay", "--parallel", "2"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return folder / "native/io_cache/clearway-io-replay"


def replay(tool: Path, name: str, trace: Path) -> Replayed:
    command = [tool, trace, str(RECORD_BYTES), ",".join(map(str, PERCENTS)), *POLICIES]
    table = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    rows = list(csv.DictReader(table.splitlines(), delimiter="\t"))
    frames = next(int(row["frames"]) for row in rows if row["percent"] == "100")
    return Replayed(
        name=name,
        uses=int(rows[0]["uses"]),
        most_bytes=frames * RECORD_BYTES,
        moved={(row["policy"], int(row["percent"])): int(row["fetched"]) + int(row["written"]) for row in rows},
    )


if __name__ == "__main__":
    sys.exit(main())
