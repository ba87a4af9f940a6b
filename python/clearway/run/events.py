"""Single calls (EventRecord) of all processes, as columns: one array a field, since millions of them are sifted."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from clearway.run import layout

NO_SEQUENCE = 0xFFFFFFFF  # the recorder could not number this message: it cannot be paired

_MIX_STEP = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)


@dataclass(slots=True)
class Events:
    """Columns of equal length. Times are seconds on the Run's axis; `function` and `comm` are the Run's numbers.

    `kept` is True for events that the level of the whole Run guarantees for every process because their window
    of time was selected, False for those that are there only because they were long.
    """

    process: NDArray[np.int32]
    function: NDArray[np.int32]
    comm: NDArray[np.int32]
    peer: NDArray[np.int32]  # world rank, or a layout.PEER constant
    tag: NDArray[np.int32]
    seq: NDArray[np.uint32]
    kind: NDArray[np.uint8]
    kept: NDArray[np.bool_]
    entry_s: NDArray[np.float64]
    exit_s: NDArray[np.float64]
    bytes: NDArray[np.uint64]
    run_delay_s: NDArray[np.float32]
    # Between the process's event before and this call: what was no computing, as far as it is known.
    blocked_before_s: NDArray[np.float32]
    io_before_s: NDArray[np.float32]
    run_delay_before_s: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.process)

    @property
    def duration_s(self) -> NDArray[np.float64]:
        return self.exit_s - self.entry_s


def mix(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """splitmix64's finaliser (Steele, Lea, Flood 2014), as in native/base/hash.hpp."""
    x = values + _MIX_STEP
    x = (x ^ (x >> np.uint64(30))) * _MIX_1
    x = (x ^ (x >> np.uint64(27))) * _MIX_2
    return x ^ (x >> np.uint64(31))


def selected(realtime_ns: NDArray[np.int64], window_ms: int, level: int) -> NDArray[np.bool_]:
    """Whether the window of realtime that holds each instant is one that all processes keep at `level`."""
    if level == 0:
        return np.ones(len(realtime_ns), np.bool_)
    window = (realtime_ns // (window_ms * 1_000_000)).astype(np.uint64)
    chosen: NDArray[np.bool_] = (mix(window) & np.uint64((1 << level) - 1)) == 0
    return chosen


MOST_EVENTS = 4_000_000  # about 1 GB while they are sorted and paired
SLICES = 16  # of a window, by which a reader thins
FEWEST_SLICES = 16


def thinning(recorded: int, span_s: float, window_ms: int, level: int) -> int:
    """How many levels a large Run is thinned further by its reader: 0 unless more than MOST_EVENTS were recorded.

    Each halves the events, by slices of time that are shorter than the recorder's windows but chosen alike for all
    processes. Of the Run's span at least FEWEST_SLICES are left to stand for the others.
    """
    slices = span_s * 1000 / window_ms * SLICES / (1 << level)
    levels = 0
    while recorded >> levels > MOST_EVENTS and slices / (2 << levels) >= FEWEST_SLICES:
        levels += 1
    return levels


def long_event_s(level: int) -> float:
    """Calls longer than this are kept at `level`, whenever they ended."""
    return layout.LONG_EVENT_S * float(1 << level)


def concatenated(parts: list[Events]) -> Events:
    """All parts as one. The parts are emptied on the way: two copies of everything would be too much."""
    if not parts:
        return Events(**{name: np.empty(0, dtype) for name, dtype in _TYPES.items()})
    joined = {}
    for field in fields(Events):
        joined[field.name] = np.concatenate([getattr(part, field.name) for part in parts])
        for part in parts:
            setattr(part, field.name, np.empty(0))
    return Events(**joined)


_TYPES: dict[str, type[np.generic]] = {
    "process": np.int32,
    "function": np.int32,
    "comm": np.int32,
    "peer": np.int32,
    "tag": np.int32,
    "seq": np.uint32,
    "kind": np.uint8,
    "kept": np.bool_,
    "entry_s": np.float64,
    "exit_s": np.float64,
    "bytes": np.uint64,
    "run_delay_s": np.float32,
    "blocked_before_s": np.float32,
    "io_before_s": np.float32,
    "run_delay_before_s": np.float32,
}
