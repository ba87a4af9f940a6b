"""What can be wrong with a host: a fault a file, each a pure function of its State, found by being there."""

from __future__ import annotations

import importlib
import pkgutil

from clearway.cluster.hosts.faults.model import Fault
from clearway.cluster.hosts.state import State

__all__ = ["Fault", "find_faults"]


def find_faults(state: State) -> tuple[Fault, ...]:
    """Serious ones first."""
    modules = [importlib.import_module(f"{__name__}.{module.name}") for module in pkgutil.iter_modules(__path__)]
    found = [fault for module in modules if hasattr(module, "find") for fault in module.find(state)]
    return tuple(sorted(found, key=lambda fault: not fault.serious))
