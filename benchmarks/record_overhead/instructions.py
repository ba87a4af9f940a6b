"""What the recorder executes in each kind of call, in instructions: callgrind counts those of libclearway.so alone.

The figures are the same each time: the median of seven rounds of 200 calls of one rank. What the recorder does once a
millisecond or less often, however many calls there are (it reads the kernel's figures), is left out.

    python instructions.py [--recorder PATH] [--before PATH --commit COMMIT] [--json FILE]

Paths are those of a clearway-record as it was built: installing removes the names of functions. `--before` counts for
another one, too, to compare.
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
from collections import Counter, defaultdict
from pathlib import Path

HERE = Path(__file__).resolve().parent
BUILT = HERE.parent.parent / "build" / "wheel" / "clearway-record"
MPIS = ("openmpi", "mpich")
CALLS_A_ROUND = 200
LIBRARY = "libclearway.so"
BY_TIME = (
    "book_kernel_time",
    "read_run_delay",
    "tell_what_was_before",
    "enter_event_window",
    "tick_rate",
    "__udivti3",
    "syscall",
)
ENVIRONMENT = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMP_PROC_BIND": "true",
    "CLEARWAY_CLOCK": "counter",  # valgrind's processor does not say that its counter is steady
}

Counts = dict[str, dict[str, float]]  # by call, by MPI


def count_all(recorder: Path) -> Counts:
    """Instructions a call."""
    counts: Counts = defaultdict(dict)
    for mpi in MPIS:
        if shutil.which(f"mpicc.{mpi}") is None:
            print(f"{mpi}: mpicc.{mpi} is not installed, skipped", file=sys.stderr)
            continue
        with tempfile.TemporaryDirectory() as folder:
            for call, instructions in count(mpi, recorder, Path(folder)).items():
                counts[call][mpi] = instructions
    return counts


def count(mpi: str, recorder: Path, folder: Path) -> dict[str, float]:
    """Of one MPI."""
    program = folder / "instructions"
    compiler = (f"mpicc.{mpi}", "-O2", "-Wall", "-fopenmp")
    subprocess.run([*compiler, HERE / "instructions.c", "-o", program], check=True)
    record = (
        recorder,
        "--sample-ms",
        "60000",
        "-o",
        folder / "run",
        "--",
    )  # a sampler that looks meanwhile counts, too
    callgrind = ("valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/counted")
    command = [str(word) for word in (f"mpirun.{mpi}", "-np", "1", *record, *callgrind, program, folder / "file")]
    result = subprocess.run(command, env={**os.environ, **ENVIRONMENT}, capture_output=True, text=True, timeout=300)
    if result.returncode != 0:
        raise SystemExit(f"error: {' '.join(command)} failed\n{result.stdout}{result.stderr}")
    rounds: dict[str, list[float]] = defaultdict(list)
    for part in sorted(folder.glob("counted.*"), key=lambda path: int(path.suffix[1:])):
        name = re.search(r"^desc: Trigger: Client Request: (.*)$", part.read_text(), re.MULTILINE)
        if name is not None:
            rounds[name[1]].append(in_recorder(part) / CALLS_A_ROUND)
    if not rounds:
        raise SystemExit(f"error: valgrind counted nothing in {' '.join(command)}\n{result.stderr}")
    return {call: statistics.median(each) for call, each in rounds.items()}


def in_recorder(part: Path) -> int:
    """Instructions of a part of callgrind's output, by function (Valgrind's manual, "Callgrind Format")."""
    names: dict[tuple[str, str], str] = {}
    counts: Counter[tuple[str, str]] = Counter()
    library = function = ""
    is_of_callee = False  # the line after a `calls=` is what the called function took
    for line in part.read_text().splitlines():
        if named := re.fullmatch(r"(c?ob|c?fn)=\((\d+)\)(?: (.*))?", line):
            kind = named[1].removeprefix("c")
            name = names.setdefault((kind, named[2]), named[3] or "")
            if named[1] == "ob":
                library = name
            elif named[1] == "fn":
                function = name
        elif line.startswith("calls="):
            is_of_callee = True
        elif counted := re.fullmatch(r"[+*\-\d]\S* (\d+)", line):
            if not is_of_callee:
                counts[library, function] += int(counted[1])
            is_of_callee = False
    return sum(
        number
        for (where, what), number in counts.items()
        if where.endswith(LIBRARY) and not any(part in what for part in BY_TIME)
    )


def table(now: Counts, before: Counts, commit: str) -> list[str]:
    """As Markdown."""
    mpis = [mpi for mpi in MPIS if any(mpi in row for row in now.values())]
    heads = [f"{mpi}{of}" for mpi in mpis for of in (["", f", {commit}"] if before else [""])]
    lines = [f"| calls | {' | '.join(heads)} |", f"| --- |{' --- |' * len(heads)}"]
    for call in now:
        figures = [f"{each[call][mpi]:.0f}" for mpi in mpis for each in ([now, before] if before else [now])]
        lines.append(f"| `{call}` | {' | '.join(figures)} |")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--recorder", type=Path, help="default: the one that was built here")
    parser.add_argument("--before", type=Path, help="another one")
    parser.add_argument("--commit", default="before", help="what the other one is called in the table")
    parser.add_argument("--json", type=Path, help="write the counts there as well")
    options = parser.parse_args()
    recorder = options.recorder or BUILT
    if not recorder.exists():
        raise SystemExit(f"error: there is no {recorder}\n\nhint: make build")
    now = count_all(Path(recorder).resolve())
    before = count_all(options.before.resolve()) if options.before else {}
    print("\n".join(table(now, before, options.commit)))
    if options.json:
        options.json.write_text(json.dumps({"now": now, "before": before, "commit": options.commit}, indent=1) + "\n")


if __name__ == "__main__":
    main()
