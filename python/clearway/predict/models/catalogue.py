"""The programs and systems that there are models of: found by being in the folder `programs`."""

from __future__ import annotations

import importlib
import pkgutil
from typing import cast

from clearway.base.errors import ClearwayError
from clearway.predict.models import programs
from clearway.predict.models.model import Job, Program, System
from clearway.predict.models.script import Script

DEFAULT_STEPS = 10
MOST_RANKS = 65536  # that a Script may have


def program_names() -> list[str]:
    return sorted(module.name for module in pkgutil.iter_modules(programs.__path__))


def find_program(name: str) -> Program:
    """Raises ClearwayError where there is no model of it."""
    if name not in program_names():
        raise ClearwayError(f"there is no workload '{name}'", f"one of: {', '.join(program_names())}")
    return cast(Program, importlib.import_module(f"{programs.__name__}.{name}"))


def find_system(name: str, system: str | None) -> tuple[str, System]:
    """The first of the program where `system` is None. Raises ClearwayError where it has no such system."""
    systems = find_program(name).SYSTEMS
    if system is None:
        return next(iter(systems.items()))
    if system not in systems:
        raise ClearwayError(f"the workload {name} has no system '{system}'", f"one of: {', '.join(systems)}")
    return system, systems[system]


def make_script(name: str, system: str | None, ranks: int, cpu: float = 1.0, steps: int = DEFAULT_STEPS) -> Script:
    """What `ranks` ranks of a program do in each of `steps` time steps.

    `cpu` is the speed of a core, as a multiple of the one that the system's timing was taken on. Raises ClearwayError
    where there is no such model, or where it makes no sense on so many ranks.
    """
    if not 1 <= ranks <= MOST_RANKS or steps < 1:
        raise ClearwayError(f"a workload needs 1 to {MOST_RANKS} ranks, and at least 1 step", "--ranks 8 --steps 10")
    if not 0 < cpu < 1e6:
        raise ClearwayError(
            f"--cpu must be a speed above 0, not {cpu:g}", "--cpu 2: twice as fast as in the model's source"
        )
    system_name, chosen = find_system(name, system)
    step = find_program(name).step(chosen, Job(ranks, cpu))
    cycle = f", {step.time_steps} time steps at once" if step.time_steps > 1 else ""
    title = f"{name} {system_name} on {ranks} rank{'s' if ranks > 1 else ''}{cycle}"
    return Script(title, ranks, steps, step.lists, step.communicators, step.time_steps)
