"""Globs that are recommended find the next run's scratch files."""

from __future__ import annotations

import random
import string
from fnmatch import fnmatchcase

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clearway.diagnosis.facts.scratch_names import globs, stable


@pytest.mark.parametrize(
    ("name", "glob"),
    [
        ("etilqs_b81e2184b55f9bb6", "etilqs_*"),
        ("etilqs_ccb4c1d7c2aa0e33", "etilqs_*"),
        ("water.aoints.0", "water.aoints.*"),
        ("sortq3Xa9Z", "sort*"),
        ("tmpk3j_x8ab", "tmp*"),
        ("tmpk3j_x8ab.npy", "tmp*.npy"),
        ("psi.12345.clean.180", "psi.*.clean.*"),
        ("H2O.ScrFile", "H*O.ScrFile"),
        ("pwscf.wfc1", "pwscf.wfc*"),
        ("gfortrantmp7aBx2Q", "gfortrantmp*"),
        ("scratch", "scratch"),
        ("density-matrix.h5", "density-matrix.h*"),
    ],
)
def test_names_of_programs(name: str, glob: str) -> None:
    assert stable(name) == glob


def test_names_of_one_kind_that_were_drawn_from_letters() -> None:
    names = ["/s/partQWERTY.bin", "/s/partAsDfGh.bin", "/s/partzxcvbn.bin"]
    assert globs(names) == ["/s/part*.bin"]
    assert globs(["/s/4711/a.1", "/s/4712/a.2"]) == ["/s/*/a.*"]


def test_what_a_pattern_would_take_for_its_own_stands_for_any_character() -> None:
    """A colon ends a pattern of --io-cache-files."""
    (glob,) = globs(["/s/a:b/c[x]*?\\y"])
    assert glob == "/s/a?b/c?x????y"
    assert fnmatchcase("/s/a:b/c[x]*?\\y", glob)


def drawn(template: str, letters: str, seed: int) -> str:
    draw = random.Random(seed)
    return "".join(draw.choice(letters) if one == "X" else one for one in template)


@given(seed=st.integers(0, 10**6))
def test_they_find_the_next_ones(seed: int) -> None:
    """Of SQLite all, of mkstemp nearly all: six letters may look like a word."""
    hexadecimal = "etilqs_XXXXXXXXXXXXXXXX", "0123456789abcdef"
    assert fnmatchcase(drawn(*hexadecimal, seed + 1), stable(drawn(*hexadecimal, seed)))
    many = [f"/t/{drawn('sortXXXXXX', string.ascii_letters + string.digits, seed + i)}" for i in range(8)]
    later = f"/t/{drawn('sortXXXXXX', string.ascii_letters + string.digits, seed + 99)}"
    assert any(fnmatchcase(later, glob) for glob in globs(many))


@given(st.lists(st.text(string.ascii_letters + string.digits + "._-", min_size=1, max_size=24), min_size=1, max_size=9))
def test_they_find_the_files_themselves(names: list[str]) -> None:
    paths = [f"/scratch/job.17/{name}" for name in names if name not in {".", ".."}]
    found = globs(paths)
    assert all(any(fnmatchcase(path, glob) for glob in found) for path in paths)
