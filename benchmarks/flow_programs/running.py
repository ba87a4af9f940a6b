"""One run of one program on a testbed: how long it took, what it printed, what TCP had to do."""

from __future__ import annotations

import dataclasses
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from programs import Program

from clearway.base.units import parse_buffer, parse_rate_bps
from clearway.testbed import DEEP, Outcome, Shape, Testbed, find_mpi

REPOSITORY = Path(__file__).resolve().parents[2]
FOLDER = REPOSITORY / "build/flow-programs"
RESULTS = REPOSITORY / "benchmarks/flow_programs/results"
LIMIT_S = 200
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


@dataclass(frozen=True, slots=True)
class Way:
    """How a program is run: with what before it, with what environment, on which switch."""

    name: str
    flow: bool = False
    environment: Mapping[str, str] = dataclasses.field(default_factory=dict)
    lossless: bool = False


@dataclass(frozen=True, slots=True)
class Network:
    """The testbed, as it is said on the command line."""

    hosts: int
    rate: str
    buffer: str
    mpi: str

    @property
    def name(self) -> str:
        return f"{self.mpi}-{self.hosts}-{self.rate}-{self.buffer}"

    def shape(self, lossless: bool) -> Shape:
        buffer_bytes = DEEP if lossless else parse_buffer(self.buffer)
        return Shape(hosts=self.hosts, rate_bps=parse_rate_bps(self.rate), buffer_bytes=buffer_bytes)


def measure(program: Program, way: Way, network: Network) -> dict[str, Any]:
    """What is kept of a run. Ends this program where the run fails: a figure of a failed run is none."""
    folder = fresh_folder(program, way)
    record = ["clearway-record", "--flow", "-o", str(folder / "run")] if way.flow else []
    command = [tool(word) if word == "clearway-record" else word for word in (*record, *program.command)]
    before = Path.cwd()
    os.chdir(folder)  # the ranks begin where the launcher was
    try:
        with Testbed(network.shape(way.lossless)) as testbed:
            environment = {**ONE_THREAD, **way.environment}
            outcome = testbed.run(find_mpi(network.mpi), command, env=environment, timeout_s=LIMIT_S)
    finally:
        os.chdir(before)
    printed = text_of(program, outcome, folder)
    return {
        "way": way.name,
        "wall_s": seconds(last(program.time, printed, program)),
        "result": last(program.result, printed, program),
        **dataclasses.asdict(outcome.counters),
        "page": page_of(folder / "run") if way.flow else None,
    }


def fresh_folder(program: Program, way: Way) -> Path:
    """With the program's input files, made once."""
    inputs = FOLDER / program.name / "inputs"
    if not (inputs / "made").exists():
        shutil.rmtree(inputs, ignore_errors=True)
        inputs.mkdir(parents=True)
        program.prepare(inputs)
        (inputs / "made").touch()
    folder = FOLDER / program.name / way.name
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(inputs, folder)
    return folder


def text_of(program: Program, outcome: Outcome, folder: Path) -> str:
    (folder / "stdout").write_text(outcome.stdout)
    (folder / "stderr").write_text(outcome.stderr)
    if "runs without flow" in outcome.stderr or "runs unrecorded" in outcome.stderr:
        raise SystemExit(f"error: {outcome.stderr}")
    if outcome.returncode != 0:
        what = f"took more than {LIMIT_S} s" if outcome.timed_out else f"ended with {outcome.returncode}"
        end = "\n".join((outcome.stdout + outcome.stderr).splitlines()[-15:])
        raise SystemExit(f"error: {program.name} {what}\n{end}\n\nhint: all of its output is in {folder}")
    return (folder / program.log).read_text() if program.log else outcome.stdout


def last(pattern: str, text: str, program: Program) -> str:
    found = re.findall(pattern, text, re.MULTILINE)
    if not found:
        raise SystemExit(f"error: {program.name} printed nothing like '{pattern}'")
    return str(found[-1]).strip()


def seconds(text: str) -> float:
    """12.3, or as Quantum ESPRESSO has it: 1m 2.3s."""
    hours, minutes, rest = re.fullmatch(r"(?:(\d+)h)?(?: *(\d+)m)? *([\d.]+)?s?", text).groups(default="0")  # type: ignore[union-attr]
    return 3600 * float(hours) + 60 * float(minutes) + float(rest)


def page_of(run: Path) -> dict[str, Any]:
    """What Clearway's own page says of the run: the calls that took most time, and how collectives went."""
    page = run / "page.json"
    subprocess.run([tool("clearway"), "report", str(run), "--json", str(page)], check=True, capture_output=True)
    everything = json.loads(page.read_text())
    return {name: everything.get(name) for name in ("mpi_calls", "collectives", "flow")}


def tool(name: str) -> str:
    found = shutil.which(name) or str(Path(sys.executable).parent / name)
    if not Path(found).exists():
        raise SystemExit(f"error: {name} is not on the PATH\n\nhint: make build")
    return found
