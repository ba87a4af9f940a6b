"""The collapse and its cure on the testbed: five MPIs, several numbers of hosts, several switch buffers.

For each configuration a table of the best algorithms is measured, as a user would, then the MPI's own algorithm and
the flow library with that table. What has been measured is kept in benchmarks/flow/results, so that an interrupted
`make bench-flow` goes on where it was; remove a file there to measure anew. The page is docs/flow-benchmark.md.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

from configurations import (
    ALTERNATIVES,
    BUFFERS,
    HOSTS,
    MPIS,
    NOTE,
    RESULTS,
    SIZES,
    TABLE_SIZES,
    WORK,
    Configuration,
    configurations,
)
from page import write_page

LIMIT_S = 900  # for one sweep
LEAST_CALLS = "6"
TRIES = 2  # MPICH 4.0 over UCX hangs now and then


def main() -> int:
    arguments = parse_arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that what is running is ended, too
    WORK.mkdir(parents=True, exist_ok=True)
    RESULTS.mkdir(parents=True, exist_ok=True)
    if arguments.note:
        NOTE.write_text(arguments.note)
    wanted = list(configurations(arguments.mpis, arguments.hosts, arguments.buffers, arguments.per_host))
    missing = [] if arguments.page_only else [each for each in wanted if not each.result.exists()]
    for number, configuration in enumerate(missing, 1):
        begin = time.monotonic()
        worked = any(measure(configuration, arguments) for _ in range(TRIES))
        told = "measured" if worked else f"FAILED, see {log_of(configuration)}"
        print(f"[{number}/{len(missing)}] {configuration.name}: {told}, {time.monotonic() - begin:.0f} s", flush=True)
    write_page()
    return 0


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    for option, default in (("mpis", MPIS), ("hosts", HOSTS), ("buffers", BUFFERS), ("per-host", ("1", "2"))):
        parser.add_argument(f"--{option}", type=words, default=list(default), metavar="LIST")
    parser.add_argument("--sizes", help="as clearway bench takes them")
    parser.add_argument("--calls", default="200")
    parser.add_argument("--budget-s", default="2")
    parser.add_argument("--note", help="a sentence for the page about how it was measured")
    parser.add_argument("--page-only", action="store_true", help="write the page from what has been measured")
    return parser.parse_args()


def words(text: str) -> list[str]:
    return text.replace(",", " ").split()


def measure(configuration: Configuration, arguments: argparse.Namespace) -> bool:
    """False where it did not work."""
    alternatives = ",".join(ALTERNATIVES[configuration.per_host])
    configuration.table.unlink(missing_ok=True)
    outputs = ["--json", str(configuration.alternatives), "--save-table", str(configuration.table)]
    quick = ["--sizes", TABLE_SIZES, "--algorithms", alternatives, "--calls", "15", "--budget-s", "0.5", *outputs]
    if not bench(configuration, quick):
        return False
    partial = configuration.result.with_suffix(".partial")
    sizes = arguments.sizes or SIZES[configuration.per_host]
    full = ["--sizes", sizes, "--algorithms", "flow,own", "--calls", arguments.calls, "--budget-s", arguments.budget_s]
    if not bench(configuration, [*full, "--json", str(partial)], {"CLEARWAY_FLOW_TABLE": str(configuration.table)}):
        return False
    partial.replace(configuration.result)
    return True


def bench(configuration: Configuration, options: list[str], settings: dict[str, str] | None = None) -> bool:
    command = [
        tool("clearway"),
        "bench",
        "alltoall",
        *options,
        "--least-calls",
        LEAST_CALLS,
        "--testbed",
        configuration.testbed,
    ]
    with log_of(configuration).open("a") as log:
        print("+", *command, file=log, flush=True)
        job = subprocess.Popen(command, env={**os.environ, **(settings or {})}, stdout=log, stderr=log)
        try:
            code = job.wait(LIMIT_S)
        except subprocess.TimeoutExpired:
            job.terminate()  # it takes its testbed down
            job.wait()
            return False
        except BaseException:
            job.terminate()
            job.wait()
            raise
    return code == 0


def log_of(configuration: Configuration) -> Path:
    return WORK / f"{configuration.name}.log"


def tool(name: str) -> str:
    found = shutil.which(name) or str(Path(sys.executable).parent / name)
    if not Path(found).exists():
        raise SystemExit(f"error: {name} is not on the PATH\n\nhint: make build")
    return found


if __name__ == "__main__":
    sys.exit(main())
