"""As many threads for each rank as there are cores for it."""

from __future__ import annotations

from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.rank_places import cores_of_all
from clearway.diagnosis.facts.settings_in_force import launcher, number_of_threads, program_option
from clearway.diagnosis.finding import Finding
from clearway.diagnosis.remedies import Offer
from clearway.job.change import Change

EXCLUDES = frozenset({"fewer-threads", "ranks-and-threads", "cores-for-threads", "one-rank-a-core", "pin-ranks"})


def offer(case: Case, finding: Finding) -> Offer | None:
    """No gain is promised: not every program has threads, and none scales without end."""
    threads = cores_of_all(case) // max(case.ranks, 1)
    if case.tables.cores is None or threads <= case.tables.cores.most_threads:
        return None
    options = ("-ntomp", str(threads)) if program_option(case, "-ntomp") is not None else ()
    return Offer(
        what=f"use {threads} threads per rank",
        why=f"there are {threads} cores for each rank",
        gain=None,
        change=Change(
            environment=number_of_threads(case, threads),
            launcher_options=_binding(case, threads),
            program_options=options,
        ),
    )


def _binding(case: Case, threads: int) -> tuple[str, ...]:
    """As many cores for a rank, where the launcher binds: its threads would share one otherwise."""
    name = launcher(case)
    if name == "srun":
        return (f"--cpus-per-task={threads}", "--cpu-bind=cores")
    if case.family == "openmpi":
        return ("--bind-to", "core", "--map-by", f"slot:PE={threads}")
    return ()
