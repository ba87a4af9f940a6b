"""What a run took, from its Run directory: its steady part wherever something tells that."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from clearway.base.errors import ClearwayError
from clearway.engines import find_engine
from clearway.experiment.others import cores_of_others
from clearway.experiment.printed_figure import PrintedFigure, find_figure
from clearway.experiment.sample import Figures
from clearway.ledger.cpu_time import used_s
from clearway.run import Run, load
from clearway.run.layout import FunctionClass
from clearway.run.reader import UnreadableRecordError, open_record

NS_PER_S = 1e9


STRANGERS = (
    "ran as single ranks that did not find each other: the program was built for a different MPI than the launcher's"
)

OR_SEVERAL = ", or the script launches it several times, as one rank each: record these by `clearway run` in the script"


def figures_of(
    directory: Path, wall_s: float, output: Path, wanted: PrintedFigure | None = None, is_script: bool = False
) -> tuple[Figures | None, str]:
    """Of a job that has ended well, or why they would mean nothing. Without a record there is the wall-clock only, and
    so for a batch script that launched the job several times: the Run is of the last.

    `wanted` is looked for in `output`, which the job printed, and in the files that it wrote.
    """
    try:
        run = load(directory)
    except ClearwayError:
        return _with_figure(Figures(wall_s, None, None, None, None, None), wanted, output, None)
    if are_strangers(run):
        return None, STRANGERS + (OR_SEVERAL if is_script else "")
    if is_script and len(list(directory.glob("rank.*.cwr"))) > len(run.processes):
        return _with_figure(Figures(wall_s, None, None, None, None, None), wanted, output, run)
    return _with_figure(figures_of_run(run, wall_s), wanted, output, run)


def figures_of_run(run: Run, wall_s: float) -> Figures:
    """What the record tells of a job that took `wall_s`."""
    engine = find_engine(run)
    return Figures(
        wall_s=wall_s,
        mpi_s=mpi_seconds(run),
        cpu_s=float(used_s(run).mean()),
        s_per_step=engine.s_per_step if engine else None,
        ns_per_day=engine.ns_per_day if engine else None,
        engine=engine.name if engine else None,
        ranks=int(run.processes["world_size"].max()) or None,
        collectives=collective_calls(run),
        others_cores=cores_of_others(run),
    )


def _with_figure(
    figures: Figures, wanted: PrintedFigure | None, output: Path, run: Run | None
) -> tuple[Figures | None, str]:
    if wanted is None:
        return figures, ""
    found = find_figure(wanted, output, run)
    if found is None:
        return None, f"printed no line like '{wanted.words}'"
    return replace(figures, figure=found, figure_s=wanted.seconds(found)), ""


def collective_calls(run: Run) -> float:
    """Of a rank, the mean over ranks: how often all did something together is how far the job came."""
    kinds = run.functions.classes()[run.calls.function]
    together = (kinds == FunctionClass.COLLECTIVE) | (kinds == FunctionClass.COLLECTIVE_START)
    return float(run.calls.data["count"][together].sum()) / len(run.processes)


def are_strangers(run: Run) -> bool:
    """Whether each rank had an MPI_COMM_WORLD of its own.

    What a program without a launcher starts besides (Open MPI's orted) is no rank.
    """
    if int(run.processes["world_size"][0]) != 1:
        return False
    alone = 0
    for path in run.directory.glob("rank.*.cwr"):
        with suppress(UnreadableRecordError):
            alone += int(open_record(path).header["world_size"]) == 1
    return alone > 1


def mpi_seconds(run: Run) -> float | None:
    """From MPI_Init to MPI_Finalize in the slowest rank; None where a rank did not go through both."""
    spans = []
    for record in run.records:
        begin, end = (int(record.header[name]["monotonic_ns"]) for name in ("mpi_begin", "mpi_end"))
        if begin == 0 or end <= begin:
            return None
        spans.append((end - begin) / NS_PER_S)
    return max(spans)
