"""What a launcher needs to be told."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from clearway.cluster.placement import Placement
from clearway.job.change import Change


@dataclass(frozen=True, slots=True)
class Form:
    files: Mapping[str, str] = field(default_factory=dict)
    """Their texts by name."""
    change: Change = field(default_factory=Change)
    """Of the job's command line."""
    instead: tuple[str, ...] = ()
    """What stands in place of the program and its number of ranks, where a file names them."""
    prefix: tuple[str, ...] = ()
    """Before the launcher: env NAME=VALUE."""
    notes: tuple[str, ...] = ()
    """What this launcher cannot be told."""


Make = Callable[[Placement, str, Sequence[str]], Form]
"""From a Placement, the folder that the files will be in, and the program with its arguments."""
