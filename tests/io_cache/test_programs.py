"""Real programs with their scratch files in the I/O cache: the same energies, and the same files in the end."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import pytest
from harness.mpis import clearway_tool
from io_cache.disks import DISKS
from io_cache.programs import PROGRAMS
from io_cache.running import Result, run_program

LEAST_BYTES = 1 << 20


@dataclass(frozen=True)
class Plain:
    """What a program gives without the cache."""

    energy: str
    alike: dict[str, str]  # the files that two runs leave alike: there are dates and process ids in others
    scratch_bytes: int


@functools.cache
def plain(name: str) -> Plain:
    first, second = (run_program(PROGRAMS[name], DISKS["healthy"], watched=True) for _ in range(2))
    assert first.energy == second.energy
    alike = {file: content for file, content in first.left.items() if second.left.get(file) == content}
    assert alike and first.left.keys() == second.left.keys()
    return Plain(first.energy, alike, first.scratch_bytes)


def cached(name: str, part: float) -> Result:
    budget_bytes = max(LEAST_BYTES, int(part * plain(name).scratch_bytes))
    recorder = [clearway_tool("clearway-record")]
    return run_program(PROGRAMS[name], DISKS["healthy"], recorder, [f"--io-cache={budget_bytes}"])


@pytest.mark.parametrize("part", [0.1, 0.5, 1.5])
@pytest.mark.parametrize("name", [pytest.param(name, marks=pytest.mark.slow) for name in PROGRAMS])
@pytest.mark.timeout(300)
def test_same_energies_and_files(name: str, part: float) -> None:
    if PROGRAMS[name].missing:
        pytest.skip(PROGRAMS[name].missing)
    expected, found = plain(name), cached(name, part)
    assert found.energy == expected.energy
    assert {file: found.left.get(file) for file in expected.alike} == expected.alike
    assert found.page is not None and found.page.io_cache is not None
    told = found.page.io_cache
    assert told.read_records > 100
    assert told.store_errors == 0
    assert told.fits == (part > 1)
