"""What could --flow win in bcast, allreduce and reduce_scatter? The MPI's own choice of an algorithm against each of
those that it has, told by its own settings, on a testbed: the usual ones, of which Clearway's Schedules are some.

    PYTHONPATH=benchmarks python benchmarks/flow/usual_collectives.py [--page]

As root, about 20 minutes; with `--page`, docs/flow-usual-collectives.md is written from what was measured. The ways
take turns, each in a job and on a testbed of its own. Results: results/usual-collectives.json.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import statistics
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from measured.circumstances import REPOSITORY, Circumstances, here_and_now, told

from clearway.base.units import parse_buffer, parse_bytes, parse_rate_bps
from clearway.testbed import Mpi, Shape, Testbed, find_mpi

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results/usual-collectives.json"
PAGE = REPOSITORY / "docs/flow-usual-collectives.md"
FOLDER = REPOSITORY / "build/usual-collectives"

HOSTS = 8
RATE = "20mbit"
BUFFERS = ("20k", "deep")
SIZES = ("64Ki", "512Ki")
CALLS = {"64Ki": 12, "512Ki": 4}
LIMIT_S = 60
DEFAULT = "default"

# Their names in Open MPI 4.1 (ompi/mca/coll/tuned) and MPICH 4.0 (src/mpi/coll/cvars.txt).
OPEN_MPI = {
    "bcast": {"chain": 2, "pipeline": 3, "binary": 5, "binomial": 6, "knomial": 7, "scatter_allgather_ring": 9},
    "allreduce": {"recursive_doubling": 3, "ring": 4, "rabenseifner": 6},
    "reduce_scatter": {"recursive_halving": 2, "ring": 3, "butterfly": 4},
}
MPICH = {
    "bcast": ("binomial", "scatter_recursive_doubling_allgather", "scatter_ring_allgather"),
    "allreduce": ("recursive_doubling", "reduce_scatter_allgather"),
    "reduce_scatter": ("recursive_halving", "pairwise", "recursive_doubling"),
}

HEAD = """\
# bcast, allreduce and reduce_scatter: what an own way could win

`--flow` leaves these three to the MPI
([why](decisions/2026-11-22-every-collective-is-a-schedule.md)). Here the MPI's own choice stands against each algorithm
that the MPI has, told by its settings (`coll_tuned_…_algorithm` of Open MPI 4.1, `MPIR_CVAR_…_INTRA_ALGORITHM` of
MPICH 4.0). They are the usual ones, of which Clearway's [Schedules](schedules.md) are some. So the last column says at
most what choosing among these could win.

{hosts} hosts on the [testbed](testbed.md), one rank each, links of {rate}. Times are of a call, from a barrier to its
end on the slowest rank: the median over {jobs} jobs of each job's median, with the smallest and the largest. The ways
take turns. {circumstances}. What each call took is in
[usual-collectives.json](../benchmarks/flow/results/usual-collectives.json).
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--page", action="store_true", help="measure nothing")
    parser.add_argument("--repetitions", type=int, default=3)
    arguments = parser.parse_args()
    if not arguments.page:
        os.nice(-15)  # whatever else runs on this machine must not decide when a rank answers
        RESULTS.write_text(json.dumps(measure_all(arguments.repetitions)) + "\n")
    PAGE.write_text(text_of_page())
    return 0


def measure_all(repetitions: int) -> dict[str, Any]:
    rows = []
    for name, buffer, size, operation in itertools.product(("openmpi", "mpich"), BUFFERS, SIZES, OPEN_MPI):
        mpi = find_mpi(name)
        program = build(mpi)
        ways = [DEFAULT, *(OPEN_MPI if name == "openmpi" else MPICH)[operation]]
        runs: dict[str, list[list[float]]] = {way: [] for way in ways}
        for _ in range(repetitions):
            for way in ways:
                runs[way].append(measure(mpi, program, buffer, size, operation, way))
        for way in ways:
            rows.append({"mpi": name, "buffer": buffer, "size": size, "operation": operation, "way": way})
            rows[-1]["runs_us"] = runs[way]  # type: ignore[assignment]
            print(name, buffer, size, operation, way, spread(runs[way]), flush=True)
    return {"circumstances": asdict(here_and_now()), "rows": rows}


def measure(mpi: Mpi, program: Path, buffer: str, size: str, operation: str, way: str) -> list[float]:
    words = [str(program), operation, str(parse_bytes(size)), str(CALLS[size])]
    shape = Shape(hosts=HOSTS, rate_bps=parse_rate_bps(RATE), buffer_bytes=parse_buffer(buffer))
    with Testbed(shape) as testbed:
        outcome = testbed.run(mpi, words, env=settings(mpi.name, operation, way), timeout_s=LIMIT_S)
    if outcome.returncode != 0:
        raise SystemExit(f"error: {words} ended with {outcome.returncode}\n{outcome.stdout}{outcome.stderr}")
    return [float(word) for word in outcome.stdout.split()]


def settings(mpi: str, operation: str, way: str) -> dict[str, str]:
    if way == DEFAULT:
        return {}
    if mpi == "mpich":
        prefix = f"MPIR_CVAR_{operation.upper()}"
        return {f"{prefix}_DEVICE_COLLECTIVE": "0", f"{prefix}_INTRA_ALGORITHM": way}
    return {
        "OMPI_MCA_coll_tuned_use_dynamic_rules": "1",
        f"OMPI_MCA_coll_tuned_{operation}_algorithm": str(OPEN_MPI[operation][way]),
    }


def build(mpi: Mpi) -> Path:
    FOLDER.mkdir(parents=True, exist_ok=True)
    program = FOLDER / f"usual_collectives-{mpi.name}"
    command = [f"mpicc.{mpi.name}", "-O1", "-D_GNU_SOURCE", str(HERE / "usual_collectives.c"), "-o", str(program)]
    subprocess.run(command, check=True, timeout=60)
    return program


def text_of_page() -> str:
    return "\n".join(page(json.loads(RESULTS.read_text()))) + "\n"


def page(results: dict[str, Any]) -> Iterator[str]:
    rows = results["rows"]
    jobs = " or ".join(map(str, sorted({len(row["runs_us"]) for row in rows})))
    circumstances = told([Circumstances(**results["circumstances"])])
    yield HEAD.format(hosts=HOSTS, rate="20 Mbit/s", jobs=jobs, circumstances=circumstances)
    yield "| MPI, buffer of a port | operation, bytes | the MPI's choice, ms | fastest, ms | which | choice ÷ fastest |"
    yield "| --- | --- | --- | --- | --- | --- |"

    def case(row: dict[str, Any]) -> tuple[str, str]:
        return f"{row['mpi']}, {row['buffer']}", f"{row['operation']}, {row['size']}"

    for title, of_case in itertools.groupby(rows, case):
        ways = {row["way"]: row["runs_us"] for row in of_case}
        fastest = min(ways, key=lambda way: middle(ways[way]))
        ratio = middle(ways[DEFAULT]) / middle(ways[fastest])
        cells = [spread(ways[DEFAULT]), spread(ways[fastest]), fastest.replace("_", " "), f"{ratio:.2f}"]
        yield f"| {' | '.join((*title, *cells))} |"


def middle(runs: list[list[float]]) -> float:
    return statistics.median(statistics.median(run) for run in runs)


def spread(runs: list[list[float]]) -> str:
    """Milliseconds."""
    medians = [statistics.median(run) / 1e3 for run in runs]
    return f"{statistics.median(medians):.1f} ({min(medians):.1f}–{max(medians):.1f})"


if __name__ == "__main__":
    sys.exit(main())
