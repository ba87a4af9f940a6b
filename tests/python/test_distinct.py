"""Rows of several columns told apart, against numpy.unique."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from clearway.base.distinct import distinct


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(-2, 2), st.integers(0, 2), st.integers(0, 1)), max_size=30))
def test_tells_what_unique_tells(rows: list[tuple[int, int, int]]) -> None:
    table = np.array(rows, np.int64).reshape(-1, 3)
    first, number = distinct(*table.T)
    expected, at, inverse = np.unique(table, axis=0, return_index=True, return_inverse=True)
    assert (table[first] == expected).all() and len(first) == len(expected)
    assert first.tolist() == at.tolist()
    assert number.tolist() == inverse.reshape(-1).tolist()
