"""Settings of the MPI: the words of the remedies for what the first run suffered from.

Numbers of ranks, and binding, are placement's.
"""

from __future__ import annotations

from collections.abc import Iterator

from clearway.base import quantities as q
from clearway.job.change import Change
from clearway.tune.knobs.placement import pins
from clearway.tune.seen import Mend, Seen
from clearway.tune.setting import Knob, MayChange, Setting


def knobs(seen: Seen) -> Iterator[Knob]:
    bound = pins(seen)
    mends = [mend for mend in seen.mends if mend.change.ranks is None and mend.change != bound]
    if not seen.launcher:  # or none that can be seen: it is inside a script
        mends = [mend for mend in mends if not mend.change.launcher_options]
    if not mends:
        yield Knob("settings of the MPI", (), None, "no fault was found that one of them would remedy")
    yield from (_knob(mend, seen) for mend in mends)


def _knob(mend: Mend, seen: Seen) -> Knob:
    if mend.change.program_options and not seen.tells_work:
        return Knob(mend.name, (), None, "it is not known how much work the job does with other options")
    setting = Setting(mend.name, mend.name, mend.change, _may_change(mend.change))
    return Knob(mend.name, (setting,), mend.most, f"{mend.finding}: {q.percent(mend.most)} of the wall-clock")


def _may_change(change: Change) -> MayChange:
    """What only moves data leaves it as it is; other threads sum in another order."""
    threads = any(name == "OMP_NUM_THREADS" for name, _ in change.environment)
    return MayChange.ORDER if change.program_options or threads else MayChange.NOTHING
