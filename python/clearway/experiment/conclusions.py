"""What a comparison comes to, in sentences."""

from __future__ import annotations

from collections.abc import Iterator

from clearway.base import quantities as q
from clearway.base.pasted import pasted
from clearway.experiment.comparison import Comparison, End, Row, Scaling, Verdict
from clearway.experiment.order import FAULTS_UNTIL_GIVEN_UP
from clearway.experiment.others import said_of
from clearway.experiment.same_work import WHAT_TO_DO


def closing_words(comparison: Comparison) -> Iterator[str]:
    """Who won, what failed, what is not clear, and what to do about that."""
    yield from fastest(comparison)
    for scaling in comparison.scalings:
        yield from breakdown(scaling)
    yield from apart(comparison)
    for row in comparison.rows:
        if row.fault:
            yield f"{row.name} {row.fault} ({'failed' if not row.rounds else 'in one of its runs'})"
    yield from said_of(comparison.others)
    yield from open_ends(comparison)


def fastest(comparison: Comparison) -> Iterator[str]:
    best = best_of(comparison)
    if best is not None:
        yield f"{best.name}: {gain(best)} as fast as {comparison.baseline.name}."
    elif all(row.verdict in (Verdict.SAME, Verdict.BASELINE) for row in comparison.rows):
        yield f"All take the same time within {100 * comparison.precision:g} %."


def apart(comparison: Comparison) -> Iterator[str]:
    """Those whose time tells nothing of their speed, why, and what would tell."""
    reasons = dict.fromkeys(row.not_compared for row in comparison.rows if row.not_compared)
    for reason in reasons:
        names = ", ".join(row.name for row in comparison.rows if row.not_compared == reason)
        yield f"{names} cannot be compared with {comparison.baseline.name}: {reason}."
    if reasons:
        yield WHAT_TO_DO


def best_of(comparison: Comparison) -> Row | None:
    """The fastest of those that are faster than the baseline."""
    faster = [row for row in comparison.rows if row.verdict is Verdict.FASTER]
    return min(faster, key=lambda row: row.ratio or 1.0, default=None)


def mended(comparison: Comparison) -> list[Row]:
    """Those that ended well each time where the baseline never did."""
    if comparison.baseline.verdict is not Verdict.FAILED:
        return []
    return [row for row in comparison.rows[1:] if row.rounds >= FAULTS_UNTIL_GIVEN_UP and not row.fault]


def gain(row: Row) -> str:
    """ "1.29 times (1.27 to 1.31)"."""
    if row.ratio is None or row.ratio_low is None or row.ratio_high is None:
        return ""
    return f"{1 / row.ratio:.2f} times ({1 / row.ratio_high:.2f} to {1 / row.ratio_low:.2f})"


def breakdown(scaling: Scaling) -> Iterator[str]:
    if scaling.enough_ranks is None:
        return
    ranks = f"{scaling.enough_ranks} rank{'' if scaling.enough_ranks == 1 else 's'}"
    are = "is" if scaling.enough_ranks == 1 else "are"
    if scaling.larger_gain_nothing:
        yield f"{scaling.name}: {ranks} {are} enough; more are not faster."
    else:
        yield f"{scaling.name}: it is not clear whether more than {ranks} {are} faster."


def open_ends(comparison: Comparison) -> Iterator[str]:
    unclear = [row.name for row in comparison.rows if row.verdict is Verdict.UNCLEAR]
    resume = f"`clearway compare --resume {pasted(comparison.directory)}`"
    if comparison.end is End.INTERRUPTED:
        yield f"Interrupted: {resume} continues."
    elif comparison.end is End.BASELINE_FAILED and not mended(comparison):
        yield f"{comparison.baseline.name} failed, so there is nothing to compare with."
    elif unclear and comparison.rounds == 0 and comparison.end in (End.ROUNDS, End.UNDER_WAY):
        yield f"No round is complete yet. {resume} shows what there is."
    elif unclear and comparison.end is End.UNDER_WAY:
        so_far = f"{q.plural(comparison.rounds, 'round')} so far"
        yield f"Not clear yet, with {so_far}: {', '.join(unclear)}. {resume} shows what there is."
    elif unclear and comparison.end is not End.BASELINE_FAILED:
        why = "the budget" if comparison.end is End.BUDGET else q.plural(comparison.rounds, "round")
        yield f"Not clear after {why}: {', '.join(unclear)}. {resume} with more --rounds or --budget continues."
