"""Tuning files against --flow: how much of its gain the MPI's own algorithms give, on a testbed that loses packets.

    PATH=$PWD/.venv/bin:$PATH PYTHONPATH=benchmarks python benchmarks/tuning_files/measure.py

As root, about ten minutes an MPI. As a user would: a first sweep, the script that it gives measures every way that the
MPI has, and the files are made from that. Then, in rounds, the MPI as it is and --flow's best algorithm, and the MPI
with the files. The rounds are not those that chose; a round in which others used the machine is made again. What was
measured is kept in benchmarks/tuning_files/results (the sweeps that chose in ways/), and a further call adds rounds to
it; the figures are in docs/tuning-files.md.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from measured.circumstances import REPOSITORY, here_and_now

RESULTS = REPOSITORY / "benchmarks/tuning_files/results"
WORK = REPOSITORY / "build/bench-tuning-files"
MPIS = ("openmpi", "openmpi5", "mpich")
SIZES = "4Ki,16Ki,64Ki,173184"  # the last is the message of PME on 90x88x80 points, as Kutzner et al. print it
FLOW = "pairwise+token:12000,chunk:8000"  # what --flow comes to here with a table (docs/flow-benchmark.md)
LIMIT_S = 240  # for one sweep
TRIES = 2  # MPICH 4.0 over UCX hangs now and then
IDLE = 0.45  # of the processors at least, before a round, between its sweeps and after it: else it is made again
LOOK_S = 1.5
PATIENCE_S = 1800


def main() -> int:
    arguments = parse_arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the testbed is taken down
    RESULTS.mkdir(parents=True, exist_ok=True)
    for mpi in arguments.mpis:
        kept = RESULTS / f"{mpi}.json"
        files = made_files(mpi, arguments)
        result: dict[str, Any] = json.loads(kept.read_text()) if kept.exists() else {"mpi": mpi, "rounds": []}
        result["files"] = described(files)
        while len(result["rounds"]) < arguments.rounds:
            made = undisturbed_round(mpi, files, arguments)
            result["rounds"].append({"circumstances": asdict(here_and_now()), **made})
            kept.write_text(json.dumps(result, indent=1) + "\n")
            print(f"{mpi}: round {len(result['rounds'])} of {arguments.rounds}", flush=True)
    return 0


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mpis", type=lambda text: text.split(","), default=list(MPIS), metavar="LIST")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--hosts", default="8")
    parser.add_argument("--calls", default="20")
    parser.add_argument("--budget-s", default="3")
    parser.add_argument("--ways", default="3", metavar="N", help="how often each way is measured for the choice")
    parser.add_argument("--anew", action="store_true", help="make the files anew")
    return parser.parse_args()


def undisturbed_round(mpi: str, files: Path, arguments: argparse.Namespace) -> dict[str, Any]:
    """Others' work decides when a rank answers. Whether there was any is asked of the machine, never of the figures."""
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        idle = [idle_share()]
        if idle[-1] < IDLE:
            continue
        made = one_round(mpi, files, arguments, idle)
        idle.append(idle_share())
        if made is not None and idle[-1] >= IDLE:
            return {"idle": min(idle), **made}
        print(f"{mpi}: others worked during a round", flush=True)
    raise SystemExit(f"error: no round of {mpi} was undisturbed in {PATIENCE_S} s")


def idle_share() -> float:
    """Of all processors, now."""
    first = jiffies()
    time.sleep(LOOK_S)
    spent = [after - before for before, after in zip(first, jiffies(), strict=True)]
    return (spent[3] + spent[4]) / max(1, sum(spent))


def jiffies() -> list[int]:
    """user, nice, system, idle, waiting for a disk, …"""
    return list(map(int, Path("/proc/stat").read_text().splitlines()[0].split()[1:9]))


def testbed(mpi: str, arguments: argparse.Namespace) -> str:
    return f"--hosts {arguments.hosts} --rate 20mbit --buffer 20k --mpi {mpi}"


def made_files(mpi: str, arguments: argparse.Namespace) -> Path:
    """The directory of the files, made from the sweeps that are kept."""
    kept, files = RESULTS / "ways" / mpi, WORK / mpi / "files"
    if arguments.anew:
        shutil.rmtree(kept, ignore_errors=True)
    if not kept.exists():
        measure_ways(mpi, arguments, kept)
    shutil.rmtree(files, ignore_errors=True)
    run([clearway(), "tune", "-q", "--files", *map(str, sorted(kept.glob("*.json"))), "-o", str(files)])
    return files


