"""How processes of a graph of waits are told: who they are, and where they stand."""

from __future__ import annotations

import numpy as np

from clearway.base.visible import visible
from clearway.diagnosis.facts.tables.blocked import in_words
from clearway.diagnosis.facts.tables.wait_graph import WaitGraph
from clearway.run.layout import Activity, Place, State, text

COMPUTING = "computing"
NAMED = 4  # ranks in a sentence
NAME = 40  # the longest of a communicator, or of what a rank waits for


class WaitWords:
    def __init__(self, graph: WaitGraph) -> None:
        self.graph = graph

    def ended(self, process: int) -> str:
        rank, end_s = self.graph.ranks[process], float(self.graph.run.processes["end_s"][process])
        if self.graph.state[process] == State.EXITED:
            code = int(self.graph.run.processes["exit_code"][process])
            return f"Rank {rank} ended at {end_s:.1f} s" + (f" with exit code {code}" if code else "")
        return f"Rank {rank} left no record after {end_s:.1f} s: it was killed or stopped, or its host is lost"

    def who(self, processes: list[int]) -> str:
        ranks = sorted(self.graph.ranks[process] for process in processes)
        if len(ranks) == len(self.graph.ranks):
            return f"all {len(ranks)} ranks"
        if len(ranks) <= NAMED:
            return f"rank {ranks[0]}" if len(ranks) == 1 else f"ranks {', '.join(map(str, ranks[:-1]))} and {ranks[-1]}"
        return f"{len(ranks)} ranks"

    def comm(self, comm: int) -> str:
        return visible(self.graph.run.communicators.all[comm].name, NAME) or "a communicator without a name"

    def call(self, process: int) -> str:
        opened = self.graph.open[process]
        return opened.call + (f" (tag {opened.tag})" if opened.tag is not None else "")

    def where(self, process: int) -> str:
        """As in "in MPI_Recv on MPI_COMM_WORLD, tag 7", "ended", "outside MPI, sleeping"."""
        opened = self.graph.open.get(process)
        if self.graph.stopped(process):
            return "ended" if self.graph.state[process] == State.EXITED else "without a record"
        if opened is None:
            number = int(self.graph.run.main_call[process])
            return (
                f"in {self.graph.run.functions.all[number].name}"
                if number
                else f"outside MPI, {self.activity(process)}"
            )
        comm = f" on {self.comm(opened.comm)}" if opened.comm else ""
        return f"in {opened.call}{comm}" + (f", tag {opened.tag}" if opened.tag is not None else "")

    def activity(self, process: int) -> str:
        """What it was found doing last; computing, where that is all that the record says."""
        cells = self.graph.run.activities
        mine = cells.data[(cells.process == process) & (cells.data["place"] == Place.OUTSIDE)]
        if not len(mine):
            return COMPUTING
        newest = mine[int(np.argmax(mine["last_ticks"]))]
        if newest["activity"] == Activity.RUNNING:
            return COMPUTING
        return in_words(int(newest["activity"]), visible(text(newest["object"]), NAME))
