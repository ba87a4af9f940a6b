"""Rows of several columns: which are alike. `numpy.unique(axis=1)` tells the same, some ten times slower."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def distinct(*columns: NDArray[np.integer]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Of the distinct rows, in order, where each stands first; and by row the number of the one that it is.

    The first column counts most.
    """
    order = np.lexsort(columns[::-1])
    is_new = np.ones(len(order), np.bool_)
    is_new[1:] = np.logical_or.reduce([column[order][1:] != column[order][:-1] for column in columns])
    number = np.empty(len(order), np.int64)
    number[order] = np.cumsum(is_new) - 1
    return order[is_new], number
