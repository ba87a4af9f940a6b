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
    alike: dict[str, str]  # the files that two runs leave alike: there are dates, process ids and folders in others
    scratch_bytes: int


@functools.cache
def plain(name: str, disk: str) -> Plain:
    first = run_program(PROGRAMS[name], DISKS["healthy"], watched=True)
    second = run_program(PROGRAMS[name], DISKS[disk])
    assert first.energy == second.energy
    alike = {file: content for file, content in first.left.items() if second.left.get(file) == content}
    assert alike and first.left.keys() == second.left.keys()
    return Plain(first.energy, alike, first.scratch_bytes)


def cached(name: str, disk: str, part: float) -> Result:
    budget_bytes = max(LEAST_BYTES, int(part * plain(name, disk).scratch_bytes))
    recorder = [clearway_tool("clearway-record")]
    return run_program(PROGRAMS[name], DISKS[disk], recorder, [f"--io-cache={budget_bytes}"])


# OpenMolcas hands its files from program to program: also where nobody tells when they were made.
CASES = [*((name, "healthy", part) for name in PROGRAMS for part in (0.1, 0.5, 1.5)), ("openmolcas", "uncached", 1.5)]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "disk", "part"), CASES)
@pytest.mark.timeout(300)
def test_same_energies_and_files(name: str, disk: str, part: float) -> None:
    if trouble := PROGRAMS[name].missing or DISKS[disk].why_not():
        pytest.skip(trouble)
    expected, found = plain(name, disk), cached(name, disk, part)
    assert found.energy == expected.energy
    assert {file: found.left.get(file) for file in expected.alike} == expected.alike
    assert found.page is not None and found.page.io_cache is not None
    told = found.page.io_cache
    assert told.read_records > 100
    assert told.store_errors == 0
    assert told.fits == (part > 1)
