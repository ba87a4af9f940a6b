"""Other programs beside the runs: they make runs of one variant differ, and what comes out less clear."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean

from clearway.base.errors import ClearwayError
from clearway.diagnosis.facts import open_case
from clearway.diagnosis.facts.counters import machines
from clearway.diagnosis.facts.other_programs import foreign_load
from clearway.experiment.sample import Figures
from clearway.run import Run

WORTH_TELLING = 0.2  # of a core, in a run: system services take some


@dataclass(frozen=True, slots=True)
class Others:
    """Cores that programs of others used on the job's machines."""

    mean: float  # over the runs
    most: float  # of one run


def cores_of_others(run: Run) -> float | None:
    """In the mean while it ran, of all its machines together; None where the record does not tell."""
    try:
        case = open_case(run)
        loads = [foreign_load(case, members) for members in machines(case).values()]
    except ClearwayError:
        return None
    known = [used_s / span_s for used_s, span_s in loads if span_s > 0]
    return sum(known) if known else None


def others_beside(figures: Sequence[Figures]) -> Others | None:
    """None where they took next to nothing, or where that is not known."""
    known = [one.others_cores for one in figures if one.others_cores is not None]
    if max(known, default=0.0) < WORTH_TELLING:
        return None
    return Others(fmean(known), max(known))


def said_of(others: Others | None) -> Iterator[str]:
    if others is not None:
        mean, most = f"{others.mean:.1f}", f"{others.most:.1f}"
        unequal = f" ({most} in one of the runs)" if most != mean else ""
        yield (
            f"Other programs used {mean} {'core' if mean == '1.0' else 'cores'} meanwhile{unequal}. That can make runs "
            f"differ: on idle cores the answer is clearer."
        )
