"""What is not the same on all hosts: a parallel job goes at the pace of the one that is worst off."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from clearway.cluster.hosts.state import State, Value

# Of each host its own, or never the same twice.
OWN = (
    "address",
    "packets",
    "errors",
    "dropped",
    "segments_sent",
    "retransmitted",
    "timeouts",
    "probe_recoveries",
    "available_bytes",
    "free_bytes",
    "load",
    "busy_share",
    "steal_share",
    "busy_processes",
)
MEASURED = {"processor.loop_ms": 1.5, "memory.total_bytes": 1.05, "memory.shm_bytes": 1.05}  # apart by this factor


@dataclass(frozen=True, slots=True)
class Difference:
    """A fact that is not the same everywhere; None: not read on that host."""

    name: str
    values: dict[str, Value | None]  # by host
    odd: tuple[str, ...]  # hosts that differ from most of the others


def differences(states: Sequence[State]) -> tuple[Difference, ...]:
    names = sorted({name for state in states for name in state.facts if not name.endswith(OWN)})
    found = []
    for name in names:
        values = {state.host: state.facts[name].value if name in state.facts else None for state in states}
        odd = far_ones(values, MEASURED[name]) if name in MEASURED else odd_ones(values)
        if odd:
            found.append(Difference(name, values, odd))
    return tuple(found)


def odd_ones(values: Mapping[str, Value | None]) -> tuple[str, ...]:
    """All but those that have the value of most; of two values that are as frequent, the later is the odd one."""
    texts = {host: str(value) for host, value in values.items()}
    counts = {text: list(texts.values()).count(text) for text in texts.values()}
    usual = max(counts, key=lambda text: counts[text])
    return tuple(host for host, text in texts.items() if text != usual)


def far_ones(values: Mapping[str, Value | None], factor: float) -> tuple[str, ...]:
    """Those further from the median than by `factor`."""
    numbers = {host: float(value) for host, value in values.items() if isinstance(value, int | float)}
    if not numbers:
        return ()
    middle = median(numbers.values())
    return tuple(host for host, number in numbers.items() if max(number, middle) > factor * min(number, middle))
