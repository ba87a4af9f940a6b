"""A median never stands alone: beside it how far the measurements are apart."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median


def middle_and_spread(values: Sequence[float], digits: int = 2, unit: str = "") -> str:
    """'3.21 (3.02 – 3.55)'; one value alone says that it is one."""
    if len(values) == 1:
        return f"{values[0]:.{digits}f}{unit} (once)"
    return f"{median(values):.{digits}f}{unit} ({min(values):.{digits}f} – {max(values):.{digits}f})"
