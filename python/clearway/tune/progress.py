"""Shows how a race goes on: a line on stderr for each run that has ended."""

from __future__ import annotations

import sys

from clearway.base import quantities as q
from clearway.base.visible import visible
from clearway.experiment.sample import WARM_UP, Sample
from clearway.job.change import UNCHANGED
from clearway.tune.knobs import Short


class Lines:
    """Counts the runs, with those `already` made before an interruption."""

    def __init__(self, already: int = 0) -> None:
        self.count = already

    def begins(self, short: Short, timeout_s: float | None) -> None:
        """The first run is made whatever it takes: that may be long, and until it ends there is nothing to show."""
        if not short.said and timeout_s is None:
            whole = "the first run is the whole job: how to make it shorter is not known (--timeout limits it)"
            print(f"clearway: {whole}", file=sys.stderr, flush=True)

    def simulates(self) -> None:
        whose = "simulating the job's collectives by each algorithm of the MPI"
        print(f"clearway: {whose}", file=sys.stderr, flush=True)

    def ended(self, sample: Sample, seconds: float | None, unchanged: float | None) -> None:
        self.count += 1
        told = sample.fault or q.seconds(sample.spent_s)
        if sample.round != WARM_UP and sample.variant != UNCHANGED and seconds and unchanged:
            told += f", {unchanged / seconds:.2f} times as fast as the last unchanged run"
        which = "first run" if sample.round == WARM_UP else f"round {sample.round}, {sample.variant}"
        print(f"clearway: run {self.count}, {visible(which)}: {visible(told)}", file=sys.stderr, flush=True)
