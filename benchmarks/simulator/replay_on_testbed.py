#!/usr/bin/env python3
"""Recorded jobs, replayed for the network they ran on and for another, beside what they really took there.

Brings testbeds up, as root; prints the table of docs/predict.md. Quiet machines only: ranks share the cores.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

LIMIT_S = 85
# On the testbed eight ranks share two cores, and a message takes 60 µs of one (docs/simulator.md).
STACK = ("--latency-us", "0", "--skew-us", "0", "--message-us", "60")
# What Open MPI takes for these sizes, as far as we have it: pairs, one after another.
ALLTOALL = ("--alltoall", "ordered")

SCRIPT = """\
clearway-script 1
title exchange
ranks {hosts}
steps 12
rank 0-{last}
compute 2000000
sendrecv +1 30000 -1 30000
alltoall 30000
allreduce 800
"""


@dataclass(frozen=True)
class Shape:
    hosts: int
    rate: str
    buffer: str

    def __str__(self) -> str:
        return f"{self.hosts} hosts, {self.rate.replace('mbit', ' Mbit/s')}, buffers {self.buffer}"


SLOW, FAST, LARGE = Shape(4, "20mbit", "deep"), Shape(4, "60mbit", "deep"), Shape(8, "20mbit", "64k")
PAIRS = ((SLOW, SLOW), (SLOW, FAST), (FAST, FAST), (FAST, SLOW), (LARGE, LARGE))  # recorded, predicted for


def tool(name: str) -> str:
    """As built: $CLEARWAY_BIN, else the PATH."""
    found = shutil.which(name, path=os.environ.get("CLEARWAY_BIN")) or shutil.which(name)
    if found is None:
        sys.exit(f"error: {name} is not on the PATH\n\nhint: make build; PATH=.venv/bin:$PATH")
    return found


def record(shape: Shape, folder: Path) -> Path:
    run, script = folder / f"{shape.hosts}-{shape.rate}", folder / f"{shape.hosts}.script"
    script.write_text(SCRIPT.format(hosts=shape.hosts, last=shape.hosts - 1))
    testbed = [tool("clearway"), "testbed", "run", "--hosts", str(shape.hosts), "--rate", shape.rate]
    recorded = [tool("clearway-record"), "--timeline", "-o", str(run), tool("clearway-workload"), str(script)]
    command = [*testbed, "--buffer", shape.buffer, "--timeout", str(LIMIT_S), "--", *recorded]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return run


def replay(run: Path, shape: Shape) -> dict[str, Any]:
    network = ("--rate", shape.rate, "--buffer", shape.buffer)
    command = [tool("clearway"), "predict", "--from", str(run), *network, *STACK, *ALLTOALL, "--quiet", "--json", "-"]
    told: dict[str, Any] = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return told


def main() -> None:
    argparse.ArgumentParser(description=__doc__).parse_args()
    with tempfile.TemporaryDirectory(prefix="clearway-replay-") as name:
        runs = {shape: record(shape, Path(name)) for shape in (SLOW, FAST, LARGE)}
        took_ns = {shape: replay(run, shape)["recorded_ns"] for shape, run in runs.items()}
        print("| recorded on | replayed for | measured there, ms | predicted, ms | ratio |")
        print("| --- | --- | --- | --- | --- |")
        for source, target in PAIRS:
            (point,) = replay(runs[source], target)["points"]
            measured_ms, predicted_ms = took_ns[target] * 1e-6, point["duration_ns"] * 1e-6
            ratio = predicted_ms / measured_ms
            print(f"| {source} | {target} | {measured_ms:.0f} | {predicted_ms:.0f} | {ratio:.2f} |")


if __name__ == "__main__":
    main()
