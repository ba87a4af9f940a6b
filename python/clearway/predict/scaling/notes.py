"""What must be known beside the figures."""

from __future__ import annotations

from collections.abc import Sequence

from clearway.base import quantities as q
from clearway.predict.scaling.crowding import crowded
from clearway.predict.scaling.runs import CORE_WAIT, Laws, Runs


def notes_of(runs: Runs, laws: Laws, targets: Sequence[int]) -> list[str]:
    said = []
    numbers, last = sorted(set(runs.ranks)), runs.all[-1]
    if len(numbers) < 3:
        said.append(
            f"From {len(numbers)} numbers of ranks there is no law, only bounds: no line is said to be expected. Add a "
            "Run on a third number."
        )
    if max(targets) > 8 * numbers[-1]:
        said.append(
            f"{q.count(max(targets))} ranks are {max(targets) / numbers[-1]:.0f} times as many as were recorded: what "
            "begins only beyond (other algorithms of the MPI, other switches) is not in the bounds."
        )
    if max(run.hosts for run in runs.all) == 1 and max(targets) > numbers[-1]:
        said.append(
            "All Runs are on one host: the network between hosts is in none of them. Where more ranks need more hosts, "
            "add Runs there."
        )
    not_exact = [site for site, law in laws.items() if None in law]
    if not_exact and set(runs.works) == {1.0}:
        said.append(
            f"For {len(not_exact)} of {len(laws)} call sites no law of the set gives calls and bytes to the unit: "
            "these are fitted as seconds are."
        )
    if set(runs.works) != {1.0}:
        said.append("The Runs did not the same work: seconds are of as much work as the first one did.")
    if not all(run.complete for run in runs.all):
        said.append("Some Runs did not end well; what is missing from their records is missing here.")
    if crowded(runs):
        said.append(
            f"On {last.ranks} ranks {q.percent(last.lines[CORE_WAIT] / last.wall_s)} of the time was waiting for a "
            "core: more ranks are expected to share the same cores. Where each will have one, start from Runs so."
        )
    return said
