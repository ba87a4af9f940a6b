"""What a replay leaves out of the recorded job, or takes for something else: said beside what it predicts."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from clearway.base import quantities as q
from clearway.ledger import Account
from clearway.predict.jobs.core_waits import waits_that_go_s
from clearway.predict.jobs.replay import Written
from clearway.run import Run
from clearway.run.layout import FunctionClass

WORTH_SAYING = 0.02  # of the recorded time


def left_out(run: Run, books: Account, written: Written, without_core_wait: bool) -> Iterator[str]:
    """In seconds a rank, where it is worth it."""
    ranks, number = written.ranks, len(written.ranks)
    took_s = max(sum(rank.end_s - rank.begin_s for rank in ranks) / number, 1e-12)

    def much(seconds: float) -> bool:
        return seconds > WORTH_SAYING * took_s

    untold_s = sum(written.replay.replayed(rank)[1] for rank in ranks) / number
    if much(untold_s):
        yield (
            f"{q.seconds(untold_s)} a rank are in calls that cannot be replayed (one-sided ones, non-blocking "
            f"collectives): they take no time here."
        )
    in_files = [call for rank in ranks for call in rank.calls if call.function_class == FunctionClass.MPI_IO]
    files_s = sum(call.exit_s - call.entry_s for call in in_files) / number
    if much(files_s):
        yield (
            f"{q.seconds(files_s)} a rank are in calls of MPI-IO: here ranks only meet in them, and files take no time."
        )
    one_sided = run.functions.classes()[run.calls.function] == FunctionClass.ONE_SIDED
    put_bytes = int(run.calls.data["bytes"][one_sided].sum())
    if put_bytes:
        yield f"{q.bytes_(put_bytes)} of one-sided calls (MPI_Put, MPI_Get …) are not sent here."
    outside_s = float(np.minimum(waits_that_go_s(run, books), written.computing_s).mean())
    inside_s = float((books.weight * books.split.core_wait_s).sum()) / number
    if much(outside_s) and not without_core_wait:
        yield (
            f"{q.seconds(outside_s)} a rank were waiting for a core outside MPI: replayed as computing, unless you add "
            f"--no-core-wait."
        )
    if much(inside_s):
        yield f"{q.seconds(inside_s)} a rank were waiting for a core in MPI calls: these are not replayed."
