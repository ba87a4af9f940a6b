"""The recorded calls whose time can be divided: one unit a call, whatever the number of its messages."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from clearway.run.events import Events, long_event_s

NO_WAIT = -np.inf  # ready_s of a call that had nobody to wait for


@dataclass(slots=True)
class Units:
    """Columns of equal length, one element a recorded call. Times are seconds on the Run's axis.

    `ready_s` is the instant at which the last partner that the call needs had entered: until then it waits, after
    it data moves. `open` says that partners may be missing from it: what follows ready_s is then not known to be
    transfer. `event` is the call's position in Run.events (for several messages, of one of them).
    """

    event: NDArray[np.int64]
    process: NDArray[np.int32]
    function: NDArray[np.int32]
    comm: NDArray[np.int32]
    kept: NDArray[np.bool_]  # in a window of time that is kept whole, see Events.kept
    entry_s: NDArray[np.float64]
    exit_s: NDArray[np.float64]
    ready_s: NDArray[np.float64]
    open: NDArray[np.bool_]
    run_delay_s: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.process)

    @property
    def duration_s(self) -> NDArray[np.float64]:
        return self.exit_s - self.entry_s

    def long(self, level: int) -> NDArray[np.bool_]:
        """Which of them would have been recorded at any moment, because they lasted long."""
        return self.duration_s > long_event_s(level)


def units_of(
    events: Events,
    chosen: NDArray[np.int64],
    ready_s: NDArray[np.float64],
    is_open: NDArray[np.bool_],
    run_delay_s: NDArray[np.float32] | None = None,
) -> Units:
    """Calls by their events' positions. Their run delay is these events' own, unless another is given."""
    return Units(
        event=chosen,
        process=events.process[chosen],
        function=events.function[chosen],
        comm=events.comm[chosen],
        kept=events.kept[chosen],
        entry_s=events.entry_s[chosen],
        exit_s=events.exit_s[chosen],
        ready_s=ready_s,
        open=is_open,
        run_delay_s=events.run_delay_s[chosen] if run_delay_s is None else run_delay_s,
    )


def joined(*parts: Units) -> Units:
    """All, one after the other."""
    columns = {f.name: np.concatenate([getattr(part, f.name) for part in parts]) for f in fields(Units)}
    return Units(**columns)