def measure_ways(mpi: str, arguments: argparse.Namespace, kept: Path) -> None:
    """A first sweep, and then every way by the script that comes of it, which goes on where it was interrupted."""
    first = WORK / mpi / "first"
    if not first.exists():
        first.parent.mkdir(parents=True, exist_ok=True)
        sweep(mpi, arguments, f"{FLOW},own", first.parent / "own.json")
        run([clearway(), "tune", "-q", "--files", str(first.parent / "own.json"), "-o", str(first)])
    words = ["--testbed", testbed(mpi, arguments), "--calls", arguments.calls, "--budget-s", arguments.budget_s, "-q"]
    run(["sh", str(first / "measure.sh"), *words], {"ROUNDS": arguments.ways}, limit_s=20 * LIMIT_S)
    shutil.copytree(first / "measured", kept)


def described(files: Path) -> dict[str, str]:
    """What was chosen, in the MPI's words."""
    names = ("tuning.sh", "openmpi-rules.conf")
    return {name: (files / name).read_text() for name in names if (files / name).exists()}


def one_round(mpi: str, files: Path, arguments: argparse.Namespace, idle: list[float]) -> dict[str, Any] | None:
    """{way: {bytes: {"s": seconds of a call, "timeouts": …}}}; who begins is drawn. None: others worked meanwhile."""
    ways = ["as it is", "files"]
    random.shuffle(ways)
    told: dict[str, Any] = {}
    for number, way in enumerate(ways):
        if number:
            idle.append(idle_share())
            if idle[-1] < IDLE:
                return None
        chosen = f"{FLOW},own" if way == "as it is" else "own"
        settings = variables(files) if way == "files" else {}
        found = sweep(mpi, arguments, chosen, WORK / mpi / "round.json", settings)
        for curve in found["curves"]:
            name = way if curve["candidate"] == "own" else "flow"
            told[name] = {str(point["block_bytes"]): figures(point) for point in curve["points"]}
    return told


def figures(point: Mapping[str, Any]) -> dict[str, Any]:
    calls = point["calls_ns"]
    return {"s": sum(calls) / len(calls) * 1e-9, "share": point["share_of_limit"], "timeouts": point["timeouts"],
            "retransmits": point["retransmits"], "calls": len(calls)}  # fmt: skip


def variables(files: Path) -> dict[str, str]:
    lines = (files / "tuning.sh").read_text().splitlines()
    words = [shlex.split(line)[1] for line in lines if line.startswith("export ")]
    return dict(word.split("=", 1) for word in words)


def sweep(
    mpi: str, arguments: argparse.Namespace, algorithms: str, output: Path, settings: Mapping[str, str] | None = None
) -> dict[str, Any]:
    words = ["bench", "alltoall", "--sizes", SIZES, "--algorithms", algorithms, "--calls", arguments.calls]
    words += ["--budget-s", arguments.budget_s, "--least-calls", "6", "-q", "--json", str(output)]
    for attempt in range(TRIES):
        try:
            run([clearway(), *words, "--testbed", testbed(mpi, arguments)], settings)
            break
        except (subprocess.TimeoutExpired, subprocess.CalledProcessError):
            if attempt + 1 == TRIES:
                raise
    told: dict[str, Any] = json.loads(output.read_text())
    return told


def run(command: list[str], settings: Mapping[str, str] | None = None, limit_s: float = LIMIT_S) -> None:
    """To its end; what it says goes to stderr. A sweep that is ended takes its testbed down."""
    job = subprocess.Popen(command, env={**os.environ, **(settings or {})}, stdout=sys.stderr)
    try:
        code = job.wait(limit_s)
    except BaseException:
        job.terminate()
        job.wait()
        raise
    if code:
        raise subprocess.CalledProcessError(code, command)


def clearway() -> str:
    beside = Path(sys.executable).parent / "clearway"
    return str(beside) if beside.exists() else shutil.which("clearway") or "clearway"


if __name__ == "__main__":
    sys.exit(main())
