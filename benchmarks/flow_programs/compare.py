"""Real programs, unmodified, on a testbed that loses packets: as they are, with --flow, and where nothing is lost.

    tools/install-packages flow-programs
    PYTHONPATH=python .venv/bin/python benchmarks/flow_programs/compare.py --programs gromacs-water,cp.x

As root. The ways take turns, so that whatever slows the machine down slows all of them. Each program's own figure of
its wall-clock is compared, and what it computes must come out alike. What has been measured is kept in
benchmarks/flow_programs/results, and a further call adds to it; the page is docs/flow-programs.md. The runs of the
first page were not kept: results/published.json has its rows, each of which counts until its program is run again.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

from page import write_page
from programs import PROGRAMS, Program
from running import RESULTS, Network, Way, measure

WAYS = (Way("bare"), Way("flow", flow=True), Way("lossless", lossless=True))


def main() -> int:
    arguments = parse_arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the testbed is taken down
    if os.geteuid() == 0:
        os.nice(-15)  # whatever else runs on this machine must not decide when a rank answers
    os.environ["CLEARWAY_FLOW_MEMORY"] = "off"  # a run must not know what the one before it found
    network = Network(arguments.hosts, arguments.rate, arguments.buffer, arguments.mpi)
    for program in [] if arguments.page_only else chosen(arguments.programs):
        if program.missing:
            print(f"{program.name}: {program.command[0]} is not installed", file=sys.stderr)
            continue
        kept = RESULTS / program.name / f"{network.name}.json"
        ways = [*WAYS, *map(with_sockets, arguments.sockets), *map(with_table, arguments.flow_table)]
        for _ in range(arguments.repetitions):
            repeat(program, ways, network, kept)
    write_page()
    return 0


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    names = ",".join(program.name for program in PROGRAMS)
    parser.add_argument("--programs", default=names, metavar="LIST", help=f"of {names}")
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--hosts", type=int, default=8)
    parser.add_argument("--rate", default="20mbit")
    parser.add_argument("--buffer", default="20k")
    parser.add_argument("--mpi", default="openmpi", help="the one that the programs are linked with")
    parser.add_argument("--sockets", nargs="*", default=[], metavar="OPTIONS", help="also with these socket options")
    parser.add_argument("--flow-table", nargs=1, default=[], metavar="FILE", help="also with this table")
    parser.add_argument("--page-only", action="store_true", help="write the page from what has been measured")
    return parser.parse_args()


def chosen(names: str) -> list[Program]:
    known = {program.name: program for program in PROGRAMS}
    unknown = [name for name in names.split(",") if name not in known]
    if unknown:
        raise SystemExit(f"error: there is no program '{unknown[0]}'\n\nhint: one of {', '.join(known)}")
    return [known[name] for name in names.split(",")]


def with_sockets(text: str) -> Way:
    return Way(f"sockets {text}", flow=True, environment={"CLEARWAY_FLOW_SOCKETS": text})


def with_table(path: str) -> Way:
    return Way("table", flow=True, environment={"CLEARWAY_FLOW_TABLE": str(Path(path).resolve())})


def repeat(program: Program, ways: list[Way], network: Network, kept: Path) -> None:
    """Each way once."""
    runs = [measure(program, way, network) for way in ways]
    measured: list[list[dict[str, Any]]] = json.loads(kept.read_text()) if kept.exists() else []
    kept.parent.mkdir(parents=True, exist_ok=True)
    results = {run["result"] for run in runs}
    told = ", ".join(f"{run['way']} {run['wall_s']:.1f} s [{run['timeouts']}]" for run in runs)
    print(
        f"{program.name}: {told}, {'same results' if len(results) == 1 else f'RESULTS DIFFER: {results}'}", flush=True
    )
    kept.write_text(json.dumps([*measured, runs]))


if __name__ == "__main__":
    sys.exit(main())
