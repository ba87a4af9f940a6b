"""Why the best way is faster, in the words of the ledger: where the time of a step went before, and where it goes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from clearway.base import quantities as q
from clearway.ledger.totals import Ledger
from clearway.page.render.ledger_lines import LINES
from clearway.tune.setting import Way

WORTH_SAYING = 0.02  # of the unchanged job's time
MOST_SAID = 3


def why_sentences(
    first: str, way: Way, because: Mapping[str, str], before: Ledger | None, after: Ledger | None, ratio: float | None
) -> list[str]:
    """`first`: what the page of the first run says. `ratio`: of the time of the same work, after by before."""
    said = [f"The unchanged job: {first[:1].lower()}{first[1:]}" if first else ""]
    said += [f"{setting.name}: {because[setting.knob]}." for setting in way if setting.knob in because]
    if before is not None and after is not None and ratio is not None:
        said.append(_moved(before, after, ratio))
    return [sentence for sentence in said if sentence]


def _moved(before: Ledger, after: Ledger, ratio: float) -> str:
    """Parts of what the same work took before: 100 % there, and less in all now."""
    was, now = _parts(before), _parts(after)
    changes = [(label, was[label], ratio * now[label]) for label in was]
    told = sorted(
        (one for one in changes if abs(one[2] - one[1]) >= WORTH_SAYING), key=lambda one: -abs(one[2] - one[1])
    )
    if not told:
        return ""
    words = [f"{label} from {q.percent(first)} to {q.percent(last)}" for label, first, last in told[:MOST_SAID]]
    return f"As shares of the time of the unchanged job: {'; '.join(words)}."


def _parts(ledger: Ledger) -> dict[str, float]:
    """By line of the ledger, without starting and stopping: a short run has more of that than the job will have."""
    lines: Sequence[tuple[str, float]] = [(line.label, line.of(ledger)) for line in LINES if line.field != "other_s"]
    whole = sum(seconds for _, seconds in lines)
    return {label: seconds / whole if whole > 0 else 0.0 for label, seconds in lines}
