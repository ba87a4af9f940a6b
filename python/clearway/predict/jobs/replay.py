"""A recorded job as a Script: its computing and its messages, call by call.

Only what both sides recorded is replayed (recorded_messages.py), and a rank waits only for what had begun by then
(rank_lines.py): so no rank waits for ever.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from clearway.base.visible import visible
from clearway.ledger import account
from clearway.predict.jobs.core_waits import shares_on_a_core
from clearway.predict.jobs.rank_lines import RankLines
from clearway.predict.jobs.recorded import RecordedRank, recorded_ranks
from clearway.predict.jobs.recorded_messages import RecordedMessages, name_of
from clearway.predict.jobs.request import JobScript
from clearway.predict.models.script import FORMAT, ranges
from clearway.run import Run
from clearway.run.layout import FunctionClass


@dataclass(frozen=True, slots=True)
class Written:
    """A recorded job as a Script in a file, and what it was made of."""

    script: JobScript
    took_ns: int  # as recorded, from MPI_Init to MPI_Finalize
    ranks: Sequence[RecordedRank]
    replay: Replay
    computing_s: Sequence[float]  # by rank: what the Script has of it, with all waits for a core


def write_replay(run: Run, folder: Path, without_core_wait: bool = False) -> Written:
    ranks, replay = recorded_ranks(run), Replay(run)
    computing_s, shares = [replay.computing_s(rank) for rank in ranks], [1.0] * len(ranks)
    if without_core_wait:
        shares = shares_on_a_core(run, account(run), computing_s)
    path = folder / "replay.script"
    path.write_text(replay.text(ranks, shares), encoding="utf-8")
    took_s = max(rank.end_s for rank in ranks) - ranks[0].begin_s
    places = tuple(run.processes["host"].tolist())
    return Written(JobScript(path, len(ranks), 1, places), round(took_s * 1e9), ranks, replay, computing_s)


class Replay:
    """Ranks of a Run, written and counted."""

    def __init__(self, run: Run) -> None:
        self.run, self.messages = run, RecordedMessages(run)

    def text(self, ranks: Sequence[RecordedRank], shares: Sequence[float]) -> str:
        """With so much of each rank's computing."""
        title = visible(self.run.fact("process.program").get(0, "a job").rpartition("/")[2])
        lines = [FORMAT, f"title {title}, replayed on {len(ranks)} ranks", f"ranks {len(ranks)}", "steps 1"]
        for number, members in self.messages.collectives.communicators.items():
            lines.append(f"comm {name_of(number)} {ranges(members).replace(',', ' ')}")
        for process, (rank, share) in enumerate(zip(ranks, shares, strict=True)):
            lines += [f"rank {process}", *self.activities(rank, share)]
        return "\n".join(lines) + "\n"

    def activities(self, rank: RecordedRank, share: float) -> list[str]:
        return [*RankLines(self.messages, rank, share).lines()]

    def replayed(self, rank: RecordedRank) -> tuple[int, float]:
        """How many of its calls a Script has words for, and how long those took that moved data and have none."""
        made = RankLines(self.messages, rank, 1.0)
        list(made.lines())
        left_out_s = sum(
            call.exit_s - call.entry_s
            for at, call in enumerate(rank.calls)
            if at not in made.told
            and any(self.messages.function_class[event] != FunctionClass.MPI_IO for event in call.events)
        )
        return len(made.told), left_out_s

    def computing_s(self, rank: RecordedRank) -> float:
        """That a Script has of it."""
        lines = RankLines(self.messages, rank, 1.0).lines()
        return sum(int(line.split()[1]) for line in lines if line.startswith("compute ")) * 1e-9
