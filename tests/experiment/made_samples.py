"""Samples whose truth is known, for tests of what is made of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from clearway.experiment import Comparison, End, Plan, Variant
from clearway.experiment.assemble import assemble
from clearway.experiment.sample import Figures, Sample


def figures(seconds: float, **more: float) -> Figures:
    told: dict[str, float | None] = {"mpi_s": seconds, "cpu_s": seconds / 2, "s_per_step": None, "ns_per_day": None}
    return Figures(wall_s=seconds + 10, engine="GROMACS" if more else None, **{**told, **more})


def samples_of(seconds: Mapping[str, Sequence[float | None]]) -> list[Sample]:
    """By variant the seconds of the warm-up, round 1, 2 …; None is a run that failed."""
    return [
        Sample(name, number, f"round-{number}/{name}", value or 1.0, figures(value) if value else None,
               "" if value else "ended with 3: planted")
        for name, values in seconds.items()
        for number, value in enumerate(values)
    ]  # fmt: skip


def compared(plan: Plan, samples: Sequence[Sample]) -> Comparison:
    commands = {variant.name: ["mpirun", "-np", "2", variant.name] for variant in plan.variants}
    return assemble(plan, samples, Path("/nowhere"), commands, End.ROUNDS)


def plan_of(*names: str) -> Plan:
    return Plan(("mpirun", "a"), tuple(Variant(name) for name in names))
