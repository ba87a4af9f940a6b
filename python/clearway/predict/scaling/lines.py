"""Laws of seconds: of a line of the ledger, and of anything else that a rank spends."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from clearway.predict.scaling.answer import Figure, LineLaw
from clearway.predict.scaling.bounds import bounds
from clearway.predict.scaling.crowding import crosses, crowding
from clearway.predict.scaling.fit import DRAWS, Column
from clearway.predict.scaling.runs import COMPUTE, CORE_WAIT, TRANSFER, WAIT, Numbers, Runs
from clearway.predict.scaling.seconds import draws_of, figure_of, fitted_of
from clearway.predict.scaling.terms import most_terms
from clearway.predict.what_if.counterfactual import WORDS


def line_law(
    runs: Runs,
    line: str,
    targets: Sequence[int],
    sent: Sequence[Column],
    random: np.random.Generator,
) -> tuple[LineLaw, list[Numbers] | None]:
    """And draws of its seconds a rank, by target; None where the Runs give bounds only. `sent`: what moving data, and
    waiting for it, may be in proportion to.
    """
    seconds = [run.lines[line] / run.ranks / work for run, work in zip(runs.all, runs.works, strict=True)]  # a rank
    if not any(seconds):  # what begins only beyond is not foretold
        at, none = tuple(Figure(0.0, 0.0, 0.0) for _ in targets), [np.zeros(DRAWS) for _ in targets]
        few = not most_terms(len(set(runs.ranks)))
        return LineLaw(line, WORDS[line], tuple(seconds), at, "0", None), None if few else none
    known = sent if line in (TRANSFER, WAIT) else ()
    counted = [*known, *(crowding(runs) if line != COMPUTE else ())]
    search = line == COMPUTE or (line != CORE_WAIT and not known and not crosses(runs))
    fitted = fitted_of(runs, seconds, counted, search)
    if fitted is None:
        at = tuple(Figure(None, *bounds(runs.ranks, seconds, target)) for target in targets)
        return LineLaw(line, WORDS[line], tuple(seconds), at, "", None), None
    drawn = [draws_of(runs, fitted, target, random) for target in targets]
    at = tuple(map(figure_of, drawn))
    best = fitted.laws[0]
    return LineLaw(line, WORDS[line], tuple(seconds), at, best.words, best.weight), drawn
