"""What must be known beside the figures."""

from __future__ import annotations

from collections.abc import Sequence

from clearway.base import quantities as q
from clearway.predict.scaling.answer import Target
from clearway.predict.scaling.crowding import crowded
from clearway.predict.scaling.runs import CORE_WAIT, Laws, Runs

ABOVE_ALL = 1.005  # efficiency


def efficiency_notes(runs: Runs, targets: Sequence[Target]) -> list[str]:
    """Of more than 100 %."""
    if not any(target.efficiency and target.efficiency > ABOVE_ALL for target in targets):
        return []
    said = (
        f"Efficiency is relative to {q.count(runs.ranks[0])} ranks, the fewest recorded: above 100 % the same work is "
        f"expected to take fewer rank-seconds than there. Within the bounds it may as well take more."
    )
    return [said]


def notes_of(runs: Runs, laws: Laws, targets: Sequence[int]) -> list[str]:
    said = []
    numbers, last = sorted(set(runs.ranks)), runs.all[-1]
    if len(numbers) < 3:
        said.append(
            f"{len(numbers)} numbers of ranks give only bounds, no law, so no time is called expected. Add a Run on a "
            f"third number of ranks."
        )
    if max(targets) > 8 * numbers[-1]:
        times = q.count(round(max(targets) / numbers[-1]))
        said.append(
            f"{q.count(max(targets))} ranks are {times} times as many as were recorded: what "
            f"changes only beyond those (other algorithms of the MPI, other switches) is not in the bounds."
        )
    if max(run.hosts for run in runs.all) == 1 and max(targets) > numbers[-1]:
        said.append(
            "All Runs are on one host, so none of them shows the network between hosts. If more ranks need more hosts, "
            "add Runs on several hosts."
        )
    not_exact = [site for site, law in laws.items() if None in law]
    if not_exact and set(runs.works) == {1.0}:
        said.append(
            f"For {len(not_exact)} of {len(laws)} call sites no known law gives calls and bytes exactly: these are "
            f"fitted like seconds."
        )
    if set(runs.works) != {1.0}:
        said.append("The Runs did not do the same work: seconds are scaled to the work of the first one.")
    if not all(run.complete for run in runs.all):
        said.append("Some Runs did not end normally; what is missing in their records is missing here.")
    if crowded(runs):
        said.append(
            f"On {last.ranks} ranks {q.percent(last.lines[CORE_WAIT] / last.wall_s)} of the time was waiting for a "
            "core: the prediction assumes that more ranks share the same cores. If each will have a core, start from "
            "Runs in which each has one."
        )
    return said
