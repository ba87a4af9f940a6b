"""`clearway diff` of two jobs under Slurm: the sentence says what was asked for otherwise, and nothing that follows."""

from __future__ import annotations

import json
from pathlib import Path

from harness.slurm import Person

ANYWHERE = {"partition", "QOS", "constraint"}  # the same site


def recorded(person: Person, lazy: Path, run: Path, *options: str, srun: str = "") -> Path:
    script = f"#!/bin/sh\nexport LAZY_MS=20\nclearway run -q -o {run} -- srun {srun} {lazy} 20\n"
    alone = ["--nodes=2", "--ntasks-per-node=1", "--exclusive"]  # beside another job Slurm may grant other cores
    person.submit(script, *alone, "--time=5", *options, name=f"{run.name}.sh")
    return run


def told_apart(person: Person, a: Path, b: Path) -> tuple[str, dict[str, tuple[list[str], list[str]]]]:
    """The sentence, and the settings that differ."""
    made = json.loads(person.types(f"clearway diff --same-work --json - {a} {b}"))
    return made["sentence"], {change["name"]: (change["a"], change["b"]) for change in made["changes"]}


def test_nodes_cpus_of_a_task_and_binding(person: Person, lazy: Path, folder: Path) -> None:
    person.types(f"mkdir {folder}")
    a = recorded(person, lazy, folder / "a", "--nodelist=node[1-2]")
    again = recorded(person, lazy, folder / "again", "--nodelist=node[1-2]")
    sentence, changes = told_apart(person, a, again)
    assert "no recorded setting differs" in sentence, changes

    b = recorded(person, lazy, folder / "b", "--nodelist=node[3-4]")
    sentence, changes = told_apart(person, a, b)
    assert "only the choice of hosts differs (node[1-2] in A, node[3-4] in B)" in sentence, changes

    c = recorded(person, lazy, folder / "c", "--nodelist=node[1-2]", "--cpus-per-task=2", srun="--cpus-per-task=2")
    sentence, changes = told_apart(person, a, c)
    assert "only the number of cpus per task differs (not asked for in A, 2 in B)" in sentence, changes

    d = recorded(person, lazy, folder / "d", "--nodelist=node[3-4]", "--cpus-per-task=2", srun="-c2 --cpu-bind=none")
    sentence, changes = told_apart(person, a, d)
    assert "--cpu-bind, the number of cpus per task and the choice of hosts differ" in sentence, changes
    assert not ANYWHERE & changes.keys()
