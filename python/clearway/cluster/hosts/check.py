"""What `clearway host check` has found: hosts, their faults, and what differs between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from clearway.cluster.hosts.differences import Difference, differences
from clearway.cluster.hosts.faults import Fault, find_faults
from clearway.cluster.hosts.state import SCHEMA, State


@dataclass(frozen=True, slots=True)
class HostCheck:
    """One host: what was read, and what is wrong with it."""

    state: State
    faults: tuple[Fault, ...]  # serious ones first


@dataclass(frozen=True, slots=True)
class Check:
    """The hosts, sorted by name, and the facts that differ between them."""

    schema: str
    hosts: tuple[HostCheck, ...]
    differences: tuple[Difference, ...]


def check_of(states: Sequence[State]) -> Check:
    ordered = sorted(states, key=lambda state: name_order(state.host))
    hosts = tuple(HostCheck(state, find_faults(state)) for state in ordered)
    return Check(SCHEMA, hosts, differences(ordered))


def name_order(name: str) -> tuple[str, int]:
    """node2 comes before node10."""
    stem = name.rstrip("0123456789")
    return stem, int(name[len(stem) :] or 0)
