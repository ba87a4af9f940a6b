"""What holds for all remedies."""

from __future__ import annotations

from pathlib import Path

import pytest
from remedies.made_cases import INTEL, MPICH, OPEN_MPI, made_case, offer

from clearway.diagnosis.remedies import remedies
from clearway.diagnosis.rules import rules


def test_rules_name_only_remedies_that_there_are() -> None:
    for name, rule in rules().items():
        assert set(rule.REMEDIES) <= set(remedies()), name


def test_exclusions_name_only_remedies_that_there_are() -> None:
    for name, remedy in remedies().items():
        assert set(remedies()) - {name} >= remedy.EXCLUDES, name


@pytest.mark.parametrize("library", [OPEN_MPI, MPICH, INTEL, "", "Cray MPT 8"])
def test_a_job_without_a_fault_is_offered_nothing_for_it(tmp_path: Path, library: str) -> None:
    case = made_case(tmp_path, library=library, cpus="")
    may_always = {"yield-when-idle", "pin-ranks", "one-rank-a-core", "shm-size", "faster-fabric"}
    for name in remedies().keys() - may_always:
        assert offer(name, case) is None, name


@pytest.mark.parametrize("name", sorted(remedies()))
def test_what_needs_root_is_a_command_and_all_else_a_change(tmp_path: Path, name: str) -> None:
    found = offer(name, made_case(tmp_path), "file-wait")
    if found is not None:
        assert found.needs_root == name.startswith("host-")
        assert bool(found.command) != bool(found.change)
